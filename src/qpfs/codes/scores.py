"""Features as scores: centred columns of small integers, one or more for each feature.

A number's score is the normal quantile of its rank, r / (N + 1), equal numbers have their mean rank; with
degree 2 there is a second column, the square of the first made orthogonal to it. A column of labels becomes
one column fewer than it has categories: the a-th contrasts category a with those before it. A missing value
has the score 0. Columns have mean 0 and mean square 1, are multiplied by UNIT and rounded; where a value
would not fit 16 bits, the column is halved until all do, and its `shift` is how often.

Rounding makes every inner product of two columns an integer below 2^53, so that matrix products in float64
are exact in any order of summation: results are the same to the last bit for any division of the work.
Rounding changes a correlation by some 1e-4.

Letters: N samples, k features, d columns of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IndexArray
from qpfs.codes.encoding import Coding, Gathering, feature_runs, labelled_feature, reject_infinite
from qpfs.codes.ordering import ordered
from qpfs.codes.planes import PlaneBlock, unpack
from qpfs.codes.readable import Readable
from qpfs.codes.score_runs import (
    UNIT,
    ScoreList,
    add_first_columns,
    own_squares,
    rare_margins,
    rare_weights,
    squares_along,
)
from qpfs.codes.store import SCORE_UNIT, Block, MemoryStore, Spread
from qpfs.codes.tiles import tile_of
from qpfs.codes.weights import Weights, counts_of
from qpfs.compiled import LINEAR, inner_part, kernel, prompt
from qpfs.engines import Engine, Serial

MOST_SCORE = (1 << 15) - 1  # that 16 bits hold
# Multiplications of two features of labels from which a contingency table is quicker: with 20,000 samples,
# 64 categories with 64 took 64 ms by columns and 0.06 by counts, 8 with 8 took 0.23 and 0.04.
COUNTED = 1 << 20
FLAT = 1e-9  # mean square of a residual square: a smaller one is rounding error
CELLS = 1 << 18  # scores of a block: as floats they stay in cache while all pivots are compared with them
# Products of few columns read more than they compute: at 12,000 samples, products of 48 features with 48 take
# 0.6 of the time of 21 with 21, and two threads then gain 1.8 instead of 1.0.
FEW_FEATURES = 48
FEW_CELLS = 1 << 20  # of a block of so many: 8 MB as floats
MOST_CELLS = 1 << 23  # of a block of at most 16 tall features: 64 MB as floats
TILE_CELLS = 1 << 19  # numbers that are ranked at a time: 18 MB with their order and their scores
READ_BYTES = 1 << 28  # of whole columns that are read at a time, where rows lie one after another
NARROW = 64  # a tile of fewer columns is too narrow for that
CELL_BYTES = 18  # per number: as read, as float64, and its scores


class Levels(NamedTuple):
    """Features whose columns depend only on the category of a sample: d + 1 of them, and one for missing."""

    codes: AnyArray  # (k, N)
    values: FloatArray  # (k, d, d + 2) the columns by category, in units of 1 / UNIT

    def take(self, slots: Any) -> Levels:
        return Levels(self.codes[slots], self.values[slots])

    def products(self, pivots: Levels, weights: Weights | None) -> FloatArray:
        """The inner products of the columns of pivots with those of all features, from contingency tables.

        All terms are whole numbers, and no partial sum exceeds 2^53: these are the products of the columns.
        """
        (p, d, width), (k, e, own) = pivots.values.shape, self.values.shape
        out, counts = np.empty((p, d, k, e)), counts_of(weights)
        for i in range(p):
            rows = pivots.codes[i].astype(np.intp) * own
            for j in range(k):
                table = np.bincount(rows + self.codes[j], counts, width * own).reshape(width, own)
                out[i, :, j] = pivots.values[i] @ table @ self.values[j].T
        return out.reshape(p * d, k * e)


@dataclass(frozen=True, eq=False)
class ScoreBlock(Block):
    """Features of d columns each, with a feature's scores contiguous in memory."""

    scores: AnyArray  # (k, d, N) int16
    shift: AnyArray  # (k, d) int8: how often a column was halved
    levels: Levels | None = field(default=None, kw_only=True)  # of labels, where they are known

    @property
    def n_levels(self) -> int:
        """The number of columns, which is the same for all features of a block."""
        return int(self.scores.shape[1])

    @property
    def n_samples(self) -> int:
        return int(self.scores.shape[2])

    def columns(self, rows: slice = slice(None)) -> FloatArray:
        """The columns of some features one after another, in units of 1 / UNIT: (rows * d, N)."""
        scores = self.scores[rows].reshape(-1, self.n_samples).astype(np.float64)
        shift = self.shift[rows].reshape(-1)
        if shift.any():  # still whole numbers
            np.ldexp(scores, shift[:, None].astype(np.int32), out=scores)
        return scores

    def in_order(self, has_gaps: BoolArray) -> FloatArray:
        """The first column of each feature; missing numbers have the score 0, like those in the middle."""
        return self.scores[:, 0].T.astype(np.float64)

    def categories(self, slot: int, has_gaps: bool) -> AnyArray:
        """The category of each sample, from its contrasts."""
        codes = contrasted(self.scores[slot], has_gaps)
        return np.where(codes > self.n_levels, -1, codes)

    def products(self, pivots: ScoreBlock, rows: slice, weights: Weights | None = None) -> FloatArray:
        """The inner products of the columns of some pivots with those of all features: integers."""
        many = self.n_samples * self.n_levels * pivots.n_levels >= COUNTED
        if many and self.levels is not None and pivots.levels is not None:
            return self.levels.products(pivots.levels.take(rows), weights)
        columns = pivots.columns(rows)
        if weights is not None:
            columns *= weights.counts
        return columns @ self.columns().T

    def gram(self) -> AnyArray:
        """The inner products of samples over all columns: integers (N, N)."""
        columns = self.columns()
        return (columns.T @ columns).astype(np.int64)

    def own_squares(self, slots: IndexArray, out: FloatArray, weights: Weights | None = None) -> None:
        """What each of some features shares with itself."""
        columns, moved = self.scores.reshape(-1, self.n_samples), self.shift.reshape(-1)
        counts, total = (None, self.n_samples) if weights is None else (weights.counts, weights.total)
        own_squares(self.scores, self.shift, counts, total, slots, columns, moved, out)

    def rare_margins(
        self, slots: IndexArray, least: float, key: AnyArray, weights: Weights | None = None
    ) -> None:
        """Writes a key for features of which fewer than `least` samples differ from the commonest value."""
        if weights is None:
            rare_margins(self.scores, self.shift, slots, least, key)
            return
        rare = np.empty(len(slots), bool)
        rare_weights(self.scores, slots, weights.counts, weights.total, least, rare)
        key[rare] = self.features[slots[rare]].astype(np.uint64) + np.uint64(1)  # each has its own

    def squares_along(
        self,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: ScoreList,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """What each of some features shares with those of its run of a list, one run after another."""
        counts, total = (None, self.n_samples) if weights is None else (weights.counts, weights.total)
        dense = others.spread(self.n_samples)
        squares_along(self.scores, self.shift, counts, total, slots, lo, hi, dense, out)

    def add_scores(
        self,
        slots: IndexArray,
        centres: ScoreList,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds the first columns of some features to rows of the total."""
        packed, dense = (self.scores, self.shift, counts_of(weights)), centres.spread(self.n_samples)
        add_first_columns(*packed, slots, dense, centre, row, SCORE_UNIT // UNIT, total)

    def in_orders(self, orders: IndexArray) -> ScoreBlock:
        """The first feature with its samples in several orders, (orders, N), each order as a feature."""
        scores = np.ascontiguousarray(self.scores[0][:, orders].transpose(1, 0, 2))
        return ScoreBlock(np.arange(len(orders)), scores, np.repeat(self.shift[:1], len(orders), axis=0))

    def take(self, slots: IndexArray) -> ScoreBlock:
        levels = None if self.levels is None else self.levels.take(slots)
        return ScoreBlock(self.features[slots], self.scores[slots], self.shift[slots], levels=levels)

    @staticmethod
    def joined(blocks: list[ScoreBlock]) -> ScoreBlock:
        """One block of all features."""
        parts = zip(*((one.features, one.scores, one.shift) for one in blocks), strict=True)
        known = [one.levels for one in blocks if one.levels is not None]
        levels = Levels(*map(np.concatenate, zip(*known, strict=True))) if len(known) == len(blocks) else None
        return ScoreBlock(*map(np.concatenate, parts), levels=levels)


class SpreadScores(Spread):
    """Features of d columns each, made dense a few at a time on demand."""

    n_samples: int

    def products(self, pivots: ScoreBlock, rows: slice, weights: Weights | None = None) -> FloatArray:
        """The inner products of the columns of some pivots with those of all features."""
        parts = [block.products(pivots, rows, weights) for _, block, _ in self.all_pieces()]
        return np.concatenate(parts, axis=1)

    def gram(self) -> AnyArray:
        """The inner products of samples over all columns."""
        return np.sum([block.gram() for _, block, _ in self.all_pieces()], axis=0)

    def own_squares(self, slots: IndexArray, out: FloatArray, weights: Weights | None = None) -> None:
        """What each of some features shares with itself."""
        for some, block, at in self.pieces(slots):
            block.own_squares(at, out[some], weights)

    def rare_margins(
        self, slots: IndexArray, least: float, key: AnyArray, weights: Weights | None = None
    ) -> None:
        """Writes a key for features whose most frequent value fewer than `least` samples do not have."""
        for some, block, at in self.pieces(slots):
            block.rare_margins(at, least, key[some], weights)

    def squares_along(
        self,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: ScoreList,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """What each of some features shares with those of its run of a list, one run after another."""
        for block, at, first, last, place in self.along(slots, lo, hi, out):
            block.squares_along(at, first, last, others, place, weights)

    @property
    def piece_width(self) -> int:
        return max(1, CELLS // (self.n_samples * self.n_levels))


def score(
    columns: Readable, max_categories: int, degree: int, engine: Engine | None = None
) -> tuple[MemoryStore[ScoreBlock], Coding | None]:
    """The features of a table as scores, and the categories of its labels, if there are any."""
    blocks: list[ScoreBlock] = []
    codings: list[Coding] = []
    for full, parts in scored(columns, max_categories, degree, engine):
        blocks += full
        codings += [part for part in parts if part.labels]
    store = MemoryStore(blocks, columns.n_samples, columns.n_features)
    return store, Coding.joined(codings, columns.n_features) if codings else None


def scored(
    columns: Readable, max_categories: int, degree: int, engine: Engine | None = None, room: int = READ_BYTES
) -> Iterator[tuple[list[ScoreBlock], list[Coding]]]:
    """The features of a table in full blocks, one by one, with the coding of columns; the rest last."""
    engine = engine or Serial()
    width = min(block_width(columns.n_samples, degree), max(1, TILE_CELLS // columns.n_samples))
    step = width * tiles_together(columns, width, room // engine.n_workers, engine.n_workers)

    weights: Weights | None = getattr(columns, "weights", None)

    def ranked(features: IndexArray) -> tuple[list[ScoreBlock], list[Coding]]:
        numeric = features[columns.numeric[features]]
        # A column of numbers is coded as one interval, and missing values if there are any.
        numbers, coding = finite_numbers(columns, numeric)
        blocks, codings = list[ScoreBlock](), [coding]
        for start in range(0, len(features), width):
            run = features[start : start + width]
            some = slice(*np.searchsorted(numeric, (run[0], run[-1] + 1)))
            blocks.append(block_of_numbers(numbers[:, some], numeric[some], degree, weights))
            for feature in run[~columns.numeric[run]].tolist():
                block, coding = labelled(columns, feature, max_categories)
                blocks.append(block)
                codings.append(coding)
        return blocks, codings

    # Full blocks depend neither on the engine nor on the memory for reading.
    gather = ScoreGathering(columns.n_samples, block_width)
    for some, codings in engine.map(ranked, feature_runs(columns, step)):
        varying = [block for block in some if block.scores.size]  # a label of one category has no column
        yield [full for block in varying for full in gather.add(block)], codings
    yield gather.rest(), []


class ScoreGathering(Gathering):
    """Joins blocks of scores; all that wait are released once they are many, as labels differ in columns."""

    cells = 0  # waiting

    def add(self, block: ScoreBlock) -> list[ScoreBlock]:
        full: list[ScoreBlock] = super().add(block)
        self.cells += block.scores.size - sum(one.scores.size for one in full)
        if self.cells > 2 * MOST_CELLS:
            full, self.waiting, self.cells = full + self.rest(), {}, 0
        return full


def tiles_together(columns: Readable, width: int, room: int, n_workers: int) -> int:
    """The number of tiles read together: in a file stored by rows, few columns cost as much as many."""
    if width >= NARROW or not columns.row_wise:
        return 1
    share = -(-columns.n_features // (width * n_workers))
    return int(np.clip(room // (CELL_BYTES * columns.n_samples * width), 1, max(share, 1)))


def block_width(n_samples: int, n_columns: int) -> int:
    """The number of features of a block."""
    cells = n_samples * n_columns
    least = max(min(FEW_CELLS // cells, FEW_FEATURES), np.clip(MOST_CELLS // cells, 1, 16))
    return int(np.clip(CELLS // cells, least, 8192))


def finite_numbers(columns: Readable, features: IndexArray) -> tuple[FloatArray, Coding]:
    """Columns of numbers, and whether each has values, and missing ones; raises ValueError for infinity."""
    numbers = columns.numbers(features) if len(features) else np.empty((columns.n_samples, 0))
    tile = tile_of(numbers)
    reject_infinite(columns, features, tile)
    occurs = np.array([tile.survey.seen > 0, tile.survey.seen < columns.n_samples])
    return numbers, Coding(features, np.empty((0, len(features))), occurs.sum(axis=0), occurs)


def labelled(columns: Readable, feature: int, max_categories: int) -> tuple[ScoreBlock, Coding]:
    """A column of labels as scores, and its categories, with the rarest merged."""
    found = labelled_feature(columns, feature, max_categories)
    n_seen = len(found.coding.labels[feature]) + (feature in found.coding.merged)
    codes = unpack(PlaneBlock(found.coding.features, found.planes, found.counts, found.n_samples))[:, 0]
    weights: Weights | None = getattr(columns, "weights", None)
    counts = found.counts[:, 0] if weights is None else weights.added_up(codes)
    return block_of_codes(codes, counts[:n_seen], feature, weights), found.coding


def block_of_numbers(
    tile: FloatArray, features: IndexArray, degree: int, weights: Weights | None = None
) -> ScoreBlock:
    """The columns of a tile (N, k) that vary, as scores."""
    if weights is not None:
        found = weighted_scores(tile, np.broadcast_to(weights.counts[:, None], tile.shape), weights, degree)
        return ScoreBlock(features[found.varying], found.scores, found.shift)
    order = ordered(tile)
    varying = order.varying()
    scores = np.zeros((len(varying), degree, len(tile)), np.int16)
    shift = np.zeros((len(varying), degree), np.int8)
    n_seen = order.n_seen[varying]
    for n in np.unique(n_seen).tolist():
        some = np.flatnonzero(n_seen == n)
        score_lines(order.keys, order.bits, varying[some], quantiles(n), some, scores, shift)
    return ScoreBlock(features[varying], scores, shift)


@lru_cache(maxsize=64)
def quantiles(n_seen: int) -> FloatArray:
    """The normal quantiles at i / (2 n + 2), by i: twice a mean rank, which is a whole number."""
    places = np.arange(2 * n_seen + 1)
    return ndtri(places / (2.0 * (n_seen + 1)))


class WeightedScores(NamedTuple):
    """The columns of a tile that vary as scores."""

    varying: IndexArray  # which columns
    scores: AnyArray  # (varying, degree, N) int16
    shift: AnyArray  # (varying, degree) int8


def weighted_scores(tile: FloatArray, counts: AnyArray, weights: Weights, degree: int) -> WeightedScores:
    """The columns of a tile (N, k) as scores, where numbers occur `counts` times: ranks of all copies."""
    order = ordered(tile)
    varying = order.varying()
    line = order.keys[varying]
    group = np.zeros(line.shape, np.int64)
    often, n_seen = np.zeros(line.shape, np.int64), np.zeros(len(line), np.int64)
    weigh_runs(line, order.bits, order.n_seen[varying], varying, counts, group, often, n_seen)
    quantile = weighted_quantiles(often, weights, n_seen)
    scores = np.zeros((len(line), degree, len(tile)), np.int16)
    shift = np.zeros((len(line), degree), np.int8)
    weighted_lines(
        line, order.bits, order.n_seen[varying], group, often, n_seen, quantile, weights.total, scores, shift
    )
    return WeightedScores(varying, scores, shift)


def weighted_quantiles(counts: AnyArray, weights: Weights, n_seen: AnyArray | None = None) -> FloatArray:
    """Normal quantiles of the mean ranks of ascending groups with given counts of copies (..., groups)."""
    seen = counts.sum(axis=-1) if n_seen is None else n_seen
    # The rank of a number is the middle of its copies. Where weights are rounded, a copy is a fraction of a
    # sample, and r / (N + 1) is in units of samples.
    below = np.cumsum(counts, axis=-1) - counts
    n = int(np.max(seen, initial=0))
    if weights.unit == 1 and 2 * n < counts.size and np.min(seen) == n:  # fewer ranks than groups
        return quantiles(n)[np.minimum(2 * below + counts + 1, 2 * n)]  # empty groups follow the last one
    return ndtri((2 * below + counts + weights.unit) / (2.0 * (seen + weights.unit))[..., None])


def block_of_codes(
    codes: CodeArray, counts: AnyArray, feature: int, weights: Weights | None = None
) -> ScoreBlock:
    """A feature of labels as scores; codes beyond the counts (or weights) are missing values."""
    n_samples = len(codes) if weights is None else weights.total
    values = contrasts(np.asarray(counts, np.float64), n_samples)
    rounded, shift = rounded_values(values)
    padded = np.zeros((len(values), len(counts) + 1), np.int16)
    padded[:, : len(counts)] = rounded
    codes = np.minimum(codes, len(counts))
    sizes = np.ldexp(padded.astype(np.float64), shift[:, None].astype(np.int32))
    levels = Levels(codes[None], sizes[None])
    return ScoreBlock(np.array([feature]), in_samples(padded, codes), shift[None], levels=levels)


def in_samples(values: AnyArray, codes: AnyArray) -> AnyArray:
    """The scores of one feature by sample, from those by code (d, codes); contiguous, as of any block."""
    return np.take(values, codes, axis=1)[None]  # `values[:, codes]` would be sample by sample


def rounded_values(values: FloatArray) -> tuple[AnyArray, AnyArray]:
    """Rows in units of 1 / UNIT as 16 bits, and how often each was halved to fit."""
    shift = np.array([shift_for(np.abs(row).max()) for row in values], np.int8)
    return np.rint(np.ldexp(values, -shift[:, None].astype(np.int32))).astype(np.int16), shift


def contrasts(counts: FloatArray, n_samples: int) -> FloatArray:
    """The score of each category in each column, in units of 1 / UNIT: (categories - 1, categories)."""
    # By a formula: a factorisation would differ between libraries (decision 0012).
    before = np.cumsum(counts)[:-1]
    own = counts[1:]
    value = UNIT * np.sqrt(n_samples * before / (own * (own + before)))
    found = np.zeros((len(own), len(counts)))
    # Column a contrasts category a with those before it: columns are centred, orthogonal, of equal length.
    for a in range(len(own)):
        found[a, : a + 1] = -value[a] * own[a] / before[a]
        found[a, a + 1] = value[a]
    return found


def contrasted(scores: AnyArray, has_gaps: bool) -> IndexArray:
    """The category of each sample by its contrasts (d, N); d + 1 if it is missing."""
    # Contrast a is positive for category a + 1, and for no later category.
    above = scores > 0
    first = np.where((scores[0] < 0) | (not has_gaps), 0, len(scores) + 1)
    return np.where(above.any(axis=0), above.argmax(axis=0) + 1, first)


@kernel
def shift_for(size: float) -> int:
    """How often a size is halved to fit 16 bits."""
    shift = 0
    while size > MOST_SCORE:
        size, shift = size / 2, shift + 1
    return shift


@prompt(LINEAR)
@kernel
def score_lines(
    keys: AnyArray,
    bits: int,
    which: AnyArray,
    table: FloatArray,
    places: AnyArray,
    scores: AnyArray,
    shift: AnyArray,
) -> None:
    """Writes the scores of some columns, whose ordered keys are given, to their places."""
    n_seen, degree, n_samples = len(table) // 2, scores.shape[1], keys.shape[1]
    sample = (np.int64(1) << bits) - 1
    counts, group = np.empty(n_seen, np.int64), np.empty(n_seen, np.int64)
    for r in range(n_seen):
        counts[r] = 1
    values, found = np.empty((degree, n_seen)), np.empty((degree, n_seen), np.int16)
    distinct, distinct_shift = np.empty((degree, n_seen), np.int16), np.empty(degree, np.int8)
    score_groups(counts, table, n_samples, values, distinct, distinct_shift)  # for columns without ties
    for i in range(len(which)):
        line, out = keys[which[i]], scores[places[i]]
        n_groups = equal_runs(line, bits, group, counts, n_seen)
        if n_groups == n_seen:
            for a in range(degree):
                shift[places[i], a] = distinct_shift[a]  # an array would compile in error messages
                for r in range(n_seen):
                    out[a, line[r] & sample] = distinct[a, r]
            continue
        score_groups(counts[:n_groups], table, n_samples, values, found, shift[places[i]])
        for a in range(degree):
            for r in range(n_seen):
                out[a, line[r] & sample] = found[a, group[r]]


@kernel
def weigh_runs(
    keys: AnyArray,
    bits: int,
    n_places: AnyArray,
    which: AnyArray,
    counts: AnyArray,
    group: AnyArray,
    often: AnyArray,
    n_seen: AnyArray,
) -> None:
    """Writes the rank of each key among its column's distinct numbers, and the copies of each number."""
    sample = (np.int64(1) << bits) - 1
    for i in range(len(keys)):
        g = -1
        for r in range(n_places[i]):
            if r == 0 or keys[i, r] >> bits != keys[i, r - 1] >> bits:
                g += 1
            group[i, r] = g
            often[i, g] += counts[keys[i, r] & sample, which[i]]
        n_seen[i] = often[i].sum()


@kernel
def weighted_lines(
    keys: AnyArray,
    bits: int,
    n_places: AnyArray,
    group: AnyArray,
    often: AnyArray,
    n_seen: AnyArray,
    quantile: FloatArray,
    total: int,
    scores: AnyArray,
    shift: AnyArray,
) -> None:
    """Writes the scores of columns, given the copies and the quantiles of their groups of equal numbers."""
    sample, degree = (np.int64(1) << bits) - 1, scores.shape[1]
    values, found = np.empty((degree, keys.shape[1])), np.empty((degree, keys.shape[1]), np.int16)
    for i in range(len(keys)):
        n_groups = group[i, n_places[i] - 1] + 1
        counts = often[i, :n_groups]
        for g in range(n_groups):
            values[0, g] = quantile[i, g]
        standardise_groups(counts, n_seen[i], values)
        round_groups(values, n_seen[i], total, n_groups, found, shift[i])
        for a in range(degree):
            for r in range(n_places[i]):
                scores[i, a, keys[i, r] & sample] = found[a, group[i, r]]


@inner_part
def equal_runs(line: AnyArray, bits: int, group: AnyArray, counts: AnyArray, n_seen: int) -> int:
    """Writes the rank of each key among the distinct numbers and their counts; returns how many there are."""
    g, before = 0, line[0] >> bits
    # Ties are handled without branches, which a processor could not predict.
    for r in range(n_seen):
        number = line[r] >> bits
        g += number != before
        before = number
        group[r] = g
    counts[: g + 1] = 0
    for r in range(n_seen):
        counts[group[r]] += 1
    return g + 1


@inner_part
def score_groups(
    counts: AnyArray, table: FloatArray, n_samples: int, values: FloatArray, found: AnyArray, shift: AnyArray
) -> None:
    """Writes the scores of groups of equal numbers, ascending, and how often each column was halved."""
    # Sums run group by group, so they depend neither on the order of the samples nor on whether equal
    # numbers, such as the zeros of a sparse table, are visited one by one. `values` has room for as many
    # numbers as there are scores.
    n_seen = len(table) // 2
    group_values(counts, table, values)
    round_groups(values, n_seen, n_samples, len(counts), found, shift)


@inner_part
def round_groups(
    values: FloatArray, n_seen: int, n_samples: int, n_groups: int, found: AnyArray, shift: AnyArray
) -> None:
    """Writes standardised values of groups as scores, and how often each column was halved to fit."""
    size = UNIT * np.sqrt(n_samples / n_seen)
    for a in range(found.shape[0]):
        largest = 0.0
        for g in range(n_groups):
            values[a, g] *= size
            largest = max(largest, abs(values[a, g]))
        shift[a] = shift_for(largest)
        half = 2.0 ** -np.float64(shift[a])
        for g in range(n_groups):
            found[a, g] = np.int16(np.rint(values[a, g] * half))


@inner_part
def group_values(counts: AnyArray, table: FloatArray, values: FloatArray) -> None:
    """Writes the normal scores of groups of equal numbers; a second row, if any, orthogonal squares."""
    below = 0
    for g in range(len(counts)):
        values[0, g] = table[2 * below + counts[g] + 1]
        below += counts[g]
    # Each row has mean 0 and mean square 1 over the samples that are not missing.
    standardise_groups(counts, len(table) // 2, values)


@inner_part
def standardise_groups(counts: AnyArray, n_seen: int, values: FloatArray) -> None:
    """Standardises normal quantiles of groups, and writes orthogonal squares, if there is a second row."""
    n_groups = len(counts)
    standardise(values[0], counts, n_seen)
    if len(values) == 2:
        cube = 0.0
        for g in range(n_groups):
            cube += counts[g] * values[0, g] ** 3
        for g in range(n_groups):
            values[1, g] = values[0, g] ** 2 - 1.0 - cube / n_seen * values[0, g]
        standardise(values[1], counts, n_seen)


@inner_part
def standardise(values: FloatArray, counts: AnyArray, n_seen: int) -> None:
    """Standardises values that occur `counts` times to mean 0, mean square 1; 0 where they hardly differ."""
    mean = 0.0
    for g in range(len(counts)):
        mean += counts[g] * values[g]
    mean /= n_seen
    square = 0.0
    for g in range(len(counts)):
        values[g] -= mean
        square += counts[g] * values[g] ** 2
    root = np.sqrt(square / n_seen) if square / n_seen > FLAT else np.inf
    for g in range(len(counts)):
        values[g] = values[g] / root
