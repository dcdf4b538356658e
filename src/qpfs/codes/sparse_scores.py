"""Features of a sparse table as scores: one for all zeros of a column, its base, and those of stored values.

Products of columns take as many steps as there are stored values. With base f of a column and steps d from it
at its stored values, of weight w, the product of two is f g W + f sum(w e) + g sum(w d) + sum(w d e) over the
values that both store; W is the number of samples, or their weight. All numbers are integers, so these are
the products of dense columns. What needs every sample is made dense, a few features at a time, on demand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import reject_infinite
from qpfs.codes.score_runs import SQUARE_UNIT, UNIT, ScoreList, mixed_scores
from qpfs.codes.scores import TILE_CELLS, ScoreBlock, SpreadScores, quantiles, score_groups, weighted_scores
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import SCORE_UNIT, MemoryStore, one_block
from qpfs.codes.weights import Weights, counts_of
from qpfs.compiled import LINEAR, inlined, inner_part, kernel, prompt
from qpfs.engines import Engine, Serial
from qpfs.groups import bounds_of

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns


class SparseScoreList(NamedTuple):
    """A list of sparse features in the layout of kernels that compare pairs; constant ones are left out."""

    base: AnyArray  # (k, d) int16
    shift: AnyArray  # (k, d) int8
    first: IndexArray  # (k + 1,) where the stored values of each begin
    rows: AnyArray
    stored: AnyArray  # (d, stored values)
    begin: IndexArray  # (size + 1,) where each of the list is among the k

    def spread(self, n_samples: int) -> ScoreList:
        """The list made dense."""
        k, d = self.base.shape
        block = SparseScoreBlock(np.arange(k), *self[:5], n_samples)
        dense = block.take(np.arange(k))
        return ScoreList(dense.scores.reshape(k * d, n_samples), self.shift.reshape(-1), d * self.begin)


@dataclass(frozen=True, eq=False)
class SparseScoreBlock(SpreadScores):
    """Features of d columns each."""

    base: AnyArray  # (k, d) int16: the score of a zero
    shift: AnyArray  # (k, d) int8
    begin: IndexArray  # (k + 1,) where the stored values of each feature begin
    rows: AnyArray  # the sample of each stored value, ascending in each feature
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

    def products(self, pivots: ScoreBlock, rows: slice, weights: Weights | None = None) -> FloatArray:
        """The inner products of the columns of some pivots with those of all features: integers."""
        columns = pivots.columns(rows)
        if weights is not None:
            columns *= weights.counts
        out = np.empty((len(columns), self.base.size))
        products_of_stored(*self.packed, columns, columns.sum(axis=1), out)
        return out

    def own_squares(self, slots: IndexArray, out: FloatArray, weights: Weights | None = None) -> None:
        """What each of some features shares with itself."""
        own, places = sparse_list([(np.arange(len(slots)), self, slots)], len(slots)), np.arange(len(slots))
        self.squares_along(slots, places, places + 1, own, out, weights)

    def rare_margins(
        self, slots: IndexArray, least: float, key: AnyArray, weights: Weights | None = None
    ) -> None:
        """Writes a key for features of which fewer than `least` samples differ from the commonest value."""
        if weights is not None or 2 * least > self.n_samples:
            super().rare_margins(slots, least, key, weights)
            return
        # Where less than half of the samples are stored the commonest value can only be the base.
        thin = 2 * np.diff(self.begin)[slots] < self.n_samples
        some, rest = np.zeros(thin.sum(), np.uint64), np.zeros((~thin).sum(), np.uint64)
        rare_bases(*self.packed, self.n_samples, slots[thin], least, some)
        super().rare_margins(slots[~thin], least, rest)
        key[thin], key[~thin] = some, rest

    def squares_along(
        self,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: SparseScoreList | ScoreList,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """What each of some features shares with those of its run of a list, one run after another."""
        if isinstance(others, ScoreList):
            super().squares_along(slots, lo, hi, others, out, weights)
            return
        marks = np.zeros((self.n_levels, self.n_samples), np.int64)
        total = self.n_samples if weights is None else weights.total
        squares_of_stored(*self.packed, counts_of(weights), total, slots, lo, hi, others, marks, out)

    def add_scores(
        self,
        slots: IndexArray,
        centres: SparseScoreList | ScoreList,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds the first columns of some features to rows of the total."""
        if isinstance(centres, ScoreList):
            super().add_scores(slots, centres, centre, row, total, weights)
            return
        marks = np.zeros((self.n_levels, self.n_samples), np.int64)
        size, unit = self.n_samples if weights is None else weights.total, SCORE_UNIT // UNIT
        asked = slots, centres, centre, row
        add_stored(*self.packed, counts_of(weights), size, *asked, unit, marks, total)

    @property
    def packed(self) -> tuple[AnyArray, AnyArray, IndexArray, AnyArray, AnyArray]:
        """The features as kernels read them."""
        return self.base, self.shift, self.begin, self.rows, self.stored

    @staticmethod
    def joined(blocks: list[SparseScoreBlock]) -> SparseScoreBlock:
        """One block of all features."""
        sizes = np.concatenate([np.diff(one.begin) for one in blocks])
        features, base, shift, rows = (
            np.concatenate(parts)
            for parts in zip(*((one.features, one.base, one.shift, one.rows) for one in blocks), strict=True)
        )
        stored = np.concatenate([one.stored for one in blocks], axis=1)
        return SparseScoreBlock(features, base, shift, bounds_of(sizes), rows, stored, blocks[0].n_samples)


