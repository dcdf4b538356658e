"""The columns of a sparse table: only stored values are read; the zeros are never written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.columns import NumberColumns, validated
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import Form
from qpfs.codes.ordering import Sorted, ordered
from qpfs.codes.scores import TILE_CELLS
from qpfs.codes.sparse_encoding import learn_sparse
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import Store
from qpfs.codes.values import is_sparse
from qpfs.compiled import kernel
from qpfs.engines import Engine
from qpfs.groups import ascending
from qpfs.sparse import sound_sparse

LEAST_CACHE = 1 << 24  # bytes; for a small matrix more than its own size may be kept
MOST_BYTES = 1 << 30  # bytes of numbers made dense together
WINDOW = 1 << 16  # columns of similar length are grouped among so many neighbours


class SparseColumns(NumberColumns):
    """A sparse matrix or array of SciPy, of any numeric type, read by columns."""

    names: list[str] | None = None  # of the columns, if they have names

    def __init__(self, array: Any) -> None:
        self.table = array
        self.matrix = matrix = in_order(array)
        self.n_samples, self.n_features = array.shape
        self.numeric = np.ones(self.n_features, bool)
        self.integer: BoolArray = np.full(self.n_features, array.dtype.kind in "iu")
        self.row_wise = False
        n_bytes = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
        self.cache_bytes = max(LEAST_CACHE, n_bytes * 3 // 2)  # somewhat more than the matrix takes

    takes = staticmethod(is_sparse)

    @classmethod
    def of(cls, table: Any) -> Self:
        return cls(sound_sparse(table))

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        return cls(validated(estimator, sound_sparse(table), reset=reset, min_samples=min_samples))

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> Any:
        return table.tocsc()[:, list(features)]

    @staticmethod
    def by_rows(table: Any) -> Any:
        return sound_sparse(table).tocsr()

    @staticmethod
    def dense(table: Any) -> AnyArray:
        return table.toarray()

    def numbers(self, features: IndexArray) -> FloatArray:
        """The given columns as a dense array; raises ValueError if that would be too large."""
        n_bytes = 8 * self.n_samples * len(features)
        if n_bytes > MOST_BYTES:
            raise ValueError(
                f"{len(features)} columns of a sparse table of {self.n_samples} samples would have to be "
                f"made dense, which takes {n_bytes / 2**30:.1f} GB; at most {MOST_BYTES / 2**30:g} GB are "
                "allowed. A clusterer or scorer of scikit-learn is for smaller tables: use FeatureKMeans, "
                "or MaxRel, in its place, or select some features first."
            )
        return self.part(features, slice(0, self.n_samples))

    def part(self, features: IndexArray, rows: slice) -> FloatArray:
        start, stop, _ = rows.indices(self.n_samples)
        part = np.zeros((stop - start, len(features)))
        spread(self.matrix.data, self.matrix.indices, *self.bounds(features), start, stop, part)
        return part

    def bounds(self, features: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Where the stored values of each column begin and end."""
        begin, end = self.matrix.indptr[features], self.matrix.indptr[features + 1]
        return begin.astype(np.intp), end.astype(np.intp)

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        return form.sparse_table(self, rule, engine)

    def learned(self, rule: Rule) -> Coding:
        return learn_sparse(self, rule)

    def in_order(self, features: IndexArray) -> Iterator[tuple[IndexArray, Sorted]]:
        """The stored values of columns, sorted, and one zero for all others."""
        lengths = np.diff(self.matrix.indptr)[features]
        order = np.argsort(lengths, kind="stable")
        for start, stop in like_lengths(lengths[order], TILE_CELLS):
            some = features[order[start:stop]]
            tile = SparseTile(self, some)
            yield some, Sorted(*ordered(tile.held), tile.rows, tile.stored)

    def like(self, n_cells: int) -> Iterator[IndexArray]:
        """All features in groups of neighbours with similar numbers of stored values, at most n_cells."""
        for first in range(0, self.n_features, WINDOW):
            lengths = np.diff(self.matrix.indptr[first : first + WINDOW + 1])
            order = np.argsort(lengths, kind="stable")
            for start, stop in like_lengths(lengths[order], n_cells):
                yield first + order[start:stop]


def in_order(array: Any) -> Any:
    """The matrix in CSC format, each sample of a column once and sorted; unchanged if it is so already."""
    if array.dtype.kind in "fiu" and (array.dtype.itemsize > 8 or not array.dtype.isnative):
        array = array.astype(np.float64)
    matrix = array if array.format == "csc" else array.tocsc()
    if not ascending(matrix.indptr, matrix.indices):
        # Conversion to rows and back is a stable sort: duplicate entries are added in the order of storage,
        # as when the matrix is made dense.
        matrix = matrix.tocsr().tocsc()
        matrix.sum_duplicates()
    return matrix


def like_lengths(lengths: AnyArray, n_cells: int) -> Iterator[tuple[int, int]]:
    """Runs of ascending lengths: each up to about twice its first, and at most n_cells in all."""
    start = 0
    while start < len(lengths):
        stop = int(np.searchsorted(lengths, 2 * lengths[start] + 4, side="right"))
        width = max(1, n_cells // (int(lengths[stop - 1]) + 1))
        stop = min(stop, start + width)
        yield start, stop
        start = stop


@kernel
def spread(
    data: AnyArray,
    indices: AnyArray,
    begin: IndexArray,
    end: IndexArray,
    start: int,
    stop: int,
    part: FloatArray,
) -> None:
    """Writes the stored values of some columns, for samples from start to stop, into a dense array."""
    for k in range(len(begin)):
        for t in range(begin[k], end[k]):
            if start <= indices[t] < stop:
                part[indices[t] - start, k] = data[t]
