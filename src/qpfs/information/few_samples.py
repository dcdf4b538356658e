"""Features of three levels paired with others, where the samples fit one word of 64 bits, or two.

What `runs.information_along` does for any number of samples, in less time: no word is looped over, and the
cells of a row, T(a) + T(b) + T(n - a - b), are one entry of a table. Sums are the same integers, and the
numbers the same to the last bit. One word and two are written out apart, since a loop is what is saved.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, WordArray
from qpfs.codes.planes import PlaneList
from qpfs.compiled import entry, kernel, popcount
from qpfs.information.runs import cells

MOST = 128  # samples


def row_table(plogp: AnyArray) -> tuple[AnyArray, AnyArray]:
    """For each n what any two of its parts, and the rest, add up to: entry start[n] + a (n + 1) + b."""
    sides = np.arange(1, len(plogp) + 1)
    start = np.cumsum(sides**2) - sides**2
    table = np.zeros(int((sides**2).sum()), np.int64)
    fill_rows(plogp, start, table)
    return table, start


@kernel
def fill_rows(plogp: AnyArray, start: AnyArray, table: AnyArray) -> None:
    for n in range(len(plogp)):
        for a in range(n + 1):
            for b in range(n + 1 - a):
                table[start[n] + a * (n + 1) + b] = plogp[a] + plogp[b] + plogp[n - a - b]


@kernel
def information_in_a_word(
    columns: WordArray,
    counts: CountArray,
    table: AnyArray,
    start: AnyArray,
    sums: AnyArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: PlaneList,
    other_sums: AnyArray,
    plogp: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """I of each pair, one run after another; all features are one word a plane."""
    left = np.empty(others.levels.max(), np.int64)
    words, other_counts, whole = others.words, others.counts, plogp[-1]
    t = 0
    for i in range(len(slots)):
        s = slots[i]
        one, two = columns[s, 0, 0], columns[s, 1, 0]
        n0, n1, n2 = np.int64(counts[0, s]), np.int64(counts[1, s]), np.int64(counts[2, s])
        row_0, row_1, row_2 = start[n0], start[n1], start[n2]
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            if others.levels[j] != 3:
                found = cells(columns[s], counts[:, s], others, j, plogp, left)
                out[t] = max(whole - sums[s] - other_sums[j] + found, 0) * unit
                t += 1
                continue
            at, level = np.uint64(others.begin[j]), np.uint64(others.first[j])
            other_one, other_two = words[at], words[at + np.uint64(1)]
            c11, c12 = np.int64(popcount(one & other_one)), np.int64(popcount(one & other_two))
            c21, c22 = np.int64(popcount(two & other_one)), np.int64(popcount(two & other_two))
            c01 = other_counts[level + np.uint64(1)] - c11 - c21
            c02 = other_counts[level + np.uint64(2)] - c12 - c22
            found = entry(table, row_0 + c01 * (n0 + 1) + c02)
            found += entry(table, row_1 + c11 * (n1 + 1) + c12) + entry(table, row_2 + c21 * (n2 + 1) + c22)
            out[t] = max(whole - sums[s] - other_sums[j] + found, 0) * unit
            t += 1


@kernel
def information_in_two_words(
    columns: WordArray,
    counts: CountArray,
    table: AnyArray,
    start: AnyArray,
    sums: AnyArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: PlaneList,
    other_sums: AnyArray,
    plogp: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """The same where all features are two words a plane: v and w."""
    left = np.empty(others.levels.max(), np.int64)
    words, other_counts, whole = others.words, others.counts, plogp[-1]
    t = 0
    for i in range(len(slots)):
        s = slots[i]
        one_v, one_w, two_v, two_w = columns[s, 0, 0], columns[s, 0, 1], columns[s, 1, 0], columns[s, 1, 1]
        n0, n1, n2 = np.int64(counts[0, s]), np.int64(counts[1, s]), np.int64(counts[2, s])
        row_0, row_1, row_2 = start[n0], start[n1], start[n2]
        for j in range(np.uint64(lo[i]), np.uint64(hi[i])):
            if others.levels[j] != 3:
                found = cells(columns[s], counts[:, s], others, j, plogp, left)
                out[t] = max(whole - sums[s] - other_sums[j] + found, 0) * unit
                t += 1
                continue
            at, level = np.uint64(others.begin[j]), np.uint64(others.first[j])
            a_v, a_w, b_v, b_w = (
                words[at],
                words[at + np.uint64(1)],
                words[at + np.uint64(2)],
                words[at + np.uint64(3)],
            )
            c11 = np.int64(popcount(one_v & a_v) + popcount(one_w & a_w))
            c12 = np.int64(popcount(one_v & b_v) + popcount(one_w & b_w))
            c21 = np.int64(popcount(two_v & a_v) + popcount(two_w & a_w))
            c22 = np.int64(popcount(two_v & b_v) + popcount(two_w & b_w))
            c01 = other_counts[level + np.uint64(1)] - c11 - c21
            c02 = other_counts[level + np.uint64(2)] - c12 - c22
            found = entry(table, row_0 + c01 * (n0 + 1) + c02)
            found += entry(table, row_1 + c11 * (n1 + 1) + c12) + entry(table, row_2 + c21 * (n2 + 1) + c22)
            out[t] = max(whole - sums[s] - other_sums[j] + found, 0) * unit
            t += 1