def score_sparse(columns: SparseColumns, degree: int, engine: Engine | None = None) -> MemoryStore:
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


def sparse_list(parts: list[tuple[IndexArray, SparseScoreBlock, IndexArray]], size: int) -> SparseScoreList:
    """A list of features, from blocks and slots with their places; places that are left out are constant."""
    places = np.concatenate([one for one, _, _ in parts])
    whole: SparseScoreBlock = one_block([block.part(slots) for _, block, slots in parts])
    listed = np.zeros(size, np.intp)
    listed[places] = 1
    return SparseScoreList(*whole.part(np.argsort(places)).packed, bounds_of(listed))


@prompt(LINEAR)
@kernel
def products_of_stored(
    base: AnyArray,
    shift: AnyArray,
    begin: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    columns: FloatArray,
    sums: FloatArray,
    out: FloatArray,
) -> None:
    """The product of each dense column, of which the sum is given, with the columns of all features."""
    d = base.shape[1]
    for p in range(len(columns)):
        column = columns[p]
        for i in range(len(base)):
            for a in range(d):
                own = np.int64(base[i, a])
                found = float(own) * sums[p]
                for t in range(begin[i], begin[i + 1]):
                    found += float(np.int64(stored[a, t]) - own) * column[rows[t]]
                out[p, i * d + a] = found * float(1 << np.int64(shift[i, a]))


@prompt(LINEAR)
@kernel
def squares_of_stored(
    base: AnyArray,
    shift: AnyArray,
    begin: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    weights: Any,
    n_samples: int,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: SparseScoreList,
    marks: AnyArray,  # (d, N), zeros before and after
    out: FloatArray,
) -> None:
    """The counterpart of `squares_along`; the steps of a feature are marked while it is compared."""
    d, t = base.shape[1], 0
    sums, length = np.zeros(d, np.int64), float(n_samples) * UNIT * UNIT
    for i in range(len(slots)):
        slot, first, last = slots[i], begin[slots[i]], begin[slots[i] + 1]
        for a in range(d):
            sums[a] = mark(base[slot, a], first, last, rows, stored[a], weights, marks[a])
        for j in range(lo[i], hi[i]):
            total, square, other = np.int64(0), 0.0, others.begin[j]
            if others.begin[j + 1] > other:
                for a in range(d):
                    for b in range(d):
                        own = np.int64(base[slot, a])
                        product = marked_product(own, sums[a], marks[a], weights, n_samples, others, other, b)
                        both = np.int64(shift[slot, a]) + np.int64(others.shift[other, b])
                        correlation = (product << both) / length
                        square = correlation * correlation
                        total += np.int64(np.rint(square * SQUARE_UNIT))
            out[t] = square if d == 1 else total / SQUARE_UNIT
            t += 1
        unmark(first, last, rows, marks)


