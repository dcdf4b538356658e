"""`solve` against other solvers, exhaustive search, and the definition of a stationary point."""

from __future__ import annotations

import clarabel
import numpy as np
import osqp
import piqp
import pytest
from scipy import sparse
from tests.naive import program as naive
from tests.program.instances import (
    ABSOLUTE_CORRELATION,
    FOUR_SAMPLES,
    THREE_SAMPLES,
    XOR,
    Counting,
    convex_problem,
    information_problem,
)

from qpfs.program import DenseQuadratic, SimplexProgram, solve, solver

THETAS = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9]


def program_of(Q, s, theta, convex=False):
    return SimplexProgram(DenseQuadratic(Q, convex), s, theta)


def check_certificate(solution, Q, s, theta, tol=1e-9):
    """Feasible, exact zeros, stationary by definition, and everything reported is true."""
    a, g = solution.weights, naive.gradient(Q, s, theta, solution.weights)
    scale = max(theta * np.abs(s).max(), (1 - theta) * np.abs(Q.diagonal()).max())
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.array_equal(solution.support, np.flatnonzero(a))
    nu = a @ g
    assert np.abs(g[solution.support] - nu).max() <= tol * scale
    assert g.min() >= nu - tol * scale
    assert 0 <= solution.gap <= tol * scale
    np.testing.assert_allclose(solution.gradient, g, atol=1e-12 * scale)
    assert solution.objective == pytest.approx(naive.objective(Q, s, theta, a), abs=1e-12 * scale)


def by_clarabel(P, c):
    n = len(c)
    A = sparse.vstack((np.ones((1, n)), -sparse.identity(n))).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    upper = sparse.csc_matrix(np.triu(P))
    bounds = np.append(1.0, np.zeros(n))
    return np.array(clarabel.DefaultSolver(upper, c, A, bounds, cones, settings).solve().x)


def by_piqp(P, c):
    n = len(c)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-11
    solver.setup(P, c, np.ones((1, n)), np.ones(1), None, None, None, np.zeros(n), np.full(n, np.inf))
    solver.solve()
    return np.array(solver.result.x)


def by_osqp(P, c):
    n = len(c)
    A = sparse.vstack((np.ones((1, n)), sparse.identity(n))).tocsc()
    low, high = np.append(1.0, np.zeros(n)), np.append(1.0, np.full(n, np.inf))
    solver = osqp.OSQP()
    exact = {"eps_abs": 1e-10, "eps_rel": 1e-10, "max_iter": 50_000, "polishing": True}
    solver.setup(sparse.csc_matrix(np.triu(P)), c, A, low, high, verbose=False, **exact)
    return np.array(solver.solve(raise_error=True).x)


@pytest.mark.parametrize("other", [by_clarabel, by_piqp, by_osqp])
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("M", "rank"), [(5, 2), (40, 5), (150, 150)])
def test_agrees_with_other_solvers(other, theta, M, rank):
    Q, s = convex_problem(M, rank, seed=M)
    solution = solve(program_of(Q, s, theta))
    check_certificate(solution, Q, s, theta)
    assert solution.status == "optimal"
    assert solution.support_convex
    theirs = other((1 - theta) * Q, -theta * s)
    assert solution.objective == pytest.approx(naive.objective(Q, s, theta, theirs), abs=1e-7)
    np.testing.assert_allclose(solution.weights, theirs, atol=1e-4)


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("seed", range(12))
def test_indefinite_matrices_against_every_support(theta, seed):
    """A start from every vertex finds the global minimum of these; one start a stationary point."""
    rng = np.random.default_rng(seed)
    M = int(rng.integers(2, 9))
    Q = rng.uniform(0, 1, (M, M))
    Q, s = (Q + Q.T) / 2 + np.diag(rng.uniform(0, 1, M)), rng.uniform(0, 1, M)
    one = solve(program_of(Q, s, theta))
    many = solve(program_of(Q, s, theta), n_starts=M + 1)
    best = naive.objective(Q, s, theta, naive.exhaustive_minimum(Q, s, theta))
    check_certificate(one, Q, s, theta)
    check_certificate(many, Q, s, theta)
    assert best - 1e-12 <= many.objective <= one.objective
    assert many.objective == pytest.approx(best, abs=1e-9)
    if one.status == "optimal":
        assert one.objective == pytest.approx(best, abs=1e-9)


