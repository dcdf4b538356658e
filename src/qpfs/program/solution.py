"""The solution of a program, with its certificate.

Letters. a the weights, g the gradient at a, nu = a'g the common gradient of the support. The
Frank-Wolfe gap a'g - min(g) is zero exactly at a stationary point; where f is convex it bounds
f(a) - min f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.problem import SimplexProgram
from qpfs.sorting import sorted_places

Status = Literal["optimal", "stationary"]


@dataclass(frozen=True)
class SolverRound:
    """One round of the solver: the solution on the candidates, and how far it is from stationary."""

    number: int
    n_candidates: int
    n_support: int
    objective: float
    gap: float


@dataclass(frozen=True, eq=False)
class Point:
    """Weights on the simplex with the gradient of all M indices.

    Attributes
    ----------
    weights : (M,) array
        Positive on the support, exactly 0.0 elsewhere.
    support : array of int
        The indices with weight, ascending.
    gradient : (M,) array
        g, computed from the support's columns.
    objective, gap : float
        f and the Frank-Wolfe gap, both in the units of f.
    """

    weights: FloatArray
    support: IndexArray
    gradient: FloatArray
    objective: float
    gap: float

    @property
    def level(self) -> float:
        """The common gradient nu of the support."""
        # Over the support, not over all M: short sums are the same for any number of threads, and fast.
        return float(self.weights[self.support] @ self.gradient[self.support])

    def order(self) -> IndexArray:
        """All indices, best first: by weight, then by reduced gradient g - min(g), then by index."""
        reduced, support = self.gradient - self.gradient.min(), self.support
        carried = support[np.lexsort((reduced[support], -self.weights[support]))]
        others = np.flatnonzero(self.weights == 0.0)
        return np.concatenate((carried, others[sorted_places(reduced[others])]))


def priced(program: SimplexProgram, weights: FloatArray, among: IndexArray | None = None) -> Point:
    """The point of `weights`, with the gradient of all M indices, or of some: the others have at least b."""
    support = np.flatnonzero(weights)
    carried = weights[support]
    if among is None:
        g = program.gradient(support, carried)
    else:
        g = program.linear_term.copy()
        g[among] = program.gradient_at(among, support, carried)
    # Sums over the support, not over all M: short ones are the same for any number of threads.
    nu = float(carried @ g[support])
    objective = (nu + float(carried @ program.linear_term[support])) / 2.0
    return Point(weights, support, g, objective, gap=max(nu - float(g.min()), 0.0))


@dataclass(frozen=True, eq=False)
class Solution(Point):
    """A stationary point of a program, with its certificate.

    Attributes
    ----------
    support_convex : bool
        Whether f is strictly convex among the weights of the support.
    status : "optimal" or "stationary"
        "optimal" only where no feasible point can be lower by more than the gap.
    theta : float
        The trade-off solved for.
    n_columns, n_rounds, n_steps : int
        Distinct columns of Q that the solver used (a proof that Q is convex reads the whole matrix and is not
        counted), rounds, and steps (pair steps and pivots).
    """

    support_convex: bool
    status: Status
    theta: float
    n_columns: int
    n_rounds: int
    n_steps: int
