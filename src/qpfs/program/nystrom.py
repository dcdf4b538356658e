"""Nystrom approximation: all of Q approximated from the columns of r sampled indices.

Letters. A the r x r block of Q among the sampled, B their r x (M - r) block with the others, E the block
of the others, never computed; U, Lambda the approximation's eigenvectors and eigenvalues.

    Q = [[A, B], [B', E]]  ~  [[A, B], [B', B'A^-1 B]]  =  U Lambda U',     U'U = I

(Rodriguez-Lujan et al., JMLR 11, 2010, after Fowlkes et al.). A need not be positive definite, since matrices
of mutual information often are not: its eigenvalues below a threshold are dropped before it is inverted.

The approximation is biased. B'A^-1 B contains only what the sampled columns explain, so the diagonal of the
others is far too small: 0.10 where the entropies average 0.84, at a sampling rate of 0.05 on 62 x 2000 data.
Features that were not sampled seem to have no redundancy with themselves, and attract weight; qbar is too
small as well. `Nystrom.corrected` restores the diagonal, which is known for all M.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.low_rank import LowRankPlusDiagonal, row_norms

# Squared singular values within this factor give eigenvectors that are orthonormal to 1e-13.
EVEN = 500.0


@dataclass(frozen=True, eq=False)
class Nystrom:
    """The Nystrom approximation U Lambda U' of a matrix Q.

    Attributes
    ----------
    base : (M, r) array
        Columns that span the range of U.
    turn : (r, k) array
        U = base @ turn; k <= r, since directions below the threshold are dropped.
    values : (k,) array
        The diagonal of Lambda, all of it positive, descending.
    mean_redundancy : float
        qbar by blocks, (sum A + 2 sum B + sum B'A^-1 B) / M^2.
    """

    base: FloatArray
    turn: FloatArray
    values: FloatArray
    mean_redundancy: float

    @property
    def size(self) -> int:
        """The number of indices M."""
        return len(self.base)

    @cached_property
    def vectors(self) -> FloatArray:
        """The eigenvectors U."""
        return self.base @ self.turn

    def factor(self) -> FloatArray:
        """The factor F with F F' = U Lambda U'."""
        return self.base @ (self.turn * np.sqrt(self.values))

    def diagonal(self) -> FloatArray:
        """The approximation's diagonal."""
        return row_norms(self.factor())

    def corrected(self, diagonal: FloatArray) -> LowRankPlusDiagonal:
        """The approximation with the true `diagonal`, where that is larger."""
        return LowRankPlusDiagonal(self.factor(), np.maximum(diagonal - self.diagonal(), 0.0))


def nystrom_approximation(sampled: IndexArray, columns: FloatArray, threshold: float = 1e-10) -> Nystrom:
    """The Nystrom approximation of Q from its r x M `columns` = Q[sampled].

    Eigenvalues of A, and then of the approximation, at or below `threshold` times the largest are dropped.
    Where A is indefinite a larger threshold approximates better: with 400 of 2000 columns sampled the
    relative error fell from 0.16 to 0.08 at 1e-3. The default keeps a definite Q exact.
    """
    checked(sampled, columns)
    A = columns[:, sampled]
    F = columns.T @ inverse_root((A + A.T) / 2.0, threshold)
    return Nystrom(*spectrum(F, threshold), blockwise_mean(sampled, columns, F))


def checked(sampled: IndexArray, columns: FloatArray) -> None:
    """Raises ValueError unless `columns` has one row for each of the distinct `sampled` indices."""
    r, M = len(sampled), columns.shape[1]
    if columns.shape[0] != r or not 0 < r <= M:
        raise ValueError(f"columns has shape {columns.shape}, but {r} indices are sampled.")
    if len(np.unique(sampled)) < r or sampled.min() < 0 or sampled.max() >= M:
        raise ValueError(f"the sampled indices must be distinct and lie in 0 to {M - 1}.")
    if not np.isfinite(columns).all():
        raise ValueError("columns has entries that are not finite; remove them first.")


def inverse_root(A: FloatArray, threshold: float) -> FloatArray:
    """The matrix X with X X' the inverse of A on its eigenvectors above the threshold."""
    values, vectors = np.linalg.eigh(A)
    kept = values > max(threshold * values[-1], 0.0)
    if not kept.any():
        raise ValueError("the sampled block of Q has no positive eigenvalue; sample other indices.")
    root: FloatArray = vectors[:, kept] / np.sqrt(values[kept])
    return root


def spectrum(F: FloatArray, threshold: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Base and turn of U, and descending Lambda above threshold times the largest: F F' = U Lambda U'."""
    # The eigenvectors of F'F give directions that are orthonormal up to rounding errors, which grow as Lambda
    # decreases; a Cholesky factor of their products corrects them. All work beyond k x k is matrix products.
    squares, W = np.linalg.eigh(F.T @ F)
    # Where the values of Lambda differ little, no correction is needed: one product of F instead of three.
    if squares[0] * EVEN > squares[-1]:
        return F, W[:, ::-1] / np.sqrt(squares[::-1]), squares[::-1].copy()
    kept = squares > threshold / 100.0 * squares[-1]  # values close to the threshold are decided below
    nearly = F @ (W[:, kept] / np.sqrt(squares[kept]))
    corner = np.linalg.cholesky(nearly.T @ nearly, upper=True)
    vectors, roots, _ = np.linalg.svd(corner * np.sqrt(squares[kept]))
    large = roots > np.sqrt(threshold) * roots[0]
    return nearly, solve_triangular(corner, vectors[:, large]), roots[large] ** 2


def blockwise_mean(sampled: IndexArray, columns: FloatArray, F: FloatArray) -> float:
    """The mean qbar, with the known entries exact and E as approximated."""
    _r, M = columns.shape
    own = columns[:, sampled].sum()
    known = 2.0 * columns.sum() - own
    return float(known + ((F.sum(axis=0) - F[sampled].sum(axis=0)) ** 2).sum()) / M**2
