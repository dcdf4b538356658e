"""Features of a sparse table as standardised numbers, or as scores.

They are made dense a few at a time, on demand. Scores are kept for the stored values, and one for all zeros
of a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, reject_infinite
from qpfs.codes.numbers import NumberBlock, SpreadNumbers, plain_numbers
from qpfs.codes.scores import TILE_CELLS, ScoreBlock, SpreadScores, quantiles, score_groups, weighted_scores
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import MemoryStore
from qpfs.codes.tiles import scaled_moments
from qpfs.codes.weights import Weights
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial
from qpfs.groups import bounds_of

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

WIDTH = 4096  # features of a block, and so of a result


@dataclass(frozen=True, eq=False)
class SparseNumberBlock(SpreadNumbers):
    """Features with mean 0 and norm 1, as columns of a sparse table and how they are standardised."""

    columns: SparseColumns
    source: IndexArray  # (k,) which columns they are
    scale: FloatArray  # (k,)
    mean: FloatArray  # (k,) times the scale
    rest: FloatArray  # (k,) of the mean, times the scale
    norm: FloatArray  # (k,) of the rest of the mean, times the scale

    def part(self, slots: IndexArray) -> SparseNumberBlock:
        """The features at the given slots, in the same kind of block."""
        features, source = self.features[slots], self.source[slots]
        moments = (one[slots] for one in (self.scale, self.mean, self.rest, self.norm))
        return SparseNumberBlock(features, self.columns, source, *moments)

    @staticmethod
    def joined(blocks: list[SparseNumberBlock]) -> SparseNumberBlock:
        """One block of all features, which are columns of one table."""
        fields = ((one.features, one.source, one.scale, one.mean, one.rest, one.norm) for one in blocks)
        features, *others = map(np.concatenate, zip(*fields, strict=True))
        return SparseNumberBlock(features, blocks[0].columns, *others)

    def take(self, slots: IndexArray) -> NumberBlock:
        """The features at the given places of this block, as numbers."""
        tile = SparseTile(self.columns, self.source[slots])
        scale, mean, rest, norm = (one[slots] for one in (self.scale, self.mean, self.rest, self.norm))
        values = np.empty((tile.n_samples, len(slots)))
        values[:] = (0.0 * scale - mean - rest) / norm
        put_stored((tile.held * scale - mean - rest) / norm, tile.rows, tile.stored, values)
        return NumberBlock(self.features[slots], values)

    @property
    def n_samples(self) -> int:
        return self.columns.n_samples


def standardize_sparse(
    columns: SparseColumns, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> MemoryStore[Any]:
    """The standardised features of a sparse table."""

    def block(features: IndexArray) -> SparseNumberBlock:
        tile = whole_columns(columns, features)
        mean, rest, deviation, scale = scaled_moments(tile)
        norm = deviation * np.sqrt(tile.total)
        varying = np.flatnonzero(tile.survey.low < tile.survey.high)
        return SparseNumberBlock(features, columns, features, scale, mean, rest, norm).part(varying)

    parts = (engine or Serial()).map(block, columns.like(tile_bytes // 8))
    blocks: list[Any] = [some for part in parts for some in narrow(part)]
    return MemoryStore(blocks, columns.n_samples, columns.n_features)


def whole_columns(columns: SparseColumns, features: IndexArray) -> SparseTile:
    """Some columns; raises ValueError naming the first with a missing or an infinite value."""
    tile = SparseTile(columns, features)
    reject_infinite(columns, features, tile)
    missing = features[tile.survey.seen < tile.total]
    if len(missing):
        remedy = ", or use measure='mi'"
        plain_numbers(columns, missing[:1], "measure='correlation'", remedy)
    return tile


def narrow(block: SparseNumberBlock) -> Iterator[SparseNumberBlock]:
    """A block in parts of a bounded width."""
    slots = np.arange(len(block.features))
    for start in range(0, len(slots), WIDTH):
        yield block.part(slots[start : start + WIDTH])


@kernel
def put_stored(held: FloatArray, rows: CountArray, stored: CountArray, values: FloatArray) -> None:
    """Writes the transformed stored values of each column to their samples."""
    for k in range(len(stored)):
        for i in range(stored[k]):
            values[rows[i, k], k] = held[i, k]


@dataclass(frozen=True, eq=False)
class SparseScoreBlock(SpreadScores):
    """Features of d columns each, made dense a few at a time on demand."""

    base: AnyArray  # (k, d) int16: the score of a zero
    shift: AnyArray  # (k, d) int8
    begin: IndexArray  # (k + 1,) where the stored values of each feature begin
    rows: AnyArray  # the sample of each stored value
    stored: AnyArray  # (d, stored values) int16
    n_samples: int

    @property
    def n_levels(self) -> int:
        return int(self.base.shape[1])

    def take(self, slots: IndexArray) -> ScoreBlock:
        """The features at the given slots, made dense."""
        scores = np.empty((len(slots), self.n_levels, self.n_samples), np.int16)
        scores[:] = self.base[slots][:, :, None]
        put_scores(self.begin, self.rows, self.stored, slots, scores)
        return ScoreBlock(self.features[slots], scores, self.shift[slots])

    def part(self, slots: IndexArray) -> SparseScoreBlock:
        """The features at the given slots, in the same kind of block."""
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
        if columns.weights is not None:
            return weighted_block(tile, columns.weights, degree)
        begin, end = columns.bounds(features)
        lengths = end - begin
        at = np.repeat(begin - bounds_of(lengths)[:-1], lengths) + np.arange(int(lengths.sum()))
        values = columns.matrix.data[at].astype(np.float64)
        rows = columns.matrix.indices[at].astype(np.int32)
        return scored(values, rows, bounds_of(lengths), features, columns.n_samples, degree)

    parts = (engine or Serial()).map(block, columns.like(TILE_CELLS))
    blocks = [one for one in parts if len(one.features)]
    return MemoryStore(blocks, columns.n_samples, columns.n_features)


def weighted_block(tile: SparseTile, weights: Weights, degree: int) -> SparseScoreBlock:
    """Columns of stored values, of samples with weights, as scores, without those that are constant."""
    found = weighted_scores(tile.held, tile.counts, weights, degree)
    lengths = tile.stored[found.varying].astype(np.intp)
    which = np.repeat(np.arange(len(lengths)), lengths)
    begin = bounds_of(lengths)
    place = np.arange(begin[-1]) - begin[which]
    base = found.scores[np.arange(len(lengths)), :, lengths]
    rows = tile.rows[place, found.varying[which]]
    stored = np.ascontiguousarray(found.scores[which, :, place].T)
    return SparseScoreBlock(
        tile.features[found.varying], base, found.shift, begin, rows, stored, tile.n_samples
    )


def scored(
    values: FloatArray, rows: AnyArray, begin: IndexArray, features: IndexArray, n_samples: int, degree: int
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
    """Writes the scores of some columns that all have the number of values that the table is for."""
    n_seen, degree = len(table) // 2, base.shape[1]
    for i in which:
        first, last = begin[i], begin[i + 1]
        seen = last - first - (n_samples - n_seen)  # of the stored values
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
    """Writes the scores of the stored values of some features to their samples."""
    for i in range(len(slots)):
        for t in range(begin[slots[i]], begin[slots[i] + 1]):
            for a in range(scores.shape[1]):
                scores[i, a, rows[t]] = stored[a, t]
