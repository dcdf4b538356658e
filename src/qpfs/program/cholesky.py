"""A Cholesky factor that follows its matrix as rows come and go.

Letters. R = L L' with L lower triangular, kept in the leading n rows of a larger array so that a row can
be appended in place. The kernels run along rows, which are contiguous; they are serial, so that the
answer is the same to the last bit for any number of threads.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import kernel

# A pivot below this share of the matrix is rounding: the direction has no curvature.
FLAT = 1e-12


def flatness(K: FloatArray) -> float:
    """The curvature in K that is as good as none."""
    return FLAT * float(np.abs(K.diagonal()).max())


@kernel
def subtract_row(U: FloatArray, k: int, first: int, last: int) -> None:
    """Row k's share taken from rows `first` to `last`."""
    for i in range(first, last):
        c = U[k, i]
        for j in range(i, len(U)):
            U[i, j] -= c * U[k, j]


@kernel
def subtract_four(U: FloatArray, k: int) -> None:
    """The share of rows k to k + 3 taken from all rows below: one pass over them instead of four."""
    for i in range(k + 4, len(U)):
        c, d, e, f = U[k, i], U[k + 1, i], U[k + 2, i], U[k + 3, i]
        for j in range(i, len(U)):
            U[i, j] -= c * U[k, j] + d * U[k + 1, j] + e * U[k + 2, j] + f * U[k + 3, j]


@kernel
def leading_factor(R: FloatArray, flat: float) -> FloatArray:
    """L of the largest leading block of R in which every pivot is above `flat`."""
    U = R.copy()
    n = len(U)
    for k in range(n):
        if U[k, k] <= flat:
            return np.tril(U[:k, :k].T)
        U[k, k:] /= np.sqrt(U[k, k])
        four = k - k % 4
        if k == four + 3:
            subtract_four(U, four)
        else:
            subtract_row(U, k, k + 1, min(four + 4, n))
    return np.tril(U.T)


@kernel
def forward(L: FloatArray, n: int, r: FloatArray) -> FloatArray:
    """The x with L x = r."""
    x = r.copy()
    for i in range(n):
        x[i] = (x[i] - np.dot(L[i, :i], x[:i])) / L[i, i]
    return x


@kernel
def backward(L: FloatArray, n: int, r: FloatArray) -> FloatArray:
    """The x with L'x = r."""
    x = r.copy()
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i):
            x[k] -= x[i] * L[i, k]
    return x


@kernel
def delete_row(L: FloatArray, n: int, q: int) -> None:
    """L without row and column q of R: the rows below move up and rotations restore the triangle."""
    cosine, sine = np.empty(n), np.empty(n)
    for i in range(q, n - 1):
        row = L[i]
        row[: i + 2] = L[i + 1, : i + 2]
        for k in range(q, i):
            left, right = row[k], row[k + 1]
            row[k] = cosine[k] * left + sine[k] * right
            row[k + 1] = cosine[k] * right - sine[k] * left
        length = np.hypot(row[i], row[i + 1])
        cosine[i], sine[i] = row[i] / length, row[i + 1] / length
        row[i], row[i + 1] = length, 0.0
