"""Nystrom: the approximation, its corrected diagonal, and the program confined to its range."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from scipy import sparse
from tests.naive import program as naive
from tests.program.instances import convex_problem, information_problem
from tests.program.test_solver import check_certificate, program_of

from qpfs.program import (
    EmptyRangeError,
    LowRankPlusDiagonal,
    Nystrom,
    SimplexProgram,
    nystrom_approximation,
    solve,
    solve_in_range,
)
from qpfs.program.in_range import guessed_multipliers


def sample(M, r, seed=0):
    return np.sort(np.random.default_rng(seed).choice(M, r, replace=False))


def approximated(M, r, seed=0):
    Q, s = convex_problem(M, 10, seed)
    chosen = sample(M, r, seed)
    return Q, s, chosen, nystrom_approximation(chosen, Q[chosen])


def matrix_of(approximation):
    return (approximation.vectors * approximation.values) @ approximation.vectors.T


def range_optimum(approximation, s, theta):
    """The confined program, solved as it is written."""
    U, values = approximation.vectors, approximation.values
    M, _k = U.shape
    A = sparse.csc_matrix(np.vstack((U.sum(axis=0), -U)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(M)]
    P = sparse.csc_matrix(np.diag((1 - theta) * values))
    bounds = np.append(1.0, np.zeros(M))
    solver = clarabel.DefaultSolver(P, -theta * (s @ U), A, bounds, cones, settings)
    y = np.array(solver.solve().x)
    return U @ y, (1 - theta) / 2 * (values * y) @ y - theta * s @ U @ y


@pytest.mark.parametrize("r", [1, 5, 20, 60])
def test_blocks_of_the_sampled_are_exact_and_the_rest_as_defined(r):
    Q, _, chosen, approximation = approximated(60, r)
    A, B = Q[np.ix_(chosen, chosen)], Q[chosen]
    np.testing.assert_allclose(matrix_of(approximation), B.T @ np.linalg.solve(A, B), atol=1e-10)
    np.testing.assert_allclose(matrix_of(approximation)[chosen], Q[chosen], atol=1e-10)


@pytest.mark.parametrize("r", [1, 5, 20, 60])
def test_vectors_are_orthonormal_and_values_positive(r):
    approximation = approximated(60, r)[3]
    U = approximation.vectors
    np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
    assert approximation.values.min() > 0
    assert np.all(np.diff(approximation.values) <= 0)


def test_indefinite_block_is_clipped():
    Q, _ = information_problem(30, 200, seed=30)
    chosen = sample(200, 150)
    assert np.linalg.eigvalsh(Q[np.ix_(chosen, chosen)])[0] < 0
    approximation = nystrom_approximation(chosen, Q[chosen])
    U = approximation.vectors
    assert U.shape[1] < 150
    np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)


@pytest.mark.parametrize("r", [1, 7, 40])
def test_mean_by_blocks(r):
    Q, _, chosen, approximation = approximated(40, r)
    others = np.setdiff1d(np.arange(40), chosen)
    A, B = Q[np.ix_(chosen, chosen)], Q[np.ix_(chosen, others)]
    E = B.T @ np.linalg.solve(A, B)
    expected = (A.sum() + 2 * B.sum() + E.sum()) / 40**2
    assert approximation.mean_redundancy == pytest.approx(expected, abs=1e-12)


def test_unsampled_diagonal_is_too_small_and_the_correction_exact():
    Q, _s, chosen, approximation = approximated(60, 6)
    others = np.setdiff1d(np.arange(60), chosen)
    assert approximation.diagonal()[others].mean() < 0.8 * Q.diagonal()[others].mean()
    corrected = approximation.corrected(Q.diagonal())
    np.testing.assert_allclose(corrected.diagonal(), Q.diagonal(), atol=1e-12)
    everything = np.arange(60)
    dense = corrected.block(everything, everything)
    np.testing.assert_allclose(dense[chosen], Q[chosen], atol=1e-10)
    np.testing.assert_allclose(
        dense - np.diag(dense.diagonal()),
        matrix_of(approximation) - np.diag(approximation.diagonal()),
        atol=1e-12,
    )


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.8])
def test_corrected_program(theta):
    Q, s, _, approximation = approximated(60, 6)
    corrected = approximation.corrected(Q.diagonal())
    solution = solve(SimplexProgram(corrected, s, theta), prove_up_to=0)
    dense = corrected.block(np.arange(60), np.arange(60))
    assert solution.status == "optimal"
    check_certificate(solution, dense, s, theta)
    same = solve(program_of(dense, s, theta))
    np.testing.assert_allclose(solution.weights, same.weights, atol=1e-8)


def test_low_rank_plus_diagonal_answers_like_its_matrix():
    rng = np.random.default_rng(0)
    F, d = rng.normal(size=(9, 2)), rng.uniform(size=9)
    quadratic, dense = LowRankPlusDiagonal(F, d), F @ F.T + np.diag(d)
    rows, columns = np.array([0, 3, 8]), np.array([3, 1])
    weights = np.array([0.2, 0.8])
    np.testing.assert_allclose(quadratic.diagonal(), dense.diagonal())
    np.testing.assert_allclose(quadratic.block(rows, columns), dense[np.ix_(rows, columns)])
    np.testing.assert_allclose(quadratic.product(columns, weights), dense[:, columns] @ weights)
    with pytest.raises(ValueError, match="negative"):
        LowRankPlusDiagonal(F, -d)


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize(("M", "r"), [(12, 3), (60, 12), (150, 30)])
def test_confined_program_against_clarabel(M, r, theta):
    _Q, s, _, approximation = approximated(M, r, seed=M)
    solution = solve_in_range(approximation, s, theta)
    weights, objective = range_optimum(approximation, s, theta)
    assert solution.objective == pytest.approx(objective, abs=1e-8)
    np.testing.assert_allclose(solution.weights, weights, atol=1e-5)


@pytest.mark.parametrize("theta", [0.0, 0.5, 0.9, 1.0])
def test_confined_program_certificate(theta):
    Q, s = information_problem(40, 200, seed=4)
    approximation = nystrom_approximation(sample(200, 40), Q[sample(200, 40)])
    solution = solve_in_range(approximation, s, theta)
    a, m, U = solution.weights, solution.multipliers, approximation.vectors
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1.0, abs=1e-12)
    assert m.min() >= 0
    assert not np.any(a[m > 0])
    assert 0 < (a == 0).sum() <= 2 * len(approximation.values)
    assert solution.gap <= 1e-10
    assert solution.violation <= 1e-9
    y = U.T @ a
    np.testing.assert_allclose(U @ y, a, atol=1e-9)
    # Lagrange: the gradient in y is a combination of the constraints' normals.
    slope = (1 - theta) * approximation.values * y - theta * (s @ U) - m @ U
    ones = U.sum(axis=0)
    nu = (slope @ ones) / (ones @ ones)
    np.testing.assert_allclose(slope, nu * ones, atol=1e-7)
    assert np.all(np.diff(a[solution.order()]) <= 0)


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.8, 1.0])
def test_everything_sampled_is_exact(theta):
    Q, s = convex_problem(40, 6, seed=5)
    everything = np.arange(40)
    approximation = nystrom_approximation(everything, Q)
    confined = solve_in_range(approximation, s, theta)
    full = solve(program_of(Q, s, theta))
    np.testing.assert_allclose(matrix_of(approximation), Q, atol=1e-12)
    assert confined.objective == pytest.approx(full.objective, abs=1e-9)
    np.testing.assert_allclose(confined.weights, full.weights, atol=1e-7)
    assert naive.gap(Q, s, theta, confined.weights) <= 1e-8


@pytest.mark.parametrize(("M", "k", "seed"), [(30, 4, 0), (400, 20, 1), (2000, 60, 2)])
def test_guess_is_near_the_nearest_point(M, k, seed):
    """|v|^2 against the dual value of its own multipliers, which no point of the polyhedron is below."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(M, k))
    h = G @ rng.normal(size=k) * 2 - rng.uniform(size=M)
    m = guessed_multipliers(G, (G**2).sum(axis=1), h)
    v = m @ G
    assert m.min() >= 0
    assert (G @ v - h).min() >= -1e-3 * np.abs(h).max()
    assert v @ v == pytest.approx(h @ m, rel=1e-3)


