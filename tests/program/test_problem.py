"""The problem as a value: it says what the formula says."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import program as naive
from tests.program.instances import convex_problem

from qpfs.program import DenseQuadratic, SimplexProgram


def test_dense_quadratic_answers_like_its_matrix():
    Q, _ = convex_problem(9, 2, seed=0)
    quadratic = DenseQuadratic(Q)
    rows, columns, weights = np.array([0, 3, 8]), np.array([3, 1]), np.array([0.2, 0.8])
    assert quadratic.size == 9
    np.testing.assert_array_equal(quadratic.diagonal(), Q.diagonal())
    np.testing.assert_array_equal(quadratic.block(rows, columns), Q[np.ix_(rows, columns)])
    np.testing.assert_allclose(quadratic.product(columns, weights), Q[:, columns] @ weights)


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
def test_objective_and_gradient(theta):
    Q, s = convex_problem(9, 2, seed=1)
    program = SimplexProgram(DenseQuadratic(Q), s, theta)
    a = np.random.default_rng(0).dirichlet(np.ones(9))
    a[:4] = 0.0
    support = np.flatnonzero(a)
    assert program.objective(a) == pytest.approx(naive.objective(Q, s, theta, a))
    expected = naive.gradient(Q, s, theta, a)
    np.testing.assert_allclose(program.gradient(support, a[support]), expected, atol=1e-14)


def test_values_do_not_change_with_the_arrays_they_came_from():
    s = np.array([0.1, 0.2])
    program = SimplexProgram(DenseQuadratic(np.eye(2)), s, 0.5)
    s[:] = 9.0
    assert program.relevance.tolist() == [0.1, 0.2]
