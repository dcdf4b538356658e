"""What holds for several targets that are taken together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import norm, rankdata
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import f_classif
from tests.naive.information import rank_of_targets

from qpfs import FGM, JMI, MRMR, QPFS, InterleavedSelector, MaxRel, SelectionCV
from qpfs.codes import EqualFrequency, target_of
from qpfs.evaluation import resampled
from qpfs.information import Rank

plain = settings(deadline=None, max_examples=25)
N = 60
ROUNDING = 1e-3  # whole numbers for scores move a squared correlation by less


def several(n_samples, seed):
    """Features that hang together, and four targets: two quantities, three classes, two of those merged."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 5)) + rng.normal(size=(n_samples, 1))
    X[:, 4] = np.round(X[:, 4])
    classes = np.digitize(X[:, 0] + rng.normal(size=n_samples), [-0.5, 0.8])
    classes[:3] = 0, 1, 2
    quantity, other = X[:, 1] + rng.normal(size=n_samples), np.round(X[:, 2], 1) + 0.05
    return X, [quantity, classes, other, (classes > 0).astype(int)]


def together(ys):
    """Targets as rows of a list, each value of its own type."""
    return [list(row) for row in zip(*(y.tolist() for y in ys), strict=True)]


def relevance(X, y, measure="rank", **how):
    return MaxRel(1, measure=measure, **how).fit(X, y).relevance_


@given(n_samples=st.sampled_from([4, 7, 20, 41]), seed=st.integers(0, 999))
@plain
def test_relevance_is_that_of_the_slow_twin(n_samples, seed):
    X, ys = several(n_samples, seed)
    expected = [rank_of_targets(f, [y.tolist() for y in ys]) for f in X.T.tolist()]
    np.testing.assert_allclose(relevance(X, together(ys)), expected, rtol=1e-11, atol=1e-12)


def test_relevance_is_the_share_that_a_regression_on_all_targets_explains():
    """For a number, R^2 of its normal scores: least squares knows nothing of any basis."""
    X, ys = several(N, 0)
    quantities = [norm.ppf(rankdata(y) / (N + 1)) for y in (ys[0], ys[2])]
    design = np.column_stack([np.ones(N), *quantities, ys[1] == 1, ys[1] == 2])
    for f, found in zip(X.T, relevance(X, together(ys)), strict=True):
        scores = norm.ppf(rankdata(f) / (N + 1))
        left = scores - design @ np.linalg.lstsq(design, scores, rcond=None)[0]
        assert found == pytest.approx(1 - left @ left / ((scores - scores.mean()) ** 2).sum(), abs=ROUNDING)


@pytest.mark.parametrize("degree", [1, 2])
def test_a_target_that_adds_nothing_changes_no_bit(degree):
    X, (quantity, classes, other, merged) = several(N, 1)
    measure = Rank(degree)
    for y in (quantity, classes):
        one = relevance(X, y, measure)
        np.testing.assert_array_equal(relevance(X, y[:, None], measure), one)
        np.testing.assert_array_equal(relevance(X, together([y, y]), measure), one)
    named = np.array(["x", "z", "y"])[classes]  # the same classes in another order
    cubes = classes**3 + 0.5  # and as a quantity
    expected = relevance(X, together([classes, other]), measure)
    for more in ([merged], [named], [cubes], [other, merged, named, cubes, classes]):
        found = relevance(X, together([classes, other, *more]), measure)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("degree", [1, 2])
def test_the_order_of_targets_and_of_samples(degree):
    """Of samples: not a bit. Of targets: the rounding of another basis of the same space."""
    X, ys = several(N, 2)
    measure = Rank(degree)
    found, backwards = (relevance(X, together(some), measure) for some in (ys, ys[::-1]))
    np.testing.assert_allclose(backwards, found, atol=ROUNDING)
    rows = np.random.default_rng(0).permutation(N)
    np.testing.assert_array_equal(relevance(X[rows], together([y[rows] for y in ys]), measure), found)


