"""Features kept as lists of samples, compared in single pairs with runs of a list of planes.

The counterpart of `plane_runs` for lists, in as many steps as there are samples on a feature's lists. Totals
are the same integers, and results the same to the last bit.

Letters: a levels of the feature on lists, b levels of the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.planes import PlaneList
from qpfs.compiled import cell, finish, inner_part, kernel


@inner_part
def most_frequent(counts: CountArray, k: int) -> int:
    """The most frequent level of feature k, the first on ties."""
    found = 0
    for b in range(1, len(counts)):
        if counts[b, k] > counts[found, k]:
            found = b
    return found


@inner_part
def count_cells(
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,  # the lengths of the lists
    margins: CountArray,  # the weights of their samples
    weights: Any,
    k: int,
    others: PlaneList,
    j: int,
    n_words: int,
    joint: AnyArray,
) -> None:
    """The weight, or number, of samples at each level of feature k on lists and j of others: joint[a, b]."""
    n_b, first, at = others.levels[j], others.first[j], others.begin[j]
    base, place = most_frequent(counts, k), begin[k]
    for b in range(n_b):
        joint[base, b] = others.counts[first + b]
    for a in range(len(counts)):
        if a == base:
            continue
        joint[a, :n_b] = 0
        for t in range(place, place + counts[a, k]):
            w, bit = samples[t] >> 6, np.uint64(samples[t] & 63)
            for b in range(1, n_b):
                there = np.int64(others.words[at + (b - 1) * n_words + w] >> bit & np.uint64(1))
                if weights is None:
                    joint[a, b] += there
                else:
                    joint[a, b] += there * weights[samples[t]]
        joint[a, 0] = margins[a, k]
        for b in range(1, n_b):
            joint[a, 0] -= joint[a, b]
        for b in range(n_b):
            joint[base, b] -= joint[a, b]
        place += counts[a, k]


@kernel
def shared_of_lists(
    tables: Any,
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    margins: CountArray,
    weights: Any,
    n_words: int,
    sums: AnyArray,
    slots: IndexArray,
    lo: IndexArray,
    hi: IndexArray,
    others: PlaneList,
    other_sums: AnyArray,
    out: FloatArray,
) -> None:
    """Writes what each pair shares, run by run."""
    n_a = len(counts)
    joint = np.empty((n_a, others.levels.max()), np.int64)
    t = 0
    for i in range(len(slots)):
        k = slots[i]
        for j in range(lo[i], hi[i]):
            count_cells(begin, samples, counts, margins, weights, k, others, j, n_words, joint)
            first, total = others.first[j], np.int64(0)
            for a in range(n_a):
                for b in range(others.levels[j]):
                    total += cell(tables, joint[a, b], margins[a, k], others.counts[first + b])
            out[t] = finish(tables, total, sums[k], other_sums[j])
            t += 1


@kernel
def add_list_scores(
    begin: CountArray,
    samples: CountArray,
    counts: CountArray,
    margins: CountArray,
    weights: Any,
    n_words: int,
    slots: IndexArray,
    centres: PlaneList,
    centre: IndexArray,
    row: IndexArray,
    unit: int,
    total: AnyArray,
) -> None:
    """Adds the scores of each of some features, with signs matched to its centre, to a row of the total."""
    n_a = len(counts)
    joint = np.empty((n_a, centres.levels.max()), np.int64)
    score = np.empty(n_a, np.int64)
    for a in range(n_a):
        score[a] = np.int64(np.rint(2.0 * unit * a / (n_a - 1))) - unit
    # The most frequent level of each is added for all samples at the end, once for each row.
    usual = np.zeros(len(total), np.int64)
    for i in range(len(slots)):
        k, j = slots[i], centre[i]
        count_cells(begin, samples, counts, margins, weights, k, centres, j, n_words, joint)
        sign = -1 if runs_against(joint, margins[:, k], centres, j) else 1
        base, place = most_frequent(counts, k), begin[k]
        usual[row[i]] += sign * score[base]
        for a in range(n_a):
            if a != base:
                for t in range(place, place + counts[a, k]):
                    total[row[i], samples[t]] += sign * (score[a] - score[base])
                place += counts[a, k]
    for r in range(len(total)):
        total[r] += usual[r]


@inner_part
def runs_against(joint: AnyArray, counts: CountArray, others: PlaneList, j: int) -> Any:
    """Whether two features have a negative covariance."""
    n_samples, mean_a, mean_b, product = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for a in range(len(counts)):
        n_samples += counts[a]
        mean_a += a * counts[a]
        for b in range(others.levels[j]):
            product += a * b * joint[a, b]
    for b in range(others.levels[j]):
        mean_b += b * others.counts[others.first[j] + b]
    return n_samples * product < mean_a * mean_b