def eigenvalues(Q):
    return np.linalg.eigvalsh(Q)


def inside_simplex(Q):
    P = np.eye(len(Q)) - 1.0 / len(Q)
    return P @ Q @ P


ROOT_13 = np.sqrt(13.0)
FIXTURES = [
    pytest.param(
        naive.information_matrix(THREE_SAMPLES), [-0.0619, 0.4621, 0.4621, 2.1459], True, id="3 samples"
    ),
    pytest.param(
        naive.information_matrix(XOR) / np.log(2),
        [(3 - ROOT_13) / 2, 1.0, 1.0, (3 + ROOT_13) / 2],
        True,
        id="xor",
    ),
    pytest.param(ABSOLUTE_CORRELATION, [1 - np.sqrt(2), 1.0, 1.0, 1 + np.sqrt(2)], False, id="|corr|"),
    pytest.param(naive.information_matrix(FOUR_SAMPLES), None, False, id="4 samples"),
]


@pytest.mark.parametrize(("Q", "spectrum", "convex"), FIXTURES)
@pytest.mark.parametrize("theta", THETAS)
def test_the_smallest_indefinite_matrices(Q, spectrum, convex, theta):
    if spectrum is not None:
        np.testing.assert_allclose(eigenvalues(Q), spectrum, atol=6e-5)
        assert eigenvalues(Q)[0] < 0
    assert (eigenvalues(inside_simplex(Q))[0] > -1e-12) == convex
    s = np.linspace(0.1, 0.4, len(Q))
    solution = solve(program_of(Q, s, theta), n_starts=len(Q) + 1)
    check_certificate(solution, Q, s, theta)
    assert solution.status == ("optimal" if convex else "stationary")
    best = naive.exhaustive_minimum(Q, s, theta)
    assert solution.objective == pytest.approx(naive.objective(Q, s, theta, best), abs=1e-10)


def test_lowest_eigenvalue_inside_the_simplex_of_four_samples():
    Q = naive.information_matrix(FOUR_SAMPLES)
    assert eigenvalues(inside_simplex(Q))[0] == pytest.approx(-0.101, abs=5e-4)


@pytest.mark.parametrize(("N", "M"), [(30, 200), (45, 300), (60, 400)])
@pytest.mark.parametrize("theta", [0.0, 0.1, 0.5])
def test_indefinite_information_matrices(N, M, theta):
    Q, s = information_problem(N, M, seed=N)
    solution = solve(program_of(Q, s, theta), prove_up_to=0)
    check_certificate(solution, Q, s, theta)
    assert solution.status == "stationary"
    assert solution.support_convex
    starts = np.random.default_rng(0).choice(M, 3, replace=False)
    descents = [naive.pairwise_descent(Q, s, theta, start, tol=1e-7) for start in starts]
    lowest = min(naive.objective(Q, s, theta, a) for a in descents)
    assert solution.objective <= lowest + 1e-9


def test_information_matrices_are_indefinite_at_these_sizes():
    Q, _ = information_problem(30, 200, seed=30)
    assert eigenvalues(inside_simplex(Q))[0] < -1e-3


@pytest.mark.parametrize("theta", [0.0, 0.3])
def test_rounds_never_raise_the_objective(theta):
    Q, s = information_problem(40, 400, seed=3)
    rounds = []
    solution = solve(program_of(Q, s, theta), on_round=rounds.append)
    objectives = [r.objective for r in rounds]
    assert np.all(np.diff(objectives) <= 1e-14)
    assert [r.number for r in rounds] == list(range(1, solution.n_rounds + 1))
    assert rounds[-1].n_support == len(solution.support)
    assert rounds[-1].gap == solution.gap
    assert rounds[-1].n_candidates == solution.n_columns


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.8])
def test_asks_for_few_columns(theta):
    Q, s = information_problem(50, 1200, seed=5)
    quadratic = Counting(Q)
    solution = solve(SimplexProgram(quadratic, s, theta))
    assert len(quadratic.asked) == solution.n_columns
    assert solution.n_columns <= 1.5 * len(solution.support) + 20


def test_same_answer_every_time():
    Q, s = information_problem(40, 300, seed=8)
    first, second = (solve(program_of(Q, s, 0.2), n_starts=4, random_state=1) for _ in range(2))
    assert np.array_equal(first.weights, second.weights)
    assert np.array_equal(first.order(), second.order())
    assert (first.n_columns, first.n_steps) == (second.n_columns, second.n_steps)


