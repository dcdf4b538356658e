"""Joint counts -> numbers.

Sums are formed in fixed point, as 64-bit integers: they do not depend on the order of summation, so the
result is the same to the last bit for either order of a pair, any block, any thread and any storage. The
tables of a measure define what a cell adds, and the number of a total (`qpfs.compiled.cell`).

Letters: a levels of the pivot, b levels of the feature, p pivots, k features. `joint` holds the counts of
levels a, b > 0 (pivots, a * b, features); `pivots` and `features` the marginal counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CodeArray, CountArray, FloatArray
from qpfs.compiled import LINEAR, cell, finish, kernel, prompt, threes

SQUARE = 32  # entries along the side of a square that is transposed
SUM_UNIT = 2.0**39  # numbers are below 2^8: a row of thirty thousand adds up within 64 bits


@kernel
def own_totals(tables: Any, counts: CountArray) -> tuple[AnyArray, FloatArray]:
    """The total of each feature with itself, and the number of that total."""
    n_levels, n_features = counts.shape
    sums, own = np.empty(n_features, np.int64), np.empty(n_features)
    for k in range(n_features):
        total = np.int64(0)
        for a in range(n_levels):
            total += cell(tables, counts[a, k], counts[a, k], counts[a, k])
        sums[k] = total
        own[k] = finish(tables, total, total, total)
    return sums, own


@kernel
def shared_by_joint(
    tables: Any,
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    out: FloatArray,
) -> None:
    """What each pivot shares with each feature, for any levels."""
    n_pivots, _, n_features = joint.shape
    n_a, n_b = len(pivots), len(features)
    total = np.empty(n_features, np.int64)
    rest = np.empty(n_features, np.int32)  # of a pivot's level: samples at level 0 of the feature
    left = np.empty((n_b, n_features), np.int32)  # of a feature's levels: samples at level 0 of the pivot
    for p in range(n_pivots):
        total[:] = 0
        left[:] = features
        left[0] = pivots[0, p]
        for a in range(1, n_a):
            rest[:] = pivots[a, p]
            for b in range(1, n_b):
                meet = joint[p, (a - 1) * (n_b - 1) + b - 1]
                for k in range(n_features):
                    total[k] += cell(tables, meet[k], pivots[a, p], features[b, k])
                    rest[k] -= meet[k]
                    left[b, k] -= meet[k]
            for k in range(n_features):
                total[k] += cell(tables, rest[k], pivots[a, p], features[0, k])
        for b in range(1, n_b):
            for k in range(n_features):
                total[k] += cell(tables, left[b, k], pivots[0, p], features[b, k])
                left[0, k] -= left[b, k]
        for k in range(n_features):
            total[k] += cell(tables, left[0, k], pivots[0, p], features[0, k])
            out[p, k] = finish(tables, total[k], pivot_sums[p], feature_sums[k])


@kernel
def shared_by_joint_of_threes(
    tables: Any,
    joint: CountArray,
    pivots: CountArray,
    features: CountArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    out: FloatArray,
) -> None:
    """The result of `shared_by_joint` where both have three levels, the usual case: twice as fast."""
    n_pivots, _, n_features = joint.shape
    for p in range(n_pivots):
        n0, n1, n2 = pivots[0, p], pivots[1, p], pivots[2, p]
        for k in range(n_features):
            c11, c12, c21, c22 = joint[p, 0, k], joint[p, 1, k], joint[p, 2, k], joint[p, 3, k]
            m0, m1, m2 = features[0, k], features[1, k], features[2, k]
            total = threes(tables, c11, c12, c21, c22, n0, n1, n2, m0, m1, m2)
            out[p, k] = finish(tables, total, pivot_sums[p], feature_sums[k])


@kernel
def shared_by_codes(
    tables: Any,
    pivot_codes: CodeArray,
    codes: CodeArray,
    pivots: CountArray,
    features: CountArray,
    pivot_sums: AnyArray,
    feature_sums: AnyArray,
    weights: Any,
    out: FloatArray,
) -> None:
    """What each pivot shares with each feature, from the level of each sample: (pivots, N), (features, N)."""
    n_a, n_b, n_samples = len(pivots), len(features), codes.shape[1]
    joint = np.empty(n_a * n_b, np.int32)
    row = np.empty(n_samples, np.uint32)  # where the cells of each sample's level of the pivot begin
    # One step for each sample and one for each cell; counts of planes take one for each word and cell.
    for p in range(len(pivot_codes)):
        for n in range(n_samples):
            row[n] = n_b * pivot_codes[p, n]
        for k in range(len(codes)):
            levels = codes[k]
            joint[:] = 0
            for n in range(n_samples):
                joint[row[n] + np.uint32(levels[n])] += 1 if weights is None else weights[n]
            total = np.int64(0)
            for a in range(n_a):
                for b in range(n_b):
                    total += cell(tables, joint[a * n_b + b], pivots[a, p], features[b, k])
            out[p, k] = finish(tables, total, pivot_sums[p], feature_sums[k])


@prompt(LINEAR)
@kernel
def row_sums(values: FloatArray) -> AnyArray:
    """The sum of each row of non-negative numbers, in units of 1 / SUM_UNIT."""
    sums = np.empty(values.shape[0], np.int64)
    for i in range(values.shape[0]):
        total = np.int64(0)
        for j in range(values.shape[1]):
            total += np.int64(values[i, j] * SUM_UNIT + 0.5)
        sums[i] = total
    return sums


@prompt(LINEAR)
@kernel
def scatter(values: FloatArray, rows: AnyArray, columns: AnyArray, out: FloatArray) -> None:
    """Sets out[rows][:, columns] = values."""
    for i in range(len(rows)):
        row, numbers = out[rows[i]], values[i]
        for j in range(len(columns)):
            row[np.uint64(columns[j])] = numbers[j]  # an unsigned index needs no check for negative values


@prompt(LINEAR)
@kernel
def turn_means(totals: AnyArray, sizes: FloatArray, means: FloatArray) -> None:
    """Sets means[n, g] = totals[g, n] / sizes[g], one square that fits the cache at a time."""
    n_groups, n_samples = totals.shape
    for first in range(0, n_groups, SQUARE):
        for start in range(0, n_samples, SQUARE):
            for n in range(start, min(start + SQUARE, n_samples)):
                for g in range(first, min(first + SQUARE, n_groups)):
                    means[n, g] = totals[g, n] / sizes[g]