def test_guess_of_nothing_ends():
    """Where the polyhedron is empty, the guess is worthless, and finite."""
    assert np.isfinite(guessed_multipliers(np.array([[1.0], [-1.0]]), np.ones(2), np.ones(2))).all()


def test_range_without_weights():
    balanced = np.array([[1.0], [-1.0]]) / np.sqrt(2)
    with pytest.raises(EmptyRangeError):
        solve_in_range(Nystrom(balanced, np.eye(1), np.ones(1), 0.0), np.zeros(2), 0.5)
    lopsided = np.array([[2.0], [-1.0]]) / np.sqrt(5)
    for theta in (0.5, 1.0):
        with pytest.raises(EmptyRangeError):
            solve_in_range(Nystrom(lopsided, np.eye(1), np.ones(1), 0.0), np.zeros(2), theta)


@pytest.mark.parametrize(
    ("sampled", "columns", "message"),
    [
        ([0, 1], np.ones((1, 3)), "2 indices are sampled"),
        ([0, 0], np.ones((2, 3)), "distinct"),
        ([0, 3], np.ones((2, 3)), "distinct"),
        ([0], np.full((1, 3), np.nan), "not finite"),
        ([0], np.zeros((1, 3)), "no positive eigenvalue"),
    ],
)
def test_samples_that_will_not_do(sampled, columns, message):
    with pytest.raises(ValueError, match=message):
        nystrom_approximation(np.array(sampled), columns)


def test_confined_programs_that_will_not_do():
    approximation = approximated(12, 3)[3]
    with pytest.raises(ValueError, match="12 finite numbers"):
        solve_in_range(approximation, np.ones(3), 0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        solve_in_range(approximation, np.ones(12), -0.5)
