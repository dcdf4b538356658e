"""Column generation: solve on few candidates, price all M indices, add the worst violators, repeat.

Letters. Q, s, theta, K, b, a, g, f, M as in `problem`; W the candidates, nu = a'g.

An index i can lower f only if g_i < nu. So once the candidates are stationary, one product of Q with the
support prices all indices, and no column of Q outside W is needed. The Frank-Wolfe gap nu - min(g) certifies
the solution. Where M is small all indices are candidates from the start; where it is large most need no
pricing until the end, because their relevance alone (b) shows that they cannot lower f.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.active_set import NO_REST, no_rest_error, stationary_weights
from qpfs.program.at_once import SMALL, best_vertex, steps_at_once
from qpfs.program.candidates import Candidates, worst_violators
from qpfs.program.convexity import proved_convex, strictly_convex
from qpfs.program.problem import SimplexProgram
from qpfs.program.solution import Point, Solution, SolverRound, priced
from qpfs.program.twins import lowest_twins

# A round adds this many indices, or this share of the support if that is more: on microarrays and digits this
# gave 5 to 12 rounds, and columns for 1.05 to 1.35 times the support.
BATCH = 8
GROWTH = 0.5  # of the size of the support, added at a time
LARGE = 1 << 14  # from so many indices on, those that cannot lower f are left out
FEW = 0.05  # at most this share of them is then priced separately


@dataclass(frozen=True)
class Options:
    """The options of the solver; the fields are explained at `solve`."""

    tol: float = 1e-9
    n_starts: int = 1
    random_state: int = 0
    prove_up_to: int = 1024
    on_round: Callable[[SolverRound], None] | None = None

    def __post_init__(self) -> None:
        if not 1e-13 <= self.tol < 1.0:
            raise ValueError(f"tol={self.tol}; it must lie between 1e-13 and 1.")
        if self.n_starts < 1:
            raise ValueError(f"n_starts={self.n_starts}; at least one start is needed.")


def solve(
    program: SimplexProgram,
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-9,
    n_starts: int = 1,
    random_state: int = 0,
    prove_up_to: int = 1024,
    on_round: Callable[[SolverRound], None] | None = None,
) -> Solution:
    """Solve a program: the weights, with their certificate.

    Parameters
    ----------
    program : SimplexProgram
    start : (M,) array, optional
        Initial weights; by default all on the best single index.
    tol : float
        The largest gap allowed, relative to `program.scale()`.
    n_starts : int
        Further starts are random single indices; the lowest f wins, the earliest on ties. Where f is
        proved convex one start is enough, and only one is made.
    random_state : int
        Seeds those starts.
    prove_up_to : int
        Up to this M the whole matrix may be read to prove that f is convex.
    on_round : callable, optional
        Called with a `Round` after each pricing.

    Examples
    --------
    The second index is nearly a copy of the first, which is more relevant:

    >>> import numpy as np
    >>> from qpfs.program import DenseQuadratic, SimplexProgram, solve
    >>> Q = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.1], [0.1, 0.1, 1.0]])
    >>> s = np.array([0.5, 0.3, 0.2])
    >>> solution = solve(SimplexProgram(DenseQuadratic(Q), s, theta=0.5))
    >>> solution.weights.round(3).tolist(), solution.status
    ([0.667, 0.0, 0.333], 'optimal')
    """
    options = Options(tol, n_starts, random_state, prove_up_to, on_round)
    convex = program.linear or proved_convex(program.quadratic, prove_up_to)
    return lowest(program, convex, start, options)


def lowest(program: SimplexProgram, convex: bool, start: ArrayLike | None, options: Options) -> Solution:
    """The lowest of the solutions from all starts, with their columns, rounds and steps in total."""
    candidates, rests = Candidates(program, np.zeros(0, np.intp), np.zeros((0, 0))), []
    descend = descend_at_once if program.size <= SMALL else descend_by_columns
    for a in starts(program, start, 0 if convex else options.n_starts - 1, options.random_state):
        rests.append(descend(candidates, a, options))
        candidates = rests[-1].candidates
    best = min(rests, key=lambda rest: rest.point.objective)
    carrying = np.flatnonzero(np.isin(best.candidates.indices, best.point.support))
    return Solution(
        **vars(best.point),
        support_convex=strictly_convex(best.candidates.matrix, carrying),
        status="optimal" if convex else "stationary",
        theta=program.theta,
        n_columns=0 if program.linear else len(candidates.indices),
        n_rounds=sum(rest.n_rounds for rest in rests),
        n_steps=sum(rest.n_steps for rest in rests),
    )


def starts(
    program: SimplexProgram, start: ArrayLike | None, more: int, random_state: int
) -> list[FloatArray]:
    """Initial weights: as given, or all on the best single index; then all on each of `more` random ones."""
    # The random indices are distinct; if there are fewer, all are used.
    chosen = np.random.default_rng(random_state).choice(program.size, min(more, program.size), replace=False)
    if start is None:
        chosen = np.append(best_vertex(program.diagonal(), program.linear_term), chosen)
    vertices = np.zeros((len(chosen), program.size))
    vertices[np.arange(len(chosen)), chosen] = 1.0
    return [*vertices] if start is None else [on_simplex(start, program.size), *vertices]


def on_simplex(start: ArrayLike, size: int) -> FloatArray:
    """`start` scaled to sum to one."""
    weights = np.asarray(start, dtype=np.float64)
    if weights.shape != (size,):
        raise ValueError(f"start has shape {weights.shape}; it must have {size} weights.")
    total = weights.sum()
    if not (weights.min() >= 0.0 and 0.0 < total < np.inf):
        raise ValueError("start must have finite weights >= 0, not all of them 0.")
    return weights / total


@dataclass(frozen=True, eq=False)
class Rest:
    """A stationary point, and the rounds and steps to it."""

    point: Point
    candidates: Candidates
    n_rounds: int
    n_steps: int


def descend_by_columns(candidates: Candidates, a: FloatArray, options: Options) -> Rest:
    """A stationary point reached from `a` by descent."""
    program = candidates.program
    allowed = options.tol * program.scale()
    grown = candidates.with_indices(np.flatnonzero(a))
    n_steps = 0
    for n_rounds in itertools.count(1):
        candidates = grown
        a, steps = at_rest(candidates, a, allowed / 2.0)
        n_steps += steps
        among = promising(candidates, a, allowed)
        point = priced(program, a, among)
        report(point, candidates, n_rounds, options)
        grown = candidates.with_indices(violators(point, allowed))
        if grown is candidates:
            point = point if among is None else priced(program, a)
            a = lowest_twins(program, point)
            if np.array_equal(np.flatnonzero(a), point.support):
                break
            grown = candidates.with_indices(np.flatnonzero(a))
    return Rest(point, candidates, n_rounds, n_steps)


def promising(candidates: Candidates, a: FloatArray, allowed: float) -> IndexArray | None:
    """The indices that may lower f, if they are few; None: all have to be priced."""
    program = candidates.program
    if program.size < LARGE or not program.quadratic.nonnegative:
        return None
    # Neither Q nor a has negative entries, so g is at least b, and an index with b >= nu also has g >= nu.
    b, W = program.linear_term, candidates.indices
    nu = float(a[W] @ (candidates.matrix @ a[W] + b[W]))
    found = np.flatnonzero(b < nu + allowed)
    return found if len(found) <= FEW * program.size else None


def descend_at_once(candidates: Candidates, a: FloatArray, options: Options) -> Rest:
    """A stationary point reached from `a`, with all indices as candidates, in a single round."""
    program = candidates.program
    candidates = candidates.with_indices(np.arange(program.size))
    weights = a.copy()
    n_steps = steps_at_once(candidates.matrix, program.linear_term, weights, options.tol)
    if n_steps == NO_REST:
        raise no_rest_error(program.size, options.tol)
    point = priced(program, weights)
    report(point, candidates, 1, options)
    return Rest(point, candidates, 1, n_steps)


def at_rest(candidates: Candidates, a: FloatArray, tol: float) -> tuple[FloatArray, int]:
    """Weights that are stationary on the candidates, starting at `a`, and the number of steps."""
    W = candidates.indices
    b = candidates.program.linear_term[W]
    weights = np.zeros(len(a))
    weights[W], n_steps = stationary_weights(candidates.matrix, b, a[W], tol)
    return weights, n_steps


def report(point: Point, candidates: Candidates, number: int, options: Options) -> None:
    """Calls `on_round` with the round, if it is given."""
    if options.on_round is not None:
        n_candidates, n_support = len(candidates.indices), len(point.support)
        options.on_round(SolverRound(number, n_candidates, n_support, point.objective, point.gap))


def violators(point: Point, allowed: float) -> IndexArray:
    """The indices to add next: a batch that grows with the support."""
    batch = max(BATCH, int(GROWTH * len(point.support)))
    return worst_violators(point.gradient, point.level - allowed, batch)
