"""The master against a generic convex solver, a linear SVM, and its own certificate."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC
from tests.naive import embedded as naive

from qpfs.embedded import DenseFeatures, Logistic, Master, SquaredHinge

LOSSES = {"squared_hinge": SquaredHinge, "logistic": Logistic}
GROUPS = {
    "one": [[0, 1, 2]],
    "apart": [[0, 1], [2, 5], [7]],
    "overlapping": [[0, 1, 4], [1, 2, 4], [4, 5, 6], [0, 7, 8]],
}
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_intercept = pytest.mark.parametrize("intercept", [False, True])


def problem(n=25, m=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) + 0.5
    y = np.where(X[:, :4].sum(axis=1) + rng.normal(size=n) > 2.5, 1.0, -1.0)
    return X, y


def master_of(X, y, groups, loss, intercept):
    master = Master.without_groups(y, loss, intercept)
    for group in groups:
        master = master.with_group(np.array(group), DenseFeatures(X))
    return master


def merged(master, model, m):
    coef = np.zeros(m + 1)
    coef[master.features] = master.columns_weight(model.x)
    return coef[:m], coef[m]


@every_loss
@every_intercept
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_a_generic_solver(groups, C, intercept, loss):
    X, y = problem()
    expected, coef, b = naive.master(X, y, groups, C, loss, intercept)
    master = master_of(X, y, groups, LOSSES[loss](C), intercept)
    model = master.solved(None, 1e-10)
    assert model.objective == pytest.approx(expected, rel=1e-7)
    np.testing.assert_allclose(merged(master, model, X.shape[1])[0], coef, atol=2e-4 * abs(coef).max())
    assert merged(master, model, X.shape[1])[1] == pytest.approx(b, abs=1e-4)


@every_intercept
@pytest.mark.parametrize("C", [1.0, 50.0])
def test_more_columns_than_samples(C, intercept):
    """Another solver: clarabel calls its own answer inaccurate here."""
    X, y = problem()
    groups = [list(range(40)), list(range(20, 60))]
    exact = {"solver": "SCS", "eps": 1e-9, "max_iters": 10**6}
    expected, coef, _ = naive.master(X, y, groups, C, "squared_hinge", intercept, **exact)
    master = master_of(X, y, groups, SquaredHinge(C), intercept)
    model = master.solved(None, 1e-10)
    assert len(master.quadratic(model.f, master.columns_weight(model.x))[0]) == 2
    assert model.objective == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(merged(master, model, X.shape[1])[0], coef, atol=1e-3 * abs(coef).max())


@every_loss
@every_intercept
@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_the_objective_is_what_it_says(groups, intercept, loss):
    X, y = problem(seed=1)
    master = master_of(X, y, groups, LOSSES[loss](2.0), intercept)
    model = master.solved(None, 1e-6)
    edges = zip(master.bounds[:-1], master.bounds[1:], strict=True)
    weights = [model.x[start:end] for start, end in edges]
    b = model.x[0] if intercept else 0.0
    assert model.objective == pytest.approx(naive.objective(X, y, groups, weights, b, 2.0, loss), rel=1e-12)


@every_loss
@every_intercept
@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-5])
def test_objective_and_bound_bracket_the_optimum(tol, intercept, loss):
    for seed in range(5):
        X, y = problem(seed=seed)
        groups = GROUPS["overlapping"]
        optimum = naive.master(X, y, groups, 3.0, loss, intercept)[0]
        model = master_of(X, y, groups, LOSSES[loss](3.0), intercept).solved(None, tol)
        assert model.bound <= optimum * (1 + 1e-8)
        assert optimum * (1 - 1e-8) <= model.objective
        assert model.objective - model.bound <= tol * model.objective


@every_loss
def test_a_warm_start_is_where_the_last_master_ended(loss):
    X, y = problem()
    master = master_of(X, y, GROUPS["apart"], LOSSES[loss](1.0), True)
    model = master.solved(None, 1e-3)
    more = master.with_group(np.array([9, 10]), DenseFeatures(X))
    start = more.start(model)
    assert start.objective == model.objective
    np.testing.assert_allclose(start.f, more.Z @ more.columns_weight(start.x), atol=1e-12)
    assert more.solved(model, 0.5).objective <= model.objective
    assert more.solved(model, 1e-9).objective == pytest.approx(more.solved(None, 1e-9).objective, rel=1e-8)


@every_intercept
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize(("n", "m"), [(200, 10), (40, 90)])
def test_one_group_of_all_features_is_a_linear_svm(n, m, C, intercept):
    X, y = problem(n, m)
    svm = LinearSVC(C=C, loss="squared_hinge", fit_intercept=intercept, dual=True, tol=1e-10, max_iter=10**6)
    svm.fit(X, y)
    master = master_of(X, y, [np.arange(m)], SquaredHinge(C), intercept)
    coef, b = merged(master, master.solved(None, 1e-12), m)
    np.testing.assert_allclose(coef, svm.coef_[0], atol=1e-6)
    assert b == pytest.approx(float(np.ravel(svm.intercept_)[0]) if intercept else 0.0, abs=1e-6)


def test_a_feature_in_two_groups_is_gathered_once():
    X, y = problem()
    master = master_of(X, y, [[3, 5], [5, 7], [3, 7]], SquaredHinge(1.0), True)
    assert master.features.tolist() == [-1, 3, 5, 7]
    assert master.features[master.place].tolist() == [-1, 3, 5, 5, 7, 3, 7]
    np.testing.assert_array_equal(master.Z[:, 1:], X[:, [3, 5, 7]])
    assert master.has(np.array([7, 5]))
    assert not master.has(np.array([3]))


@every_loss
def test_bounds_hold_for_any_pulls(loss):
    """Weak duality, for pulls that belong to no model."""
    X, y = problem()
    groups = GROUPS["overlapping"]
    optimum = naive.master(X, y, groups, 1.0, loss, False)[0]
    rng = np.random.default_rng(0)
    for scale in (1e-3, 0.1, 0.9):
        a = scale * rng.random(len(y))
        c = naive.correlation_with_pulls(X, y, a)
        q = max((c[group] ** 2).sum() for group in groups)
        assert LOSSES[loss](1.0).bound(a, q) <= optimum * (1 + 1e-8)


@every_loss
def test_pull_and_curvature_are_derivatives(loss):
    part = LOSSES[loss](2.0)
    z = np.linspace(-3, 3, 41) + 0.01
    h = 1e-5
    value = lambda at: np.array([part.value(np.array([one])) for one in at])  # noqa: E731
    np.testing.assert_allclose(part.pull(z), -(value(z + h) - value(z - h)) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(part.curvature(z), -(part.pull(z + h) - part.pull(z - h)) / (2 * h), atol=1e-5)
