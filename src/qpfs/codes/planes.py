"""Packed features as bit planes, and joint counts, on which everything else is based.

A feature with b levels is b - 1 bit planes: plane a - 1 has a bit for every sample at level a; all other
samples are at level 0. The joint count of level a of one feature and level b of another is the number of one
bits in the AND of two planes; joint counts with level 0 follow from the marginal counts.

Letters: b levels, W words of 64 samples, k features of the block, P pivots (the given features).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, CodeArray, CountArray, FloatArray, IndexArray, WordArray
from qpfs.codes.plane_runs import add_plane_scores, shared_along, shared_in_a_word, shared_in_two_words
from qpfs.codes.store import SCORE_UNIT, Block
from qpfs.codes.weights import Weights, digits_of, total_of
from qpfs.compiled import inlined, inner_part, kernel, popcount
from qpfs.groups import bounds_of

WORD = 64  # samples per word
CACHE_BYTES = 1 << 18  # of planes that stay in cache for all pivots: twice as fast at 5,000,000 samples
MARK_BYTES = 1 << 23  # bytes of marks that are kept with a block
SHARED = {(2, 1): shared_in_a_word, (2, 2): shared_in_two_words}  # planes, words: loops without a loop


@dataclass(frozen=True, eq=False)
class PlaneBlock(Block):
    """Features with the same number of levels, laid out [plane][word][feature].

    With this layout the inner loop of `joint` runs over features with vector instructions. A block that is
    `turned` (transposed) has the same planes as a view of memory laid out [feature][plane][word].
    """

    planes: WordArray  # (b - 1, W, k)
    counts: CountArray  # (b, k) samples at each level
    n_samples: int

    @property
    def n_levels(self) -> int:
        return int(self.counts.shape[0])

    def joint(
        self,
        pivots: PlaneBlock,
        rows: slice = slice(None),
        out: CountArray | None = None,
        weights: Weights | None = None,
    ) -> CountArray:
        """The weight, or number, of samples at levels a > 0 of a pivot, b > 0 of a feature: (rows, a * b, k).

        Weights are added up by binary digit, over the samples of a pivot that have the digit.
        """
        columns = pivots.columns[rows]
        n_cells = len(pivots.planes) * len(self.planes)
        shape = (len(columns), n_cells, len(self.features))
        counts = np.empty(shape, np.int32) if out is None else out
        planes = self.plane_rows
        if weights is None:
            joint_counts(columns, planes, counts)
        else:
            joint_weights(columns, weights.digits, planes, counts)
        return counts

    def weighted(self, weights: Weights) -> PlaneBlock:
        """The block with the total weight of the samples at each level instead of their number."""
        counts = np.empty(self.counts.shape, np.int32)
        weigh_bits(np.ascontiguousarray(self.planes), weights.digits, counts[1:])
        counts[0] = weights.total - counts[1:].sum(axis=0)
        return replace(self, counts=counts)

    def shared_along(
        self,
        tables: Any,
        sums: AnyArray,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: PlaneList,
        other_sums: AnyArray,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """What each of some features shares with those of its run of a list, one run after another."""
        pairs = (tables, self.columns, self.counts, sums, slots, lo, hi, others, other_sums)
        kernel = SHARED.get(self.columns.shape[1:]) if weights is None else None
        if kernel is None:
            shared_along(*pairs, digits_of(weights), out)
        else:
            kernel(*pairs, out)

    def add_scores(
        self,
        slots: IndexArray,
        centres: PlaneList,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds some features to rows of the total: their levels as equal steps from -1 to 1."""
        packed = (self.columns, self.counts, digits_of(weights))
        add_plane_scores(*packed, slots, centres, centre, row, SCORE_UNIT, total)

    def in_order(self, has_gaps: BoolArray) -> FloatArray:
        """The levels, in the order of the numbers; missing values have the last level."""
        codes = unpack(self)
        return np.where(has_gaps & (codes == self.n_levels - 1), np.nan, codes)

    def categories(self, slot: int, has_gaps: bool) -> AnyArray:
        """The level of each sample."""
        codes = unpack(self.take(np.array([slot])))[:, 0].astype(np.intp)
        return np.where(has_gaps & (codes == self.n_levels - 1), -1, codes)

    def codes(self) -> CodeArray:
        """The level of each sample in each feature: (n_samples, k)."""
        return unpack(self)

    @cached_property
    def code_rows(self) -> CodeArray:
        """The level of each sample, feature by feature: (k, n_samples)."""
        return code_rows_of(self)

    @property
    def plane_rows(self) -> WordArray:
        """The planes, word by word, features side by side in memory: (b - 1, W, k)."""
        return np.ascontiguousarray(self.planes)

    def divided(self, strata: Sequence[IndexArray]) -> list[PlaneBlock]:
        """The features at the samples of each stratum; levels without a sample there are kept."""
        codes = unpack(self)
        return [self._at(np.ascontiguousarray(codes[rows])) for rows in strata]

    def _at(self, codes: CodeArray) -> PlaneBlock:
        counts = np.stack([(codes == a).sum(axis=0, dtype=np.int32) for a in range(self.n_levels)])
        return pack(codes, counts, self.features)

    def varies(self) -> BoolArray:
        """Which features have several values; within a stratum some may be constant."""
        return (self.counts > 0).sum(axis=0) > 1

    @cached_property
    def columns(self) -> WordArray:
        """The planes feature by feature, as pivots are read: (k, b - 1, W)."""
        return np.ascontiguousarray(self.planes.transpose(2, 0, 1))

    def marks(self, first: int, last: int) -> tuple[AnyArray, int]:
        """Whether each sample is at each level of some features, as bytes, and the first feature's column.

        Those of all features are kept if they are small: (n_samples, features * (b - 1)).
        """
        if self.columns.size * WORD <= MARK_BYTES:
            return self._all_marks, first
        return marks_of(self.columns[first:last], self.n_samples), 0

    @cached_property
    def _all_marks(self) -> AnyArray:
        return marks_of(self.columns, self.n_samples)

    def turned(self) -> PlaneBlock:
        """The block with each feature's planes contiguous in memory."""
        planes = np.ascontiguousarray(self.planes.transpose(2, 0, 1)).transpose(1, 2, 0)
        return PlaneBlock(self.features, planes, self.counts, self.n_samples)

    def by_words(self) -> PlaneBlock:
        """The block with its features side by side in memory."""
        return replace(self, planes=self.plane_rows) if self.is_turned else self

    @property
    def is_turned(self) -> bool:
        return self.planes.transpose(2, 0, 1).flags.c_contiguous

    def take(self, slots: IndexArray) -> PlaneBlock:
        """The features at the given places of this block."""
        if self.is_turned:
            planes = self.columns.take(slots, axis=0).transpose(1, 2, 0)
        else:
            planes = self.planes.take(slots, axis=2)
        counts = self.counts.take(slots, axis=1)
        return PlaneBlock(self.features[slots], planes, counts, self.n_samples)

    @staticmethod
    def joined(blocks: list[PlaneBlock]) -> PlaneBlock:
        """One block of all the features of blocks with the same number of levels."""
        if all(block.is_turned for block in blocks):
            planes = np.concatenate([block.columns for block in blocks]).transpose(1, 2, 0)
        else:
            planes = np.concatenate([block.planes for block in blocks], axis=2)
        features = np.concatenate([block.features for block in blocks])
        counts = np.concatenate([block.counts for block in blocks], axis=1)
        return PlaneBlock(features, planes, counts, blocks[0].n_samples)


