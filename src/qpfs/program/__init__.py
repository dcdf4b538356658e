"""The quadratic program on the simplex: problem, solution with certificate, solver, theta path, Nystrom.

This package knows nothing about features: a `Quadratic` gives access to a matrix, `solve` reads as little of
it as possible, and the gap of a `Solution` proves its quality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.program.active_set import StepLimitError
    from qpfs.program.bounds import BoundedSolution, solve_above
    from qpfs.program.in_range import EmptyRangeError, RangeSolution, solve_in_range
    from qpfs.program.low_rank import LowRankPlusDiagonal
    from qpfs.program.many import solve_each
    from qpfs.program.nystrom import Nystrom, nystrom_approximation
    from qpfs.program.path import theta_path
    from qpfs.program.problem import DenseQuadratic, Quadratic, SimplexProgram
    from qpfs.program.solution import Solution, SolverRound
    from qpfs.program.solver import solve
    from qpfs.program.theta import balanced_theta

__all__ = [
    "BoundedSolution",
    "DenseQuadratic",
    "EmptyRangeError",
    "LowRankPlusDiagonal",
    "Nystrom",
    "Quadratic",
    "RangeSolution",
    "SimplexProgram",
    "Solution",
    "SolverRound",
    "StepLimitError",
    "balanced_theta",
    "nystrom_approximation",
    "solve",
    "solve_above",
    "solve_each",
    "solve_in_range",
    "theta_path",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "active_set": ("StepLimitError",),
        "bounds": ("BoundedSolution", "solve_above"),
        "in_range": ("EmptyRangeError", "RangeSolution", "solve_in_range"),
        "low_rank": ("LowRankPlusDiagonal",),
        "many": ("solve_each",),
        "nystrom": ("Nystrom", "nystrom_approximation"),
        "path": ("theta_path",),
        "problem": ("DenseQuadratic", "Quadratic", "SimplexProgram"),
        "solution": ("Solution", "SolverRound"),
        "solver": ("solve",),
        "theta": ("balanced_theta",),
    },
)
