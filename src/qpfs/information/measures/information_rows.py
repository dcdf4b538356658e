"""Mutual information by tables of rows: how the samples of one level fall on two or three others, looked up.

The cells of a row, T(i) + T(n - i) or T(i) + T(j) + T(n - i - j), are one entry of a table. Sums are the same
integers as those of the cells one by one, and the numbers the same to the last bit.

Letters: T(n) = n log n; a levels of the pivot, b of the feature, p pivots, k features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray
from qpfs.compiled import inner_part, kernel, table_entry

CHUNK = 512  # features whose indices stay in the nearest cache


def row_table(plogp: AnyArray) -> AnyArray:
    """For each n what any two of its parts, and the rest, add up to: (n + 1)^2 entries, n after n."""
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
    """I of each pivot with all features of two or three levels, with one look-up for each level of the pivot.

    How the n_a samples of a pivot's level fall on the feature's levels is one count or two; a table of the
    pivot's own holds the sum of T over them. Pays where the tables are small against the features.
    """
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
    plogp, unit = tables.plogp, tables.unit
    n_samples = len(plogp) - 1
    table = np.empty((n_samples + n_a) ** (n_b - 1), np.int64)
    start = np.empty(n_a, np.int32)
    index = np.empty((n_a, CHUNK), np.int32)
    total = np.empty(CHUNK, np.int64)
    for p in range(n_pivots):
        fill_row_tables(pivots[:, p], n_b, plogp, start, table)
        whole = plogp[-1] - pivot_sums[p]
        for first in range(0, n_features, CHUNK):
            last = min(first + CHUNK, n_features)
            find_rows(joint[p], pivots[:, p], features, first, last, start, index)
            add_rows(table, index, whole, feature_sums[first:last], total)
            values = out[p, first:last]
            for k in range(last - first):
                values[k] = max(total[k], 0) * unit


@inner_part
def fill_row_tables(pivot: CountArray, n_b: int, plogp: AnyArray, start: AnyArray, table: AnyArray) -> None:
    """For each level of a pivot, T(i) + T(n - i), or T(i) + T(j) + T(n - i - j) at i (n + 1) + j."""
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
                for j in range(n + 1 - i):
                    table[place + i * (n + 1) + j] = plogp[i] + plogp[j] + plogp[n - i - j]
            place += (n + 1) * (n + 1)


@inner_part
def find_rows(
    joint: CountArray,
    pivot: CountArray,
    features: CountArray,
    first: int,
    last: int,
    start: AnyArray,
    index: AnyArray,
) -> None:
    """Where in the tables each level of the pivot is, for some features; level 0 is what is left."""
    n_planes = len(features) - 1
    step_0 = pivot[0] + np.int32(1)
    one, two = features[1, first:last], features[n_planes, first:last]
    for k in range(len(one)):
        index[0, k] = one[k] if n_planes == 1 else one[k] * step_0 + two[k]
    for a in range(1, len(pivot)):
        step, place = pivot[a] + np.int32(1), start[a]
        one, two = joint[(a - 1) * n_planes, first:last], joint[a * n_planes - 1, first:last]
        for k in range(len(one)):
            if n_planes == 1:
                index[a, k] = place + one[k]
                index[0, k] -= one[k]
            else:
                index[a, k] = place + one[k] * step + two[k]
                index[0, k] -= one[k] * step_0 + two[k]


@inner_part
def add_rows(table: AnyArray, index: AnyArray, whole: int, sums: AnyArray, total: AnyArray) -> None:
    """whole - sums + what the tables hold for each level; two and three levels in one pass."""
    n_a = len(index)
    one, two, three = index[0], index[1], index[min(2, n_a - 1)]
    if n_a == 3:
        for k in range(len(sums)):
            found = table_entry(table, one[k]) + table_entry(table, two[k]) + table_entry(table, three[k])
            total[k] = whole - sums[k] + found
        return
    for k in range(len(sums)):
        total[k] = whole - sums[k] + table_entry(table, one[k]) + table_entry(table, two[k])
    for a in range(2, n_a):
        row = index[a]
        for k in range(len(sums)):
            total[k] += table_entry(table, row[k])