class PlaneList(NamedTuple):
    """A list of features with any numbers of levels, in the layout of kernels that compare single pairs."""

    words: WordArray  # plane after plane, feature after feature
    begin: IndexArray  # (k,) where the words of each begin
    counts: CountArray  # level after level, feature after feature
    first: IndexArray  # (k,) where the counts of each begin
    levels: IndexArray  # (k,) 1 where constant


def plane_list(
    parts: list[tuple[IndexArray, PlaneBlock, IndexArray]],
    size: int,
    n_samples: int,
    weights: Weights | None = None,
) -> PlaneList:
    """A list of features, from blocks and slots with their places; places that are left out are constant."""
    n_words = -(-n_samples // WORD)
    levels = np.ones(size, np.intp)
    for places, block, _ in parts:
        levels[places] = block.n_levels
    begin, first = bounds_of((levels - 1) * n_words), bounds_of(levels)
    words = np.empty(begin[-1], np.uint64)
    counts = np.full(first[-1], total_of(weights, n_samples), np.int32)
    found = PlaneList(words, begin[:-1], counts, first[:-1], levels)
    for places, block, slots in parts:
        for some, planes, at in block.pieces(slots):
            fill_list(planes.columns, planes.counts, at, places[some], found)
    return found


@kernel
def fill_list(
    columns: WordArray, counts: CountArray, slots: IndexArray, places: IndexArray, out: PlaneList
) -> None:
    """Writes some features of a block into their places of a list."""
    n_planes, n_words = columns.shape[1:]
    for i in range(len(slots)):
        begin, first = out.begin[places[i]], out.first[places[i]]
        for a in range(n_planes):
            for w in range(n_words):
                out.words[begin + a * n_words + w] = columns[slots[i], a, w]
        for a in range(n_planes + 1):
            out.counts[first + a] = counts[a, slots[i]]


def pack(codes: CodeArray, counts: CountArray, features: IndexArray) -> PlaneBlock:
    """A block from codes (n_samples, k) whose levels 0..b-1 all occur."""
    n_samples, n_features = codes.shape
    n_words = -(-n_samples // WORD)
    planes = np.zeros((len(counts) - 1, n_words, n_features), np.uint64)
    set_bits(codes, planes)
    return PlaneBlock(features, planes, counts, n_samples)


def pack_in(codes: AnyArray, orders: IndexArray, counts: CountArray) -> PlaneBlock:
    """A block of a feature with its samples in several orders (k, n_samples); `counts` are of its levels."""
    planes = np.zeros((len(counts) - 1, -(-len(codes) // WORD), len(orders)), np.uint64)
    set_bits_in(codes, orders, planes)
    repeated = np.repeat(counts[:, None], len(orders), axis=1)
    return PlaneBlock(np.arange(len(orders)), planes, repeated, len(codes))


def unpack(block: PlaneBlock) -> CodeArray:
    """The codes (n_samples, k) that `pack` was given."""
    codes = np.zeros((block.n_samples, len(block.features)), np.uint8)
    read_bits(block.planes, codes)
    return codes


def code_rows_of(block: PlaneBlock) -> CodeArray:
    """The codes that `pack` was given, feature by feature."""
    codes = np.zeros((len(block.features), block.n_samples), np.uint8)
    read_code_rows(np.ascontiguousarray(block.planes), codes)
    return codes


@kernel
def read_code_rows(planes: WordArray, codes: CodeArray) -> None:
    """Reads only the one bits: as many as there are samples, whatever the number of planes."""
    n_planes, n_words, n_features = planes.shape
    for w in range(n_words):
        for a in range(n_planes):
            for k in range(n_features):
                word = planes[a, w, k]
                while word:
                    lowest = word & (~word + np.uint64(1))
                    codes[k, 64 * w + np.int64(popcount(lowest - np.uint64(1)))] = a + 1
                    word ^= lowest


def marks_of(columns: WordArray, n_samples: int) -> AnyArray:
    """The bits of planes (k, b - 1, W) as bytes, sample by sample: (n_samples, k * (b - 1))."""
    planes = columns.reshape(-1, columns.shape[2])
    marks = np.empty((n_samples, len(planes)), np.uint8)
    read_marks(planes, marks)
    return marks


@kernel
def read_marks(planes: WordArray, marks: CodeArray) -> None:
    for n in range(len(marks)):
        w, place = n >> 6, np.uint64(n & 63)
        for m in range(len(planes)):
            marks[n, m] = planes[m, w] >> place & np.uint64(1)


@kernel
def joint_counts(pivots: WordArray, planes: WordArray, counts: CountArray) -> None:
    """Joint counts, added up over words: as many at a time as stay in cache while all pivots read them."""
    n_planes, n_words, n_features = planes.shape
    n_some = max(4, CACHE_BYTES // (8 * n_planes * n_features) // 4 * 4)
    counts[:] = 0
    for first in range(0, n_words, n_some):
        last = min(first + n_some, n_words)
        for p in range(len(pivots)):
            w = first
            while w + 4 <= last:
                # The planes of a pivot read the same four words one after another, two of them together.
                for b in range(n_planes):
                    add_four_to_all(pivots[p], planes, b, w, counts[p])
                w += 4
            for a in range(pivots.shape[1]):
                for b in range(n_planes):
                    add_rest(pivots[p, a], planes[b], w, last, counts[p, a * n_planes + b])


@inlined
def add_four_to_all(pivot: WordArray, planes: WordArray, b: int, w: int, counts: CountArray) -> None:
    """Adds the samples of words w..w + 3 of plane b to its counts with each plane of a pivot."""
    a, n_planes = 0, len(planes)
    while a + 2 <= len(pivot):
        row, next_row = counts[a * n_planes + b], counts[(a + 1) * n_planes + b]
        add_four_to_two(pivot[a], pivot[a + 1], planes[b], w, row, next_row)
        a += 2
    if a < len(pivot):
        add_four(pivot[a], planes[b], w, counts[a * n_planes + b])


@inner_part
def add_rest(pivot: WordArray, plane: WordArray, w: int, last: int, row: CountArray) -> None:
    """Adds the samples of words w..last - 1, up to three."""
    if w + 2 <= last:
        add_two(pivot, plane, w, row)
        w += 2
    if w < last:
        add_one(pivot, plane, w, row)


@inner_part
def joint_of_some(pivot: WordArray, planes: WordArray, first: int, last: int, counts: CountArray) -> None:
    """The joint counts of a pivot (a, words) with features first..last - 1: (a * b, features)."""
    n_planes, n_words, _ = planes.shape
    for a in range(len(pivot)):
        for b in range(n_planes):
            row = counts[a * n_planes + b, : last - first]
            word, features = pivot[a, 0], planes[b, 0, first:last]
            for k in range(len(row)):
                row[k] = np.int32(popcount(word & features[k]))  # the counts need not be cleared
            for w in range(1, n_words):
                word, features = pivot[a, w], planes[b, w, first:last]
                for k in range(len(row)):
                    row[k] += np.int32(popcount(word & features[k]))


@kernel
def joint_weights(pivots: WordArray, digits: WordArray, planes: WordArray, counts: CountArray) -> None:
    """The total weight of the samples that pivots and features share, one digit of the weights at a time."""
    n_planes, n_words, _ = planes.shape
    counts[:] = 0
    for p in range(len(pivots)):
        for a in range(pivots.shape[1]):
            for b in range(n_planes):
                row = counts[p, a * n_planes + b]
                for w in range(n_words):
                    features = planes[b, w]
                    for d in range(len(digits)):
                        word = pivots[p, a, w] & digits[d, w]
                        if word:
                            add_digit(word, features, np.uint64(d), row)


@inner_part
def add_digit(word: Any, features: WordArray, digit: Any, row: CountArray) -> None:
    """Adds to each feature's count one digit of the weights of the samples that it shares with a word."""
    for k in range(len(row)):
        row[k] += np.int32(popcount(word & features[k]) << digit)


@inner_part
def add_one(pivot: WordArray, plane: WordArray, w: int, row: CountArray) -> None:
    """Adds to each feature's count the samples of word w that it shares with the pivot."""
    word, features = pivot[w], plane[w]
    for k in range(len(row)):
        row[k] += np.int32(popcount(word & features[k]))


@inner_part
def add_two(pivot: WordArray, plane: WordArray, w: int, row: CountArray) -> None:
    """As `add_one` for two words, with one pass over the counts less."""
    word_0, word_1, features_0, features_1 = pivot[w], pivot[w + 1], plane[w], plane[w + 1]
    for k in range(len(row)):
        row[k] += np.int32(popcount(word_0 & features_0[k]) + popcount(word_1 & features_1[k]))


@inner_part
def add_four(pivot: WordArray, plane: WordArray, w: int, row: CountArray) -> None:
    """As `add_one` for four words: 20 % faster at 12,000 samples than one by one."""
    word_0, word_1, word_2, word_3 = pivot[w], pivot[w + 1], pivot[w + 2], pivot[w + 3]
    features_0, features_1, features_2, features_3 = plane[w], plane[w + 1], plane[w + 2], plane[w + 3]
    for k in range(len(row)):
        two = popcount(word_0 & features_0[k]) + popcount(word_1 & features_1[k])
        more = popcount(word_2 & features_2[k]) + popcount(word_3 & features_3[k])
        row[k] += np.int32(two + more)


@inner_part
def add_four_to_two(
    pivot: WordArray, other: WordArray, plane: WordArray, w: int, row: CountArray, other_row: CountArray
) -> None:
    """As `add_four` for two planes of a pivot, which read the features' words once: another 20 % faster."""
    word_0, word_1, word_2, word_3 = pivot[w], pivot[w + 1], pivot[w + 2], pivot[w + 3]
    other_0, other_1, other_2, other_3 = other[w], other[w + 1], other[w + 2], other[w + 3]
    features_0, features_1, features_2, features_3 = plane[w], plane[w + 1], plane[w + 2], plane[w + 3]
    for k in range(len(row)):
        f_0, f_1, f_2, f_3 = features_0[k], features_1[k], features_2[k], features_3[k]
        two = popcount(word_0 & f_0) + popcount(word_1 & f_1)
        row[k] += np.int32(two + popcount(word_2 & f_2) + popcount(word_3 & f_3))
        two = popcount(other_0 & f_0) + popcount(other_1 & f_1)
        other_row[k] += np.int32(two + popcount(other_2 & f_2) + popcount(other_3 & f_3))


@kernel
def weigh_bits(planes: WordArray, digits: WordArray, counts: CountArray) -> None:
    """The total weight of the samples in each plane of each feature: (planes, k)."""
    counts[:] = 0
    for a in range(planes.shape[0]):
        row = counts[a]
        for w in range(planes.shape[1]):
            words = planes[a, w]
            for b in range(len(digits)):
                digit = digits[b, w]
                for k in range(len(row)):
                    row[k] += np.int32(popcount(words[k] & digit) << np.uint64(b))


@kernel
def set_bits(codes: CodeArray, planes: WordArray) -> None:
    n_samples, n_features = codes.shape
    for n in range(n_samples):
        bit = np.uint64(1) << np.uint64(n & 63)
        w = n >> 6
        for k in range(n_features):
            if codes[n, k] > 0:
                planes[codes[n, k] - 1, w, k] |= bit


@kernel
def set_bits_in(codes: AnyArray, orders: IndexArray, planes: WordArray) -> None:
    """Level 0 has a plane, too, while an order is packed: without a branch this takes a third of the time."""
    n_planes, n_words, _ = planes.shape
    levels = np.empty((n_planes + 1, n_words), np.uint64)
    for k in range(len(orders)):
        levels[:] = np.uint64(0)
        for n in range(len(codes)):
            levels[codes[orders[k, n]], n >> 6] |= np.uint64(1) << np.uint64(n & 63)
        for a in range(n_planes):
            for w in range(n_words):
                planes[a, w, k] = levels[a + 1, w]


@kernel
def read_bits(planes: WordArray, codes: CodeArray) -> None:
    n_samples, n_features = codes.shape
    for a in range(len(planes)):
        for n in range(n_samples):
            bit = np.uint64(1) << np.uint64(n & 63)
            for k in range(n_features):
                if planes[a, n >> 6, k] & bit:
                    codes[n, k] = a + 1
