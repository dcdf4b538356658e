"""Joint counts -> numbers.

Sums are formed in fixed point, as 64-bit integers: they do not depend on their order, so the answer is the
same to the last bit for either order of a pair, any block, any thread and any storage.

Letters: a levels of the pivot, b levels of the feature, p pivots, k features. `joint` holds the counts of
levels a, b > 0 (pivots, a * b, features); `pivots` and `features` the marginal counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray
from qpfs.compiled import entry, kernel

SQUARE = 32  # entries across a square that is turned
CHUNK = 512  # features whose indices stay in the nearest cache
SUM_UNIT = 2.0**39  # numbers are below 2^8: a row of thirty thousand adds up within 64 bits


@kernel
def information(
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    plogp: AnyArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """I = (T(N) + sum T(n_ab) - sum T(n_a) - sum T(n_b)) / N with T(n) = n log n, for any levels."""
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
    whole = plogp[-1]
    total = np.empty(n_features, np.int64)
    rest = np.empty(n_features, np.int32)  # of a pivot's level: what falls on level 0 of the feature
    left = np.empty((n_b, n_features), np.int32)  # of a feature's levels: level 0 of the pivot
    for p in range(n_pivots):
        total[:] = whole - pivot_sums[p] - feature_sums
        left[:] = features
        left[0] = pivots[0, p]
        for a in range(1, n_a):
            rest[:] = pivots[a, p]
            for b in range(1, n_b):
                meet = joint[p, (a - 1) * (n_b - 1) + b - 1]
                for k in range(n_features):
                    total[k] += plogp[meet[k]]
                    rest[k] -= meet[k]
                    left[b, k] -= meet[k]
            for k in range(n_features):
                total[k] += plogp[rest[k]]
        for b in range(1, n_b):
            for k in range(n_features):
                total[k] += plogp[left[b, k]]
                left[0, k] -= left[b, k]
        for k in range(n_features):
            total[k] += plogp[left[0, k]]
            out[p, k] = max(total[k], 0) * unit


@kernel
def information_of_threes(
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    plogp: AnyArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """The same where pivot and feature have three levels, the usual case: twice as fast."""
    n_pivots, _, n_features = joint.shape
    for p in range(n_pivots):
        n0, n1, n2 = pivots[0, p], pivots[1, p], pivots[2, p]
        whole = plogp[-1] - pivot_sums[p]
        for k in range(n_features):
            c11, c12, c21, c22 = joint[p, 0, k], joint[p, 1, k], joint[p, 2, k], joint[p, 3, k]
            c01 = features[1, k] - c11 - c21
            c02 = features[2, k] - c12 - c22
            total = whole - feature_sums[k]
            total += entry(plogp, c11) + entry(plogp, c12) + entry(plogp, n1 - c11 - c12)
            total += entry(plogp, c21) + entry(plogp, c22) + entry(plogp, n2 - c21 - c22)
            total += entry(plogp, c01) + entry(plogp, c02) + entry(plogp, n0 - c01 - c02)
            out[p, k] = max(total, 0) * unit


@kernel
def information_by_rows(
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    plogp: AnyArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    unit: float,
    out: FloatArray,
) -> None:
    """The same for features of two or three levels, with one look-up for each level of the pivot.

    How the n_a samples of a pivot's level fall on the feature's levels is one count or two; a table of the
    pivot's own holds the sum of T over them. Pays where the tables are small against the features.
    """
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
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


@kernel
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


@kernel
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


@kernel
def add_rows(table: AnyArray, index: AnyArray, whole: int, sums: AnyArray, total: AnyArray) -> None:
    """whole - sums + what the tables hold for each level; two and three levels in one pass."""
    n_a = len(index)
    one, two, three = index[0], index[1], index[min(2, n_a - 1)]
    if n_a == 3:
        for k in range(len(sums)):
            found = entry(table, one[k]) + entry(table, two[k]) + entry(table, three[k])
            total[k] = whole - sums[k] + found
        return
    for k in range(len(sums)):
        total[k] = whole - sums[k] + entry(table, one[k]) + entry(table, two[k])
    for a in range(2, n_a):
        row = index[a]
        for k in range(len(sums)):
            total[k] += entry(table, row[k])


@kernel
def chi_square(
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    unit: float,
    out: FloatArray,
) -> None:
    """phi^2 = sum n_ab^2 / (n_a n_b) - 1."""
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
    left = np.empty(n_b, np.int64)
    for p in range(n_pivots):
        for k in range(n_features):
            total = np.int64(0)
            for b in range(n_b):
                left[b] = features[b, k]
            for a in range(1, n_a):
                rest = np.int64(pivots[a, p])
                for b in range(1, n_b):
                    n = np.int64(joint[p, (a - 1) * (n_b - 1) + b - 1, k])
                    total += share(n, pivots[a, p], features[b, k], unit)
                    rest -= n
                    left[b] -= n
                total += share(rest, pivots[a, p], features[0, k], unit)
                left[0] -= rest
            for b in range(n_b):
                total += share(left[b], pivots[0, p], features[b, k], unit)
            out[p, k] = max(total / unit - 1.0, 0.0)


@kernel
def share(n: Any, n_a: Any, n_b: Any, unit: float) -> Any:
    """n^2 / (n_a n_b) in fixed point."""
    return np.int64(np.rint(unit * (np.float64(n) * np.float64(n)) / (np.float64(n_a) * np.float64(n_b))))


@kernel
def row_sums(values: FloatArray, sums: AnyArray) -> None:
    """Adds the sum of each row of non-negative numbers to `sums`, times SUM_UNIT."""
    for i in range(values.shape[0]):
        total = np.int64(0)
        for j in range(values.shape[1]):
            total += np.int64(values[i, j] * SUM_UNIT + 0.5)
        sums[i] += total


@kernel
def scatter(values: FloatArray, rows: AnyArray, columns: AnyArray, out: FloatArray) -> None:
    """out[rows][:, columns] = values."""
    for i in range(len(rows)):
        for j in range(len(columns)):
            out[rows[i], columns[j]] = values[i, j]


@kernel
def turn_means(totals: AnyArray, sizes: FloatArray, means: FloatArray) -> None:
    """means[n, g] = totals[g, n] / sizes[g], a square that stays in cache at a time."""
    n_groups, n_samples = totals.shape
    for first in range(0, n_groups, SQUARE):
        for start in range(0, n_samples, SQUARE):
            for n in range(start, min(start + SQUARE, n_samples)):
                for g in range(first, min(first + SQUARE, n_groups)):
                    means[n, g] = totals[g, n] / sizes[g]
