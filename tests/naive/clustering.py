"""The clustered methods, plainly from their rules, on a table of distances between all features."""

from __future__ import annotations

import numpy as np

from qpfs import AsCodes, ThreeSegments
from qpfs.codes import columns_of, encode
from qpfs.information import FeatureTable, MutualInformation


def distances_of(codes):
    table = FeatureTable(encode(columns_of(codes), AsCodes(60))[0], MutualInformation(len(codes)))
    return table.distances(np.arange(codes.shape[1]))


def representative(codes, members, centre):
    """The member nearest to the mean of scores that run with the centre's."""
    if len(members) == 1:
        return members[0]
    scores = [scored(codes[:, m]) for m in members]
    direction = scored(codes[:, centre])
    turned = [s * (-1 if np.cov(s, direction)[0, 1] < -1e-12 else 1) for s in scores]
    mean = ThreeSegments().fit_transform((sum(turned) / len(turned))[:, None])
    apart = distances_of(np.hstack([codes[:, members], mean]))[-1, :-1]
    return members[int(np.argmin(apart))]


def scored(column):
    """The levels that occur, as equal steps from -1 to 1."""
    levels = sorted(set(column))
    return np.array([2 * levels.index(x) / (len(levels) - 1) - 1 for x in column])


def variant(codes, D, members, centres):
    """Two passes; returns {representative: (members, radius)}."""
    for _ in range(2):
        centres = sorted(centres)
        clusters = {c: [] for c in centres}
        for m in members:
            clusters[m if m in clusters else min(centres, key=lambda c: (D[m, c], c))].append(m)
        clusters = {representative(codes, mine, c): mine for c, mine in clusters.items()}
        centres = list(clusters)
    return {c: (clusters[c], max(D[m, c] for m in clusters[c])) for c in sorted(clusters)}


def first(D, members, k, relevance, radius):
    return members[:k]


def most_relevant(D, members, k, relevance, radius):
    return sorted(members, key=lambda m: (-relevance[m], m))[:k]


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


def interleaved(codes, D, relevance, weigh, init, *, radius, n_first, n_split, max_levels, careful):
    """IRR: {representative: members} of the clusters kept."""

    def split(members, k):
        k = min(k, len(members))
        return variant(codes, D, members, init(D, members, k, relevance, radius))

    def refine(clusters, level):
        alpha = weigh(sorted(clusters))
        kept = {}
        for f, (members, r) in clusters.items():
            if not careful and alpha[f] == 0:
                continue
            if r <= radius or level == max_levels or len(members) == 1:
                if alpha[f] > 0:
                    kept[f] = members
            else:
                kept |= refine(split(members, n_split), level + 1)
        return kept

    everything = [j for j in range(codes.shape[1]) if len(set(codes[:, j])) > 1]
    return refine(split(everything, n_first), 1)
