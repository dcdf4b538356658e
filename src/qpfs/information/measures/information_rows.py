"""Mutual information by tables of rows: the terms of one level with two or three others in one look-up.

The cells of a row, T(i) + T(n - i) or T(i) + T(j) + T(n - i - j), are one entry of a table. Sums are the same
integers as those of single cells, and results the same to the last bit.

Letters: T(n) = n log n; a levels of the pivot, b of the feature, p pivots, k features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, WordArray
from qpfs.codes.planes import joint_of_some
from qpfs.compiled import inlined, inner_part, kernel, popcount, table_entry

CHUNK = 1024  # features whose indices stay in the first cache


def row_table(plogp: AnyArray) -> AnyArray:
    """For each n the sum of T over any two parts and the rest: (n + 1)^2 entries, concatenated over n."""
    table = np.zeros(int((np.arange(1, len(plogp) + 1) ** 2).sum()), np.int64)
    fill_rows(plogp, table)
    return table


@kernel
def fill_rows(plogp: AnyArray, table: AnyArray) -> None:
    start = 0
    for n in range(len(plogp)):
        for a in range(n + 1):
            for b in range(n + 1 - a):
                table[start + a * (n + 1) + b] = plogp[a] + plogp[b] + plogp[n - a - b]
        start += (n + 1) * (n + 1)


@kernel
def information_by_rows(
    tables: Any,
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    out: FloatArray,
) -> None:
    """Mutual information of pivots with features of two or three levels: one look-up per pivot's level."""
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
    # The distribution of the n_a samples of a pivot's level over the feature's levels is given by one or two
    # counts; a table of the pivot has the sum of T for them. Faster where the tables have at most about four
    # entries for each feature.
    table, start, index, total = room_for_rows(len(tables.plogp) - 1, n_a, n_b)
    for p in range(n_pivots):
        fill_row_tables(pivots[:, p], n_b, tables.plogp, start, table)
        whole = tables.plogp[-1] - pivot_sums[p]
        for first in range(0, n_features, CHUNK):
            last = min(first + CHUNK, n_features)
            find_rows(joint[p], first, pivots[:, p], features, first, last, start, index)
            sums, numbers = feature_sums[first:last], out[p, first:last]
            put_numbers(table, index, total, whole, sums, tables.unit, numbers)


@kernel
def information_by_planes(
    tables: Any,
    pivot_planes: WordArray,
    planes: WordArray,
    pivots: CountArray,
    features: CountArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    out: FloatArray,
    begin: int,  # the column of `out` at which the features begin
) -> None:
    """The result of `information_by_rows`, from planes of pivots (p, a, words) and features (b, words, k)."""
    n_pivots, n_features = len(out), planes.shape[2]
    n_a, n_b = len(pivots), len(features)
    table, start, index, total = room_for_rows(len(tables.plogp) - 1, n_a, n_b)
    joint = np.empty(((n_a - 1) * (n_b - 1), CHUNK), np.int32)  # of a chunk: in the first cache
    for p in range(n_pivots):
        fill_row_tables(pivots[:, p], n_b, tables.plogp, start, table)
        whole = tables.plogp[-1] - pivot_sums[p]
        for first in range(0, n_features, CHUNK):
            last = min(first + CHUNK, n_features)
            if n_a == n_b == 3 and planes.shape[1] == 1:
                one, two = pivot_planes[p, 0, 0], pivot_planes[p, 1, 0]
                find_rows_in_a_word(one, two, planes, pivots[:, p], features, first, last, start, index)
            elif n_a == n_b == 3 and planes.shape[1] == 2:
                find_rows_in_two_words(
                    pivot_planes[p], planes, pivots[:, p], features, first, last, start, index
                )
            else:
                joint_of_some(pivot_planes[p], planes, first, last, joint)
                find_rows(joint, 0, pivots[:, p], features, first, last, start, index)
            sums, numbers = feature_sums[first:last], out[p, begin + first : begin + last]
            put_numbers(table, index, total, whole, sums, tables.unit, numbers)


@inner_part
def room_for_rows(n_samples: int, n_a: int, n_b: int) -> Any:
    """Buffers: the tables of a pivot, where that of each level begins, indices and totals of a chunk."""
    table = np.empty((n_samples + n_a) ** (n_b - 1), np.int64)
    return table, np.empty(n_a, np.int32), np.empty((n_a, CHUNK), np.int32), np.empty(CHUNK, np.int64)


@inner_part
def fill_row_tables(pivot: CountArray, n_b: int, plogp: AnyArray, start: AnyArray, table: AnyArray) -> None:
    """Fills, for each level of a pivot, T(i) + T(n - i), or T(i) + T(j) + T(n - i - j) at i (n + 1) + j."""
    place = 0
    for a in range(len(pivot)):
        n = pivot[a]
        start[a] = place
        if n_b == 2:
            for i in range(n + 1):
                table[place + i] = plogp[i] + plogp[n - i]
            place += n + 1
        else:
            for i in range(n + 1):
                row = table[place + i * (n + 1) : place + i * (n + 1) + n + 1 - i]
                for j in range(np.uint64(len(row))):  # unsigned indices need no check for negative values
                    row[j] = plogp[i] + plogp[j] + plogp[np.uint64(n - i) - j]
            place += (n + 1) * (n + 1)


