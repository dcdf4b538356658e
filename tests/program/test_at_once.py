"""A small program at once: what column generation finds, in one round."""

from __future__ import annotations

import numpy as np
import pytest
from tests.program.instances import Counting, convex_problem
from tests.program.test_solver import program_of

from qpfs.program import SimplexProgram, solve, solver


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("M", [2, 9, 30, 60])
def test_at_once_is_what_column_generation_finds(M, theta, monkeypatch):
    Q, s = convex_problem(M, 5, seed=M)
    at_once = solve(program_of(Q, s, theta))
    monkeypatch.setattr(solver, "SMALL", 0)
    by_columns = solve(program_of(Q, s, theta))
    assert at_once.status == by_columns.status == "optimal"
    np.testing.assert_allclose(at_once.weights, by_columns.weights, atol=1e-9)
    assert np.array_equal(at_once.support, by_columns.support)


def test_a_small_program_takes_one_round_with_all_columns():
    Q, s = convex_problem(30, 5, seed=0)
    quadratic, rounds = Counting(Q), []
    solution = solve(SimplexProgram(quadratic, s, 0.5), on_round=rounds.append)
    assert solution.n_columns == len(quadratic.asked) == rounds[0].n_candidates == 30
    assert solution.n_rounds == len(rounds) == 1
    assert rounds[0].gap == solution.gap


def test_starts_at_the_vertex_given():
    """Where f is concave every vertex is stationary."""
    Q = 1.0 - np.eye(4)
    for start in np.eye(4):
        assert np.array_equal(solve(program_of(Q, np.zeros(4), 0.5), start=start).weights, start)
