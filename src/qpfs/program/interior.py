"""The point of a polyhedron nearest to 0, nearly: where an exact solver may begin.

    minimise  |v|^2/2  over  Gv >= h

Letters. G the M normals in k dimensions, h their offsets, t = Gv - h the slacks, m the multipliers, v = G'm
at the optimum; mu the mean of m t, W the constraints that are looked at.

As many as k constraints may be active, and a solver that pivots takes thousands of pivots to find them. An
interior point takes some ten to twenty systems of k equations, whatever is active. Constraints that are not
near are left out of those: a round looks at some k of them, and takes in those that its answer violates.
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
ROUNDS, STEPS = 40, 60
# The gap allowed, as a share of |v|^2, while constraints are still missing, and at the end.
LOOSE, TIGHT = 1e-1, 1e-10
# What equations may be missed by, as a share of the largest numbers in them: a point that misses its own
# constraints by more seems to violate others in every round.
MISSED = 1e-9
# Distances below this share of the largest are no violation; what is left is the exact solver's.
VIOLATION = 1e-9
# Multipliers beyond this many times the largest distance grow without bound: the polyhedron is empty.
BOUNDLESS = 1e12
# The share of the way to the boundary that a step goes.
SHORT = 0.995


def guessed_multipliers(G: FloatArray, h: FloatArray) -> FloatArray:
    """Multipliers m >= 0 near the optimal ones, 0 where a constraint is not active."""
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
        # einsum, unlike a matrix product, sums in one order for any number of threads.
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
    """v, the slacks and the multipliers, by Mehrotra's steps; as far as they lead."""
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
        except LinAlgError:  # rounding is as large as what is left
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
    """Newton's equations at a point: what it misses of v = G'm (dual) and of t = Gv - h (primal)."""

    G: FloatArray
    t: FloatArray
    m: FloatArray
    dual: FloatArray
    primal: FloatArray
    factor: Any

    def step(self, products: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Changes of v, t and m that meet the equations and take `products` from m t, to first order."""
        pull = -(products + self.m * self.primal) / self.t
        dv = cho_solve(self.factor, pull @ self.G - self.dual)
        along = self.G @ dv
        return dv, along + self.primal, pull - self.m / self.t * along


def factor_of(G: FloatArray, ratio: FloatArray) -> Any:
    """The factor of I + G' diag(ratio) G."""
    scaled = G * np.sqrt(ratio)[:, None]
    return cho_factor(scaled.T @ scaled + np.eye(G.shape[1]))


def longest(x: FloatArray, dx: FloatArray) -> float:
    """The share of dx, at most all of it, that leaves x >= 0."""
    falls = dx < 0.0
    return float((x[falls] / -dx[falls]).min(initial=1.0))
