"""The program alone: against an interior-point solver, and along a theta path.

    python benchmarks/program.py

Q is ready before the clock starts. Times are the best of five after one run to warm up. The data are taken
from the folder QPFS_DATA, or from ../shared/data beside the checkout.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.program import DenseQuadratic, SimplexProgram, balanced_theta, solve, theta_path

DATA = Path(os.environ.get("QPFS_DATA", Path(__file__).parents[2] / "shared" / "data"))
GRID = [0.9, 0.7, 0.5, 0.3, 0.1]


def three_levels(X: np.ndarray) -> np.ndarray:
    """Codes cut at mean +- 1 standard deviation, without the columns that are constant."""
    X = X[:, X.std(axis=0) > 0].astype(float)
    deviation = (X - X.mean(axis=0)) / X.std(axis=0)
    codes = (deviation > -1).astype(np.int8) + (deviation > 1)
    return codes[:, codes.min(axis=0) < codes.max(axis=0)]


def indicators(codes: np.ndarray) -> np.ndarray:
    """One 0/1 column for each level of each column."""
    return (codes[:, :, None] == np.unique(codes)).reshape(len(codes), -1).astype(np.float32)


def information(codes: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q and s in nats, by I = log N + (sum T(n_ab) - sum T(n_a) - sum T(n_b)) / N, T(n) = n log n."""
    N, M = codes.shape
    n = np.arange(N + 1)
    T = n * np.log(np.maximum(n, 1))
    Z, Y = indicators(codes), indicators(y[:, None])
    marginal = T[Z.sum(axis=0).astype(int)].reshape(M, -1).sum(axis=1)
    levels = Z.shape[1] // M
    joint = T[(Z.T @ Z).astype(int)].reshape(M, levels, M, levels).sum(axis=(1, 3))
    with_target = T[(Z.T @ Y).astype(int)].reshape(M, -1).sum(axis=1)
    Q = np.log(N) + (joint - marginal[:, None] - marginal) / N
    s = np.log(N) + (with_target - marginal - T[Y.sum(axis=0).astype(int)].sum()) / N
    return (Q + Q.T) / 2, np.maximum(s, 0.0)


def problem(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Q and s of a data set; of its training rows if it says which those are."""
    with np.load(DATA / f"{name}.npz", allow_pickle=True) as data:
        X, y = data["X"], data["y"]
        if "is_train" in data:
            train = data["is_train"].astype(bool)
            X, y = X[train], y[train]
    return information(three_levels(X), y)


def best_time(run: Callable[[], Any], repeats: int = 5) -> float:
    """Milliseconds of the fastest of some runs, after one that does not count."""
    run()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def by_piqp(P: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The weights by PIQP's dense interface at its default tolerances."""
    import piqp

    n = len(c)
    solver = piqp.DenseSolver()
    solver.setup(P, c, np.ones((1, n)), np.ones(1), None, None, None, np.zeros(n), np.full(n, np.inf))
    solver.solve()
    return np.array(solver.result.x)


def against_piqp(name: str) -> None:
    """A row for each theta: our time, theirs, and who is lower."""
    Q, s = problem(name)
    quadratic = DenseQuadratic(Q)
    auto = balanced_theta(float(Q.mean()), float(s.mean()))
    print(f"\n{name}, {len(s)} columns; theta auto is {auto:.3f}")
    print("theta  support  columns  rounds  status      ours ms  piqp ms  ratio  f ours - piqp")
    for theta in (0.0, 0.1, 0.3, auto):
        program = SimplexProgram(quadratic, s, theta)
        P, c = (1 - theta) * Q, -theta * s
        ours, theirs = best_time(partial(solve, program)), best_time(partial(by_piqp, P, c))
        solution = solve(program)
        lower = solution.objective - program.objective(by_piqp(P, c))
        print(
            f"{theta:5.3f}  {len(solution.support):7d}  {solution.n_columns:7d}  {solution.n_rounds:6d}  "
            f"{solution.status:10s}  {ours:7.1f}  {theirs:7.1f}  {ours / theirs:5.2f}  {lower:+.1e}"
        )


@dataclass
class Counting:
    """A dense Q that remembers which of its columns were asked for."""

    dense: DenseQuadratic
    convex: bool = False
    asked: set[int] = field(default_factory=set)

    @property
    def size(self) -> int:
        return self.dense.size

    def diagonal(self) -> np.ndarray:
        return self.dense.diagonal()

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        self.asked.update(columns.tolist())
        return self.dense.block(rows, columns)

    def product(self, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
        self.asked.update(columns.tolist())
        return self.dense.product(columns, weights)


def along_path(name: str) -> None:
    """Columns and time of a grid of theta, and of its lowest alone."""
    Q, s = problem(name)
    dense = DenseQuadratic(Q)
    lowest = min(GRID)
    whole, alone = Counting(dense), Counting(dense)
    path = theta_path(whole, s, GRID)
    solve(SimplexProgram(alone, s, lowest))
    grid_time = best_time(lambda: theta_path(dense, s, GRID))
    alone_time = best_time(lambda: solve(SimplexProgram(dense, s, lowest)))
    print(f"\n{name}, {len(s)} columns; supports {[len(point.support) for point in path]} on {GRID}")
    print(f"grid          {len(whole.asked):5d} columns  {grid_time:7.1f} ms")
    print(f"{lowest} alone     {len(alone.asked):5d} columns  {alone_time:7.1f} ms")


def main() -> None:
    """Every table whose data are there."""
    for table, name in [(against_piqp, "mnist38"), (along_path, "colon"), (along_path, "leukemia")]:
        if (DATA / f"{name}.npz").exists():
            table(name)
        else:
            print(f"\nskipped {name}: no {name}.npz in {DATA}; set QPFS_DATA to the folder of data.")


if __name__ == "__main__":
    main()
