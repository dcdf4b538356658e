"""Weights with lower bounds, against other solvers and the conditions of an optimum."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from tests.program.instances import convex_problem

from qpfs.program import (
    DenseQuadratic,
    SimplexProgram,
    nystrom_approximation,
    solve,
    solve_above,
    solve_in_range,
)


def by_clarabel(P, c, lower):
    """Another solver, on the bounded problem itself."""
    n = len(c)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    A = sp.vstack((np.ones((1, n)), -sp.eye(n)), format="csc")
    bounds = np.concatenate(([1.0], -lower))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    upper = sp.csc_matrix(np.triu(P))
    return np.array(clarabel.DefaultSolver(upper, c, A, bounds, cones, settings).solve().x)


def bounds(M, kept, share):
    lower = np.zeros(M)
    lower[kept] = share
    return lower


@pytest.mark.parametrize("theta", [0.0, 0.4, 0.9, 1.0])
@pytest.mark.parametrize("M", [12, 90])  # at once, and by columns
def test_the_bounded_optimum(M, theta):
    Q, s = convex_problem(M, 5, seed=M)
    lower = bounds(M, [3, 8], [0.3, 0.05])
    program = SimplexProgram(DenseQuadratic(Q, convex=True), s, theta)
    found = solve_above(program, lower, solve(program))
    g = (1 - theta) * Q @ found.weights - theta * s
    assert found.status == "optimal"
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(found.weights >= lower)
    np.testing.assert_allclose(found.gradient, g, atol=1e-12)
    # KKT: all weights above their bounds have the same gradient, and none has a lower one
    above = found.weights > lower + 1e-12
    np.testing.assert_allclose(g[above], found.level, atol=1e-8)
    assert g.min() >= found.level - 1e-8
    assert found.objective == pytest.approx(program.objective(found.weights), abs=1e-12)
    # the gap is that of the bounded problem: the best vertex of it
    best = lower + (1 - lower.sum()) * (np.arange(M) == np.argmin(g))
    assert found.gap == pytest.approx((found.weights - best) @ g, abs=1e-12)
    other = by_clarabel((1 - theta) * Q, -theta * s, lower)
    assert found.objective <= program.objective(other) + 1e-9


def test_bounds_that_hold_anyway_change_nothing():
    Q, s = convex_problem(30, 5, seed=1)
    program = SimplexProgram(DenseQuadratic(Q, convex=True), s, 0.4)
    free = solve(program)
    found = solve_above(program, free.weights / 2, free)
    np.testing.assert_array_equal(found.weights, free.weights)
    assert found.level == pytest.approx(free.level, abs=1e-9)


@pytest.mark.parametrize("lower", [np.full(4, 0.3), np.array([-0.1, 0, 0, 0]), np.zeros(3)])
def test_what_is_no_bound(lower):
    Q, s = convex_problem(4, 2, seed=0)
    program = SimplexProgram(DenseQuadratic(Q), s, 0.5)
    with pytest.raises(ValueError, match="sum to less than one"):
        solve_above(program, lower, solve(program))


@pytest.mark.parametrize("theta", [0.3, 1.0])
def test_the_range_with_bounds(theta):
    Q, s = convex_problem(20, 20, seed=3)  # all columns: the range holds all weights
    lower = bounds(20, [2, 5], 0.2)
    found = solve_in_range(nystrom_approximation(np.arange(20), Q), s, theta, lower=lower)
    program = SimplexProgram(DenseQuadratic(Q, convex=True), s, theta)
    other = solve_above(program, lower, solve(program))
    assert np.all(found.weights >= lower - 1e-9)
    assert program.objective(found.weights) == pytest.approx(other.objective, abs=1e-7)
