"""Inner products of scores: of features with all others, and with runs of a list of features.

The counterpart of `plane_runs` for scores. Inner products of columns are integers, so results are the same to
the last bit however the work is divided.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.compiled import LINEAR, inlined, inner_part, kernel, prompt
from qpfs.groups import bounds_of

UNIT = 1 << 12  # of a score: normal scores of any number of samples then fit 16 bits
SQUARE_UNIT = 2.0**50  # of a squared correlation: those of 8,000 pairs of columns add up within 64 bits


class ScoreList(NamedTuple):
    """A list of features with any numbers of columns, in the layout of kernels that compare pairs."""

    scores: AnyArray  # (columns, N)
    shift: AnyArray  # (columns,)
    begin: IndexArray  # (k + 1,) where the columns of each begin; a constant feature has none

    def spread(self, n_samples: int) -> ScoreList:
        """The list itself, which is dense."""
        return self


def score_list(parts: list[tuple[IndexArray, Any, IndexArray]], size: int, n_samples: int) -> ScoreList:
    """A list of features, from blocks and slots with their places; places that are left out are constant."""
    n_columns = np.zeros(size, np.intp)
    for places, block, _ in parts:
        n_columns[places] = block.n_levels
    begin = bounds_of(n_columns)
    found = ScoreList(np.empty((begin[-1], n_samples), np.int16), np.empty(begin[-1], np.int8), begin)
    for places, whole, slots in parts:
        for some, block, at in whole.pieces(slots):
            first = begin[places[some]]
            for a in range(block.n_levels):
                found.scores[first + a] = block.scores[at, a]
                found.shift[first + a] = block.shift[at, a]
    return found


@prompt(LINEAR)
@kernel
def square_sums(products: FloatArray, n_a: int, n_b: int, n_samples: int, out: FloatArray) -> None:
    """The sum over the columns of two features of their squared correlations: (pivots, k)."""
    length = float(n_samples) * UNIT * UNIT
    for p in range(out.shape[0]):
        for k in range(out.shape[1]):
            if n_a == 1 and n_b == 1:
                correlation = products[p, k] / length
                out[p, k] = correlation * correlation
                continue
            total = np.int64(0)
            for a in range(n_a):
                for b in range(n_b):
                    correlation = products[p * n_a + a, k * n_b + b] / length
                    total += np.int64(np.rint(correlation * correlation * SQUARE_UNIT))
            out[p, k] = total / SQUARE_UNIT


@inlined
def column_product(scores: AnyArray, weights: Any, slot: int, a: int, others: AnyArray, b: int) -> Any:
    """The inner product of column a of a feature with column b of others: an integer."""
    # Both are read in place: a pair of 33 samples took 110 ns with slices of arrays and 11 ns without.
    total = np.int64(0)
    for n in range(np.uint64(scores.shape[2])):  # unsigned, so that negative indices need no check
        # A product of two scores fits 32 bits, where multiplication is fast; sums take 64.
        product = np.int64(np.int32(np.int32(scores[slot, a, n]) * np.int32(others[b, n])))
        if weights is None:
            total += product
        else:
            total += product * weights[n]
    return total


@inlined
def column_square(
    scores: AnyArray,
    shift: AnyArray,
    weights: Any,
    n_samples: int,
    slot: int,
    a: int,
    others: AnyArray,
    other_shift: AnyArray,
    b: int,
) -> Any:
    """The squared correlation of column a of a feature with column b of others."""
    both = np.int64(shift[slot, a]) + np.int64(other_shift[b])
    product = column_product(scores, weights, slot, a, others, b) << both
    correlation = product / (float(n_samples) * UNIT * UNIT)
    return correlation * correlation


@inlined
def squares_of_pair(
    scores: AnyArray,
    shift: AnyArray,
    weights: Any,
    n_samples: int,
    slot: int,
    others: AnyArray,
    other_shift: AnyArray,
    first: int,
    last: int,
) -> Any:
    """The sum of squared correlations of a feature's columns with others[first:last], as in `square_sums`."""
    alone = scores.shape[1] == 1 and last - first == 1
    total, square = np.int64(0), 0.0
    for a in range(scores.shape[1]):
        for b in range(first, last):
            square = column_square(scores, shift, weights, n_samples, slot, a, others, other_shift, b)
            if not alone:
                total += np.int64(np.rint(square * SQUARE_UNIT))
    return square if alone else total / SQUARE_UNIT


@prompt(LINEAR)
@kernel
def own_squares(
    scores: AnyArray,
    shift: AnyArray,
    weights: Any,
    n_samples: int,
    slots: AnyArray,
    columns: AnyArray,  # the scores of all features, one column after another
    moved: AnyArray,  # their shifts
    out: FloatArray,
) -> None:
    """The sum over the columns of each of some features of their squared correlations."""
    d, square = scores.shape[1], 0.0
    for i in range(len(slots)):
        slot = slots[i]
        total = np.int64(0)
        for a in range(d):
            for b in range(a + 1):  # each two columns once: they share the same from both sides
                square = column_square(
                    scores, shift, weights, n_samples, slot, a, columns, moved, slot * d + b
                )
                total += np.int64(np.rint(square * SQUARE_UNIT)) << np.int64(b < a)
        out[i] = square if d == 1 else total / SQUARE_UNIT


