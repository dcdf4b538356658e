"""Weights along theta: those of a fit with each theta, from what one fit has left."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from qpfs import (
    IKMAQPFS,
    IKMQPFS,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    EqualFrequency,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    SelectionCV,
    TwoLevelSelector,
)

THETAS = [0.9, 0.0, 0.35, 1.0, 0.6]  # in no order
CONVEX = {
    "by ranks": QPFS(),
    "by chi-square": QPFS(measure="chi2"),
    "by weight, three starts": QPFS(theta=0.2, order="weight", n_starts=3, random_state=5),
    "clustered": TLKMQPFS(n_clusters=40),
    "clustered, chi-square": TLKMQPFS(n_clusters=40, measure="chi2", theta=0.7),
}


@pytest.mark.parametrize("selector", CONVEX.values(), ids=CONVEX)
def test_weights_are_those_of_a_fit_with_each_theta(microarray, selector):
    X, y = microarray
    X = np.c_[X, np.ones(len(y))]  # a constant feature has no weight
    path = clone(selector).fit(X, y).theta_path(THETAS)
    assert path.thetas.tolist() == THETAS
    for i, theta in enumerate(THETAS):
        alone = clone(selector).set_params(theta=theta).fit(X, y)
        np.testing.assert_allclose(path.weights[i], alone.scores_, atol=1e-9)
        assert path.objectives[i] == pytest.approx(alone.objective_, abs=1e-12)
        assert path.status[i] == alone.status_ == "optimal"


def gap_by_definition(Q, s, theta, weights):
    """The Frank-Wolfe gap of weights: what a step to the best single feature promises."""
    gradient = (1 - theta) * Q @ weights - theta * s
    return weights @ gradient - gradient.min()


@pytest.mark.parametrize("measure", ["mi", "correlation"])
def test_programs_that_are_not_convex_are_stationary_everywhere(microarray, measure):
    X, y = microarray
    fitted = QPFS(measure=measure).fit(X, y)
    path = fitted.theta_path(THETAS)
    Q = fitted.redundancy(range(300))
    for theta, weights, gap in zip(THETAS, path.weights, path.gaps, strict=True):
        assert weights.sum() == pytest.approx(1.0)
        assert weights.min() == 0.0
        assert gap == pytest.approx(gap_by_definition(Q, fitted.relevance_, theta, weights), abs=1e-12)
        assert gap < 1e-9


def test_many_starts_are_those_of_a_fit(microarray):
    X, y = microarray
    selector = QPFS(theta=0.3, measure="correlation", n_starts=20, random_state=3).fit(X, y)
    path = selector.theta_path([0.3])
    np.testing.assert_allclose(path.weights[0], selector.scores_, atol=1e-9)


def test_a_generator_is_left_as_it_is(microarray):
    generator = np.random.RandomState(0)
    selector = QPFS(theta=0.5, n_starts=2, random_state=generator).fit(*microarray)
    before = generator.get_state()[1].copy()
    selector.theta_path([0.5])
    np.testing.assert_array_equal(generator.get_state()[1], before)


FITS = {
    "qpfs": QPFS(),
    "of levels": QPFS(discretizer=EqualFrequency(4)),
    "tlkm": TLKMQPFS(n_clusters=40),
    "ikm": IKMQPFS(n_first=15),
    "ikma": IKMAQPFS(n_first=15, theta=0.6),
    "two levels": TwoLevelSelector(criterion="qpfs"),
    "in turns": InterleavedSelector(criterion=QPFS(theta=0.4)),
    "search": QPFSCV(param_grid={"theta": [0.3, "auto"]}, n_features=[2, 4], cv=3),
}


@pytest.mark.parametrize("selector", FITS.values(), ids=FITS)
def test_at_the_theta_of_the_fit_they_are_its_weights(microarray, selector):
    fitted = clone(selector).fit(*microarray)
    path = fitted.theta_path()
    assert path.thetas.tolist() == sorted({*np.linspace(0, 1, 51), fitted.theta_})
    place = path.thetas.tolist().index(fitted.theta_)
    np.testing.assert_allclose(path.weights[place], fitted.scores_, atol=1e-9)
    assert path.objectives[place] == pytest.approx(fitted.objective_, abs=1e-12)
    if hasattr(fitted, "representatives_"):
        assert set(np.flatnonzero(path.weights.any(axis=0))) <= set(fitted.representatives_)
    again = pickle.loads(pickle.dumps(fitted)).theta_path()
    np.testing.assert_array_equal(again.weights, path.weights)


def test_the_ends_of_the_path(microarray):
    """All on the most relevant feature at 1; relevance plays no part at 0."""
    X, y = microarray
    fitted = QPFS().fit(X, y)
    end = fitted.theta_path([1.0]).weights[0]
    assert end[fitted.relevance_.argmax()] == 1.0
    other = QPFS().fit(X, np.roll(y, 1)).theta_path([0.0])
    np.testing.assert_allclose(fitted.theta_path([0.0]).weights, other.weights, atol=1e-12)


def test_what_is_shown_of_it(microarray):
    path = QPFS().fit(*load_breast_cancer(return_X_y=True)).theta_path([0.5, 1.0])
    n = np.count_nonzero(path.weights.any(axis=0))
    assert repr(path) == f"<ThetaPath: 2 thetas, {n} features of 30 with weight at any>"
    with pytest.raises(AttributeError):
        path.thetas = []


@pytest.mark.parametrize("thetas", [[], [0.5, 1.5], [-0.1], 0.5, "auto", [[0.5]], [np.nan], [None]])
def test_bad_thetas(microarray, thetas):
    fitted = QPFS().fit(*microarray)
    with pytest.raises(ValueError, match=r"thetas=.*one or more numbers from 0 to 1, such as np.linspace"):
        fitted.theta_path(thetas)


def test_who_has_no_theta_says_so(microarray):
    X, y = microarray
    with pytest.raises(TypeError, match=r"weighted by MRMR\(n_features_to_select=3\).*use QPFS\(\)"):
        TwoLevelSelector(criterion=MRMR(3)).fit(X, y).theta_path()
    with pytest.raises(TypeError, match="MaxRel has no theta, so there is no path; search"):
        SelectionCV(MaxRel(), {}, [2], cv=3).fit(X, y).theta_path()
    assert not hasattr(NystromQPFS(), "theta_path")
