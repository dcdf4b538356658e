"""The program confined to the range of a low-rank matrix, as QPFS with Nystrom poses it.

    minimise  (1 - theta)/2 y'Lambda y - theta s'Uy   over   Uy >= l, 1'Uy = 1;     a = Uy

Letters. U, Lambda the approximation, a = Uy the weights, l their lower bounds (0 by default), V = U
Lambda^-1/2 = BR and z = Lambda^1/2 y, so a = Vz and the quadratic is |z|^2: for theta < 1 the answer is the
point of {Vz >= l, u'z = 1}, u = V'1, nearest to c = theta/(1 - theta) V's. With o the point of the plane u'z
= 1 nearest to c, G the rows of V made orthogonal to u and h = l - Vo, it is z = o + v with

    v nearest to 0 in {Gv >= h},     v = G'm,     m >= 0 minimising |G'm|^2/2 - h'm.

The multipliers m have no bound on their sum; with a spare index for the rest of a total T they lie on a
simplex, and the last problem is again a `SimplexProgram`, solved as any other. If the spare index has no
weight, T was too small. Of V only G is computed as a matrix of M rows.

Up to k constraints may be active, and the exact solver, which pivots, needs thousands of pivots to find them,
so it starts from an estimate. With rho the penalty of a violation, p = max(0, m + rho (h - Gv)) and rows of G
of length 1, the augmented Lagrangian |v|^2/2 + |p|^2/(2 rho) is a smooth convex function of quadratic pieces,
on each of which other constraints are violated. A Newton step, a system of k equations, can cross many
pieces, and each round starts where the previous one ended. Distant constraints are left out: a round uses
some k of them, W, and the next one adds those that its solution violates.

At theta = 1 it is a linear program over the same polytope, solved by HiGHS. (The vertex at the
largest s, which solves the unconfined program, is as a rule not in the range of U.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.candidates import worst_violators
from qpfs.program.low_rank import LowRankPlusDiagonal, row_norms
from qpfs.program.nystrom import Nystrom
from qpfs.program.problem import SimplexProgram
from qpfs.program.solver import solve

# Weights below this share of the largest one are rounding errors.
ROUNDING = 1e-12
# T grows tenfold until the spare index keeps weight; so many times mean there is no feasible point.
GROWTHS = 12
# Estimated multipliers beyond this many times those of single constraints mean that the range is empty.
LARGEST = 1e6
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


class EmptyRangeError(ValueError):
    """The range of the approximation holds no weights that are >= 0 and sum to one."""


@dataclass(frozen=True, eq=False)
class RangeSolution:
    """The optimal weights within the range of a low-rank matrix, with their certificate.

    Attributes
    ----------
    weights : (M,) array
        a = Uy, exactly l_i where the constraint a_i >= l_i is active. Usually few are: at most k of them.
    multipliers : (M,) array
        The multipliers of the constraints a_i >= l_i; >= 0, and 0 where a_i > l_i.
    objective : float
    gap : float
        The duality gap m'(a - l) before rounding; f is within it of the optimum.
    violation : float
        How far below l the lowest of Uy was before rounding. It shows the tolerance times multipliers
        that grow as 1/(1 - theta): below 1e-14 up to theta = 0.9, but up to 1e-5 at theta = 0.99999.
    theta : float
    """

    weights: FloatArray
    multipliers: FloatArray
    objective: float
    gap: float
    violation: float
    theta: float

    def order(self) -> IndexArray:
        """All indices, best first: by weight, then by multiplier, then by index."""
        return np.lexsort((self.multipliers, -self.weights))


def solve_in_range(
    approximation: Nystrom,
    relevance: FloatArray,
    theta: float,
    tol: float = 1e-12,
    lower: FloatArray | None = None,
) -> RangeSolution:
    """The optimal weights within the range of the approximation, none below `lower`; `tol` is of the dual."""
    s = np.asarray(relevance, dtype=np.float64)
    if s.shape != (approximation.size,) or not np.isfinite(s).all():
        raise ValueError(f"relevance must be {approximation.size} finite numbers, one for each index.")
    if not 0.0 <= theta <= 1.0:
        raise ValueError(f"theta={theta}; it must lie between 0 and 1.")
    least = np.zeros(len(s)) if lower is None else lower
    B, R = approximation.base, approximation.turn / np.sqrt(approximation.values)
    z, m = linear_optimum(B @ R, s, least) if theta == 1.0 else nearest_point(B, R, s, theta, tol, least)
    raw = B @ (R @ z)
    objective = (1.0 - theta) / 2.0 * (z @ z) - theta * (s @ raw)
    return certified(raw, m, float(objective), theta, least)


def nearest_point(
    B: FloatArray, R: FloatArray, s: FloatArray, theta: float, tol: float, lower: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The point z and the multipliers for theta < 1."""
    u = B.sum(axis=0) @ R
    lengths = np.sqrt(np.einsum("ij,ij->j", B, B))
    if np.abs(u).max() <= ROUNDING * np.sqrt(len(B)) * (lengths @ np.abs(R)).max():
        raise EmptyRangeError("all weights in the range sum to zero; sample more or other indices.")
    c = theta / (1.0 - theta) * (s @ B @ R)
    o = c + u * (1.0 - u @ c) / (u @ u)
    G, norms = along_plane(B, R, u)
    h = lower - B @ (R @ o)
    if np.any(h[norms == 0.0] > ROUNDING * np.abs(h).max()):
        raise EmptyRangeError("some weight is negative in all of the range; sample other indices.")
    m = orthant_minimum(G, norms, h, tol)
    active = np.flatnonzero(m)
    return o + m[active] @ G[active], (1.0 - theta) * m


