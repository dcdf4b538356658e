"""A Cholesky factor that is updated when rows are added to or removed from its matrix.

Letters. R = U'U with U upper triangular, kept in the leading n rows and columns of a larger array so that
a column can be appended in place; x a vector of length n. The kernels run along rows, which are contiguous.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import inner_part
from qpfs.program.vectors import add, diagonal_of, dot, largest, multiply, rotate, shift

# A pivot below this share of the matrix is rounding error: the direction has no curvature.
FLAT = 1e-12


@inner_part
def flatness(K: FloatArray) -> float:
    """The curvature below which a direction of K counts as flat."""
    return FLAT * largest(diagonal_of(K))


@inner_part
def subtract_four(U: FloatArray, k: int, i: int, n: int) -> None:
    """Subtracts multiples of rows k to k + 3 from row i: one pass over it instead of four."""
    c, d, e, f = U[k, i], U[k + 1, i], U[k + 2, i], U[k + 3, i]
    p, q, r, s = U[k, i:n], U[k + 1, i:n], U[k + 2, i:n], U[k + 3, i:n]
    row = U[i, i:n]
    for j in range(len(row)):
        row[j] -= c * p[j] + d * q[j] + e * r[j] + f * s[j]


@inner_part
def leading_factor(U: FloatArray, n: int, flat: float) -> int:
    """The size of the largest leading block of R in which every pivot is above `flat`."""
    # The upper triangle of U holds that of R, of n rows, and then the factor of that block.
    for k in range(n):
        if U[k, k] <= flat:
            return k
        multiply(1.0 / np.sqrt(U[k, k]), U[k, k:n])
        four = k - k % 4
        for i in range(k + 1, min(four + 4, n)):
            add(-U[k, i], U[k, i:n], U[i, i:n])
        if k == four + 3:
            for i in range(k + 1, n):
                subtract_four(U, four, i, n)
    return n


@inner_part
def forward(U: FloatArray, x: FloatArray) -> None:
    """Replaces x by the solution z of U'z = x."""
    n = len(x)
    for i in range(n):
        x[i] /= U[i, i]
        add(-x[i], U[i, i + 1 : n], x[i + 1 :])


@inner_part
def backward(U: FloatArray, x: FloatArray) -> None:
    """Replaces x by the solution z of Uz = x."""
    n = len(x)
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - dot(U[i, i + 1 : n], x[i + 1 :])) / U[i, i]


@inner_part
def delete_row(U: FloatArray, n: int, q: int) -> None:
    """Removes row and column q of R from U: later columns move left, rotations restore the triangle."""
    for i in range(q + 1):
        shift(U[i, q:n])
    for i in range(q, n - 1):
        below = U[i + 1, i + 1]
        length = np.hypot(U[i, i], below)
        cosine, sine = U[i, i] / length, below / length
        U[i, i] = length
        shift(U[i + 1, i + 1 : n])
        rotate(cosine, sine, U[i, i + 1 : n - 1], U[i + 1, i + 1 : n - 1])