def test_warm_start_gives_the_same_point():
    Q, s = convex_problem(60, 6, seed=2)
    cold = solve(program_of(Q, s, 0.4))
    warm = solve(program_of(Q, s, 0.4), start=solve(program_of(Q, s, 0.6)).weights)
    uniform = solve(program_of(Q, s, 0.4), start=np.ones(60))
    for solution in (warm, uniform):
        check_certificate(solution, Q, s, 0.4)
        np.testing.assert_allclose(solution.weights, cold.weights, atol=1e-9)


def test_more_starts_are_never_worse():
    rng = np.random.default_rng(4)
    Q = rng.uniform(0, 1, (30, 30))
    Q, s = (Q + Q.T) / 2, np.zeros(30)
    objectives = [solve(program_of(Q, s, 0.0), n_starts=n).objective for n in (1, 3, 9, 31)]
    assert objectives == sorted(objectives, reverse=True)


def test_badly_conditioned_matrices():
    rng = np.random.default_rng(6)
    F = rng.normal(size=(80, 80)) * np.logspace(0, -6, 80)
    Q, s = F @ F.T, rng.uniform(0, 1e-3, 80)
    for theta in (0.0, 0.5, 0.9):
        check_certificate(solve(program_of(Q, s, theta)), Q, s, theta)


@pytest.mark.parametrize("rank", [1, 3])
def test_singular_matrices(rank):
    rng = np.random.default_rng(rank)
    F = rng.normal(size=(50, rank))
    Q, s = F @ F.T, rng.uniform(0, 1, 50)
    for theta in (0.0, 0.2, 0.6):
        solution = solve(program_of(Q, s, theta))
        check_certificate(solution, Q, s, theta)
        assert solution.status == "optimal"
        assert solution.support_convex
        assert len(solution.support) <= rank + 1
        theirs = by_clarabel((1 - theta) * Q, -theta * s)
        assert solution.objective == pytest.approx(naive.objective(Q, s, theta, theirs), abs=1e-7)


def test_order_ranks_by_weight_then_reduced_gradient_then_index():
    Q, s = convex_problem(30, 4, seed=1)
    solution = solve(program_of(Q, s, 0.5))
    order, n = solution.order(), len(solution.support)
    assert sorted(order) == list(range(30))
    assert np.all(np.diff(solution.weights[order]) <= 0)
    assert set(order[:n]) == set(solution.support)
    assert np.all(np.diff(solution.gradient[order[n:]]) >= 0)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(6))
def test_leaving_out_what_cannot_lower_f_changes_no_bit(monkeypatch, seed, theta):
    rng = np.random.default_rng(seed)
    M = 400
    Q = 0.02 * rng.random((M, M))
    Q = (Q + Q.T) / 2 + np.diag(rng.uniform(0.6, 1.0, M))
    s = np.concatenate([rng.uniform(0.1, 0.4, 40), rng.uniform(0.0, 0.05, M - 40)])
    plain = solve(SimplexProgram(DenseQuadratic(Q), s, theta))
    asked = []
    at = DenseQuadratic.product_at

    def counted(self, rows, columns, weights):
        asked.append(len(rows))
        return at(self, rows, columns, weights)

    monkeypatch.setattr(solver, "LARGE", 0)
    monkeypatch.setattr(solver, "FEW", 1.0)
    monkeypatch.setattr(DenseQuadratic, "product_at", counted)
    screened = solve(SimplexProgram(DenseQuadratic(Q), s, theta))
    for name in ("weights", "support", "gradient"):
        np.testing.assert_array_equal(getattr(screened, name), getattr(plain, name))
    assert (screened.gap, screened.objective) == (plain.gap, plain.objective)
    assert (screened.n_columns, screened.n_rounds) == (plain.n_columns, plain.n_rounds)
    assert asked
    assert theta < 0.5 or min(asked) < M / 4


def test_nothing_is_left_out_where_entries_are_negative(monkeypatch):
    monkeypatch.setattr(solver, "LARGE", 0)
    monkeypatch.setattr(DenseQuadratic, "product_at", None)
    rng = np.random.default_rng(0)
    F = rng.standard_normal((300, 10))
    solution = solve(SimplexProgram(DenseQuadratic(F @ F.T), rng.random(300), 0.5))
    assert solution.gap < 1e-8
