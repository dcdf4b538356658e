"""An approximation of the point of a polyhedron nearest to 0, from which an exact solver starts.

    minimise  |v|^2/2  over  Gv >= h

Letters. G the M normals in k dimensions, of length 1, h their offsets, m the multipliers, v = G'm at the
optimum; rho the penalty of a violation, p = max(0, m + rho (h - Gv)), W the constraints in use.

Up to k constraints may be active, and a pivoting solver needs thousands of pivots to find them. The augmented
Lagrangian |v|^2/2 + |p|^2/(2 rho) is a smooth convex function of quadratic pieces, on each of which other
constraints are violated. A Newton step, a system of k equations, can cross many pieces, and each round starts
where the previous one ended. Distant constraints are left out: a round uses some k of them, and the next one
adds those that its solution violates.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from qpfs.arrays import FloatArray
from qpfs.program.candidates import worst_violators

# Constraints in the first round and new ones in a later one, for each dimension.
FIRST, NEW = 4, 2
# rho of each round. At 33 x 48,701 with 487 sampled, the estimate and the exact solver after it took 0.7 s
# with mutual information and 1.05 s with ranks; without the last three rounds 0.7 s and 5.4 s.
PENALTIES = (1e1, 1e2, 1e3, 1e3, 1e4, 1e4)
STEPS = 20
# A step is halved until it reaches this share of the decrease that its slope predicts, or so often.
SHARE, HALVINGS = 1e-4, 14
# Violations below this share of the largest distance are left to the exact solver.
VIOLATION = 1e-9


def guessed_multipliers(G: FloatArray, norms: FloatArray, h: FloatArray) -> FloatArray:
    """Multipliers m >= 0 close to the optimal ones, 0 where a constraint is inactive; `norms` are |G_i|^2."""
    M, k = G.shape
    lengths = np.sqrt(norms)
    unit = np.divide(1.0, lengths, out=np.zeros(M), where=lengths > 0.0)
    h = h * unit
    allowed = -VIOLATION * float(np.abs(h).max())
    v, m, W = np.zeros(k), np.zeros(M), worst_violators(-h, allowed, FIRST * k)
    for rho in PENALTIES:
        v, found = lowest_point(G[W] * unit[W, None], h[W], v, m[W], rho)
        m[:] = 0.0
        m[W] = found
        # einsum, unlike a matrix product, sums in the same order for any number of threads.
        slack = np.einsum("ij,j->i", G, v) * unit - h
        near = W[np.argsort(slack[W], kind="stable")[: NEW * k]]
        kept = np.union1d(near, W[found > 0.0])
        slack[W] = np.inf
        W = np.append(kept, worst_violators(slack, allowed, NEW * k))
    return m * unit


def lowest_point(
    G: FloatArray, h: FloatArray, v: FloatArray, m: FloatArray, rho: float
) -> tuple[FloatArray, FloatArray]:
    """The minimum of the augmented Lagrangian, by at most STEPS steps from v, and its multipliers."""
    short = h - G @ v
    p = np.maximum(m + rho * short, 0.0)
    for _ in range(STEPS):
        active = p > 0.0
        gradient = v - p @ G
        step = -cho_solve(factor_of(G[active], rho), gradient)
        along, slope, value = G @ step, float(gradient @ step), height(v, p, rho)
        reach = 1.0
        for _ in range(HALVINGS):
            p = np.maximum(m + rho * (short - reach * along), 0.0)
            if height(v + reach * step, p, rho) <= value + SHARE * reach * slope:
                break
            reach /= 2.0
        v, short = v + reach * step, short - reach * along
        if reach == 1.0 and np.array_equal(p > 0.0, active):  # the lowest point of the piece is in it
            break
    return v, np.maximum(m + rho * (h - G @ v), 0.0)


def height(v: FloatArray, p: FloatArray, rho: float) -> float:
    """The augmented Lagrangian, up to a constant."""
    return float(v @ v + (p @ p) / rho) / 2.0


def factor_of(G: FloatArray, rho: float) -> tuple[FloatArray, bool]:
    """The Cholesky factor of I + rho G'G."""
    product = rho * (G.T @ G)
    product[np.diag_indices_from(product)] += 1.0
    factor: tuple[FloatArray, bool] = cho_factor(product, overwrite_a=True)
    return factor