@inner_part
def find_rows(
    joint: CountArray,
    at: int,  # where the joint counts of the first of them are
    pivot: CountArray,
    features: CountArray,
    first: int,
    last: int,
    start: AnyArray,
    index: AnyArray,
) -> None:
    """The table entry for each level of the pivot, for some features; level 0 has the remaining samples."""
    n_planes, end = len(features) - 1, at + last - first
    step_0, index_0 = pivot[0] + np.int32(1), index[0]
    one, two = features[1, first:last], features[n_planes, first:last]
    for k in range(len(one)):
        index_0[k] = one[k] if n_planes == 1 else one[k] * step_0 + two[k]
    for a in range(1, len(pivot)):
        step, place, index_a = pivot[a] + np.int32(1), start[a], index[a]
        one, two = joint[(a - 1) * n_planes, at:end], joint[a * n_planes - 1, at:end]
        for k in range(len(one)):
            if n_planes == 1:
                index_a[k] = place + one[k]
                index_0[k] -= one[k]
            else:
                index_a[k] = place + one[k] * step + two[k]
                index_0[k] -= one[k] * step_0 + two[k]


@inner_part
def find_rows_in_a_word(
    one: Any,
    two: Any,
    planes: WordArray,
    pivot: CountArray,
    features: CountArray,
    first: int,
    last: int,
    start: AnyArray,
    index: AnyArray,
) -> None:
    """The result of `find_rows` for three levels of both, in one word of samples, without joint counts."""
    # Products of numbers known to fit 32 bits take one vector instruction, others three.
    step_0, step_1, step_2 = wide(pivot[0] + 1), wide(pivot[1] + 1), wide(pivot[2] + 1)
    start_1, start_2 = wide(start[1]), wide(start[2])
    index_0, index_1, index_2 = index[0], index[1], index[2]
    plane_1, plane_2 = planes[0, 0, first:last], planes[1, 0, first:last]
    level_1, level_2 = features[1, first:last], features[2, first:last]
    for k in range(len(plane_1)):
        c11, c12 = popcount(one & plane_1[k]), popcount(one & plane_2[k])
        c21, c22 = popcount(two & plane_1[k]), popcount(two & plane_2[k])
        index_1[k] = start_1 + c11 * step_1 + c12
        index_2[k] = start_2 + c21 * step_2 + c22
        known = (c11 + c21) * step_0 + c12 + c22
        index_0[k] = wide(level_1[k]) * step_0 + wide(level_2[k]) - known


@inner_part
def find_rows_in_two_words(
    pivot_planes: WordArray,
    planes: WordArray,
    pivot: CountArray,
    features: CountArray,
    first: int,
    last: int,
    start: AnyArray,
    index: AnyArray,
) -> None:
    """The result of `find_rows_in_a_word` where samples fit two words, v and w."""
    one_v, one_w, two_v, two_w = (
        pivot_planes[0, 0],
        pivot_planes[0, 1],
        pivot_planes[1, 0],
        pivot_planes[1, 1],
    )
    step_0, step_1, step_2 = wide(pivot[0] + 1), wide(pivot[1] + 1), wide(pivot[2] + 1)
    start_1, start_2 = wide(start[1]), wide(start[2])
    index_0, index_1, index_2 = index[0], index[1], index[2]
    a_v, a_w, b_v, b_w = (
        planes[0, 0, first:last],
        planes[0, 1, first:last],
        planes[1, 0, first:last],
        planes[1, 1, first:last],
    )
    level_1, level_2 = features[1, first:last], features[2, first:last]
    for k in range(len(a_v)):
        c11 = popcount(one_v & a_v[k]) + popcount(one_w & a_w[k])
        c12 = popcount(one_v & b_v[k]) + popcount(one_w & b_w[k])
        c21 = popcount(two_v & a_v[k]) + popcount(two_w & a_w[k])
        c22 = popcount(two_v & b_v[k]) + popcount(two_w & b_w[k])
        index_1[k] = start_1 + c11 * step_1 + c12
        index_2[k] = start_2 + c21 * step_2 + c22
        known = (c11 + c21) * step_0 + c12 + c22
        index_0[k] = wide(level_1[k]) * step_0 + wide(level_2[k]) - known


@inlined
def wide(n: Any) -> Any:
    """A non-negative number that fits 32 bits, as 64 bits."""
    return np.uint64(np.uint32(n))


@inner_part
def put_numbers(
    table: AnyArray,
    index: AnyArray,
    total: AnyArray,
    whole: int,
    sums: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """Writes the values of the table entries of all levels, added up; three levels in one pass."""
    n_a = len(index)
    one, two, three = index[0], index[1], index[min(2, n_a - 1)]
    if n_a == 3:
        for k in range(len(out)):
            rows = table_entry(table, one[k]) + table_entry(table, two[k]) + table_entry(table, three[k])
            out[k] = max(whole - sums[k] + rows, 0) * unit
        return
    for k in range(len(out)):
        total[k] = whole - sums[k] + table_entry(table, one[k]) + table_entry(table, two[k])
    for a in range(2, n_a):
        row = index[a]
        for k in range(len(out)):
            total[k] += table_entry(table, row[k])
    for k in range(len(out)):
        out[k] = max(total[k], 0) * unit
