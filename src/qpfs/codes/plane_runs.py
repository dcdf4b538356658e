"""Features kept as planes, compared in single pairs with runs of a list, as clusters of any size need.

Where joint counts compare few features with all, these loops compare each feature of a block with its own
few: feature slots[i] with those from lo[i] to hi[i] - 1 of a list. The tables of a measure define the value
of a pair (`qpfs.compiled.cell`); totals are integers, so results are the same to the last bit. A pair costs
1.7 times as much (10 ns against 6 at 33 samples), but no other pairs are computed.

Letters: a levels of the block's feature, b levels of the list's; c samples at two levels, n and m at one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, WordArray
from qpfs.compiled import cell, finish, inlined, inner_part, kernel, popcount, threes

if TYPE_CHECKING:
    from qpfs.codes.planes import PlaneList


@kernel
def shared_along(
    tables: Any,
    columns: WordArray,
    counts: CountArray,
    sums: AnyArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: PlaneList,
    other_sums: AnyArray,
    digits: Any,
    out: FloatArray,
) -> None:
    """Writes what each pair shares, run by run; `digits` are those of the samples' weights, or None."""
    left = np.empty(others.levels.max(), np.int64)
    t = 0
    for i in range(len(slots)):
        s = slots[i]
        planes, levels = columns[s], counts[:, s]
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            if len(levels) == 3 and others.levels[j] == 3:
                total = total_of_threes(tables, planes[0], planes[1], levels, others, j, digits)
            else:
                total = total_of_pair(tables, planes, levels, others, j, digits, left)
            out[t] = finish(tables, total, sums[s], other_sums[j])
            t += 1


@inlined
def total_of_pair(
    tables: Any, planes: WordArray, counts: CountArray, others: PlaneList, j: int, digits: Any, left: AnyArray
) -> Any:
    """The sum of all cells of a pair."""
    n_words, n_b, first = planes.shape[1], others.levels[j], others.first[j]
    for b in range(n_b):
        left[b] = others.counts[first + b]
    total = np.int64(0)
    for a in range(1, len(counts)):
        rest = np.int64(counts[a])
        for b in range(1, n_b):
            start = others.begin[j] + (b - 1) * n_words
            n = meetings(planes[a - 1], others.words[start : start + n_words], digits)
            total += cell(tables, n, counts[a], others.counts[first + b])
            rest -= n
            left[b] -= n
        total += cell(tables, rest, counts[a], others.counts[first])
        left[0] -= rest
    for b in range(n_b):
        total += cell(tables, left[b], counts[0], others.counts[first + b])
    return total


@inlined
def total_of_threes(
    tables: Any, one: WordArray, two: WordArray, counts: CountArray, others: PlaneList, j: int, digits: Any
) -> Any:
    """The sum of all cells where both have three levels, the usual case."""
    # Unsigned indices need no check for negative values.
    n_words, begin, first = np.uint64(len(one)), np.uint64(others.begin[j]), np.uint64(others.first[j])
    c11, c12, c21, c22 = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for w in range(n_words):
        other_one, other_two = others.words[begin + w], others.words[begin + n_words + w]
        c11 += weighed(one[w] & other_one, digits, w)
        c12 += weighed(one[w] & other_two, digits, w)
        c21 += weighed(two[w] & other_one, digits, w)
        c22 += weighed(two[w] & other_two, digits, w)
    m0, m1, m2 = (
        others.counts[first],
        others.counts[first + np.uint64(1)],
        others.counts[first + np.uint64(2)],
    )
    return threes(tables, c11, c12, c21, c22, counts[0], counts[1], counts[2], m0, m1, m2)


@kernel
def shared_in_a_word(
    tables: Any,
    columns: WordArray,
    counts: CountArray,
    sums: AnyArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: PlaneList,
    other_sums: AnyArray,
    out: FloatArray,
) -> None:
    """The result of `shared_along` for features of three levels whose samples fit one word."""
    left = np.empty(others.levels.max(), np.int64)
    words, other_counts = others.words, others.counts
    t = 0
    # This loop and the one for two words avoid the loop over words.
    for i in range(len(slots)):
        s = slots[i]
        one, two = columns[s, 0, 0], columns[s, 1, 0]
        n0, n1, n2, own = np.int64(counts[0, s]), np.int64(counts[1, s]), np.int64(counts[2, s]), sums[s]
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            if others.levels[j] == 3:
                at, level = np.uint64(others.begin[j]), np.uint64(others.first[j])
                other_one, other_two = words[at], words[at + np.uint64(1)]
                c11, c12 = np.int64(popcount(one & other_one)), np.int64(popcount(one & other_two))
                c21, c22 = np.int64(popcount(two & other_one)), np.int64(popcount(two & other_two))
                m0, m1 = other_counts[level], other_counts[level + np.uint64(1)]
                m2 = other_counts[level + np.uint64(2)]
                total = threes(tables, c11, c12, c21, c22, n0, n1, n2, m0, m1, m2)
            else:
                total = total_of_another(tables, columns[s], counts[:, s], others, j, left)
            out[t] = finish(tables, total, own, other_sums[j])
            t += 1


@inner_part
def total_of_another(
    tables: Any, planes: WordArray, counts: CountArray, others: PlaneList, j: int, left: AnyArray
) -> Any:
    """The result of `total_of_pair`, not inlined: it is called rarely, and would slow down the loop."""
    return total_of_pair(tables, planes, counts, others, j, None, left)