@prompt(LINEAR)
@kernel
def add_stored(
    base: AnyArray,
    shift: AnyArray,
    begin: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    weights: Any,
    n_samples: int,
    slots: AnyArray,
    centres: SparseScoreList,
    centre: AnyArray,
    row: AnyArray,
    unit: int,
    marks: AnyArray,
    total: AnyArray,
) -> None:
    """The counterpart of `add_first_columns`; bases are added to all samples of a row in one step."""
    bases = np.zeros(len(total), np.int64)
    for i in range(len(slots)):
        slot, own = slots[i], np.int64(base[slots[i], 0])
        first, last, other = begin[slot], begin[slot + 1], centres.begin[centre[i]]
        steps = mark(own, first, last, rows, stored[0], weights, marks[0])
        product = marked_product(own, steps, marks[0], weights, n_samples, centres, other, 0)
        unmark(first, last, rows, marks)
        times = (-unit if product < 0 else unit) << np.int64(shift[slot, 0])
        bases[row[i]] += times * own
        sums = total[row[i]]
        for t in range(first, last):
            sums[rows[t]] += times * (np.int64(stored[0, t]) - own)
    for r in range(len(total)):
        for n in range(total.shape[1]):
            total[r, n] += bases[r]


@prompt(LINEAR)
@kernel
def rare_bases(
    base: AnyArray,
    shift: AnyArray,
    begin: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    n_samples: int,
    slots: AnyArray,
    least: float,
    key: AnyArray,
) -> None:
    """The counterpart of `rare_margins`, where more than half of the samples are not stored."""
    for i in range(len(slots)):
        slot = slots[i]
        first, last, others = begin[slot], begin[slot + 1], 0
        for t in range(first, last):
            same = True
            for a in range(base.shape[1]):
                same &= stored[a, t] == base[slot, a]
            others += not same
        key[i] = np.uint64(0)
        if others < least:
            total = np.uint64(n_samples - (last - first)) * mixed_scores(base[slot : slot + 1].T, 0)
            for t in range(first, last):
                total += mixed_scores(stored, t)
            key[i] = total | np.uint64(1)


@inner_part
def mark(
    own: Any, first: int, last: int, rows: AnyArray, stored: AnyArray, weights: Any, marks: AnyArray
) -> Any:
    """Writes the steps of a column from its base, times the weights of their samples; their sum."""
    total = np.int64(0)
    for t in range(first, last):
        step = np.int64(stored[t]) - np.int64(own)
        marks[rows[t]] = step if weights is None else step * np.int64(weights[rows[t]])
        total += marks[rows[t]]
    return total


@inner_part
def unmark(first: int, last: int, rows: AnyArray, marks: AnyArray) -> None:
    for t in range(first, last):
        for a in range(len(marks)):
            marks[a, rows[t]] = 0


@inlined
def marked_product(
    own: Any,
    steps: Any,
    marks: AnyArray,
    weights: Any,
    n_samples: int,
    others: SparseScoreList,
    other: int,
    b: int,
) -> Any:
    """The inner product of a marked column, of this base and sum of steps, with column b of another."""
    base = np.int64(others.base[other, b])
    total = base * (own * np.int64(n_samples) + steps)
    for t in range(others.first[other], others.first[other + 1]):
        n = others.rows[t]
        rest = own if weights is None else own * np.int64(weights[n])
        total += (np.int64(others.stored[b, t]) - base) * (marks[n] + rest)
    return total
