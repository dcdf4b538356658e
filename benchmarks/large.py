"""The program alone where hundreds of features carry weight, and a whole path over theta."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import program
from benchmarks.machine import installed
from benchmarks.rows import Row, duration, limited
from benchmarks.timing import race
from qpfs.program import DenseQuadratic, SimplexProgram, balanced_theta, solve, theta_path

BOUND = 2.0
THETAS = (0.0, 0.1, 0.3, "auto")
PATHS = ("colon",)


def main() -> list[Row]:
    with threadpool_limits(2):
        program.main()
        return [*large_supports("mnist38"), *(path(name) for name in at_hand(*PATHS))]


def at_hand(*names: str) -> list[str]:
    return [name for name in names if (program.DATA / f"{name}.npz").exists()]


def large_supports(name: str) -> list[Row]:
    missing = f"no {name}.npz" if not at_hand(name) else "" if installed("piqp") else "no piqp"
    if missing:
        return [Row(f"the program, {name}, against piqp: {missing}", "", bound=BOUND, sense="at most")]
    return against_piqp(name)


def against_piqp(name: str) -> list[Row]:
    Q, s = program.problem(name)
    balanced = balanced_theta(float(Q.mean()), float(s.mean()))
    return [
        row(f"theta={theta}, {name}", Q, s, balanced if theta == "auto" else float(theta)) for theta in THETAS
    ]


def row(what: str, Q: np.ndarray, s: np.ndarray, theta: float) -> Row:
    task = SimplexProgram(DenseQuadratic(Q), s, theta)
    P, c = (1 - theta) * Q, -theta * s
    ours, theirs = race(lambda: solve(task), lambda: program.by_piqp(P, c))
    n = len(solve(task).support)
    title = f"the program, {what}, {n} with weight: time as a multiple of piqp's"
    return limited(title, ours / theirs, BOUND, duration(ours), duration(theirs))


def path(name: str) -> Row:
    """No bound: a grid of theta should cost about as much as its lowest."""
    Q, s = program.problem(name)
    dense = DenseQuadratic(Q)
    lowest = SimplexProgram(dense, s, min(program.GRID))
    grid, alone = race(lambda: theta_path(dense, s, program.GRID), lambda: solve(lowest))
    what = f"theta_path over {program.GRID}, {name}: time as a multiple of the lowest alone"
    return Row(what, duration(grid), duration(alone), grid / alone)