@kernel
def shared_in_two_words(
    tables: Any,
    columns: WordArray,
    counts: CountArray,
    sums: AnyArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: PlaneList,
    other_sums: AnyArray,
    out: FloatArray,
) -> None:
    """The result of `shared_along` for features of three levels whose samples fit two words, v and w."""
    left = np.empty(others.levels.max(), np.int64)
    words, other_counts = others.words, others.counts
    t = 0
    for i in range(len(slots)):
        s = slots[i]
        one_v, one_w, two_v, two_w = columns[s, 0, 0], columns[s, 0, 1], columns[s, 1, 0], columns[s, 1, 1]
        n0, n1, n2, own = np.int64(counts[0, s]), np.int64(counts[1, s]), np.int64(counts[2, s]), sums[s]
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            if others.levels[j] == 3:
                at, level = np.uint64(others.begin[j]), np.uint64(others.first[j])
                a_v, a_w = words[at], words[at + np.uint64(1)]
                b_v, b_w = words[at + np.uint64(2)], words[at + np.uint64(3)]
                c11 = np.int64(popcount(one_v & a_v) + popcount(one_w & a_w))
                c12 = np.int64(popcount(one_v & b_v) + popcount(one_w & b_w))
                c21 = np.int64(popcount(two_v & a_v) + popcount(two_w & a_w))
                c22 = np.int64(popcount(two_v & b_v) + popcount(two_w & b_w))
                m0, m1 = other_counts[level], other_counts[level + np.uint64(1)]
                m2 = other_counts[level + np.uint64(2)]
                total = threes(tables, c11, c12, c21, c22, n0, n1, n2, m0, m1, m2)
            else:
                total = total_of_another(tables, columns[s], counts[:, s], others, j, left)
            out[t] = finish(tables, total, own, other_sums[j])
            t += 1


@inlined
def weighed(word: Any, digits: Any, w: Any) -> Any:
    """The weight of the samples of word w that have a one bit; their number without weights."""
    if digits is None:
        return np.int64(popcount(word))
    n = np.int64(0)
    for b in range(len(digits)):
        n += np.int64(popcount(word & digits[b, w])) << b
    return n


@inner_part
def meetings(one: WordArray, other: WordArray, digits: Any) -> Any:
    """The number of one bits that two planes share, or the weight of their samples."""
    n = np.int64(0)
    for w in range(len(one)):
        n += weighed(one[w] & other[w], digits, w)
    return n


@kernel
def against(planes: WordArray, counts: CountArray, digits: Any, others: PlaneList, j: int) -> Any:
    """Whether a feature has a negative covariance with feature j of a list."""
    n_words = planes.shape[1]
    n_samples = np.int64(0)
    mean_a, mean_b, product = np.int64(0), np.int64(0), np.int64(0)
    for a in range(len(counts)):
        n_samples += counts[a]
        mean_a += a * counts[a]
    for b in range(others.levels[j]):
        mean_b += b * others.counts[others.first[j] + b]
    for a in range(len(planes)):
        for b in range(others.levels[j] - 1):
            start = others.begin[j] + b * n_words
            words = others.words[start : start + n_words]
            product += (a + 1) * (b + 1) * meetings(planes[a], words, digits)
    return n_samples * product < mean_a * mean_b


@kernel
def add_plane_scores(
    columns: WordArray,
    counts: CountArray,
    digits: Any,
    slots: AnyArray,
    centres: PlaneList,
    centre: AnyArray,
    row: AnyArray,
    unit: int,
    total: AnyArray,
) -> None:
    """Adds the scores of each of some features, with signs matched to its centre, to a row of the total."""
    n_planes, n_words = columns.shape[1:]
    score = np.empty(n_planes + 1, np.int64)
    # Levels as equal steps from -unit to unit: integers, so the order of summation is irrelevant.
    for a in range(n_planes + 1):
        score[a] = np.int64(np.rint(2.0 * unit * a / n_planes)) - unit
    for i in range(len(slots)):
        planes, sums = columns[slots[i]], total[row[i]]
        sign = -1 if against(planes, counts[:, slots[i]], digits, centres, centre[i]) else 1
        for w in range(n_words):
            if n_planes == 2:
                one, two = planes[0, w], planes[1, w]
                add_difference(two, ~(one | two), sign * unit, sums, 64 * w)
                continue
            rest = ~np.uint64(0)
            for a in range(n_planes):
                rest &= ~planes[a, w]
                if score[a + 1] != 0:
                    add_where_set(planes[a, w], sign * score[a + 1], sums, 64 * w)
            add_where_set(rest, sign * score[0], sums, 64 * w)


@inner_part
def add_difference(up: Any, down: Any, step: int, sums: AnyArray, first: int) -> None:
    """Adds a step where one word has a one bit, and subtracts it where another has; as `add_where_set`."""
    for n in range(np.uint64(min(64, len(sums) - first))):
        more = step & -np.int64(up >> n & np.uint64(1))
        sums[np.uint64(first) + n] += more - (step & -np.int64(down >> n & np.uint64(1)))


@inner_part
def add_where_set(word: Any, step: int, sums: AnyArray, first: int) -> None:
    """Adds a step to the sums where a word, whose first bit is for sums[first], has a one bit."""
    # A loop over all bits, with unsigned indices, becomes vector instructions.
    for n in range(np.uint64(min(64, len(sums) - first))):
        sums[np.uint64(first) + n] += step & -np.int64(word >> n & np.uint64(1))
