"""Vector loops that the kernels of this package use.

Letters. x and y vectors, c a number. The loops run over contiguous slices, which the compiler vectorises (a
triangular system of 700 rows: 160 us by indices into the matrix, 57 us by slices of its rows). Whole-array
expressions would be as fast, but take seconds to compile. Sums have a fixed order, so that they are the same
to the last bit on every computer.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import inner_part


@inner_part
def multiply(c: float, x: FloatArray) -> None:
    """Replaces x by c x."""
    for k in range(len(x)):
        x[k] *= c


@inner_part
def add(c: float, x: FloatArray, y: FloatArray) -> None:
    """Replaces y by y + c x."""
    for k in range(len(y)):
        y[k] += c * x[k]


@inner_part
def shift(x: FloatArray) -> None:
    """Moves all entries of x except the first one place to the left."""
    for k in range(len(x) - 1):
        x[k] = x[k + 1]


@inner_part
def rotate(cosine: float, sine: float, x: FloatArray, y: FloatArray) -> None:
    """Applies a rotation to x and y."""
    for k in range(len(x)):
        left, right = x[k], y[k]
        x[k] = cosine * left + sine * right
        y[k] = cosine * right - sine * left


@inner_part
def dot(x: FloatArray, y: FloatArray) -> float:
    """The inner product x'y, in four independent sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    fours = len(x) - len(x) % 4
    for k in range(0, fours, 4):
        first += x[k] * y[k]
        second += x[k + 1] * y[k + 1]
        third += x[k + 2] * y[k + 2]
        fourth += x[k + 3] * y[k + 3]
    for k in range(fours, len(x)):
        first += x[k] * y[k]
    return (first + second) + (third + fourth)


@inner_part
def total(x: FloatArray) -> float:
    """The sum of x."""
    so_far = 0.0
    for k in range(len(x)):
        so_far += x[k]
    return so_far


@inner_part
def largest(x: FloatArray) -> float:
    """The largest absolute value |x_k|."""
    so_far = 0.0
    for k in range(len(x)):
        so_far = max(so_far, abs(x[k]))
    return so_far


@inner_part
def lowest(x: FloatArray) -> int:
    """The position of the lowest entry of x, the first on ties."""
    so_far = 0
    for k in range(len(x)):
        if x[k] < x[so_far]:
            so_far = k
    return so_far


@inner_part
def diagonal_of(K: FloatArray) -> FloatArray:
    """The diagonal entries K_kk."""
    x = np.empty(len(K))
    for k in range(len(K)):
        x[k] = K[k, k]
    return x
