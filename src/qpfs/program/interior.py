"""An approximation of the point of a polyhedron nearest to 0, from which an exact solver starts.

    minimise  |v|^2/2  over  Gv >= h

Letters. G the M normals in k dimensions, h their offsets, t = Gv - h the slacks, m the multipliers, v = G'm
at the optimum; mu the mean of m t, W the constraints in use.

Up to k constraints may be active, and a pivoting solver needs thousands of pivots to find them. An interior
point method solves some ten to twenty systems of k equations, however many are active. Distant constraints
are left out: a round uses some k of them, and the next one adds those that its solution violates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from qpfs.arrays import FloatArray
from qpfs.program.candidates import worst_violators
from qpfs.program.low_rank import row_norms

# Constraints in the first round and new ones in a later one, for each dimension: at 33 x 48,701 with 487
# sampled rounds of these sizes were 9 (mutual information) and 12 (ranks).
FIRST, NEW = 4, 2
ROUNDS, STEPS = 40, 60  # guards: about ten rounds, and ten to twenty steps, are usual
# The gap allowed, as a share of |v|^2, while constraints are still missing, and at the end.
LOOSE, TIGHT = 1e-1, 1e-10
# Residual of the equations, relative to the largest numbers in them: a point with a larger one seems to
# violate further constraints in every round.
MISSED = 1e-9
# Violations below this share of the largest distance are left to the exact solver.
VIOLATION = 1e-9
# Multipliers beyond this many times the largest distance grow without bound: the polyhedron is empty.
BOUNDLESS = 1e12
# The share of the distance to the boundary that a step goes.
SHORT = 0.995


def guessed_multipliers(G: FloatArray, h: FloatArray) -> FloatArray:
    """Multipliers m >= 0 close to the optimal ones, 0 where a constraint is not active."""
    M, k = G.shape
    lengths = np.sqrt(row_norms(G))
    unit = np.divide(1.0, lengths, out=np.zeros(M), where=lengths > 0.0)
    h = h * unit
    allowed, gap = -VIOLATION * float(np.abs(h).max()), LOOSE
    m, W = np.zeros(M), worst_violators(-h, allowed, FIRST * k)
    for _ in range(ROUNDS):
        v, t, found = interior_point(G[W] * unit[W, None], h[W], gap)
        m[:] = 0.0
        m[W] = np.where(found > t, found * unit[W], 0.0)
        # einsum, unlike a matrix product, sums in the same order for any number of threads.
        slack = np.einsum("ij,j->i", G, v) * unit - h
        near = W[np.argsort(slack[W], kind="stable")[: NEW * k]]
        slack[W] = np.inf
        new = worst_violators(slack, allowed, NEW * k)
        if len(new) == 0 and gap == TIGHT:
            break
        gap = TIGHT if len(new) == 0 else gap
        W = np.append(near, new)
    return m


def interior_point(G: FloatArray, h: FloatArray, gap: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The point v, the slacks and the multipliers, by Mehrotra's steps."""
    n, k = G.shape
    scale = float(np.abs(h).max())
    v, t, m = np.zeros(k), np.full(n, scale), np.full(n, scale)
    for _ in range(STEPS):
        dual, primal, mu = v - m @ G, G @ v - t - h, float(m @ t) / n
        met = np.abs(primal).max() <= MISSED * scale and np.abs(dual).max() <= MISSED * np.abs(v).max()
        if met and n * mu <= gap * float(v @ v):
            break
        if m.max() > BOUNDLESS * scale:
            break
        try:
            equations = Equations(G, t, m, dual, primal, factor_of(G, m / t))
        except LinAlgError:  # rounding errors are as large as the rest of the gap
            break
        _, dt, dm = equations.step(m * t)
        reach = min(longest(t, dt), longest(m, dm))
        centre = (float((m + reach * dm) @ (t + reach * dt)) / n / mu) ** 3 * mu
        dv, dt, dm = equations.step(m * t + dt * dm - centre)
        reach = SHORT * min(longest(t, dt), longest(m, dm))
        v, t, m = v + reach * dv, t + reach * dt, m + reach * dm
    return v, t, m


@dataclass(frozen=True, eq=False)
class Equations:
    """Newton's equations at a point: its residuals of v = G'm (dual) and of t = Gv - h (primal)."""

    G: FloatArray
    t: FloatArray
    m: FloatArray
    dual: FloatArray
    primal: FloatArray
    factor: Any

    def step(self, products: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Changes of v, t and m that solve the equations and reduce m t by `products`, to first order."""
        pull = -(products + self.m * self.primal) / self.t
        dv = cho_solve(self.factor, pull @ self.G - self.dual)
        along = self.G @ dv
        return dv, along + self.primal, pull - self.m / self.t * along


def factor_of(G: FloatArray, ratio: FloatArray) -> Any:
    """The factor of I + G' diag(ratio) G."""
    scaled = G * np.sqrt(ratio)[:, None]
    return cho_factor(scaled.T @ scaled + np.eye(G.shape[1]))


def longest(x: FloatArray, dx: FloatArray) -> float:
    """The largest share of dx, at most 1, for which x stays >= 0."""
    falls = dx < 0.0
    return float((x[falls] / -dx[falls]).min(initial=1.0))
