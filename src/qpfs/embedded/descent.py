"""Accelerated proximal gradient on a quadratic plus half the squared sum of group norms.

    minimise over x   1/2 u'Hu - t'u + 1/2 (sum_t |x_t|)^2 + 1/2 b^2,   u = x summed over places

Letters. x the weights of all groups one after the other (the intercept b, where there is one, before them),
u the weight of each column: a feature in several groups has one column and several places in x. H is given as
matrices to be applied one after another. L is the inverse of the step length, v the point that the momentum
points to.

A step from v is accepted if L exceeds the curvature along it, else L is doubled. The momentum is dropped
where it points uphill. Products with H are linear, so the one at v follows from those at the last two points.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import inner_part, kernel
from qpfs.embedded.proximal import shrink

LIMIT = 2000  # steps on one quadratic, which is only a model of the loss
SHARE = 0.01  # of the first step's length; a shorter step ends the descent
EASE = 0.95  # L is reduced at each step, since the curvature may be smaller there


@kernel
def summed(x: FloatArray, place: IndexArray, size: int) -> FloatArray:
    """u, of length size."""
    u = np.zeros(size)
    for i in range(len(x)):
        u[place[i]] += x[i]
    return u


@inner_part
def applied(chain: tuple[FloatArray, ...], u: FloatArray) -> FloatArray:
    """Hu. Without BLAS, whose threads cost more than products this small, and many u_j are 0."""
    for matrix in chain:
        total = np.zeros(matrix.shape[1])
        for j in range(len(u)):
            if u[j] != 0.0:
                for k in range(len(total)):
                    total[k] += u[j] * matrix[j, k]
        u = total
    return u


@kernel
def stepped(v: FloatArray, slope: FloatArray, place: IndexArray, bounds: IndexArray, L: float) -> FloatArray:
    """The proximal step from v, where the quadratic has the given slope along each column."""
    x = np.empty_like(v)
    for i in range(len(x)):
        x[i] = v[i] - slope[place[i]] / L
    shrink(x, bounds, 1.0 / L)
    return x


@kernel
def inner(d: FloatArray, h: FloatArray, place: IndexArray) -> float:
    """The inner product of d, laid out as x, and h, laid out as u."""
    total = 0.0
    for i in range(len(d)):
        total += d[i] * h[place[i]]
    return total


@inner_part
def steepness(chain: tuple[FloatArray, ...], slope: FloatArray, counts: FloatArray) -> float:
    """The curvature of the quadratic along its slope: a first guess at L. 1 where it is flat."""
    h = applied(chain, slope * counts)
    length = (slope * slope * counts).sum()
    curvature = (slope * counts * h).sum()
    return curvature / length if curvature > 0.0 and length > 0.0 else 1.0


@kernel
def descended(
    chain: tuple[FloatArray, ...], t: FloatArray, x: FloatArray, place: IndexArray, bounds: IndexArray
) -> FloatArray:
    """The weights x after the steps have become short."""
    h = applied(chain, summed(x, place, len(t)))
    L = steepness(chain, h - t, summed(np.ones_like(x), place, len(t)))
    v, at_v, momentum, longest = x, h, 1.0, 0.0
    for _ in range(LIMIT):
        new = stepped(v, at_v - t, place, bounds, L)
        at_new = applied(chain, summed(new, place, len(t)))
        d = new - v
        length = (d * d).sum()
        if inner(d, at_new - at_v, place) > L * length:
            L *= 2.0
            continue
        if ((v - new) * (new - x)).sum() > 0.0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
        beta = (momentum - 1.0) / following
        v, at_v = new + beta * (new - x), at_new + beta * (at_new - h)
        x, h, momentum = new, at_new, following
        rest = L * np.sqrt(length)
        longest = max(longest, rest)
        if rest <= SHARE * longest:
            break
        L *= EASE
    return x
