"""The clustered methods, plainly from their rules, on a table of distances between all features."""

from __future__ import annotations

import math

import numpy as np

from qpfs import AsCodes, ThreeSegments
from qpfs.codes import columns_of, encode
from qpfs.information import FeatureTable, MutualInformation

UNIT = math.lcm(*range(1, 60))  # each step between up to 60 levels is a whole number of its parts


def distances_of(codes):
    table = FeatureTable(encode(columns_of(codes), AsCodes(60))[0], MutualInformation().on(len(codes)))
    return table.distances(np.arange(codes.shape[1]))


def nearest_to_mean(rule=None):
    """The member nearest to the mean of scores that run with the centre's, cut by the rule."""

    def representative(codes, D, members, centre):
        direction = scored(codes[:, centre])
        scores = [scored(codes[:, m]) for m in members]
        turned = [s * (-1 if covariance(s, direction) < 0 else 1) for s in scores]
        mean = (sum(turned) / (UNIT * len(turned))).astype(float)
        return nearest(codes, members, mean, rule)

    return representative


def nearest_to_literal_mean(X, rule=None):
    """The member nearest to the mean of the columns scaled to [-1, 1]."""

    def representative(codes, D, members, centre):
        scaled = [2 * (x - x.min()) / (x.max() - x.min()) - 1 for x in X[:, members].T]
        return nearest(codes, members, np.mean(scaled, axis=0), rule)

    return representative


def medoid(codes, D, members, centre):
    return min(members, key=lambda m: (round(sum(D[m, other] for other in members), 12), m))


def nearest(codes, members, mean, rule):
    if len(members) == 1:
        return members[0]
    cut = (rule or ThreeSegments()).fit_transform(mean[:, None])
    apart = distances_of(np.hstack([codes[:, members], cut]))[-1, :-1]
    return members[int(np.argmin(apart))]


def scored(column):
    """The levels that occur, as equal steps from -1 to 1, exactly: how many times 1 / UNIT."""
    levels = sorted(set(column))
    steps = {x: 2 * place * UNIT // (len(levels) - 1) - UNIT for place, x in enumerate(levels)}
    return np.array([steps[x] for x in column], object)


def covariance(x, y):
    return len(x) * sum(x * y) - sum(x) * sum(y)


nearest_to_plain_mean = nearest_to_mean()


def variant(codes, D, members, centres, representative=nearest_to_plain_mean):
    """Two passes; returns {representative: (members, radius)}."""
    for _ in range(2):
        centres = sorted(centres)
        clusters = {c: [] for c in centres}
        for m in members:
            clusters[m if m in clusters else min(centres, key=lambda c: (D[m, c], c))].append(m)
        clusters = {representative(codes, D, mine, c): mine for c, mine in clusters.items()}
        centres = list(clusters)
    return {c: (clusters[c], max(D[m, c] for m in clusters[c])) for c in sorted(clusters)}


def first(D, members, k, relevance, radius):
    return members[:k]


def most_relevant(D, members, k, relevance, radius):
    return sorted(members, key=lambda m: (-relevance[m], m))[:k]


def at_random(rank):
    return lambda D, members, k, relevance, radius: sorted(members, key=lambda m: rank[m])[:k]


def leaders(D, members, k, relevance, radius):
    ranked = most_relevant(D, members, len(members), relevance, radius)
    taken = []
    for m in ranked:
        if len(taken) < k and all(D[m, c] > radius for c in taken):
            taken.append(m)
    if len(taken) == 1 and min(k, len(members)) > 1:
        taken.append(ranked[1])
    return taken


def farthest(D, members, k, relevance, radius):
    taken = most_relevant(D, members, 1, relevance, radius)
    while len(taken) < min(k, len(members)):
        left = [m for m in members if m not in taken]
        taken.append(max(left, key=lambda m: (min(D[m, c] for c in taken), -m)))
    return taken


def varying(codes):
    return [j for j in range(codes.shape[1]) if len(set(codes[:, j])) > 1]


def interleaved(codes, D, relevance, weigh, init, *, radius, n_first, n_split, max_depth, careful, **parts):
    """IRR: {representative: members} of the clusters kept."""

    def split(members, k):
        k = min(k, len(members))
        return variant(codes, D, members, init(D, members, k, relevance, radius), **parts)

    def refine(clusters, level):
        alpha = weigh(sorted(clusters))
        kept = {}
        for f, (members, r) in clusters.items():
            if not careful and alpha[f] == 0:
                continue
            if r <= radius or level == max_depth or len(members) == 1:
                if alpha[f] > 0:
                    kept[f] = members
            else:
                kept |= refine(split(members, n_split), level + 1)
        return kept

    return refine(split(varying(codes), n_first), 1)


def two_level(codes, D, relevance, init, *, n_clusters, n_first, radius, repeat, leader_radius, **parts):
    """TLKM: {representative: members}, and tau."""

    def split(members, k):
        return variant(codes, D, members, init(D, members, k, relevance, leader_radius), **parts)

    N = len(codes)
    ((_, R),) = split(varying(codes), 1).values()
    tau = radius if radius is not None else R * n_clusters ** (-1 / N)
    clusters = split(varying(codes), min(n_first or round(math.sqrt(n_clusters)), len(varying(codes))))
    while True:
        wide = [f for f, (members, r) in clusters.items() if r > tau and len(members) > 1]
        for f in wide:
            members, r = clusters.pop(f)
            many = tau == 0 or N * math.log(r / tau) > 40
            wanted = n_clusters if many else math.ceil((r / tau) ** N - 1e-9)
            clusters |= split(members, min(max(wanted, 2), max(n_clusters, 2), len(members)))
        if not wide or not repeat:
            return {f: clusters[f][0] for f in sorted(clusters)}, tau