@pytest.mark.parametrize("degree", [1, 2])
def test_relevance_grows_with_targets_up_to_the_columns_of_a_feature(degree):
    X, ys = several(N, 3)
    measure = Rank(degree)
    one, two, three = (relevance(X, together(ys[:n]), measure) for n in (1, 2, 3))
    assert (one <= two + ROUNDING).all()
    assert (two <= three + ROUNDING).all()
    everything = relevance(X, np.column_stack([*ys[:3], *X.T]), measure)
    assert (everything <= degree + ROUNDING).all()
    assert (everything >= 1 - ROUNDING).all()


def test_the_answer_is_the_same_for_any_storage_and_engine():
    dask = pytest.importorskip("dask.array")
    X, ys = several(N, 4)
    X[X < 0] = 0
    y = together(ys)
    expected = relevance(X, y)
    for table in (sparse.csc_array(X), dask.from_array(X, chunks=(-1, 2))):
        np.testing.assert_array_equal(relevance(table, y), expected)
    np.testing.assert_array_equal(relevance(X, y, n_jobs=2), expected)


def test_the_common_basis_is_orthonormal_and_as_large_as_what_is_said():
    _, ys = several(N, 5)
    block = target_of(together(ys), EqualFrequency(5), several=True).scores
    columns = block.columns() / (4096 * np.sqrt(N))
    assert columns.shape == (4, N)  # a quantity, three classes, a quantity; merged classes add nothing
    np.testing.assert_allclose(columns @ columns.T, np.eye(4), atol=ROUNDING)
    np.testing.assert_allclose(columns.sum(axis=1), 0, atol=1e-2)


@pytest.mark.parametrize(
    "selector", [QPFS(2), MRMR(2), InterleavedSelector(n_features_to_select=2)], ids=repr
)
def test_only_a_measure_that_takes_several_targets_says_so(selector):
    X, ys = several(N, 6)
    by_levels = clone(selector).set_params(measure="mi")
    with pytest.raises(ValueError, match=r"y has 4 columns.*measure='rank'"):
        by_levels.fit(X, np.column_stack(ys))
    assert not by_levels.__sklearn_tags__().target_tags.multi_output
    assert selector.__sklearn_tags__().target_tags.multi_output
    ranked = clone(selector).set_params(measure="rank").fit(X, np.column_stack(ys))
    assert ranked.__sklearn_tags__().target_tags.multi_output
    assert len(ranked.fitted_.target.targets) == 4
    assert ranked.support_.sum() == 2


def test_a_search_takes_targets_that_its_estimator_takes():
    X, ys = several(N, 7)
    quantities, mixed = np.column_stack([ys[0], ys[2]]), np.column_stack(ys)
    search = SelectionCV(QPFS(measure="rank"), n_features=[1, 3], cv=2)
    assert clone(search).fit(X, quantities).best_score_ > 0
    with pytest.raises(ValueError, match=r"y has 4 columns, and '1', '3' hold classes.*Pass an estimator"):
        clone(search).fit(X, mixed)
    forest = RandomForestRegressor(3, random_state=0)
    assert clone(search).set_params(estimator=forest).fit(X, mixed).support_.sum() in (1, 3)
    with pytest.raises(ValueError, match=r"y has 4 columns; expected one"):
        SelectionCV(QPFS(), {"measure": ["rank", "mi"]}, [1], cv=2).fit(X, mixed)


def test_who_takes_one_target_says_so():
    X, ys = several(N, 8)
    y = np.column_stack(ys)
    with pytest.raises(ValueError, match=r"y has 4 columns; expected one target: errors"):
        resampled(QPFS(2, measure="rank"), X, y)
    with pytest.raises(ValueError, match="scores columns by one target"):
        InterleavedSelector(criterion=f_classif, measure="rank").fit(X, y)
    for selector in (JMI(2), FGM()):
        with pytest.raises(ValueError, match=r"4 columns|shape \(60, 4\)"):
            selector.fit(X, y)
