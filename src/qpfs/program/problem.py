"""The problem: a quadratic on the simplex, whose matrix is computed by columns on demand.

    minimise  f(a) = (1 - theta)/2 a'Qa - theta s'a   over   a >= 0, sum(a) = 1

Letters. Q the symmetric matrix, s the relevance, theta the trade-off, a the weights, M their number;
K = (1 - theta) Q and b = -theta s, so that f(a) = a'Ka/2 + b'a and its gradient is g = Ka + b.
The program does not know what the M indices represent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from qpfs.arrays import FloatArray, IndexArray
from qpfs.sums import weighted_rows

# Differences between Q and Q' above this share of Q's largest entry are not rounding errors.
ASYMMETRY = 1e-10


class Quadratic(Protocol):
    """The interface to the matrix Q. A `block` or `product` may compute (and keep) its columns."""

    @property
    def size(self) -> int:
        """M."""

    @property
    def convex(self) -> bool:
        """Whether Q is positive semi-definite by construction."""

    @property
    def nonnegative(self) -> bool:
        """Whether no entry of Q is negative by construction."""

    def diagonal(self) -> FloatArray:
        """All M entries Q_ii."""

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """The entries Q[rows][:, columns]."""

    def product(self, columns: IndexArray, weights: FloatArray) -> FloatArray:
        """The product Q[:, columns] @ weights, of length M."""

    def product_at(self, rows: IndexArray, columns: IndexArray, weights: FloatArray) -> FloatArray:
        """The entries `rows` of `product`, the same to the last bit."""


@dataclass(frozen=True, eq=False)
class DenseQuadratic:
    """A matrix in memory; `convex` is the caller's promise that it is positive semi-definite."""

    matrix: FloatArray
    convex: bool = False
    nonnegative: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        matrix = np.ascontiguousarray(self.matrix, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise ValueError(f"Q has shape {matrix.shape}; it must be square and not empty.")
        lowest, highest = float(matrix.min()), float(matrix.max())
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            raise ValueError("Q has entries that are not finite; remove them first.")
        asymmetry = float(np.abs(matrix - matrix.T).max())
        if asymmetry > ASYMMETRY * max(-lowest, highest):
            raise ValueError(f"Q and Q' differ by {asymmetry:.3g}; symmetrise with (Q + Q') / 2.")
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "nonnegative", lowest >= 0.0)

    @property
    def size(self) -> int:
        return len(self.matrix)

    def diagonal(self) -> FloatArray:
        return self.matrix.diagonal()

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        return self.matrix[np.ix_(rows, columns)]

    def product(self, columns: IndexArray, weights: FloatArray) -> FloatArray:
        # Q is symmetric, and its rows are contiguous.
        return weighted_rows(self.matrix, columns, weights)

    def product_at(self, rows: IndexArray, columns: IndexArray, weights: FloatArray) -> FloatArray:
        return weighted_rows(self.block(columns, rows), np.arange(len(columns)), weights)


@dataclass(frozen=True, eq=False)
class SimplexProgram:
    """The quadratic program of Q, s and theta on the simplex, checked."""

    quadratic: Quadratic
    relevance: FloatArray
    theta: float
    size: int = field(init=False)  # M
    linear: bool = field(init=False)  # whether Q has no effect
    linear_term: FloatArray = field(init=False)  # b

    def __post_init__(self) -> None:
        relevance = np.array(self.relevance, dtype=np.float64)
        if relevance.shape != (self.quadratic.size,):
            expected = f"Q has {self.quadratic.size} columns; give one number for each."
            raise ValueError(f"relevance has shape {relevance.shape}, but {expected}")
        if not np.isfinite(relevance).all():
            raise ValueError("relevance has entries that are not finite; remove them first.")
        if not 0.0 <= self.theta <= 1.0:
            raise ValueError(f"theta={self.theta}; it must lie between 0 and 1.")
        theta = float(self.theta)
        found = {"size": len(relevance), "linear": theta == 1.0, "linear_term": -theta * relevance}
        vars(self).update(found, relevance=relevance, theta=theta)

    def diagonal(self) -> FloatArray:
        """The diagonal of K."""
        if self.linear:
            return np.zeros(self.size)
        return (1.0 - self.theta) * self.quadratic.diagonal()

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """The entries K[rows][:, columns]."""
        if self.linear:
            return np.zeros((len(rows), len(columns)))
        return (1.0 - self.theta) * self.quadratic.block(rows, columns)

    def gradient(self, support: IndexArray, weights: FloatArray) -> FloatArray:
        """The gradient at the point with `weights` on `support` and 0 elsewhere."""
        if self.linear:
            return self.linear_term.copy()
        return (1.0 - self.theta) * self.quadratic.product(support, weights) + self.linear_term

    def gradient_at(self, rows: IndexArray, support: IndexArray, weights: FloatArray) -> FloatArray:
        """The entries `rows` of `gradient`, the same to the last bit."""
        b = self.linear_term[rows]
        if self.linear:
            return b
        return (1.0 - self.theta) * self.quadratic.product_at(rows, support, weights) + b

    def objective(self, a: ArrayLike) -> float:
        """The objective f(a)."""
        weights = np.asarray(a, dtype=np.float64)
        support = np.flatnonzero(weights)
        carried = weights[support]
        twice = self.gradient(support, carried)[support] + self.linear_term[support]
        return float(carried @ twice) / 2.0

    def scale(self) -> float:
        """The unit of every tolerance: the largest of |b_i| and K_ii."""
        return float(max(np.abs(self.linear_term).max(), np.abs(self.diagonal()).max()))