def along_plane(B: FloatArray, R: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The matrix G with a row of zeros for the spare index, and the squared lengths of the other rows."""
    G = np.zeros((len(B) + 1, R.shape[1]))
    np.matmul(B, R - np.outer(R @ u, u / (u @ u)), out=G[:-1])
    across = (B @ (R @ u)) ** 2 / (u @ u)  # the squared lengths of V's rows along u
    norms = row_norms(G[:-1])
    # Rows are exactly zero where only rounding errors would remain.
    rounding = np.flatnonzero(norms <= ROUNDING**2 * (norms + across))
    G[rounding], norms[rounding] = 0.0, 0.0
    return G, norms


def orthant_minimum(G: FloatArray, norms: FloatArray, h: FloatArray, tol: float) -> FloatArray:
    """The multipliers m >= 0 that minimise |G'm|^2/2 - h'm; row M of G is zero, for the spare index."""
    M = len(h)
    single = single_step(norms, h)
    if single == 0.0:
        return np.zeros(M)
    with_spare = LowRankPlusDiagonal(G, np.zeros(M + 1))
    m = guessed_multipliers(G[:-1], norms, h)
    total, m = (2.0 * m.sum(), m) if 0.0 < m.sum() < LARGEST * single else (10.0 * single, np.zeros(M))
    start = np.append(m / total, 1.0 - m.sum() / total)
    for _ in range(GROWTHS):
        # theta = 1/2 gives both terms the same factor.
        program = SimplexProgram(with_spare, np.append(h, 0.0) / total, 0.5)
        weights = solve(program, start=start, tol=tol).weights
        if weights[-1] > 0.0:
            return total * weights[:-1]
        total *= 10.0
        start = np.append(weights[:-1] / 10.0, 0.9)
    raise EmptyRangeError("the range has no weights >= 0; sample more or other indices.")


def single_step(norms: FloatArray, h: FloatArray) -> float:
    """The largest multiplier that any constraint would need alone."""
    curved = norms > 0.0
    return float((h[curved] / norms[curved]).max(initial=0.0))


def linear_optimum(V: FloatArray, s: FloatArray, lower: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The point z and the multipliers for theta = 1."""
    found = linprog(
        -(s @ V),
        A_ub=-V,
        b_ub=-lower,
        A_eq=V.sum(axis=0)[None, :],
        b_eq=np.ones(1),
        bounds=(None, None),
        method="highs-ipm",
    )
    if found.x is None:
        raise EmptyRangeError(f"the linear program found no weights: {found.message}")
    return found.x, np.maximum(-found.ineqlin.marginals, 0.0)


def certified(
    raw: FloatArray, m: FloatArray, objective: float, theta: float, lower: FloatArray
) -> RangeSolution:
    """The solution with weights `raw` up to rounding."""
    least = (m > 0.0) | (raw <= lower + ROUNDING * raw.max())
    weights = np.where(least, lower, raw)
    return RangeSolution(
        weights=weights / weights.sum(),
        multipliers=m,
        objective=objective,
        gap=abs(float(m @ (raw - lower))),
        violation=max(-float((raw - lower).min()), 0.0),
        theta=theta,
    )


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
