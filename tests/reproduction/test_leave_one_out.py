"""The quick leave-one-out against one LinearSVC for each sample."""

from __future__ import annotations

import numpy as np
import pytest
from reproduction.leave_one_out import LeftOut, left_out
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import minmax_scale
from sklearn.svm import LinearSVC


def n_wrong(X, y):
    return (LeftOut().fit(X, y).predict(X) != y).sum()


def one_by_one(X, y):
    """The decisions of a machine taught without each sample, one after another."""
    decisions = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        machine = LinearSVC(dual=False, tol=1e-12, max_iter=100_000).fit(X[rest], y[rest])
        decisions.append(machine.decision_function(X[[i]])[0])
    return np.array(decisions)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
@pytest.mark.parametrize("n_features", [1, 3, 40, 200])
def test_two_classes(n_features, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(45) % 2)
    X = minmax_scale(rng.normal(size=(45, n_features)) + 0.8 * y[:, None], (-1, 1))
    expected = one_by_one(X, y)
    found = left_out(X @ X.T + 1.0, np.where(y == 1, 1.0, -1.0))
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert n_wrong(X, y) == ((expected > 0) != y).sum()


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_several_classes(load):
    X, y = load(return_X_y=True)
    X = minmax_scale(X, (-1, 1))
    expected = one_by_one(X, y).argmax(axis=1)
    assert n_wrong(X, y) == (expected != y).sum()


def test_real_columns_of_unequal_classes():
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.r_[np.flatnonzero(y == 0)[:15], np.flatnonzero(y == 1)[:60]]
    X, y = minmax_scale(X[rows, :4], (-1, 1)), y[rows]
    assert n_wrong(X, y) == ((one_by_one(X, y) > 0) != y).sum()


def test_a_feature_that_says_nothing():
    y = np.array([0, 0, 1, 1, 1])
    X = np.zeros((5, 1))
    assert n_wrong(X, y) == ((one_by_one(X, y) > 0) != y).sum()


def test_other_samples_cannot_be_left_out():
    machine = LeftOut().fit(np.eye(4), np.array([0, 0, 1, 1]))
    with pytest.raises(ValueError, match="other samples than fit was given"):
        machine.predict(np.ones((4, 4)))
