"""Methods of every kind: what they rank, traced back to the features they were given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from tests.conftest import latent_factors

from qpfs import QPFS
from qpfs.evaluation import error_curve, resampled
from qpfs.evaluation.rankings import order_of, support_of

SVM = LinearSVC(dual=False)


@pytest.fixture(scope="module")
def problem():
    return latent_factors(60, 12)


def by(weights):
    return np.argsort(-np.asarray(weights), kind="stable").tolist()


def test_each_kind_of_method(problem):
    X, y = problem
    assert order_of(QPFS().fit(X, y)).tolist() == QPFS().fit(X, y).order_.tolist()
    assert order_of(SelectKBest(f_classif).fit(X, y)).tolist() == by(f_classif(X, y)[0])
    full = RFE(SVM, n_features_to_select=1).fit(X, y)
    assert order_of(full).tolist() == np.argsort(full.ranking_).tolist()
    forest = ExtraTreesClassifier(20, random_state=0).fit(X, y)
    assert order_of(forest).tolist() == by(forest.feature_importances_)
    assert order_of(SelectFromModel(ExtraTreesClassifier(20, random_state=0)).fit(X, y)).tolist() == by(
        forest.feature_importances_
    )
    three = np.arange(60) % 3
    several = LogisticRegression().fit(X, three)
    assert order_of(several).tolist() == by(np.abs(several.coef_).sum(axis=0))
    searched = GridSearchCV(SVM, {"C": [0.1, 1.0]}).fit(X, y)
    assert order_of(searched).tolist() == by(np.abs(searched.best_estimator_.coef_).ravel())


def test_features_that_rfe_keeps_rank_by_their_weights(problem):
    X, y = problem
    fitted = RFE(SVM, n_features_to_select=4).fit(X, y)
    kept = np.flatnonzero(fitted.support_)
    weights = np.abs(fitted.estimator_.coef_).ravel()
    assert order_of(fitted)[:4].tolist() == kept[np.argsort(-weights)].tolist()


def test_weights_of_zero_are_not_ranked(problem):
    X, y = problem
    fitted = Lasso(alpha=0.2).fit(X, y)
    assert 0 < len(order_of(fitted)) == np.count_nonzero(fitted.coef_) < 12
    assert support_of(fitted, 12).sum() == len(order_of(fitted))


def test_a_pipeline_is_traced_to_the_features_it_was_given(problem):
    X, y = problem
    wide = np.insert(X, [0, 5], 1.0, axis=1)  # two columns that are left out first
    kept = np.delete(np.arange(14), [0, 6])
    plain = order_of(SelectKBest(f_classif).fit(X, y))
    for steps in (
        [VarianceThreshold()],
        [StandardScaler(), VarianceThreshold()],
        [VarianceThreshold(), "passthrough", StandardScaler()],
        [SimpleImputer(), VarianceThreshold()],
        [make_column_transformer(("passthrough", kept))],
    ):
        fitted = make_pipeline(*steps, SelectKBest(f_classif, k=3)).fit(wide, y)
        assert order_of(fitted)[:3].tolist() == kept[plain][:3].tolist()
        assert np.flatnonzero(support_of(fitted, 14)).tolist() == sorted(kept[plain][:3])
    nested = make_pipeline(VarianceThreshold(), SelectKBest(f_classif, k=6), RFE(SVM, n_features_to_select=1))
    assert set(order_of(nested.fit(wide, y))) == set(kept[plain][:6])


def test_columns_that_are_new_are_refused_in_words(problem):
    X, y = problem
    with pytest.raises(TypeError, match=r"step 'pca' of the pipeline, PCA, makes new columns"):
        order_of(make_pipeline(PCA(3), SVM).fit(X, y))


class Mute(BaseEstimator):
    def fit(self, X, y):
        return self


class Ordered(Mute):
    order_ = np.arange(12)


def test_what_ranks_or_selects_nothing_is_refused_in_words(problem):
    X, y = problem
    with pytest.raises(TypeError, match="none of order_, scores_, ranking_, coef_ and feature_importances_"):
        order_of(Mute().fit(X, y))
    with pytest.raises(TypeError, match="give size, the number"):
        resampled(Ordered(), X, y, n=2)
    assert resampled(RFE(SVM, n_features_to_select=3), X, y, n=3).frequencies.sum() == pytest.approx(3)


@pytest.mark.filterwarnings("ignore")  # of attributes that scikit-learn is about to change
def test_scores_that_are_not_of_features(problem):
    fitted = LogisticRegressionCV(Cs=2, cv=2).fit(*problem)
    assert order_of(fitted).tolist() == by(np.abs(fitted.coef_).ravel())


class Told(BaseEstimator):
    """Has an attribute with the values that it was given."""

    def __init__(self, name, values):
        self.name, self.values = name, values

    def fit(self, X, y):
        setattr(self, self.name, np.array(self.values, float))
        return self


@pytest.mark.parametrize("name", ["scores_", "ranking_", "coef_", "feature_importances_"])
def test_values_that_are_not_one_for_each_feature(problem, name):
    for n in (3, 13):
        fitted = Told(name, np.arange(n)).fit(*problem)
        with pytest.raises(
            ValueError, match=rf"Told has {n} values in .*{name}.* for 12 features; expected one"
        ):
            order_of(fitted, 12)
        with pytest.raises(ValueError, match=f"Told has {n} values"):
            error_curve(Told(name, np.arange(n)), *problem, cv=2)
    with pytest.raises(ValueError, match=rf"Told has NaN in .*{name}.* for 12 features of 12"):
        order_of(Told(name, np.full(12, np.nan)).fit(*problem), 12)
    one = np.r_[np.arange(1.0, 12.0), np.nan]
    if name == "scores_":  # f_classif has NaN for constant features
        assert order_of(Told(name, one).fit(*problem), 12).tolist() == [*range(10, -1, -1), 11]
    else:
        with pytest.raises(ValueError, match=rf"NaN in .*{name}.* for 1 feature of 12"):
            order_of(Told(name, one).fit(*problem), 12)


def test_a_shorter_model_within_a_method_is_not_taken_for_one_of_all_features(problem):
    X, y = problem
    found = GridSearchCV(Told("coef_", np.arange(3)), {"name": ["coef_"]}, cv=2, scoring=lambda *_: 1.0)
    with pytest.raises(ValueError, match="Told has 3 values"):
        error_curve(found, X, y, cv=2)


def by_place(model):
    return np.arange(model.n_features_in_) + 1.0


def test_weights_are_those_that_a_selector_was_told_to_take(problem):
    X, y = problem
    within = make_pipeline(StandardScaler(), SVM)
    fitted = SelectFromModel(within, importance_getter="named_steps.linearsvc.coef_").fit(X, y)
    assert order_of(fitted).tolist() == by(np.abs(fitted.estimator_[-1].coef_).ravel())
    fitted = SelectFromModel(SVM, importance_getter=by_place).fit(X, y)
    assert order_of(fitted).tolist() == list(range(11, -1, -1))
    fitted = RFE(SVM, n_features_to_select=3, importance_getter=by_place).fit(X, y)
    assert order_of(fitted)[:3].tolist() == [11, 10, 9]


def test_columns_are_traced_by_their_place_and_not_by_their_name():
    X = pd.DataFrame({"a": list("bcbcbc"), "a_b": range(6), "pca0": [1.0, 0, 2, 0, 1, 3]})
    y = [0, 1] * 3
    encoded = make_column_transformer(
        (OneHotEncoder(), ["a"]), ("passthrough", ["a_b"]), verbose_feature_names_out=False
    )
    with pytest.raises(TypeError, match=r"OneHotEncoder, makes new columns.*OrdinalEncoder\(\) for labels"):
        order_of(make_pipeline(encoded, SVM).fit(X[["a", "a_b"]], y))
    with pytest.raises(TypeError, match="PCA, makes new columns"):
        order_of(make_pipeline(PCA(1), SVM).fit(X[["pca0", "a_b"]], y))
    prefixed = pd.DataFrame({"c1": [0.0, 1, 0, 1, 0.1, 1], "b__c1": [5.0, 3, 4, 1, 2, 2], "k": [1.0] * 6})
    for made in (
        ColumnTransformer([("b", StandardScaler(), ["c1"]), ("rest", "passthrough", ["b__c1"])]),
        ColumnTransformer([("b", "passthrough", slice(0, 1))], remainder=VarianceThreshold()),
        ColumnTransformer([("b", make_pipeline(SimpleImputer(), StandardScaler()), [True, True, False])]),
        FeatureUnion([("b", ColumnTransformer([("x", "passthrough", ["c1"])])), ("c", "drop")]),
    ):
        fitted = make_pipeline(made, SelectKBest(f_classif, k=1)).fit(prefixed, y)
        assert order_of(fitted)[0] == 0
        assert np.flatnonzero(support_of(fitted, 3)).tolist() == [0]


def test_pipelines_in_pipelines_and_in_searches(problem):
    X, y = problem
    wide = np.insert(X, [0, 5], 1.0, axis=1)
    plain = make_pipeline(VarianceThreshold(), SelectKBest(f_classif, k=3)).fit(wide, y)
    nested = make_pipeline(VarianceThreshold(), make_pipeline(StandardScaler(), SelectKBest(f_classif, k=3)))
    scored = make_pipeline(VarianceThreshold(), SVM)
    searched = GridSearchCV(scored, {"linearsvc__C": [1.0, 2.0]}, cv=2).fit(wide, y)
    for fitted, expected in ((nested.fit(wide, y), plain), (searched, searched.best_estimator_)):
        assert order_of(fitted).tolist() == order_of(expected).tolist()
        assert support_of(fitted, 14).tolist() == support_of(expected, 14).tolist()
    assert support_of(nested, 14).sum() == 3
