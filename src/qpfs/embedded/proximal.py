"""The proximal step of the squared sum of group norms.

    prox(v) = argmin over x of  lambda/2 (sum_t |x_t|)^2 + 1/2 |x - v|^2

Letters. x_t the block of group t, n_t = |v_t|; entries before the first group (the intercept, where there is
one) count as lambda/2 x^2. Setting the derivative to zero gives x_t = max(0, 1 - tau / n_t) v_t with
tau = lambda sum_t |x_t|. With the n_t in descending order the groups that remain are the first k, the most
whose last n still exceeds tau = lambda total / (1 + lambda k), total being their sum. (A published
implementation treats the descending order as ascending, stops at the first test with the tau of all groups,
and keeps groups that should vanish.) The share of v_t that remains is computed in a form without cancellation
for large lambda.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import inner_part, kernel


@kernel
def group_norms(x: FloatArray, bounds: IndexArray) -> FloatArray:
    """|x_t|, group t being x[bounds[t]:bounds[t + 1]]."""
    norms = np.zeros(len(bounds) - 1)
    for t in range(len(norms)):
        for i in range(bounds[t], bounds[t + 1]):
            norms[t] += x[i] * x[i]
        norms[t] = np.sqrt(norms[t])
    return norms


@inner_part
def remaining(n: float, k: int, total: float, scale: float) -> float:
    """1 - tau / n, with lambda = scale."""
    return (n + scale * (k * n - total)) / (n * (1.0 + scale * k))


@inner_part
def survivors(norms: FloatArray, scale: float) -> tuple[int, float]:
    """The number k of groups that remain, and the total of their norms."""
    k, total = 0, 0.0
    for n in np.sort(norms)[::-1]:
        if n <= 0.0 or remaining(n, k + 1, total + n, scale) <= 0.0:
            break
        k, total = k + 1, total + n
    return k, total


@kernel
def shrink(x: FloatArray, bounds: IndexArray, scale: float) -> None:
    """Replaces x by prox(x), with lambda = scale."""
    for i in range(bounds[0]):
        x[i] /= 1.0 + scale
    norms = group_norms(x, bounds)
    k, total = survivors(norms, scale)
    for t in range(len(norms)):
        kept = remaining(norms[t], k, total, scale) if norms[t] > 0.0 else 0.0
        for i in range(bounds[t], bounds[t + 1]):
            x[i] *= max(kept, 0.0)
