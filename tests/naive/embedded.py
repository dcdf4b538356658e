"""The slow, obviously right twins of `qpfs.embedded`."""

from __future__ import annotations

from itertools import combinations

import cvxpy as cp
import numpy as np


def squared_hinge(z):
    return np.maximum(0, 1 - z) ** 2


def logistic(z):
    return np.log1p(np.exp(-z))


LOSSES = {
    "squared_hinge": (squared_hinge, lambda z: cp.sum_squares(cp.pos(1 - z))),
    "logistic": (logistic, lambda z: cp.sum(cp.logistic(-z))),
}


def objective(X, y, groups, weights, b, C, loss):
    """P, as it is written; one list of weights for each group."""
    f = b + sum(X[:, group] @ w for group, w in zip(groups, weights, strict=True))
    norms = sum(np.linalg.norm(w) for w in weights)
    return norms**2 / 2 + b**2 / 2 + C * LOSSES[loss][0](y * f).sum()


def master(X, y, groups, C, loss, intercept, solver=cp.CLARABEL, **settings):
    """The least P on given groups by a generic solver, with the weight of each feature and the intercept."""
    weights = [cp.Variable(len(group)) for group in groups]
    b = cp.Variable() if intercept else cp.Constant(0)
    f = b + sum(X[:, group] @ w for group, w in zip(groups, weights, strict=True))
    norms = sum(cp.norm(w) for w in weights) if groups else cp.Constant(0)
    cost = cp.square(norms) / 2 + cp.square(b) / 2 + C * LOSSES[loss][1](cp.multiply(y, f))
    cp.Problem(cp.Minimize(cost)).solve(solver=solver, **settings)
    coef = np.zeros(X.shape[1])
    for group, w in zip(groups, weights, strict=True):
        coef[group] += w.value
    return float(cost.value), coef, float(b.value)


def pulls(X, y, coef, b, C, loss):
    """a: the slope of the loss of each sample, by a central difference."""
    z, h = y * (X @ coef + b), 1e-6
    return -C * (LOSSES[loss][0](z + h) - LOSSES[loss][0](z - h)) / (2 * h)


def correlation_with_pulls(X, y, a):
    """c, sum by sum."""
    return np.array([sum(a[i] * y[i] * X[i, j] for i in range(len(y))) for j in range(X.shape[1])])


def most_violated(c, size):
    """The group with the largest sum of c^2, by trying all; the first of equal ones."""
    return list(max(combinations(range(len(c)), size), key=lambda group: sum(c[j] ** 2 for j in group)))


def uncorrelated(X, c, size, highest):
    """The greedy search of GDM with a correlation for each pair."""
    taken = []
    for j in sorted(range(len(c)), key=lambda j: (-abs(c[j]), j)):
        if len(taken) < size and c[j] != 0 and all(size_of(X, j, t) <= highest + 1e-12 for t in taken):
            taken.append(j)
    return sorted(taken)


def affiliated(X, support, highest):
    """{feature: support feature} where they correlate by more than rho, the first of the nearest."""
    found = {}
    for j in set(range(X.shape[1])) - set(support):
        nearest = max(support, key=lambda s: round(size_of(X, j, s), 9))
        if size_of(X, j, nearest) > highest + 1e-12:
            found[j] = nearest
    return found


def size_of(X, i, j):
    return abs(np.corrcoef(X[:, i], X[:, j])[0, 1])


def shrunk(blocks, scale):
    """The proximal step by trying every set of groups that may survive."""
    norms = [np.linalg.norm(v) for v in blocks]
    tried = []
    for size in range(len(blocks) + 1):
        for kept in combinations(range(len(blocks)), size):
            tau = scale * sum(norms[t] for t in kept) / (1 + scale * len(kept))
            if all(norms[t] > tau for t in kept):
                x = [(1 - tau / norms[t]) * v if t in kept else 0 * v for t, v in enumerate(blocks)]
                tried.append(x)
    return min(tried, key=lambda x: proximal_cost(x, blocks, scale))


def proximal_cost(x, v, scale):
    """What the proximal step minimises."""
    far = sum(((one - other) ** 2).sum() for one, other in zip(x, v, strict=True))
    return scale / 2 * sum(np.linalg.norm(one) for one in x) ** 2 + far / 2


def cutting_planes(X, y, size, C, loss, intercept, n_rounds):
    """The groups and the objectives of the first rounds."""
    groups, objectives = [], []
    _, coef, b = master(X, y, [], C, loss, intercept) if intercept else (0, np.zeros(X.shape[1]), 0.0)
    for _ in range(n_rounds):
        c = correlation_with_pulls(X, y, pulls(X, y, coef, b, C, loss))
        groups.append(most_violated(c, size))
        cost, coef, b = master(X, y, groups, C, loss, intercept)
        objectives.append(cost)
    return groups, objectives, coef, b
