"""Traces made up for the tests of figures."""

from __future__ import annotations

import numpy as np

from qpfs.clustering import Clusters
from qpfs.groups import Groups, bounds_of
from qpfs.strategies import Round
from qpfs.strategies.rounds import FATES, Level, Trace


def traced(rounds):
    """Rounds as a fitted selector keeps them: all of a level together."""
    return Trace([level_of(number, rounds) for number in sorted({one.level for one in rounds})])


def level_of(number, rounds):
    some = sorted((one for one in rounds if one.level == number), key=lambda one: one.number)
    bounds = bounds_of(np.array([len(one.fates) for one in some]))
    members = np.concatenate([one.members for one in some])
    groups = Groups(members, bounds_of(np.array([len(one.members) for one in some])))
    labels = np.concatenate([one.labels + first for one, first in zip(some, bounds, strict=False)])
    heads, radii = (
        np.concatenate([getattr(one, name) for one in some]) for name in ("representatives", "radii")
    )
    weights = [np.full(len(one.fates), np.nan) if one.weights is None else one.weights for one in some]
    fates = np.array([FATES.index(fate) for one in some for fate in one.fates], np.int8)
    clusters = Clusters(groups, labels, bounds, heads, radii, 0)
    return Level(number, some[0].number, None, clusters, np.concatenate(weights), fates)


def made(number, level, parent, clusters, fates, weights=None):
    """A round of given clusters, each a list of features, the first its representative."""
    members = np.sort(np.concatenate(clusters)).astype(np.intp)
    label = {f: c for c, cluster in enumerate(clusters) for f in cluster}
    labels = np.array([label[f] for f in members], np.intp)
    representatives = np.array([cluster[0] for cluster in clusters], np.intp)
    weights = None if weights is None else np.array(weights, float)
    radii = np.full(len(clusters), 0.5)
    return Round(number, level, parent, members, labels, representatives, radii, weights, tuple(fates))


def random_trace(n_features, n_split, seed=0, max_depth=8):
    """Splits of random sizes and fates, until nothing splits."""
    rng = np.random.default_rng(seed)
    rounds = []
    waiting = [(np.arange(n_features), 1, None)]
    while waiting:
        members, level, parent = waiting.pop()
        cuts = np.sort(rng.choice(np.arange(1, len(members)), min(n_split, len(members)) - 1, replace=False))
        clusters = np.split(rng.permutation(members), cuts)
        fates = [
            "split"
            if len(c) > 2 and level < max_depth and rng.random() < 0.6
            else rng.choice(["kept", "discarded"])
            for c in clusters
        ]
        number = len(rounds)
        rounds.append(made(number, level, parent, clusters, fates, rng.random(len(clusters))))
        waiting += [(c, level + 1, (number, i)) for i, c in enumerate(clusters) if fates[i] == "split"]
    return rounds
