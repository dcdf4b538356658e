"""The slow, obviously right twins of `qpfs.program`."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def objective(Q, s, theta, a):
    """f(a), as it is written."""
    return (1 - theta) / 2 * (a @ Q @ a) - theta * (s @ a)


def gradient(Q, s, theta, a):
    """g(a)."""
    return (1 - theta) * (Q @ a) - theta * s


def gap(Q, s, theta, a):
    """The Frank-Wolfe gap."""
    g = gradient(Q, s, theta, a)
    return a @ g - g.min()


def face_minimum(Q, s, theta, support):
    """The stationary point of the plane through a face, or None if it is not a strict interior minimum."""
    S = np.array(support)
    n = len(S)
    K = (1 - theta) * Q[np.ix_(S, S)]
    Z = np.vstack((-np.ones(n - 1), np.eye(n - 1)))
    if n > 1 and np.linalg.eigvalsh(Z.T @ K @ Z)[0] <= 1e-12:
        return None
    system = np.block([[K, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    weights = np.linalg.solve(system, np.append(theta * s[S], 1.0))[:n]
    if weights.min() < 0:
        return None
    a = np.zeros(len(s))
    a[S] = weights
    return a


def exhaustive_minimum(Q, s, theta):
    """The global minimum over the simplex, by trying every support.

    A minimiser is a strict minimum on some face: where it is not strict, it can be moved along the flat
    direction to a smaller face.
    """
    M = len(s)
    supports = (S for n in range(1, M + 1) for S in combinations(range(M), n))
    points = [a for S in supports if (a := face_minimum(Q, s, theta, S)) is not None]
    return min(points, key=lambda a: objective(Q, s, theta, a))


def pairwise_descent(Q, s, theta, start, tol=1e-10, limit=100_000):
    """Mass moved from the worst index to the best one, until all agree."""
    a = np.zeros(len(s))
    a[start] = 1.0
    for _ in range(limit):
        g = gradient(Q, s, theta, a)
        i = int(g.argmin())
        j = int(np.where(a > 0, g, -np.inf).argmax())
        if g[j] - g[i] <= tol:
            break
        curvature = (1 - theta) * (Q[i, i] + Q[j, j] - 2 * Q[i, j])
        step = a[j] if curvature * a[j] <= g[j] - g[i] else (g[j] - g[i]) / curvature
        a[i] += step
        a[j] = 0.0 if step == a[j] else a[j] - step
    return a


def entropy(*features):
    """The joint entropy of features, in nats."""
    _, counts = np.unique(np.stack(features, axis=1), axis=0, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


def information(f, g):
    """The mutual information of two features, in nats."""
    return entropy(f) + entropy(g) - entropy(f, g)


def information_matrix(features):
    """Q of a samples x features array, the entropies on its diagonal."""
    columns = list(np.asarray(features).T)
    return np.array([[information(f, g) for g in columns] for f in columns])
