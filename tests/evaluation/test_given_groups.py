"""Groups of samples reach the fit of methods: p values, the folds of searches; against fits by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFECV, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline

from qpfs import QPFS, QPFSCV, MaxRel, SelectionCV
from qpfs.evaluation import across_cohorts, compare, comparing, error_curve, measured, resampled
from qpfs.evaluation.measuring import Cost

FDR = 0.05


@pytest.fixture(scope="module")
def patients():
    """Ten samples of each of twelve patients, whose features differ between patients by chance alone."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 10)
    X = rng.normal(size=(12, 8))[groups] + 0.1 * rng.normal(size=(120, 8))
    return pd.DataFrame(X).add_prefix("g"), (np.arange(12) % 2)[groups], groups


def ranked(selector, X, y, groups, splitter):
    """How many features a selector ranks on each training part, by fits with and without groups."""
    parts = [train for train, _ in splitter.split(X, y, groups)]
    return [
        [
            len(selector.fit(X.iloc[rows], y[rows], groups=some).order_)
            for rows in parts
            for some in [given(rows)]
        ]
        for given in (lambda rows: groups[rows], lambda rows: None)
    ]


@pytest.mark.parametrize("evaluate", [compare, error_curve])
def test_a_false_discovery_rate_is_that_of_a_fit_with_groups(patients, evaluate):
    X, y, groups = patients
    with_groups, without = ranked(QPFS(fdr=FDR), X, y, groups, GroupKFold(3))
    assert max(with_groups) == 0 < min(without)
    found = evaluate(QPFS(fdr=FDR), X, y, cv=GroupKFold(3), groups=groups, sizes=[8])
    if evaluate is compare:
        assert found.record["methods"][0]["ranked"] == {"fewest": 0, "most": 0}
    else:
        assert found.ranked.tolist() == with_groups


def test_resamples_select_as_a_fit_with_groups(patients):
    X, y, groups = patients
    found = resampled(QPFS(fdr=FDR), X, y, 5, groups=groups)
    assert (len(found.selected), found.n_empty) == (0, 5)


def test_cohorts_select_as_a_fit_with_groups(patients):
    X, y, groups = patients
    cohorts = np.where(groups < 6, "north", "south")
    found = across_cohorts(QPFS(fdr=FDR), X, y, cohorts, groups=groups)
    assert [len(one) for one in found.selections] == [0, 0]
    assert any(len(one) for one in across_cohorts(QPFS(fdr=FDR), X, y, cohorts).selections)
    with pytest.raises(ValueError, match="groups: 5 has samples in the cohorts north and south"):
        across_cohorts(QPFS(), X, y, np.where(np.arange(120) < 55, "north", "south"), groups=groups)


@pytest.mark.filterwarnings("ignore:.*nothing is selected:UserWarning", "ignore::qpfs.ChanceWarning")
def test_a_search_has_the_p_values_of_a_fit_with_groups(patients):
    X, y, groups = patients
    search = SelectionCV(QPFS(theta=0.5), n_features=[2], cv=GroupKFold(3)).fit(X, y, groups=groups)
    plain = QPFS(2, theta=0.5).fit(X, y, groups=groups)
    np.testing.assert_array_equal(search.pvalues_, plain.pvalues_)
    search = SelectionCV(MaxRel(fdr=FDR), n_features=[1, 8], cv=GroupKFold(3)).fit(X, y, groups=groups)
    # Nothing passes in any fold, so that every number of features has the score of guessing.
    assert len(set(search.cv_results_["mean_test_score"].tolist())) == 1
    assert not search.support_.any()


