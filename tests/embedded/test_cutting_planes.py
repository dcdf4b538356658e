"""The rounds against the plain loop over a generic solver, and what holds from round to round."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.naive import embedded as naive

from qpfs.embedded import CuttingPlanes, DenseFeatures, Largest, Logistic, SquaredHinge, Uncorrelated

LOSSES = {"squared_hinge": SquaredHinge, "logistic": Logistic}
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_intercept = pytest.mark.parametrize("intercept", [False, True])


def problem(n=30, m=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) + 0.3
    y = np.where(X[:, :3] @ [1, -1, 0.5] + 0.5 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    return X, y


def machine(X, y, search, loss="squared_hinge", C=2.0, intercept=False, max_iter=20, tol=1e-3):
    planes = CuttingPlanes(search, LOSSES[loss](C), intercept, max_iter, tol)
    return planes.machine(DenseFeatures(X), y, lambda: None)


@every_loss
@every_intercept
@pytest.mark.parametrize("size", [1, 3])
def test_the_plain_loop(size, intercept, loss):
    X, y = problem()
    fast = machine(X, y, Largest(size), loss, intercept=intercept, max_iter=4, tol=1e-9)
    groups, objectives, coef, b = naive.cutting_planes(
        X, y, size, 2.0, loss, intercept, n_rounds=len(fast.rounds)
    )
    assert len(fast.rounds) >= 3
    assert [sorted(one.group) for one in fast.rounds] == groups
    np.testing.assert_allclose([one.objective for one in fast.rounds], objectives, rtol=1e-7)
    np.testing.assert_allclose(fast.coef, coef, atol=1e-4)
    assert fast.intercept == pytest.approx(b, abs=1e-4)


@every_loss
@every_intercept
@pytest.mark.parametrize("max_iter", [1, 3, 50])
def test_objective_and_bound_bracket_the_optimum_over_all_groups(max_iter, intercept, loss):
    X, y = problem(m=6)
    every = [list(group) for group in combinations(range(6), 2)]
    optimum = naive.master(X, y, every, 2.0, loss, intercept)[0]
    found = machine(X, y, Largest(2), loss, intercept=intercept, max_iter=max_iter, tol=1e-8)
    assert all(one.bound <= optimum * (1 + 1e-8) for one in found.rounds)
    assert found.objective >= optimum * (1 - 1e-8)
    if max_iter == 50:
        assert found.objective == pytest.approx(optimum, rel=1e-6)
        assert found.bound == pytest.approx(optimum, rel=1e-6)


@every_loss
@every_intercept
@pytest.mark.parametrize("search", [Largest(3), Uncorrelated(3, 0.2)], ids=["largest", "uncorrelated"])
def test_the_objective_never_rises_and_the_bound_never_falls(microarray, search, intercept, loss):
    X, y = microarray
    rounds = machine(X, np.where(y, 1.0, -1.0), search, loss, intercept=intercept, tol=0.0).rounds
    assert len(rounds) > 5
    assert (np.diff([one.objective for one in rounds]) <= 0).all()
    assert (np.diff([one.bound for one in rounds]) >= 0).all()
    assert all(one.bound <= one.objective for one in rounds)


def test_the_bound_of_a_constrained_search_holds_for_every_group():
    X, y = problem(m=6)
    every = [list(group) for group in combinations(range(6), 2)]
    optimum = naive.master(X, y, every, 2.0, "squared_hinge", False)[0]
    found = machine(X, y, Uncorrelated(2, 0.05), max_iter=50, tol=1e-8)
    assert found.bound <= optimum * (1 + 1e-8)
    assert optimum * (1 - 1e-8) <= found.objective


def test_the_rounds_end_by_relative_change():
    X, y = problem(60, 40)
    ended = machine(X, y, Largest(2), tol=0.05)
    objectives = [one.objective for one in ended.rounds]
    falls = -np.diff(objectives) / objectives[1:]
    assert 2 < len(ended.rounds) < 20
    assert (falls[:-1] > 0.05).all()
    assert falls[-1] <= 0.05 or ended.objective - ended.bound <= 0.05 * ended.objective


def test_the_same_group_twice_ends_the_rounds():
    X, y = problem()
    assert len(machine(X, y, Largest(9), tol=0.0, max_iter=5).rounds) == 1


def test_nothing_pulls_and_nothing_is_found():
    X = np.array([[1.0, 3.0], [-1.0, 3.0], [1.0, 3.0], [-1.0, 3.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    found = machine(X, y, Largest(2))
    assert found.rounds == ()
    assert not found.coef.any()
    assert found.objective == found.bound == pytest.approx(2.0 * 4)
