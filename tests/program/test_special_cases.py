"""The corners: one or two indices, no matrix, no relevance, theta = 0 and 1, duplicates, wrong input."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import program as naive
from tests.program.instances import Counting, convex_problem, information_problem
from tests.program.test_solver import check_certificate, program_of

from qpfs.program import DenseQuadratic, SimplexProgram, solve


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("q", [-1.0, 0.0, 2.0])
def test_one_index(q, theta):
    solution = solve(program_of([[q]], [0.3], theta))
    assert solution.weights == [1.0]
    assert solution.gap == 0.0
    assert solution.status == "optimal"
    assert solution.support_convex


@pytest.mark.parametrize("theta", [0.0, 0.2, 0.8])
@pytest.mark.parametrize("off", [-0.5, 0.0, 0.4, 1.0, 3.0])
def test_two_indices(off, theta):
    Q, s = np.array([[1.0, off], [off, 0.7]]), np.array([0.2, 0.5])
    solution = solve(program_of(Q, s, theta), n_starts=3)

    def value(t):
        return naive.objective(Q, s, theta, np.array([t, 1 - t]))

    near = min(np.linspace(0, 1, 1001), key=value)
    lowest = min(map(value, np.linspace(max(near - 0.001, 0), min(near + 0.001, 1), 1001)))
    check_certificate(solution, Q, s, theta)
    assert solution.objective <= lowest + 1e-12
    assert solution.objective == pytest.approx(lowest, abs=1e-8)
    assert (solution.status == "optimal") == (1.7 - 2 * off >= 0)


def test_theta_one_takes_the_most_relevant_and_asks_for_no_column():
    s = np.array([0.1, 0.9, 0.3, 0.9, 0.0])
    quadratic = Counting(np.eye(5))
    solution = solve(SimplexProgram(quadratic, s, 1.0), n_starts=3)
    assert solution.support.tolist() == [1]
    assert solution.status == "optimal"
    assert solution.order().tolist() == [1, 3, 2, 0, 4]
    assert solution.n_columns == 0
    assert not quadratic.asked


def test_theta_zero_does_not_look_at_the_relevance():
    Q, s = convex_problem(20, 3, seed=0)
    with_s, without = solve(program_of(Q, s, 0.0)), solve(program_of(Q, 0 * s, 0.0))
    assert np.array_equal(with_s.weights, without.weights)


def test_no_relevance_is_the_problem_at_theta_zero():
    Q, _ = convex_problem(20, 3, seed=1)
    zero = np.zeros(20)
    np.testing.assert_allclose(
        solve(program_of(Q, zero, 0.7)).weights, solve(program_of(Q, zero, 0.0)).weights, atol=1e-12
    )


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_nothing_at_all_goes_to_the_first_index(theta):
    solution = solve(program_of(np.zeros((6, 6)), np.zeros(6), theta), n_starts=3)
    assert solution.support.tolist() == [0]
    assert solution.gap == 0.0
    assert solution.status == "optimal"
    assert solution.order().tolist() == list(range(6))


def test_no_redundancy_goes_to_the_most_relevant():
    solution = solve(program_of(np.zeros((4, 4)), np.array([0.1, 0.5, 0.5, 0.2]), 0.5))
    assert solution.support.tolist() == [1]


@pytest.mark.parametrize("theta", [0.0, 0.2, 0.6, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_duplicates_leave_the_objective_and_weigh_at_the_lowest_index(theta, seed):
    rng = np.random.default_rng(seed)
    Q, s = information_problem(60, 30, seed)
    copies = rng.permutation(np.repeat(np.arange(30), 3))
    plain, many = solve(program_of(Q, s, theta)), solve(program_of(Q[copies][:, copies], s[copies], theta))
    check_certificate(many, Q[copies][:, copies], s[copies], theta)
    assert many.objective == pytest.approx(plain.objective, abs=1e-12)
    first = [int(np.flatnonzero(copies == i)[0]) for i in range(30)]
    assert set(many.support) <= set(first)
    np.testing.assert_allclose(many.weights[first], plain.weights, atol=1e-8)


def test_all_duplicates_of_one():
    solution = solve(program_of(np.full((7, 7), 0.4), np.full(7, 0.2), 0.5), start=np.eye(7)[5])
    assert solution.support.tolist() == [0]


def test_duplicates_that_differ_by_rounding():
    Q, s = information_problem(60, 40, seed=9)
    twice = np.tile(Q, (2, 2))
    noise = np.random.default_rng(0).uniform(-1, 1, twice.shape) * 1e-15
    solution = solve(program_of(twice + noise + noise.T, np.tile(s, 2), 0.3))
    assert solution.support.max() < 40


def test_duplicates_among_many_starts():
    Q, s = information_problem(30, 60, seed=2)
    solution = solve(program_of(np.tile(Q, (2, 2)), np.tile(s, 2), 0.1), n_starts=5, prove_up_to=0)
    assert solution.support.max() < 60


def test_proof_reads_the_matrix_only_when_allowed():
    Q, s = information_problem(300, 80, seed=0)
    allowed, forbidden = Counting(Q), Counting(Q)
    assert solve(SimplexProgram(allowed, s, 0.8)).status == "optimal"
    assert solve(SimplexProgram(forbidden, s, 0.8), prove_up_to=79).status == "stationary"
    assert len(allowed.asked) == 80
    assert len(forbidden.asked) < 80
    assert solve(program_of(Q, s, 0.8, convex=True), prove_up_to=0).status == "optimal"


@pytest.mark.parametrize(
    ("Q", "message"),
    [
        (np.zeros((2, 3)), "square"),
        (np.zeros((0, 0)), "not empty"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "not finite"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "symmetrise"),
    ],
)
def test_matrices_that_will_not_do(Q, message):
    with pytest.raises(ValueError, match=message):
        DenseQuadratic(Q)


@pytest.mark.parametrize(
    ("s", "theta", "message"),
    [
        ([1.0], 0.5, "2 columns"),
        ([1.0, np.inf], 0.5, "not finite"),
        ([1.0, 1.0], 1.5, "between 0 and 1"),
        ([1.0, 1.0], np.nan, "between 0 and 1"),
    ],
)
def test_programs_that_will_not_do(s, theta, message):
    with pytest.raises(ValueError, match=message):
        SimplexProgram(DenseQuadratic(np.eye(2)), np.array(s), theta)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tol": 0.0}, "tol=0.0"),
        ({"n_starts": 0}, "at least one start"),
        ({"start": [1.0]}, "2 weights"),
        ({"start": [-1.0, 2.0]}, ">= 0"),
        ({"start": [0.0, 0.0]}, "not all of them 0"),
    ],
)
def test_options_that_will_not_do(options, message):
    with pytest.raises(ValueError, match=message):
        solve(program_of(np.eye(2), np.ones(2), 0.5), **options)
