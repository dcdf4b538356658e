"""Q = F F' + diag(d): a low-rank matrix with a corrected diagonal.

Letters. F the factor, M rows; d >= 0 the correction of the diagonal. Both parts are positive semi-definite,
so Q is convex by construction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class LowRankPlusDiagonal:
    """The matrix F F' + diag(d) as a `Quadratic`."""

    factor: FloatArray
    extra: FloatArray
    convex: bool = True
    nonnegative: bool = False

    def __post_init__(self) -> None:
        if self.factor.ndim != 2 or self.extra.shape != (len(self.factor),):
            shapes = f"{self.factor.shape} and {self.extra.shape}"
            raise ValueError(f"factor and extra have shapes {shapes}; they must be (M, k) and (M,).")
        if not self.extra.min() >= 0.0:
            raise ValueError("extra has negative entries; the matrix would not be convex.")

    @property
    def size(self) -> int:
        return len(self.factor)

    def diagonal(self) -> FloatArray:
        return row_norms(self.factor) + self.extra

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        on_diagonal = np.equal.outer(rows, columns) * self.extra[columns]
        return self.factor[rows] @ self.factor[columns].T + on_diagonal

    def product(self, columns: IndexArray, weights: FloatArray) -> FloatArray:
        # einsum, unlike a matrix product, sums in the same order for any number of threads.
        total: FloatArray = np.einsum("ij,j->i", self.factor, weights @ self.factor[columns])
        np.add.at(total, columns, self.extra[columns] * weights)
        return total

    def product_at(self, rows: IndexArray, columns: IndexArray, weights: FloatArray) -> FloatArray:
        return self.product(columns, weights)[rows]


def row_norms(F: FloatArray) -> FloatArray:
    """The squared length of each row."""
    norms: FloatArray = np.einsum("ij,ij->i", F, F)
    return norms