@prompt(LINEAR)
@kernel
def rare_margins(scores: AnyArray, shift: AnyArray, slots: AnyArray, least: float, key: AnyArray) -> None:
    """Writes a key, independent of the order of the samples, for features with a rare margin; 0 else."""
    n_samples = scores.shape[2]
    # If m samples have the most frequent value, at least 2 m - N - 1 pairs of neighbours both have it, in any
    # order: where fewer neighbours are equal, nothing needs to be counted.
    fewest = 2 * (n_samples - least) - n_samples - 1
    times = np.zeros(1 << 16, np.int32)
    for i in range(len(slots)):
        one, key[i] = scores[slots[i]], np.uint64(0)
        equal = np.int32(0)
        for n in range(n_samples - 1):
            equal += one[0, n] == one[0, n + 1]
        if equal < fewest:
            continue
        n_commonest = majority(one) if 2 * least <= n_samples else commonest(one, times)
        if n_samples - n_commonest < least:  # few samples differ from the most frequent value
            total = np.uint64(0)
            for n in range(n_samples):
                total += mixed_scores(one, n)
            key[i] = total | np.uint64(1)


@kernel
def rare_weights(
    scores: AnyArray, slots: AnyArray, weights: AnyArray, n_samples: int, least: float, rare: AnyArray
) -> None:
    """Whether the samples that differ from each feature's most frequent value weigh less than `least`."""
    # As `rare_margins` finds if each sample occurs as often as its weight, n_samples in all.
    weighed = np.zeros(1 << 16, np.int64)
    for i in range(len(slots)):
        one = scores[slots[i]]
        few = 2 * least <= n_samples
        most = weight_of_majority(one, weights) if few else commonest_weight(one, weights, weighed)
        rare[i] = n_samples - most < least


@inner_part
def weight_of_majority(one: AnyArray, weights: AnyArray) -> Any:
    """The weight of the value that has more than half of it; less than half if there is none."""
    found, votes = 0, np.int64(0)
    for n in range(one.shape[1]):  # majority vote of Boyer and Moore
        if one[0, n] == one[0, found]:
            votes += weights[n]
        elif votes >= weights[n]:
            votes -= weights[n]
        else:
            found, votes = n, weights[n] - votes
    weighed = np.int64(0)
    for n in range(one.shape[1]):
        same = True
        for a in range(one.shape[0]):
            same &= one[a, n] == one[a, found]
        weighed += weights[n] * same
    return weighed


@inner_part
def commonest_weight(one: AnyArray, weights: AnyArray, weighed: AnyArray) -> Any:
    """The result of `commonest` for weighted samples; `weighed` is a buffer of zeros, before and after."""
    most = np.int64(0)
    for n in range(one.shape[1]):
        place = mixed_scores(one, n) >> np.uint64(48)
        weighed[place] += weights[n]
        most = max(most, weighed[place])
    for n in range(one.shape[1]):
        weighed[mixed_scores(one, n) >> np.uint64(48)] = 0
    return most


@inner_part
def majority(one: AnyArray) -> int:
    """How many samples have the value that more than half have; less than half if there is none."""
    n_samples = one.shape[1]
    found, votes = 0, 0
    for n in range(n_samples):  # majority vote of Boyer and Moore
        if votes == 0:
            found = n
        votes += 1 if one[0, n] == one[0, found] else -1
    times = 0
    for n in range(n_samples):
        same = True
        for a in range(one.shape[0]):
            same &= one[a, n] == one[a, found]
        times += same
    return times


@inner_part
def commonest(one: AnyArray, times: AnyArray) -> int:
    """How often the most frequent value occurs, or slightly more; `times` is zeros before and after."""
    most = 0
    for n in range(one.shape[1]):
        place = mixed_scores(one, n) >> np.uint64(48)
        times[place] += 1
        most = max(most, times[place])
    for n in range(one.shape[1]):
        times[mixed_scores(one, n) >> np.uint64(48)] = 0
    return most


@inlined
def mixed_scores(one: AnyArray, n: int) -> Any:
    """A 64-bit hash of the scores of a sample (the last step of splitmix64)."""
    mixed = np.uint64(0)
    for a in range(one.shape[0]):
        mixed = mixed * np.uint64(1_000_003) + np.uint64(np.int64(one[a, n]) + 32_769)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@prompt(LINEAR)
@kernel
def squares_along(
    scores: AnyArray,
    shift: AnyArray,
    weights: Any,  # those of the samples, or None
    n_samples: int,  # their sum
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: ScoreList,
    out: FloatArray,
) -> None:
    """What feature slots[i] shares with each from lo[i] to hi[i] - 1 of others, run after run."""
    t = 0
    for i in range(len(slots)):
        for j in range(lo[i], hi[i]):
            first, last = others.begin[j], others.begin[j + 1]
            out[t] = squares_of_pair(
                scores, shift, weights, n_samples, slots[i], others.scores, others.shift, first, last
            )
            t += 1


@prompt(LINEAR)
@kernel
def add_first_columns(
    scores: AnyArray,
    shift: AnyArray,
    weights: Any,
    slots: AnyArray,
    centres: ScoreList,
    centre: AnyArray,
    row: AnyArray,
    unit: int,
    total: AnyArray,
) -> None:
    """Adds the first column of some features, its sign matched to the centre's, to rows of the total."""
    for i in range(len(slots)):
        slot, first = slots[i], centres.begin[centre[i]]
        turned = -unit if column_product(scores, weights, slot, 0, centres.scores, first) < 0 else unit
        times = turned << np.int64(shift[slot, 0])
        one, sums = scores[slot, 0], total[row[i]]
        for n in range(np.uint64(len(one))):
            sums[n] += times * np.int64(one[n])