@pytest.mark.filterwarnings("ignore:.*nothing is selected:UserWarning", "ignore::qpfs.ChanceWarning")
@pytest.mark.parametrize("weights", [None, np.r_[0.0, 0.0, np.ones(118)]])
def test_a_search_within_strata_has_the_p_values_of_a_fit_with_groups(patients, weights):
    X, y, groups = patients
    given = {"groups": groups, "covariates": {"site": np.array(["a", "b"])[groups // 6]}}
    search = SelectionCV(MaxRel(fdr=1), n_features=[8], cv=GroupKFold(3))
    search.fit(X, y, **given, sample_weight=weights)
    plain = MaxRel(8, fdr=1).fit(X, y, **given, sample_weight=weights)
    np.testing.assert_array_equal(search.pvalues_, plain.pvalues_)
    np.testing.assert_array_equal(search.order_, plain.order_)


def test_p_values_that_have_no_shuffles_are_refused_before_the_folds(patients, monkeypatch):
    X, y, groups = patients
    age = {"age": np.random.default_rng(0).normal(size=120)}

    def unexpected(*_, **__):
        raise AssertionError("a fold was run")

    how = {"cv": 3, "sizes": [2], "groups": groups, "covariates": age}
    # No p values are computed there, so groups only divide the samples.
    assert "failed" not in compare([QPFS()], X, y, **how).record["methods"][0]
    monkeypatch.setattr("qpfs.evaluation.selection_cv.in_turn", unexpected)
    with pytest.raises(ValueError, match=r"groups are given together with numeric covariates \(age\)"):
        SelectionCV(QPFS(), n_features=[2]).fit(X, y, groups=groups, covariates=age)


class Noting(BaseEstimator):
    """Whether groups were the last argument of a fit."""

    def fit(self, X, y, groups=None):
        self.scores_ = np.zeros(X.shape[1]) if groups is None else np.asarray(groups)[: X.shape[1]] + 1.0
        return self


def test_methods_of_others_get_groups_if_they_take_them(patients):
    X, y, groups = patients
    found = error_curve(Noting(), X, y, cv=StratifiedGroupKFold(2), sizes=[8], groups=groups[::-1])
    (train, _), *_ = StratifiedGroupKFold(2).split(X, y, groups[::-1])
    assert found.orders[0].tolist() == np.argsort(-groups[::-1][train][:8], kind="stable").tolist()


def searches(cv):
    grid = GridSearchCV(make_pipeline(SelectKBest(k=2), LogisticRegression()), {"selectkbest__k": [2]}, cv=cv)
    return {
        "ours": QPFSCV(n_features=[2], cv=cv),
        "grid": grid.set_params(estimator=LogisticRegression(), param_grid={"C": [1.0]}),
        "rfecv": RFECV(LogisticRegression(), cv=cv),
        "last": make_pipeline(SelectKBest(k=4), RFECV(LogisticRegression(), cv=cv)),
    }


@pytest.mark.filterwarnings("ignore:ours failed:RuntimeWarning")
@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("name", searches(2))
def test_searches_divide_by_groups(patients, name, routing):
    X, y, groups = patients
    with config_context(enable_metadata_routing=routing):
        method = searches(StratifiedGroupKFold(2))[name]
        found = compare({name: method}, X, y, cv=3, groups=groups, sizes=[2]).record["methods"][0]
        assert "failed" not in found
        ignoring = compare(
            {name: searches(StratifiedKFold(2, shuffle=True, random_state=0))[name]},
            X,
            y,
            cv=3,
            groups=groups,
            sizes=[2],
        )
        failed = ignoring.record["methods"][0].get("failed", "")
        assert ("has the group" in failed) == (name == "ours")


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("quantity", [False, True])
def test_a_number_of_folds_keeps_groups_together(patients, seed, quantity):
    X, y, groups = patients
    y = X["g0"].to_numpy() if quantity else y
    search = SelectionCV(MaxRel(), n_features=[2, 4], cv=3, random_state=seed).fit(X, y, groups=groups)
    if seed is None:
        kind = GroupKFold if quantity else StratifiedGroupKFold
        same = SelectionCV(MaxRel(), n_features=[2, 4], cv=kind(3)).fit(X, y, groups=groups)
        np.testing.assert_array_equal(
            search.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"]
        )


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_sample_without_a_group_is_refused(patients, seed, missing):
    X, y, groups = patients
    given = [missing, *map(str, groups[1:])]
    with pytest.raises(ValueError, match=r"groups is missing .* for 1 of 120 samples, first in row 0"):
        SelectionCV(MaxRel(), n_features=[2], random_state=seed).fit(X, y, groups=given)


def test_the_cost_is_that_of_a_search_with_groups(patients):
    X, y, groups = patients
    assert measured(QPFSCV(n_features=[2], cv=StratifiedGroupKFold(2)), X, y, groups=groups).seconds > 0


def test_the_cost_of_a_comparison_depends_on_groups_where_they_make_folds(patients, monkeypatch):
    X, y, groups = patients
    given = []

    def cost(method, *what, groups, **how):
        given.append(groups is not None)
        return Cost(0.1, 1.0)

    monkeypatch.setattr(comparing, "measured", cost)
    methods = {"plain": MaxRel(), "search": QPFSCV(n_features=[2], cv=StratifiedGroupKFold(2))}
    compare(methods, X, y, cv=3, sizes=[2], groups=groups, measure_memory=True)
    assert given == [False, True]
