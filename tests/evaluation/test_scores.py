"""A score that does not suit the estimator or the target is refused before any fit, with what to do."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    make_scorer,
    roc_auc_score,
    zero_one_loss,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from tests.conftest import latent_factors

from qpfs import MaxRel
from qpfs.evaluation import SelectionCV, across_cohorts, compare, error_curve
from qpfs.evaluation.judging import scorer_of
from qpfs.messages import spelled

PROBABILITIES = ("roc_auc_ovr", "neg_log_loss", "neg_brier_score")
CALLS = {
    "error_curve": lambda one, X, y, **how: error_curve(one, X, y, sizes=[2], cv=2, **how),
    "compare": lambda one, X, y, **how: compare([one], X, y, sizes=[2], cv=2, **how),
    "across_cohorts": lambda one, X, y, **how: across_cohorts(one, X, y, np.arange(len(y)) % 2, **how),
    "SelectionCV": lambda one, X, y, **how: SelectionCV(one, n_features=[2], cv=2, **how).fit(X, y),
}


@pytest.fixture
def unfitted(monkeypatch):
    """A selector that must not be fitted."""

    def fit(self, *given, **further):
        raise AssertionError("fitted")

    monkeypatch.setattr(MaxRel, "fit", fit)
    monkeypatch.setattr(MaxRel, "_orders", fit)
    return MaxRel()


@pytest.mark.parametrize("scoring", PROBABILITIES)
@pytest.mark.parametrize("name", CALLS)
def test_a_score_of_probabilities_names_an_estimator_that_has_them(name, scoring, unfitted):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=f"scoring='{scoring}' needs probabilities") as raised:
        CALLS[name](unfitted, X, y, scoring=scoring)
    assert "LinearSVC does not have" in str(raised.value)
    assert "estimator=LogisticRegression()" in str(raised.value)
    typed = spelled(raised.value, lambda one: f"--{one.name} {one.value}")
    assert "--estimator logistic or --estimator forest" in typed


@pytest.mark.parametrize("name", CALLS)
def test_a_score_of_one_class_of_several_labels_names_one_of_all_classes(name, unfitted):
    X, y = load_breast_cancer(return_X_y=True)
    words = np.array(["ill", "well"])[y]
    with pytest.raises(ValueError, match="scoring='f1' cannot score the classes 'ill' and 'well'") as raised:
        CALLS[name](unfitted, X, words, scoring="f1")
    assert "scoring='f1_macro'" in str(raised.value)
    assert "make_scorer(f1_score, pos_label='well')" in str(raised.value)
    with pytest.raises(ValueError, match=r"classes 'ill' and 'well'.*pos_label='well'\)"):
        CALLS[name](unfitted, X, words, scoring=make_scorer(f1_score))


def test_the_scorer_advised_for_labels_can_be_used():
    X, y = load_breast_cancer(return_X_y=True)
    how = {"estimator": LogisticRegression(), "sizes": [2], "cv": 2}
    words = np.array(["ill", "well"])[y]
    with pytest.raises(ValueError, match="pos_label='well'") as raised:
        error_curve(MaxRel(), X, words, scoring="neg_brier_score", **how)
    asked = "make_scorer(brier_score_loss, response_method='predict_proba', greater_is_better=False, "
    assert f"{asked}pos_label='well')." in str(raised.value)
    scorer = make_scorer(
        brier_score_loss, response_method="predict_proba", greater_is_better=False, pos_label="well"
    )
    found = error_curve(MaxRel(), X, words, scoring=scorer, **how).mean
    assert found == pytest.approx(error_curve(MaxRel(), X, y, scoring="neg_brier_score", **how).mean)
    with pytest.raises(ValueError, match=r"multilabel classification. Give scoring='balanced_accuracy'\.$"):
        error_curve(MaxRel(), X, y, scoring="f1_samples", **how)


def test_these_can_score():
    X, y = load_breast_cancer(return_X_y=True)
    words = np.array(["ill", "well"])[y]
    how = {"sizes": [2], "cv": 2}
    assert error_curve(MaxRel(), X, y, scoring="f1", **how).mean > 0.8
    for scoring in ("f1_macro", "roc_auc", make_scorer(f1_score, pos_label="ill")):
        assert error_curve(MaxRel(), X, words, scoring=scoring, **how).mean > 0.8
    for scoring in PROBABILITIES:
        assert np.isfinite(
            error_curve(MaxRel(), X, y, scoring=scoring, estimator=LogisticRegression(), **how).mean
        )


def test_the_score_advised_for_several_classes_names_an_estimator_too():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="scoring='roc_auc_ovr'") as raised:
        error_curve(MaxRel(), X, y, scoring="roc_auc", sizes=[2], cv=2)
    assert "estimator=LogisticRegression()" in str(raised.value)
    with pytest.raises(ValueError, match=r"scoring='roc_auc_ovr'\.$"):
        error_curve(MaxRel(), X, y, scoring="roc_auc", estimator=LogisticRegression(), sizes=[2], cv=2)


class Late(ClassifierMixin, BaseEstimator):
    """Has probabilities only once it is fitted."""

    def fit(self, X, y):
        model = LogisticRegression().fit(X, y)
        self.classes_, self.predict, self.predict_proba = model.classes_, model.predict, model.predict_proba
        return self


@pytest.mark.parametrize(
    "estimator",
    [Late(), StackingClassifier([("svm", LinearSVC())], LogisticRegression())],
    ids=lambda one: type(one).__name__,
)
def test_an_estimator_that_gains_probabilities_by_its_fit_is_used(estimator):
    X, y = load_breast_cancer(return_X_y=True)
    found = error_curve(MaxRel(), X, y, estimator=estimator, scoring="neg_log_loss", sizes=[2], cv=2)
    assert np.isfinite(found.mean)


def test_an_estimator_given_is_named():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=r"needs probabilities \(predict_proba\), which SVC does not have"):
        error_curve(MaxRel(), X, y, estimator=SVC(), scoring="neg_log_loss")


def test_an_unknown_score_names_only_what_is_near():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="did you mean roc_auc"):
        error_curve(MaxRel(), X, y, scoring="rocauc")
    with pytest.raises(ValueError, match="scoring='nope' is not a score of scikit-learn") as raised:
        error_curve(MaxRel(), X, y, scoring="nope")
    assert "did you mean" not in str(raised.value)
    assert "get_scorer_names()" in str(raised.value)


def own(estimator, X, y, weight=1.0):
    """A score of its own."""
    return weight * estimator.score(X, y)


class Own:
    def __call__(self, estimator, X, y):
        return own(estimator, X, y)


@pytest.mark.parametrize(
    ("scoring", "name", "least", "most"),
    [
        (make_scorer(fbeta_score, beta=2), "fbeta_score", 0, 1),
        (make_scorer(accuracy_score, normalize=False), "accuracy_score", -np.inf, np.inf),
        (make_scorer(balanced_accuracy_score, adjusted=True), "balanced_accuracy_score", -np.inf, np.inf),
        (make_scorer(zero_one_loss, greater_is_better=False), "neg_zero_one_loss", -np.inf, np.inf),
        (partial(own, weight=2.0), "own", -np.inf, np.inf),
        (own, "own", -np.inf, np.inf),
        (Own(), "Own", -np.inf, np.inf),
        (lambda *given: own(*given), "score", -np.inf, np.inf),
    ],
)
def test_scorers_that_are_objects_have_short_names_and_ranges(scoring, name, least, most):
    X, y = latent_factors(45, 8)
    found = compare({"m": MaxRel()}, X, y, cv=3, sizes=[2], scoring=scoring)
    assert found.record["protocol"]["scoring"]["name"] == name
    assert name in repr(found)
    row = found.record["methods"][0]["nested"]
    assert least <= row["low"] <= row["score"] <= row["high"] <= most
    scorer = scorer_of(LogisticRegression(), scoring)
    assert (scorer.least, scorer.most) == (least, most)


def accuracy(estimator, X, y):
    return 10 * estimator.score(X, y)


def test_a_function_called_like_a_score_of_scikit_learn_has_its_own_range():
    X, y = latent_factors(45, 8)
    row = compare({"m": MaxRel()}, X, y, cv=3, sizes=[2], scoring=accuracy).record["methods"][0]["nested"]
    assert 1 < row["low"] < row["score"] < row["high"]


def test_a_score_may_need_a_decision_function():
    X, y = latent_factors(45, 8)
    scoring = make_scorer(roc_auc_score, response_method="decision_function")
    found = error_curve(MaxRel(), X, y, cv=3, sizes=[2], scoring=scoring)
    same = error_curve(MaxRel(), X, y, cv=3, sizes=[2], scoring="roc_auc")
    np.testing.assert_array_equal(found.to_frame()["score"], same.to_frame()["score"])


@pytest.mark.parametrize("name", ["error_curve", "compare", "across_cohorts"])
@pytest.mark.parametrize("estimator", [StandardScaler(), make_pipeline(StandardScaler())])
def test_what_predicts_nothing_is_refused_before_any_fit(name, estimator, unfitted):
    with pytest.raises(
        ValueError, match=r"estimator=.*, but it must be an object with fit\(X, y\) and predict"
    ):
        CALLS[name](unfitted, *latent_factors(45, 8), estimator=estimator)


class ByItself(StandardScaler):
    def score(self, X, y):
        return 0.5


def test_a_score_of_its_own_needs_no_predictions():
    how = {"estimator": ByItself(), "scoring": lambda model, X, y: model.score(X, y), "sizes": [2], "cv": 2}
    assert error_curve(MaxRel(), *latent_factors(45, 8), **how).mean.tolist() == [0.5]
