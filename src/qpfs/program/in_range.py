"""The program confined to the range of a low-rank matrix, as QPFS with Nystrom poses it.

    minimise  (1 - theta)/2 y'Lambda y - theta s'Uy   over   Uy >= l, 1'Uy = 1;     a = Uy

Letters. U, Lambda the approximation, a = Uy the weights, l the least that each may be (0 where nothing is
said), V = U Lambda^-1/2 and z = Lambda^1/2 y, so that a = Vz and the quadratic is |z|^2: for theta < 1 the
answer is the point of {Vz >= l, u'z = 1}, u = V'1, nearest to c = theta/(1 - theta) V's. With o the point of
the plane u'z = 1 nearest to c, G the rows of V made orthogonal to u and h = l - Vo, it is z = o + v with

    v nearest to 0 in {Gv >= h},     v = G'm,     m >= 0 minimising |G'm|^2/2 - h'm.

The multipliers m have no bound on their sum; with a spare index that takes what a total T leaves over
they lie on a simplex, and the last problem is again a `SimplexProgram`, solved as any other. If nothing is
left over, T was too small. As many as k constraints are active, and pivots that take one at a time are many:
`block_pivots` exchanges many indices at once, and the exact solver begins where that ends.

At theta = 1 a linear program over the same polytope remains, and HiGHS solves it. (The vertex at the
largest s, which solves the unconfined program, is as a rule not in the range of U.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import linprog

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.candidates import worst_violators
from qpfs.program.low_rank import LowRankPlusDiagonal, row_norms
from qpfs.program.nystrom import Nystrom
from qpfs.program.problem import SimplexProgram
from qpfs.program.solver import solve

# Weights below this share of the largest one are rounding.
ROUNDING = 1e-12
# T grows tenfold until the spare index keeps weight; so many times mean there is no feasible point.
GROWTHS = 12
# The exact solver begins at multipliers guessed in at most so many rounds, and in each so many exchanges.
ROUNDS, EXCHANGES = 50, 50
# Constraints that a round takes in; at 33 x 48,701 with 487 sampled 32 to 256 took about as long.
BATCH = 128
# What is added to a diagonal, as a share of it, so that more constraints than dimensions can be solved for.
RIDGE = 1e-12
# Guessed multipliers beyond this many times those of single constraints are no guess: the range is empty.
LARGEST = 1e6


class EmptyRangeError(ValueError):
    """The range of the approximation holds no weights that are >= 0 and sum to one."""


@dataclass(frozen=True, eq=False)
class RangeSolution:
    """The optimal weights within the range, and their certificate.

    Attributes
    ----------
    weights : (M,) array
        a = Uy, exactly l_i where the constraint a_i >= l_i is active. As a rule few are: at most k of them.
    multipliers : (M,) array
        Of the constraints a_i >= l_i; >= 0, and 0 where a_i > l_i.
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
    """The weights of the confined program, none below `lower`; `tol` is that of the dual simplex program."""
    s = np.asarray(relevance, dtype=np.float64)
    if s.shape != (approximation.size,) or not np.isfinite(s).all():
        raise ValueError(f"relevance must be {approximation.size} finite numbers, one for each index.")
    if not 0.0 <= theta <= 1.0:
        raise ValueError(f"theta={theta}; it must lie between 0 and 1.")
    V = approximation.vectors / np.sqrt(approximation.values)
    least = np.zeros(len(V)) if lower is None else lower
    z, m = linear_optimum(V, s, least) if theta == 1.0 else nearest_point(V, s, theta, tol, least)
    objective = (1.0 - theta) / 2.0 * (z @ z) - theta * (s @ (V @ z))
    return certified(V @ z, m, float(objective), theta, least)


