"""Traces made up for the tests of figures."""

from __future__ import annotations

import numpy as np

from qpfs.strategies import Round


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
