"""Packed features as lists of samples, one list for each level but the most frequent.

Where nearly all samples are at one level, lists are smaller than planes, and joint counts of a feature and
another take as many steps as there are samples on its lists: the levels of the pivots at those samples are
added up, and the most frequent level has the remainder of the marginal counts.

Letters: b levels, k features of the block, P pivots; a mark is a byte, 1 where a sample is at a level.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray, WordArray
from qpfs.codes.list_runs import add_list_scores, most_frequent, shared_of_lists
from qpfs.codes.planes import WORD, PlaneBlock, PlaneList
from qpfs.codes.store import SCORE_UNIT, Spread
from qpfs.codes.weights import Weights, counts_of
from qpfs.compiled import inner_part, kernel

PIECE_BYTES = 1 << 22  # bytes of planes made from lists at a time
FEW = 4  # up to so many marks, one pass over the lists for each is faster
GROUP = 16  # features whose counts are written together, a cache line of them


@dataclass(frozen=True, eq=False)
class ListBlock(Spread):
    """Features with the same number of levels, feature after feature and level after level."""

    begin: CountArray  # (k + 1,) where the samples of each begin
    samples: CountArray  # ascending in each list; the most frequent level, the first on ties, has none
    counts: CountArray  # (b, k) samples at each level
    n_samples: int
    weighed: CountArray | None = None  # (b, k) their total weights; None: their number

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

        A mark counts as the weight of its sample.
        """
        first, last, _ = rows.indices(len(pivots.features))
        n_planes, n_cells = len(pivots.planes), len(pivots.planes) * (self.n_levels - 1)
        shape = (last - first, n_cells, len(self.features))
        counts = np.empty(shape, np.int32) if out is None else out
        totals = np.ascontiguousarray(pivots.counts[1:, first:last].T).ravel()
        marks, start = pivots.marks(first, last)
        if weights is not None:
            marks = marks * weights.counts.astype(np.int32)[:, None]
        flat = counts.reshape(-1, len(self.features))
        joint = joint_one_by_one if len(totals) < FEW else joint_together
        joint(marks, start * n_planes, totals, self.begin, self.samples, self.counts, flat)
        return counts

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
        shared_of_lists(tables, *self._packed(weights), sums, slots, lo, hi, others, other_sums, out)

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
        add_list_scores(*self._packed(weights), slots, centres, centre, row, SCORE_UNIT, total)

    def _packed(
        self, weights: Weights | None
    ) -> tuple[CountArray, CountArray, CountArray, CountArray, AnyArray | None, int]:
        """The lists as kernels read them."""
        return (
            self.begin,
            self.samples,
            self.counts,
            self.margins,
            counts_of(weights),
            -(-self.n_samples // WORD),
        )

    @property
    def margins(self) -> CountArray:
        return self.counts if self.weighed is None else self.weighed

    def weighted(self, weights: Weights) -> ListBlock:
        """The block with the total weight of the samples at each level."""
        weighed = np.zeros(self.counts.shape, np.int32)
        weigh_lists(self.begin, self.samples, self.counts, weights.counts, weights.total, weighed)
        return replace(self, weighed=weighed)

    def part(self, slots: IndexArray) -> ListBlock:
        """The features at the given places of this block, as lists."""
        begin = np.zeros(len(slots) + 1, np.int32)
        np.cumsum(np.diff(self.begin)[slots], out=begin[1:])
        samples = np.empty(begin[-1], np.int32)
        copy_lists(self.begin, self.samples, slots, begin, samples)
        counts = self.counts.take(slots, axis=1)
        weighed = None if self.weighed is None else self.weighed.take(slots, axis=1)
        return ListBlock(self.features[slots], begin, samples, counts, self.n_samples, weighed)

    @staticmethod
    def joined(blocks: list[ListBlock]) -> ListBlock:
        """One block of all the features of blocks with the same number of levels."""
        sizes = np.concatenate([np.diff(block.begin) for block in blocks])
        begin = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=begin[1:])
        return ListBlock(
            np.concatenate([block.features for block in blocks]),
            begin,
            np.concatenate([block.samples for block in blocks]),
            np.concatenate([block.counts for block in blocks], axis=1),
            blocks[0].n_samples,
            None
            if blocks[0].weighed is None
            else np.concatenate([block.margins for block in blocks], axis=1),
        )

    def take(self, slots: IndexArray) -> PlaneBlock:
        """The features at the given places of this block, as planes."""
        n_words = -(-self.n_samples // WORD)
        planes = np.zeros((self.n_levels - 1, n_words, len(slots)), np.uint64)
        set_listed(self.begin, self.samples, self.counts, slots, self.n_samples, planes)
        return PlaneBlock(self.features[slots], planes, self.margins.take(slots, axis=1), self.n_samples)

    @property
    def piece_width(self) -> int:
        return max(1, PIECE_BYTES // (8 * (self.n_levels - 1) * -(-self.n_samples // WORD)))


@kernel
def copy_lists(
    old: CountArray, samples: CountArray, slots: IndexArray, new: CountArray, out: CountArray
) -> None:
    """Copies the lists of some features to where each is to begin."""
    for i in range(len(slots)):
        start = old[slots[i]]
        for t in range(new[i], new[i + 1]):
            out[t] = samples[start + t - new[i]]


@kernel
def weigh_lists(
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    weights: AnyArray,
    total: int,
    weighed: CountArray,
) -> None:
    """The total weight of the samples at each level of each feature; the usual level has the remainder."""
    for k in range(counts.shape[1]):
        place, base, rest = begin[k], most_frequent(counts, k), total
        for b in range(len(counts)):
            if b != base:
                for t in range(place, place + counts[b, k]):
                    weighed[b, k] += weights[samples[t]]
                place += counts[b, k]
                rest -= weighed[b, k]
        weighed[base, k] = rest


@kernel
def joint_one_by_one(
    marks: AnyArray,
    first: int,
    totals: CountArray,
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    joint: CountArray,
) -> None:
    """Joint counts (marks * (b - 1), k) of the marks from `first` on, whose samples are `totals`."""
    n_levels, n_features = counts.shape
    sums = np.empty(len(samples) + 1, np.int32)
    for m in range(len(totals)):
        # A mark is added up along all lists in one loop; the count of a list is the difference of two sums.
        # For a single mark this takes a quarter of the time, since there is no loop for each short list.
        add_up(marks, first + m, samples, sums)
        row = m * (n_levels - 1) - 1
        for k in range(n_features):
            place, base, rest = begin[k], most_frequent(counts, k), totals[m]
            for b in range(n_levels):
                if b != base:
                    n = sums[place + counts[b, k]] - sums[place]
                    place += counts[b, k]
                    rest -= n
                    if b > 0:
                        joint[row + b, k] = n
            if base > 0:
                joint[row + base, k] = rest


@inner_part
def add_up(marks: AnyArray, m: int, samples: CountArray, sums: CountArray) -> None:
    """How many samples before each place of a list have a mark."""
    n = np.int32(0)
    sums[0] = 0
    for i in range(len(samples)):
        n += np.int32(marks[np.uint64(samples[i]), m])
        sums[i + 1] = n


@kernel
def joint_together(
    marks: AnyArray,
    first: int,
    totals: CountArray,
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    joint: CountArray,
) -> None:
    """Joint counts as in `joint_one_by_one`, in one pass over the lists, with all marks of a sample."""
    n_marks, n_levels, n_features = len(totals), len(counts), counts.shape[1]
    found = np.empty((GROUP, n_levels, n_marks), np.int32)
    for start in range(0, n_features, GROUP):
        size = min(GROUP, n_features - start)
        for g in range(size):
            place, base = begin[start + g], most_frequent(counts, start + g)
            found[g] = 0
            for b in range(n_levels):
                if b != base:
                    for i in range(np.uint64(place), np.uint64(place + counts[b, start + g])):
                        add_marks(marks, np.uint64(samples[i]), np.uint64(first), found, g, b)
                    place += counts[b, start + g]
            if base > 0:
                add_rest(totals, base, found, g)
        for m in range(n_marks):
            for b in range(1, n_levels):
                for g in range(size):
                    joint[m * (n_levels - 1) + b - 1, start + g] = found[g, b, m]


@inner_part
def add_marks(marks: AnyArray, n: Any, first: Any, found: CountArray, g: int, b: int) -> None:
    """Adds the marks of a sample, from the first on; unsigned indices allow vector instructions."""
    for m in range(np.uint64(found.shape[2])):
        found[g, b, m] += np.int32(marks[n, first + m])


@inner_part
def add_rest(totals: CountArray, base: int, found: CountArray, g: int) -> None:
    """Adds the remainder of each mark, after the lists of a feature, to its usual level."""
    for m in range(len(totals)):
        rest = totals[m]
        for b in range(found.shape[1]):
            rest -= found[g, b, m]
        found[g, base, m] = rest


@kernel
def set_listed(
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    slots: IndexArray,
    n_samples: int,
    planes: WordArray,
) -> None:
    """Sets the bits of some features in planes of zeros: all samples at the usual level, then the lists."""
    for i in range(len(slots)):
        k = slots[i]
        base, place = most_frequent(counts, k), begin[k]
        if base > 0:
            set_all(planes[base - 1, :, i], n_samples)
        for b in range(len(counts)):
            if b != base:
                for t in range(place, place + counts[b, k]):
                    move_bit(planes, i, samples[t], base, b)
                place += counts[b, k]


@inner_part
def set_all(words: WordArray, n_samples: int) -> None:
    """Sets the bit of every sample."""
    for w in range(len(words)):
        words[w] = ~np.uint64(0)
    if n_samples % WORD:
        words[-1] >>= np.uint64(WORD - n_samples % WORD)


@inner_part
def move_bit(planes: WordArray, k: int, sample: int, old: int, new: int) -> None:
    """Moves a sample of feature k from one level to another."""
    w, bit = sample >> 6, np.uint64(1) << np.uint64(sample & 63)
    if old > 0:
        planes[old - 1, w, k] &= ~bit
    if new > 0:
        planes[new - 1, w, k] |= bit
