"""The dense route, all of Q and then a solver of quadratic programs, against QPFS; two cores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import TypeAlias

import numpy as np
from scipy import sparse
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, Data, cases, codes_of
from benchmarks.reference import OneHot, matrix_jobs
from benchmarks.rows import Row, duration, faster, limited
from benchmarks.timing import race
from qpfs import QPFS

BOUND = 30.0
WORSE = 1e-5  # of the objective's size: what a solver's own tolerance may cost it
ANSWER = 60.0  # seconds a solver may take
REPEATS, ENOUGH = 3, 1.5  # times a solver is run, and seconds after which it is not run again

Solver: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]


def main() -> list[Row]:
    found = solvers()
    with threadpool_limits(2):
        return [
            row
            for name, data in cases(62, 2000, "colon").items()
            for theta in (0.5, "auto")
            for row in rows(name, data, theta, found)
        ]


def rows(name: str, data: Data, theta: float | str, found: dict[str, Solver]) -> list[Row]:
    """K, b as in the program: minimise a'Ka/2 + b'a on the simplex."""
    X, y = data
    codes = codes_of(X)
    selector = QPFS(theta=theta, **LEVELS, n_jobs=2).fit(X, y)
    ours, *Q_times = race(lambda: selector.fit(X, y), *matrix_jobs(codes), repeats=7)
    Q_time = min(Q_times)
    Q = OneHot(codes).matrix().astype(np.float64)
    s = np.array([mutual_info_score(y, column) for column in codes.T])
    K, b = (1 - selector.theta_) * Q, -selector.theta_ * s
    reached = objective(K, b, selector.scores_)
    what = f"theta={theta}, {name}"
    tried = [attempt(solver, K, b) for solver in found.values()]
    times = {
        solver: Q_time + seconds
        for solver, (seconds, value) in zip(found, tried, strict=True)
        if value is not None and value <= reached + WORSE * abs(reached)
    }
    shown = [
        report(f"{solver}, {what}", ours, reached, Q_time, *result)
        for solver, result in zip(found, tried, strict=True)
    ]
    return [*verdict(what, ours, reached, times, tried), *shown]


def verdict(
    what: str,
    ours: float,
    reached: float,
    times: dict[str, float],
    tried: list[tuple[float, float | None]],
) -> list[Row]:
    if not times:
        return [Row(f"QPFS, {what}: no dense solver got there", duration(ours), bound=BOUND)]
    best = min(times, key=times.__getitem__)
    lowest = min(value for _, value in tried if value is not None)
    above = (reached - lowest) / abs(lowest)
    return [
        faster(f"QPFS, {what}; reference: Q and {best}", ours, times[best], BOUND),
        limited(
            f"QPFS, {what}: objective above the lowest of all, as a share",
            above,
            1e-6,
            f"{reached:.9f}",
            f"{lowest:.9f}",
        ),
    ]


def report(
    what: str,
    ours: float,
    reached: float,
    Q_time: float,
    seconds: float,
    value: float | None,
) -> Row:
    if value is None:
        return Row(f"{what}: refuses or fails", duration(ours), duration(Q_time + seconds))
    difference = (value - reached) / abs(reached)
    return faster(f"{what}: objective {difference:+.1e} off ours", ours, Q_time + seconds)


def attempt(solver: Solver, K: np.ndarray, b: np.ndarray) -> tuple[float, float | None]:
    """Least seconds, and the objective of the answer put on the simplex; None where there is none."""
    begin = perf_counter()
    times: list[float] = []
    while len(times) < REPEATS and perf_counter() - begin < ENOUGH:
        start = perf_counter()
        a = answer(solver, K, b)
        times.append(perf_counter() - start)
        if a is None:
            return times[0], None
    return min(times), objective(K, b, np.maximum(a, 0) / np.maximum(a, 0).sum())


def answer(solver: Solver, K: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """The weights, or None where the solver refuses Q or finds none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return solver(K, b)
    except (ValueError, RuntimeError, ArithmeticError):
        return None


def objective(K: np.ndarray, b: np.ndarray, a: np.ndarray) -> float:
    return float(a @ K @ a / 2 + b @ a)


def solvers() -> dict[str, Solver]:
    """The dense solvers that are installed."""
    known = {"highspy": highs, "piqp": piqp, "clarabel": clarabel, "osqp": osqp}
    found = {}
    for name, solver in known.items():
        try:
            __import__(name)
        except ImportError:
            print(f"absent: {name} (pip install {name})")
        else:
            found[name] = solver
    return found


def highs(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    import highspy

    m = len(b)
    model = highspy.HighsModel()
    lp = model.lp_
    lp.num_col_, lp.num_row_ = m, 1
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = b, np.zeros(m), np.full(m, np.inf)
    lp.row_lower_ = lp.row_upper_ = np.ones(1)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = np.arange(m + 1), np.zeros(m, np.int32)
    lp.a_matrix_.value_ = np.ones(m)
    lower = sparse.csc_array(np.tril(K))
    model.hessian_.dim_ = m
    model.hessian_.format_ = highspy.HessianFormat.kTriangular
    model.hessian_.start_, model.hessian_.index_ = lower.indptr, lower.indices
    model.hessian_.value_ = lower.data
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("time_limit", ANSWER)
    if solver.passModel(model) == highspy.HighsStatus.kError:
        raise ValueError("model refused")
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ValueError(str(solver.getModelStatus()))
    return np.array(solver.getSolution().col_value)


def piqp(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    import piqp as package

    m = len(b)
    solver = package.DenseSolver()
    solver.setup(K, b, np.ones((1, m)), np.ones(1), x_l=np.zeros(m))
    if solver.solve() != package.PIQP_SOLVED:
        raise ValueError("not solved")
    return np.array(solver.result.x)


def clarabel(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    import clarabel as package

    m = len(b)
    A = sparse.csc_matrix(np.vstack([np.ones((1, m)), -np.eye(m)]))
    right = np.r_[1.0, np.zeros(m)]
    cones = [package.ZeroConeT(1), package.NonnegativeConeT(m)]
    settings = package.DefaultSettings()
    settings.verbose, settings.time_limit = False, ANSWER
    solver = package.DefaultSolver(sparse.csc_matrix(np.triu(K)), b, A, right, cones, settings)
    solution = solver.solve()
    if solution.status not in (package.SolverStatus.Solved, package.SolverStatus.AlmostSolved):
        raise ValueError(str(solution.status))
    return np.array(solution.x)


def osqp(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    import osqp as package

    m = len(b)
    A = sparse.csc_matrix(np.vstack([np.ones((1, m)), np.eye(m)]))
    P = sparse.csc_matrix(np.triu(K))
    low, high = np.r_[1.0, np.zeros(m)], np.r_[1.0, np.full(m, np.inf)]
    limits = {"eps_abs": 1e-6, "eps_rel": 1e-6, "time_limit": ANSWER}
    solver = package.OSQP()
    try:
        solver.setup(P, b, A, low, high, verbose=False, **limits)
    except package.OSQPException as error:
        raise ValueError("Q refused") from error
    solution = solver.solve(raise_error=False)
    if solution.info.status != "solved":
        raise ValueError(solution.info.status)
    return np.array(solution.x)
