"""Scores of a sparse table: those of what is stored, and the one that all zeros of a column share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import reject_infinite
from qpfs.codes.scores import CELLS, ScoreBlock, ScoreList, quantiles, score_groups
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import MemoryStore, memory_store
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial
from qpfs.groups import bounds_of

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

TILE_CELLS = 1 << 19  # stored values that are sorted at a time


@dataclass(frozen=True, eq=False)
class SparseScoreBlock:
    """Features of d columns each, spread out a few at a time when they are asked for."""

    features: IndexArray  # (k,)
    base: AnyArray  # (k, d) int16: the score of a zero
    shift: AnyArray  # (k, d) int8
    begin: IndexArray  # (k + 1,) where the stored values of each feature begin
    rows: AnyArray  # the sample of each stored value
    stored: AnyArray  # (d, stored values) int16
    n_samples: int

    @property
    def n_levels(self) -> int:
        return int(self.base.shape[1])

    def products(self, pivots: ScoreBlock, rows: slice) -> FloatArray:
        """The inner products of the columns of some pivots with those of all features."""
        whole = self.pieces(np.arange(len(self.features)))
        return np.concatenate([block.products(pivots, rows) for _, block, _ in whole], axis=1)

    def gram(self) -> AnyArray:
        """The inner products of samples over all columns."""
        whole = self.pieces(np.arange(len(self.features)))
        return np.sum([block.gram() for _, block, _ in whole], axis=0)

    def squares_along(
        self, slots: IndexArray, lo: IndexArray, hi: IndexArray, others: ScoreList, out: FloatArray
    ) -> None:
        """What each of some features shares with those of its run of a list, one run after another."""
        bounds = bounds_of(hi - lo)
        for some, block, at in self.pieces(slots):
            place = slice(bounds[some.start], bounds[some.stop])
            block.squares_along(at, lo[some], hi[some], others, out[place])

    def add_scores(
        self, slots: IndexArray, centres: ScoreList, centre: IndexArray, row: IndexArray, total: AnyArray
    ) -> None:
        """Adds the first columns of some features to rows of the total."""
        for some, block, at in self.pieces(slots):
            block.add_scores(at, centres, centre[some], row[some], total)

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, ScoreBlock, IndexArray]]:
        """Some features spread out, few at a time: which of them, a block, and where in it they are."""
        width = max(1, CELLS // (self.n_samples * self.n_levels))
        for start in range(0, len(slots), width):
            some = slots[start : start + width]
            yield slice(start, start + len(some)), self.take(some), np.arange(len(some))

    def take(self, slots: IndexArray) -> ScoreBlock:
        """The features at the given places, spread out."""
        scores = np.empty((len(slots), self.n_levels, self.n_samples), np.int16)
        scores[:] = self.base[slots][:, :, None]
        put_scores(self.begin, self.rows, self.stored, slots, scores)
        return ScoreBlock(self.features[slots], scores, self.shift[slots])

    def part(self, slots: IndexArray) -> SparseScoreBlock:
        """The features at the given places, as they are here."""
        sizes = np.diff(self.begin)[slots]
        begin = bounds_of(sizes)
        at = np.repeat(self.begin[slots] - begin[:-1], sizes) + np.arange(begin[-1])
        return replace(
            self,
            features=self.features[slots],
            base=self.base[slots],
            shift=self.shift[slots],
            begin=begin,
            rows=self.rows[at],
            stored=self.stored[:, at],
        )

    def turned(self) -> SparseScoreBlock:
        """The same: features are spread out one by one."""
        return self

    def numbered(self, features: IndexArray) -> SparseScoreBlock:
        """The same block under other numbers."""
        return replace(self, features=features)

    @staticmethod
    def joined(blocks: list[SparseScoreBlock]) -> SparseScoreBlock:
        """One block of all features."""
        if len(blocks) == 1:
            return blocks[0]
        sizes = np.concatenate([np.diff(one.begin) for one in blocks])
        features, base, shift, rows = (
            np.concatenate(parts)
            for parts in zip(*((one.features, one.base, one.shift, one.rows) for one in blocks), strict=True)
        )
        stored = np.concatenate([one.stored for one in blocks], axis=1)
        return SparseScoreBlock(features, base, shift, bounds_of(sizes), rows, stored, blocks[0].n_samples)


def score_sparse(columns: SparseColumns, degree: int, engine: Engine | None = None) -> MemoryStore[Any]:
    """The features of a sparse table as scores."""

    def block(features: IndexArray) -> SparseScoreBlock:
        tile = SparseTile(columns, features)
        reject_infinite(columns, features, tile)
        begin, end = columns.bounds(features)
        lengths = end - begin
        at = np.repeat(begin - bounds_of(lengths)[:-1], lengths) + np.arange(int(lengths.sum()))
        values = columns.matrix.data[at].astype(np.float64)
        rows = columns.matrix.indices[at].astype(np.int32)
        return scored(values, rows, bounds_of(lengths), features, columns.n_samples, degree)

    parts = (engine or Serial()).map(block, columns.like(TILE_CELLS))
    blocks = [one for one in parts if len(one.features)]
    return memory_store(blocks, columns.n_samples, columns.n_features)


def scored(
    values: FloatArray,
    rows: AnyArray,
    begin: IndexArray,
    features: IndexArray,
    n_samples: int,
    degree: int,
) -> SparseScoreBlock:
    """Columns of stored values as scores, without those that are constant."""
    order = np.lexsort((values, np.repeat(np.arange(len(features)), np.diff(begin))))  # missing values last
    missing = np.add.reduceat(np.append(np.isnan(values), False), begin[:-1]) * (np.diff(begin) > 0)
    base = np.zeros((len(features), degree), np.int16)
    shift = np.zeros((len(features), degree), np.int8)
    stored = np.zeros((degree, len(values)), np.int16)
    varies = np.zeros(len(features), bool)
    n_seen = n_samples - missing
    for n in np.unique(n_seen[n_seen > 1]).tolist():
        which = np.flatnonzero(n_seen == n)
        score_stored(values, order, begin, which, quantiles(n), n_samples, base, shift, stored, varies)
    whole = SparseScoreBlock(features, base, shift, begin, rows, stored, n_samples)
    return whole.part(np.flatnonzero(varies))


@kernel
def score_stored(
    values: FloatArray,
    order: AnyArray,
    begin: AnyArray,
    which: AnyArray,
    table: FloatArray,
    n_samples: int,
    base: AnyArray,
    shift: AnyArray,
    stored: AnyArray,
    varies: AnyArray,
) -> None:
    """Writes the scores of some columns with as many values seen as the table is for."""
    n_seen, degree = len(table) // 2, base.shape[1]
    for i in which:
        first, last = begin[i], begin[i + 1]
        seen = last - first - (n_samples - n_seen)  # of what is stored
        implied = n_seen - seen
        counts = np.zeros(seen + 1, np.int64)
        group = np.empty(seen, np.int64)
        n_groups, zero = 0, -1
        for r in range(seen):
            value = values[order[first + r]]
            if zero < 0 and value >= 0.0 and (implied > 0 or value == 0.0):
                zero, counts[n_groups] = n_groups, implied
                n_groups += 1
            if value == 0.0:
                group[r] = zero
            else:
                if r == 0 or value != values[order[first + r - 1]]:
                    n_groups += 1
                group[r] = n_groups - 1
            counts[group[r]] += 1
        if zero < 0 and implied > 0:
            zero, counts[n_groups] = n_groups, implied
            n_groups += 1
        varies[i] = n_groups > 1
        if n_groups < 2:
            continue
        room, found = np.empty((degree, n_groups)), np.empty((degree, n_groups), np.int16)
        score_groups(counts[:n_groups], table, n_samples, room, found, shift[i])
        for a in range(degree):
            base[i, a] = found[a, zero] if zero >= 0 else 0
            for r in range(seen):
                stored[a, order[first + r]] = found[a, group[r]]


@kernel
def put_scores(begin: AnyArray, rows: AnyArray, stored: AnyArray, slots: AnyArray, scores: AnyArray) -> None:
    """Puts the scores of what is stored of some features into their places."""
    for i in range(len(slots)):
        for t in range(begin[slots[i]], begin[slots[i] + 1]):
            for a in range(scores.shape[1]):
                scores[i, a, rows[t]] = stored[a, t]
