"""Pair steps: weight is moved from the worst index that has some to the best one.

Letters. K the matrix on the candidates, a their weights, g their gradient.

A step of length t along e_i - e_j changes f by t (g_i - g_j) + t^2/2 (K_ii + K_jj - 2 K_ij). Pair
curvature is never negative for mutual information or correlation, so the step is well defined even
where K is indefinite. It costs one pass over the candidates, and in practice a few steps for each
final member find the support.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import inner_part


@inner_part
def best_and_worst(a: FloatArray, g: FloatArray) -> tuple[int, int]:
    """The index of least gradient, and of greatest gradient among those with weight; lowest on ties."""
    best, worst = 0, 0
    least, greatest = np.inf, -np.inf
    for i in range(len(g)):
        if g[i] < least:
            best, least = i, g[i]
        if g[i] > greatest and a[i] > 0.0:
            worst, greatest = i, g[i]
    return best, worst


@inner_part
def pair_steps(K: FloatArray, a: FloatArray, g: FloatArray, tol: float, limit: int) -> int:
    """The number of steps until g agrees to `tol`; updates `a` and `g` in place."""
    for step in range(limit):
        i, j = best_and_worst(a, g)
        excess = g[j] - g[i]
        if excess <= tol:
            return step
        curvature = K[i, i] + K[j, j] - 2.0 * K[i, j]
        length = a[j]
        if curvature * length > excess:
            length = excess / curvature
            a[j] -= length
        else:
            a[j] = 0.0
        a[i] += length
        for k in range(len(g)):
            g[k] += length * (K[i, k] - K[j, k])
    return limit
