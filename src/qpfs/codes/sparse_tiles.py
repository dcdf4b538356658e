"""A tile of sparse columns, surveyed in time proportional to the number of stored values.

Results that depend only on the values of a column come from the stored ones and a single zero. Sums are the
same to the last bit as those of the dense columns. Adding zeros changes no sum. The deviation of a zero from
the mean is not zero, but it is the same between two stored values, and adding one number many times is fast
(`repeated.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.repeated import added
from qpfs.codes.tiles import Tile
from qpfs.codes.weights import counts_of
from qpfs.compiled import kernel

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

PIECE_BYTES = 1 << 22  # bytes of dense rows


class SparseTile(Tile):
    """Some columns of a sparse table, preferably with similar numbers of stored values."""

    def __init__(self, columns: SparseColumns, features: IndexArray) -> None:
        n_rows = max(1, PIECE_BYTES // (8 * 64 * max(len(features), 1))) * 64
        super().__init__(columns, features, n_rows)
        begin, end = columns.bounds(features)
        self.stored = (end - begin).astype(np.int32)
        longest = int(self.stored.max(initial=0))
        # The stored values, first sample to last, then a zero if any sample is left out, then NaN.
        self.held = np.full((longest + 1, len(features)), np.nan)
        self.rows = np.zeros((longest, len(features)), np.int32)  # the sample of each
        matrix = columns.matrix
        fill(matrix.data, matrix.indices, begin, self.stored, self.n_samples, self.held, self.rows)
        self.further: AnyArray = np.maximum(self.left_out.astype(np.intp) - 1, 0)

    @property
    def left_out(self) -> CountArray:
        """How many samples of each column are not stored, and therefore zero."""
        return self.n_samples - self.stored

    def values(self) -> Iterator[FloatArray]:
        yield self.held

    @cached_property
    def counts(self) -> AnyArray:
        """The weight of each of the values held; for the zero, that of all samples that are not stored."""
        counts = np.zeros(self.held.shape, np.int64)
        counts[:-1] = np.where(np.arange(len(self.rows))[:, None] < self.stored, self.weight[self.rows], 0)
        counts[self.stored, np.arange(self.n_features)] = self.total - counts.sum(axis=0)
        return counts

    @property
    def weight(self) -> AnyArray:
        return np.asarray(counts_of(self.weights))

    def weighed(self) -> Iterator[tuple[FloatArray, AnyArray]]:
        yield self.held, self.counts

    def weighed_lines(self) -> Iterator[tuple[slice, FloatArray, AnyArray]]:
        yield slice(0, self.n_features), self.held.T.copy(), self.counts.T

    def offsets(self, scale: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        rest, square = np.empty(self.n_features), np.empty(self.n_features)
        before = None if self.weights is None else self.weights.before
        add_stored(self.held, self.rows, self.stored, self.n_samples, before, scale, mean, rest, square)
        return rest, square

    def lines(self) -> Iterator[tuple[slice, FloatArray, IndexArray]]:
        yield slice(0, self.n_features), self.held.T.copy(), self.further


@kernel
def fill(
    data: AnyArray,
    indices: AnyArray,
    begin: AnyArray,
    stored: CountArray,
    n_samples: int,
    held: FloatArray,
    rows: CountArray,
) -> None:
    """Copies the stored values of each column and their samples into a tile of NaN."""
    for k in range(len(begin)):
        for i in range(stored[k]):
            held[i, k] = data[begin[k] + i]
            rows[i, k] = indices[begin[k] + i]
        if stored[k] < n_samples:
            held[stored[k], k] = 0.0


@kernel
def add_stored(
    held: FloatArray,
    rows: CountArray,
    stored: CountArray,
    n_samples: int,
    before: Any,  # the total weight of all samples before each; None: their number
    scale: FloatArray,
    mean: FloatArray,
    rest: FloatArray,
    square: FloatArray,
) -> None:
    """Adds up the deviations of each column from its mean, and their squares, in the order of samples."""
    for k in range(len(stored)):
        rest[k], square[k], last = 0.0, 0.0, -1
        zero = 0.0 * scale[k] - mean[k]
        for i in range(stored[k] + 1):
            row = rows[i, k] if i < stored[k] else n_samples
            zeros = row - last - 1 if before is None else before[row] - before[last + 1]
            if zero == zero:
                rest[k] = added(rest[k], zero, zeros)
                square[k] = added(square[k], zero * zero, zeros)
            off = held[i, k] * scale[k] - mean[k] if i < stored[k] else np.nan
            if off == off:
                if before is None:
                    rest[k] += off
                    square[k] += off * off
                else:
                    rest[k] = added(rest[k], off, before[row + 1] - before[row])
                    square[k] = added(square[k], off * off, before[row + 1] - before[row])
            last = row
