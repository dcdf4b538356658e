"""Weights of samples and classes as a fit is given them: checked, routed, told."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.cluster import KMeans
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

from qpfs import MRMR, QPFS, QPFSCV, InterleavedSelector, MaxRel
from qpfs.evaluation import resampled
from qpfs.report import feature_rows, selection_record


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 12)), np.resize([0, 0, 1], 60)
    X[:, [2, 7]] += y[:, None]
    return X, y, rng.integers(0, 9, 60)


def fit_quietly(selector, *args, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(*args, **given)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(59), r"shape \(59,\), but there are 60 samples"),
        (np.ones((60, 2)), r"shape \(60, 2\)"),
        (np.r_[np.ones(59), -1], "is -1 in row 59"),
        (np.r_[np.nan, np.ones(59)], "is nan in row 0"),
        (np.array([3.0, None] * 30, object), "is None in row 1"),
        (np.r_[np.inf, np.ones(59)], "is inf in row 0"),
        (np.zeros(60), "zero for all samples"),
        (np.r_[3, np.zeros(59)], r"1 sample\(s\) have a weight above 0"),
        (["a"] * 60, "is 'a' in row 0"),
        (np.full(60, 1e-250), "largest weight"),
        (np.where(np.arange(60) % 3 < 2, 1, 0), "single value"),
    ],
)
def test_weights_that_make_no_sense(data, weights, message):
    X, y, _ = data
    with pytest.raises(ValueError, match=message):
        QPFS().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("given", ["balance", 3, {0: -1.0}, {0: np.nan}, {0: "a"}, [1, 2]])
def test_class_weights_that_make_no_sense(given):
    with pytest.raises(ValueError, match="class_weight"):
        MaxRel(1, class_weight=given).check()


def test_class_weights_are_for_classes(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="y is a quantity"):
        MaxRel(1, class_weight="balanced").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="several columns"):
        MaxRel(1, class_weight="balanced").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="names 5, but the classes are 0, 1"):
        MaxRel(1, class_weight={5: 1}).fit(X, y)


def test_class_weights_multiply_those_of_samples(data):
    X, y, weights = data
    by_class = fit_quietly(QPFS(class_weight={1: 3}), X, y, sample_weight=weights)
    by_sample = fit_quietly(QPFS(), X, y, sample_weight=np.where(y == 1, 3, 1) * weights)
    np.testing.assert_array_equal(by_class.scores_, by_sample.scores_)
    np.testing.assert_array_equal(by_class.pvalues_, by_sample.pvalues_)


def test_balanced_classes_weigh_the_same(data):
    X, y, weights = data
    target = MaxRel(1, class_weight="balanced").fit(X, y).fitted_.target
    assert target.counts[0] == pytest.approx(target.counts[1], rel=1e-3)
    assert target.size == pytest.approx(60, rel=1e-3)
    uneven = MaxRel(1, class_weight="balanced").fit(X, y, sample_weight=weights).fitted_.target
    assert uneven.counts[0] == pytest.approx(uneven.counts[1], rel=1e-3)
    assert uneven.size == pytest.approx(weights.sum(), rel=1e-3)


def test_a_class_of_weight_0_is_not_there(data):
    X, y, _ = data
    y = np.where(np.arange(60) % 5 == 0, 2, y)
    one = fit_quietly(QPFS(class_weight={2: 0}), X, y)
    other = fit_quietly(QPFS(), X[y < 2], y[y < 2])
    np.testing.assert_array_equal(one.scores_, other.scores_)


def test_targets_of_any_kind_lose_their_samples_of_weight_0(data):
    X, y, weights = data
    expected = fit_quietly(MaxRel(1), X, y, sample_weight=weights).relevance_
    for other in (y.tolist(), pd.Series(y, index=range(100, 160)), pd.DataFrame({"y": y})):
        given = weights.tolist() if isinstance(other, list) else pd.Series(weights)
        found = fit_quietly(MaxRel(1), X, other, sample_weight=given)
        np.testing.assert_array_equal(found.relevance_, expected)


def test_groups_lose_their_samples_of_weight_0(data):
    X, y, weights = data
    groups = np.arange(60) // 2
    found = MaxRel(1).fit(X, y, sample_weight=weights, groups=groups)
    assert len(found.fitted_.significance.shuffles.groups) == (weights > 0).sum()


def test_what_is_shown_no_weights_refuses_them(data):
    X, y, weights = data
    with pytest.raises(TypeError, match="function does not use sample weights"):
        MaxRel(1, measure=lambda a, b: abs(np.corrcoef(a, b)[0, 1])).fit(X, y, sample_weight=weights)
    with pytest.raises(TypeError, match="scorer of scikit-learn"):
        InterleavedSelector(criterion=f_classif).fit(X, y, sample_weight=weights)
    with pytest.raises(TypeError, match="clusterer of scikit-learn"):
        InterleavedSelector(clusterer=KMeans(2, n_init=1), n_first=3).fit(X, y, sample_weight=weights)


def test_weights_are_routed(data):
    X, y, weights = data
    expected = fit_quietly(MRMR(3), X, y, sample_weight=weights).order_
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = MRMR(3).set_fit_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(selector, model).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(pipeline[0].order_, expected)
        scored = get_scorer("accuracy").set_score_request(sample_weight=False)
        search = GridSearchCV(
            make_pipeline(selector, model), {"mrmr__n_features_to_select": [2, 3]}, cv=2, scoring=scored
        )
        found = search.fit(X, y, sample_weight=weights).best_estimator_[0]
        np.testing.assert_array_equal(found.order_, expected[: len(found.order_)])
        scores = cross_validate(pipeline, X, y, params={"sample_weight": weights}, cv=2, scoring=scored)
        assert len(scores["test_score"]) == 2


def test_a_search_gives_its_selectors_weights(data):
    X, y, weights = data
    search = QPFSCV(param_grid={"theta": [0.3, 0.8]}, n_features=[2, 3], cv=2)
    found = fit_quietly(search, X, y, sample_weight=weights)
    again = fit_quietly(QPFS(**found.best_params_), X, y, sample_weight=weights)
    np.testing.assert_array_equal(found.scores_, again.scores_)
    rng = np.random.default_rng(1)
    kept = rng.permutation(np.flatnonzero(weights))
    del search.best_params_
    one = fit_quietly(search, X[kept], y[kept], sample_weight=np.ones(len(kept))).cv_results_
    other = fit_quietly(search, X[kept], y[kept]).cv_results_
    np.testing.assert_array_equal(one["mean_test_score"], other["mean_test_score"])


def test_stability_of_weighted_selections(data):
    X, y, weights = data
    one = resampled(MaxRel(3), X, y, 6, sample_weight=weights + 1)
    other = resampled(MaxRel(3), X, y, 6)
    assert one.resample == other.resample
    assert any(not np.array_equal(a, b) for a, b in zip(one.orders, other.orders, strict=True))
    with pytest.raises(ValueError, match="sample_weight"):
        resampled(MaxRel(3), X, y, 6, sample_weight=-weights)


def test_an_answer_says_that_samples_were_weighted(data):
    X, y, weights = data
    fitted = fit_quietly(QPFS(3, class_weight={0: 1, 1: 2}), X, y, sample_weight=weights)
    total = int((weights * np.where(y, 2, 1)).sum())
    record = selection_record(fitted, X=X)
    known = record["data"]["weights"]
    assert (known["sum"], known["rounded"]) == (total, False)
    counts = (weights * np.where(y, 2, 1))[weights > 0]
    assert known["effective"] == pytest.approx(total**2 / (counts**2).sum())
    said = f"weighted (whole numbers; the weights add up to {total}"
    assert said in record["method"]["account"]["text"]
    assert any(said in one for one in record["data"]["taken"])
    assert "weighted" not in json.dumps(selection_record(fit_quietly(QPFS(3), X, y), X=X)["data"]["taken"])
    assert said in fitted.report(X).html
    assert len(feature_rows(fitted, X=X)) == 12
    rounded = MaxRel(1).fit(X, y, sample_weight=weights + 0.1)
    assert "rounded to 16 binary digits" in rounded.account().text
