"""Problems for the tests of `qpfs.program`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from qpfs.program import DenseQuadratic

# Where MI or absolute correlation loses definiteness, from the smallest examples on.
THREE_SAMPLES = np.array([(0, 1, 2), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).T
XOR = np.array([(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 2, 3), (0, 1, 1, 0)]).T
FOUR_SAMPLES = np.array(
    [
        (2, 2, 2, 0),
        (2, 0, 1, 1),
        (0, 2, 2, 2),
        (1, 0, 0, 0),
        (0, 1, 2, 1),
        (2, 1, 2, 0),
        (1, 1, 2, 0),
        (1, 1, 0, 2),
    ]
).T
ABSOLUTE_CORRELATION = np.eye(4)
for _i, _j in [(0, 1), (1, 2), (2, 3), (3, 0)]:
    ABSOLUTE_CORRELATION[_i, _j] = ABSOLUTE_CORRELATION[_j, _i] = np.sqrt(0.5)


def convex_problem(M, rank, seed):
    """A positive semi-definite Q >= 0 and s >= 0."""
    rng = np.random.default_rng(seed)
    F = np.abs(rng.normal(size=(M, rank))) / np.sqrt(rank)
    return F @ F.T + np.diag(rng.uniform(0.01, 0.5, M)), rng.uniform(0, 0.6, M)


def codes_and_target(N, M, seed):
    """Three-level features around a few common factors, and a two-class target."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(N) % 2
    factors = rng.normal(size=(N, 6))
    X = factors @ rng.normal(size=(6, M)) + 2.0 * rng.normal(size=(N, M))
    X[:, : M // 10] += y[:, None]
    deviation = (X - X.mean(axis=0)) / X.std(axis=0)
    return (deviation > -1).astype(int) + (deviation > 1), y


def one_hot(codes):
    """An indicator column for each level of each feature, in the order (feature, level)."""
    levels = np.arange(codes.max() + 1)
    return (codes[:, :, None] == levels).reshape(len(codes), -1).astype(float)


def entropies(counts, N):
    """-sum p log p over the last axis of counts."""
    p = counts / N
    return -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=-1)


@cache
def information_problem(N, M, seed):
    """Q and s of random three-level data by mutual information: indefinite once M is large for N."""
    codes, y = codes_and_target(N, M, seed)
    Z, Y = one_hot(codes), one_hot(y[:, None])
    H = entropies(Z.sum(axis=0).reshape(M, 3), N)
    pairs = (Z.T @ Z).reshape(M, 3, M, 3).transpose(0, 2, 1, 3).reshape(M, M, 9)
    with_target = (Z.T @ Y).reshape(M, 6)
    Q = H[:, None] + H[None, :] - entropies(pairs, N)
    s = H + entropies(Y.sum(axis=0), N) - entropies(with_target, N)
    return (Q + Q.T) / 2, np.maximum(s, 0.0)


@dataclass
class Counting:
    """A dense Q that remembers which of its columns were asked for."""

    matrix: np.ndarray
    convex: bool = False
    nonnegative: bool = False
    asked: set[int] = field(default_factory=set)

    @property
    def size(self):
        return len(self.matrix)

    def diagonal(self):
        return self.matrix.diagonal()

    def block(self, rows, columns):
        self.asked |= {int(i) for i in columns}
        return DenseQuadratic(self.matrix).block(rows, columns)

    def product(self, columns, weights):
        self.asked |= {int(i) for i in columns}
        return DenseQuadratic(self.matrix).product(columns, weights)