def nearest_point(
    V: FloatArray, s: FloatArray, theta: float, tol: float, lower: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """z and the multipliers for theta < 1."""
    u = V.sum(axis=0)
    if np.abs(u).max() <= ROUNDING * np.abs(V).sum(axis=0).max():
        raise EmptyRangeError("all weights in the range sum to zero; sample more or other indices.")
    c = theta / (1.0 - theta) * (s @ V)
    o = c + u * (1.0 - u @ c) / (u @ u)
    G = along_plane(V, u)
    h = lower - V @ o
    if np.any(h[~G.any(axis=1)] > ROUNDING * np.abs(h).max()):
        raise EmptyRangeError("some weight is negative all over the range; sample other indices.")
    m = orthant_minimum(G, h, tol)
    return o + m @ G, (1.0 - theta) * m


def along_plane(V: FloatArray, u: FloatArray) -> FloatArray:
    """The rows of V made orthogonal to u; exactly zero where only rounding would be left."""
    G = V - np.outer(V @ u, u / (u @ u))
    G[row_norms(G) <= ROUNDING**2 * row_norms(V)] = 0.0
    return G


def orthant_minimum(G: FloatArray, h: FloatArray, tol: float) -> FloatArray:
    """m >= 0 minimising |G'm|^2/2 - h'm."""
    M, k = G.shape
    single = single_step(G, h)
    if single == 0.0:
        return np.zeros(M)
    with_spare = LowRankPlusDiagonal(np.vstack((G, np.zeros(k))), np.zeros(M + 1))
    m = guessed_multipliers(G, h)
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


def guessed_multipliers(G: FloatArray, h: FloatArray) -> FloatArray:
    """m near the minimum: the constraints that are violated most are taken in, a batch at a time."""
    lengths = np.sqrt(row_norms(G))
    unit = np.divide(1.0, lengths, out=np.zeros(len(h)), where=lengths > 0.0)
    m, v = np.zeros(len(h)), np.zeros(G.shape[1])
    for _ in range(ROUNDS):
        slack = (np.einsum("ij,j->i", G, v) - h) * unit
        wanted = worst_violators(slack, -ROUNDING * float(np.abs(h * unit).max()), BATCH)
        new = wanted[m[wanted] == 0.0]
        if len(new) == 0:
            break
        W = np.append(np.flatnonzero(m), new)
        m[W] = block_pivots(G[W] @ G[W].T, h[W], m[W] > 0.0)
        v = m[W] @ G[W]
    return m


def block_pivots(R: FloatArray, h: FloatArray, inside: FloatArray) -> FloatArray:
    """m >= 0 minimising m'Rm/2 - h'm, or near it, from a guess of where m is above 0.

    All indices whose multiplier or slope has the wrong sign change sides together; where that has not helped
    three times in a row, the last of them alone, which ends for every positive definite R (L. F. Portugal,
    J. J. Judice, L. N. Vicente, Mathematics of Computation 63, 1994).
    """
    R = R + np.diag(RIDGE * R.diagonal())
    fewest, chances = len(h) + 1, 3
    m = np.zeros(len(h))
    for _ in range(EXCHANGES):
        m[:] = 0.0
        try:
            m[inside] = cho_solve(cho_factor(R[np.ix_(inside, inside)]), h[inside])
        except LinAlgError:
            break
        slope = R @ m - h
        wrong = np.flatnonzero(np.where(inside, m < 0.0, slope < -ROUNDING * np.abs(h).max()))
        if len(wrong) == 0:
            break
        if len(wrong) < fewest:
            fewest, chances = len(wrong), 3
        elif chances > 0:
            chances -= 1
        else:
            wrong = wrong[-1:]
        inside[wrong] = ~inside[wrong]
    return np.maximum(m, 0.0)


def single_step(G: FloatArray, h: FloatArray) -> float:
    """The largest multiplier that any constraint would need alone."""
    norms = row_norms(G)
    curved = norms > 0.0
    return float((h[curved] / norms[curved]).max(initial=0.0))


def linear_optimum(V: FloatArray, s: FloatArray, lower: FloatArray) -> tuple[FloatArray, FloatArray]:
    """z and the multipliers for theta = 1."""
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
