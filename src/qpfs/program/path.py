"""The solutions for many theta, at about the cost of the lowest.

The support grows as theta decreases. Solved in that order, each program starts from the weights of the
previous one and needs few new columns of Q.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpfs.arrays import FloatArray
from qpfs.program.convexity import proved_convex
from qpfs.program.problem import Quadratic, SimplexProgram
from qpfs.program.solution import Solution
from qpfs.program.solver import Options, lowest


def theta_path(
    quadratic: Quadratic, relevance: ArrayLike, thetas: Iterable[float], **options: Any
) -> list[Solution]:
    """The solutions of the program for each of `thetas`, in their order; options are those of `solve`."""
    checked = Options(**options)
    s = np.asarray(relevance, dtype=np.float64)
    programs = [SimplexProgram(quadratic, s, theta) for theta in thetas]
    curved = any(not program.linear for program in programs)
    convex = curved and proved_convex(quadratic, checked.prove_up_to)
    solutions: dict[int, Solution] = {}
    start: FloatArray | None = None
    for k in np.argsort([-program.theta for program in programs], kind="stable"):
        solutions[k] = lowest(programs[k], convex or programs[k].linear, start, checked)
        start = solutions[k].weights
    return [solutions[k] for k in range(len(programs))]
