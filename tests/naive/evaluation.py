"""Slow twins of the room `evaluation`, from the definitions."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC


def stability(selections) -> float:
    """1 minus the mean variance of the features, over what it is for selections at random."""
    sets = [[bool(one) for one in row] for row in selections]
    n, d = len(sets), len(sets[0])
    variances = []
    for f in range(d):
        p = sum(row[f] for row in sets) / n
        variances.append(n / (n - 1) * p * (1 - p))
    share = sum(sum(row) for row in sets) / n / d
    return 1 - sum(variances) / d / (share * (1 - share))


def weighted_stability(selections, weights) -> float:
    """The index when each selection counts by a weight; the factor n / (n - 1) as it is."""
    Z = np.asarray(selections, float)
    n, d = Z.shape
    p = np.average(Z, axis=0, weights=weights)
    share = p.sum() / d
    return 1 - n / (n - 1) * np.mean(p * (1 - p)) / (share * (1 - share))


def variance_of_stability(selections) -> float:
    """The published formula, a term at a time."""
    Z = np.asarray(selections, int).tolist()
    n, d = len(Z), len(Z[0])
    p = [sum(row[f] for row in Z) / n for f in range(d)]
    mean, index = sum(p), stability(selections)
    phi = []
    for row in Z:
        k = sum(row)
        shared = sum(z * share for z, share in zip(row, p, strict=True)) / d
        rest = index / 2 * (2 * k * mean / d**2 - k / d - mean / d + 1)
        phi.append((shared - k * mean / d**2 + rest) / (mean / d * (1 - mean / d)))
    return 4 / n**2 * sum((one - sum(phi) / n) ** 2 for one in phi)


def jackknife_variance_of_stability(selections, step: float = 1e-5, weighted=weighted_stability) -> float:
    """The infinitesimal jackknife: how the index moves as each selection counts a little more."""
    n = len(selections)
    slopes = []
    for i in range(n):
        around = [np.ones(n), np.ones(n)]
        around[0][i] += step
        around[1][i] -= step
        more, less = (weighted(selections, weights) for weights in around)
        slopes.append((more - less) / (2 * step))
    return float(np.sum(np.square(slopes)))


def cluster_stability(selections, clusters) -> float:
    """1 minus how much clusters vary, over what they do in all draws of as many features."""
    Z = np.asarray(selections, bool)
    n, d = Z.shape
    found = expected = 0.0
    for label in set(clusters):
        members = {f for f in range(d) if clusters[f] == label}
        held = [bool(members & set(np.flatnonzero(row))) for row in Z]
        chances = []
        for row in Z:
            draws = list(combinations(range(d), int(row.sum())))
            chances.append(sum(bool(members & set(draw)) for draw in draws) / len(draws))
        p, h = np.mean(held), np.mean(chances)
        found += n / (n - 1) * p * (1 - p)
        expected += h * (1 - h)
    return 1 - found / expected


def kuncheva(selections) -> float:
    """The mean consistency of all pairs."""
    sets = [set(np.flatnonzero(row)) for row in np.asarray(selections)]
    d = np.asarray(selections).shape[1]
    k = len(sets[0])
    pairs = [(len(a & b) * d - k**2) / (k * (d - k)) for a, b in combinations(sets, 2)]
    return sum(pairs) / len(pairs)


def wrong(selector, X, y, parts, sizes) -> np.ndarray:
    """How many test samples are classified wrongly: a pipeline fitted anew for each split and size."""
    counts = np.zeros((len(parts), len(sizes)), int)
    for i, (train, test) in enumerate(parts):
        for j, k in enumerate(sizes):
            top = selector().fit(X[train], y[train]).order_[:k]
            model = make_pipeline(MinMaxScaler((-1, 1)), LinearSVC(dual=False, C=1.0, max_iter=10_000))
            model.fit(X[train][:, top], y[train])
            counts[i, j] = (model.predict(X[test][:, top]) != y[test]).sum()
    return counts


def signed_rank_p(differences) -> float:
    """Wilcoxon's two-sided p-value: all ways to sign the ranks, counted; no two absolute values are equal."""
    differences = np.asarray(differences, float)
    ranks = 1 + np.argsort(np.argsort(np.abs(differences)))
    observed = ranks[differences > 0].sum()
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    low, high = (
        np.mean([total <= observed for total in sums]),
        np.mean([total >= observed for total in sums]),
    )
    return min(1.0, 2 * min(low, high))


def draws(classes, fraction, replace) -> set:
    """Every different draw by the rule: of each class its share, rounded down or up, at least one."""
    found = {()}
    for label in sorted(set(classes)):
        units = [unit for unit, one in enumerate(classes) if one == label]
        wanted = round(fraction * len(units), 9)
        sizes = {max(1, int(np.floor(wanted))), max(1, int(np.ceil(wanted)))}
        parts = {
            tuple(sorted(some))
            for size in sizes
            for some in product(units, repeat=size)
            if replace or len(set(some)) == size
        }
        found = {tuple(sorted(before + part)) for before in found for part in parts}
    return found


def overlap(parts) -> float:
    """How many samples two parts share, over how many one has, each on average."""
    sets = [set(map(int, part)) for part in parts]
    shared = [len(a & b) for a, b in combinations(sets, 2)]
    return np.mean(shared) / np.mean([len(one) for one in sets])


def holm(p) -> list[float]:
    """Holm's adjusted p-values: of each the largest of the scaled ones up to it, at most 1."""
    adjusted = []
    for one in p:
        up_to = [other for other in sorted(p) if other <= one]
        adjusted.append(min(1.0, max((len(p) - i) * other for i, other in enumerate(up_to))))
    return adjusted
