"""Weights with lower bounds: a program of the same kind for the weight above the bounds.

    minimise  f(a)   over   a >= l, sum(a) = 1;     a = l + (1 - m) beta,   beta >= 0, sum(beta) = 1

Letters. Q, s, theta, K, b, a, g, f as in `problem`; l >= 0 the bounds, m < 1 their sum, beta the distribution
of the weight above them.

In beta the gradient of f is (1 - m) times (1 - m) K beta + K l + b: again a `SimplexProgram`, with the
trade-off t = 1 - (1 - m)(1 - theta), above 0, and the relevance (theta s - (1 - theta) Q l) / t. So the
solver does not need bounds, and its gradient is that of f at a. No weights above the bounds are better by
more than (1 - m) times its gap.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.program.problem import SimplexProgram
from qpfs.program.solution import Solution
from qpfs.program.solver import Options, lowest


@dataclass(frozen=True, eq=False)
class BoundedSolution(Solution):
    """A solution over weights that are not below `lower`; gap and status are those of that problem."""

    lower: FloatArray

    @property
    def level(self) -> float:
        """The common gradient of the weights that are above their bounds."""
        beyond = (self.weights - self.lower)[self.support]
        return float(beyond @ self.gradient[self.support]) / (1.0 - float(self.lower[self.support].sum()))


def solve_above(
    program: SimplexProgram, lower: FloatArray, free: Solution, **options: Any
) -> BoundedSolution:
    """Solve a program with lower bounds on its weights, from its solution without bounds.

    The options are those of `solve`. If the solution without bounds satisfies them, it is returned.

    Examples
    --------
    The last index is the least relevant, but must have at least a quarter of the weight:

    >>> import numpy as np
    >>> from qpfs.program import DenseQuadratic, SimplexProgram, solve, solve_above
    >>> program = SimplexProgram(DenseQuadratic(np.eye(3)), np.array([0.9, 0.5, 0.0]), theta=0.5)
    >>> free = solve(program)
    >>> bounded = solve_above(program, np.array([0.0, 0.0, 0.25]), free)
    >>> free.weights.round(3).tolist(), bounded.weights.round(3).tolist()
    ([0.7, 0.3, 0.0], [0.575, 0.175, 0.25])
    """
    checked = Options(**options)
    check(lower, program.size)
    if np.all(free.weights >= lower):
        return BoundedSolution(**{one.name: getattr(free, one.name) for one in fields(free)}, lower=lower)
    rest = 1.0 - float(lower[lower > 0].sum())
    start = np.maximum(free.weights - lower, 0.0)
    found = lowest(shifted(program, lower, rest), free.status == "optimal", start, checked)
    weights = lower + rest * found.weights
    support = np.flatnonzero(weights)
    twice = found.gradient[support] + program.linear_term[support]
    return BoundedSolution(
        weights=weights,
        support=support,
        gradient=found.gradient,
        objective=float(weights[support] @ twice) / 2.0,
        gap=rest * found.gap,
        support_convex=found.support_convex,
        status=found.status,
        theta=program.theta,
        n_columns=min(free.n_columns + found.n_columns, program.size),
        n_rounds=free.n_rounds + found.n_rounds,
        n_steps=free.n_steps + found.n_steps,
        lower=lower,
    )


def shifted(program: SimplexProgram, lower: FloatArray, rest: float) -> SimplexProgram:
    """The program of the weight above the bounds, `rest` in all."""
    theta = 1.0 - rest * (1.0 - program.theta)
    bounded = np.flatnonzero(lower)
    g = program.gradient(bounded, lower[bounded])  # K l + b
    return SimplexProgram(program.quadratic, -g / theta, theta)


def check(lower: FloatArray, size: int) -> None:
    """Raises ValueError unless `lower` has one bound for each weight, and their sum is below one."""
    if lower.shape != (size,) or not np.all(lower >= 0.0) or not lower.sum() < 1.0:
        raise ValueError(f"lower must be {size} numbers >= 0 that sum to less than one.")
