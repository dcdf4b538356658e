"""The theta path: the same solutions, few more columns than the lowest theta needs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.program.instances import Counting, convex_problem, information_problem
from tests.program.test_solver import check_certificate

from qpfs.program import DenseQuadratic, SimplexProgram, solve, theta_path

GRID = [0.9, 0.7, 0.5, 0.3, 0.1]


@pytest.mark.parametrize("thetas", [GRID, [0.1, 0.5, 1.0, 0.0, 0.5], [1.0], []])
def test_equals_separate_solves(thetas):
    Q, s = convex_problem(80, 8, seed=3)
    path = theta_path(DenseQuadratic(Q), s, thetas)
    assert [solution.theta for solution in path] == thetas
    for theta, solution in zip(thetas, path, strict=True):
        alone = solve(SimplexProgram(DenseQuadratic(Q), s, theta))
        check_certificate(solution, Q, s, theta)
        assert solution.status == alone.status == "optimal"
        np.testing.assert_allclose(solution.weights, alone.weights, atol=1e-8)


def test_indefinite_path_is_stationary_everywhere():
    Q, s = information_problem(40, 300, seed=1)
    for theta, solution in zip(GRID, theta_path(DenseQuadratic(Q), s, GRID), strict=True):
        check_certificate(solution, Q, s, theta)
        alone = solve(SimplexProgram(DenseQuadratic(Q), s, theta))
        assert solution.objective == pytest.approx(alone.objective, abs=1e-9)


def test_asks_for_about_the_columns_of_the_lowest_theta():
    Q, s = information_problem(50, 700, seed=7)
    whole, alone = Counting(Q), Counting(Q)
    theta_path(whole, s, GRID)
    solve(SimplexProgram(alone, s, GRID[-1]))
    assert len(whole.asked) <= 1.3 * len(alone.asked) + 10
