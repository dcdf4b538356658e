"""A tile of sparse columns: what is known of each is found in time proportional to what is stored.

Whatever depends only on which values a column has is read from the stored ones and a single zero. Sums are
the same to the last bit as those of the columns spread out. Adding zeros changes no sum. What is left over
from the mean does not vanish where a value does, but between two stored values it is always the same, and
adding one number again and again is quick: while the sum stays between two powers of two, the spacing of
floating-point numbers is the same, so every addition is rounded alike and the sum grows by the same amount.
Many of them are one exact product.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.tiles import Tile
from qpfs.compiled import kernel

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

FEW = 12  # additions that are as quick one by one
PIECE_BYTES = 1 << 22  # of rows spread out


class SparseTile(Tile):
    """Some columns of a sparse table, best of about as many stored values each.

    `held` has the stored values of each column, first sample to last, then a zero if any sample is left out,
    then NaN: (longest + 1, k). `rows` has the sample of each stored value.
    """

    def __init__(self, columns: SparseColumns, features: IndexArray) -> None:
        n_rows = max(1, PIECE_BYTES // (8 * 64 * max(len(features), 1))) * 64
        super().__init__(columns, features, n_rows)
        begin, end = columns.bounds(features)
        self.stored = (end - begin).astype(np.int32)
        longest = int(self.stored.max(initial=0))
        self.held = np.full((longest + 1, len(features)), np.nan)
        self.rows = np.zeros((longest, len(features)), np.int32)
        matrix = columns.matrix
        fill(matrix.data, matrix.indices, begin, self.stored, self.n_samples, self.held, self.rows)
        self.further: AnyArray = np.maximum(self.left_out.astype(np.intp) - 1, 0)

    @property
    def left_out(self) -> CountArray:
        """How many samples of each column are not stored, and so zero."""
        return self.n_samples - self.stored

    def values(self) -> Iterator[FloatArray]:
        yield self.held

    def offsets(self, scale: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        rest, square = np.empty(self.n_features), np.empty(self.n_features)
        add_stored(self.held, self.rows, self.stored, self.n_samples, scale, mean, rest, square)
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
    scale: FloatArray,
    mean: FloatArray,
    rest: FloatArray,
    square: FloatArray,
) -> None:
    """By how much each column is off its mean, and the square of that, added up from first sample to last."""
    for k in range(len(stored)):
        rest[k], square[k], last = 0.0, 0.0, -1
        zero = 0.0 * scale[k] - mean[k]
        for i in range(stored[k] + 1):
            row = rows[i, k] if i < stored[k] else n_samples
            if zero == zero:
                rest[k] = added(rest[k], zero, row - last - 1)
                square[k] = added(square[k], zero * zero, row - last - 1)
            off = held[i, k] * scale[k] - mean[k] if i < stored[k] else np.nan
            if off == off:
                rest[k] += off
                square[k] += off * off
            last = row


@kernel
def added(total: float, step: float, times: int) -> float:
    """total + step + ... + step, rounded after each of so many additions."""
    while times > FEW:
        one = total + step
        two = one + step
        total = two + step
        times -= 3
        low, high = powers_around(two)
        if low < abs(one) < high and low < abs(total) < high and one * total > 0.0:
            # `two` was rounded at this spacing, so that a tie went to even: from it on all steps are equal.
            gain = total - two
            if gain == 0.0:
                return total
            room = high - abs(total) if abs(total) > abs(two) else abs(total) - low
            jump = min(np.float64(times), np.floor(room / abs(gain)) - 1.0)
            if jump > 0.0:
                total += jump * gain
                times -= int(jump)
        elif total == two:
            return total
    for _ in range(times):
        total += step
    return total


@kernel
def powers_around(x: float) -> tuple[float, float]:
    """The powers of two around a number; 0 and 0 for one so small that its spacing is the least there is."""
    exponent = np.float64(x).view(np.int64) & np.int64(0x7FF0000000000000)
    low = np.int64(exponent).view(np.float64)
    return low, 2.0 * low
