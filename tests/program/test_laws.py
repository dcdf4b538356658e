"""What must hold for any problem: renaming indices, shifting and scaling Q, repeating."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import program as naive
from tests.program.instances import convex_problem
from tests.program.test_solver import check_certificate, program_of

from qpfs.program import solve

sizes, seeds = st.integers(1, 25), st.integers(0, 10_000)
thetas = st.floats(0.0, 0.95)
few = settings(deadline=None)


@few
@given(sizes, seeds, thetas)
def test_permuting_the_indices_permutes_the_weights(M, seed, theta):
    Q, s = convex_problem(M, 4, seed)
    order = np.random.default_rng(seed).permutation(M)
    plain = solve(program_of(Q, s, theta))
    permuted = solve(program_of(Q[order][:, order], s[order], theta))
    np.testing.assert_allclose(permuted.weights, plain.weights[order], atol=1e-7)
    assert abs(permuted.objective - plain.objective) <= 1e-9


@few
@given(sizes, seeds, thetas, st.floats(-5.0, 5.0))
def test_adding_a_constant_to_the_matrix_changes_nothing(M, seed, theta, c):
    Q, s = convex_problem(M, 4, seed)
    plain, shifted = (solve(program_of(matrix, s, theta)) for matrix in (Q, Q + c))
    np.testing.assert_allclose(shifted.weights, plain.weights, atol=1e-6)
    assert plain.status == shifted.status == "optimal"


@few
@given(sizes, seeds, thetas, st.floats(-12.0, 12.0))
def test_the_unit_of_information_changes_nothing(M, seed, theta, exponent):
    Q, s = convex_problem(M, 4, seed)
    unit = 10.0**exponent
    plain, scaled = solve(program_of(Q, s, theta)), solve(program_of(unit * Q, unit * s, theta))
    np.testing.assert_allclose(scaled.weights, plain.weights, atol=1e-7)


@few
@given(st.integers(1, 6), seeds, thetas)
def test_any_symmetric_matrix_has_its_stationary_point_certified(M, seed, theta):
    rng = np.random.default_rng(seed)
    Q, s = rng.normal(size=(M, M)), rng.normal(size=M)
    Q = Q + Q.T
    solution = solve(program_of(Q, s, theta), n_starts=M + 1)
    check_certificate(solution, Q, s, theta)
    best = naive.objective(Q, s, theta, naive.exhaustive_minimum(Q, s, theta))
    assert solution.objective >= best - 1e-9
    if solution.status == "optimal":
        assert solution.objective <= best + 1e-8


@few
@given(st.integers(1, 12), seeds, thetas)
def test_matrices_of_small_integers_full_of_ties(M, seed, theta):
    rng = np.random.default_rng(seed)
    Q, s = rng.integers(0, 3, (M, M)), rng.integers(0, 2, M).astype(float)
    Q = (Q + Q.T).astype(float)
    check_certificate(solve(program_of(Q, s, theta)), Q, s, theta)
