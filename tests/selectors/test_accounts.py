"""What methods say of their own answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from tests.report.selections import SELECTORS

from qpfs import MRMR, QPFS, QPFSCV, InterleavedSelector, MaxRel, NystromQPFS, TwoLevelSelector
from qpfs.cli.plan import TrialFit
from qpfs.criteria import RelevanceCriterion
from qpfs.methods import METHODS, names_of
from qpfs.report import selection_page, selection_record
from qpfs.selectors import FeatureKMeans
from qpfs.selectors.selector import FeatureSelector

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)


def page_of(selector):
    return selection_page(selection_record(selector.fit(X, Y)))


def test_every_method_of_the_table_is_told_and_tried():
    shown = {type(selector) for selector in SELECTORS}
    for method in METHODS.values():
        assert method.selector.__name__ == method.class_name
        assert method.selector.account is not FeatureSelector.account
        assert method.selector in shown
        assert names_of(method.selector) == (method.name, method.title)


BY_THEMSELVES = {
    "two levels, MaxRel": TwoLevelSelector(FeatureKMeans(8), MaxRel(), n_features_to_select=3),
    "two levels, a function": TwoLevelSelector(FeatureKMeans(8), f_classif, n_features_to_select=3),
    "in turns, MaxRel": InterleavedSelector(criterion=MaxRel(), n_features_to_select=3),
    "two levels, a criterion": TwoLevelSelector(
        FeatureKMeans(8), RelevanceCriterion(), n_features_to_select=3
    ),
}


@pytest.mark.parametrize("selector", BY_THEMSELVES.values(), ids=BY_THEMSELVES)
def test_what_was_ranked_by_itself_is_not_said_to_be_taken_one_by_one(selector):
    page = page_of(selector)
    assert "one by one" not in page
    assert "with little redundancy" not in page
    assert "by clustering" in page


def test_a_criterion_is_told_as_itself():
    assert "one by one" in page_of(TwoLevelSelector(FeatureKMeans(8), MRMR(), n_features_to_select=3))
    given = page_of(TwoLevelSelector(FeatureKMeans(8), QPFS(theta=0.5)))
    assert "Relevance has weight 0.500 and redundancy 0.500, as given." in given
    assert "θ = 0.500, as chosen beforehand" in given
    guessed = page_of(TwoLevelSelector(FeatureKMeans(8), NystromQPFS(sampling_rate=0.5)))
    assert "the approximate program over the cluster representatives" in guessed


def test_a_theta_that_was_searched_is_said_to_be():
    account = QPFSCV(param_grid={"theta": [0.2, 0.4]}, n_features=[2], cv=2).fit(X, Y).account()
    assert "chosen by cross-validation" in account.text
    assert account.certainty[1].endswith("as chosen by cross-validation.")


class Backwards(FeatureSelector):
    """A method that is not in the table, and has none of the usual parameters of its own."""

    def __init__(
        self, n_features_to_select=None, measure="mi", discretizer=None, target_discretizer=None, n_jobs=None
    ):
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_jobs = n_jobs

    def _check_parameters(self):
        pass

    def _criterion(self, problem, random_state):
        return RelevanceCriterion()


def test_a_method_that_says_nothing_is_not_given_the_words_of_another():
    page = page_of(Backwards(3))
    assert "candidate features measured in 569 samples by Backwards." in page
    assert "one by one" not in page
    assert "optimal" not in page


def test_a_method_that_does_not_know_its_cost_is_tried():
    trial = TrialFit.of(Backwards(3), X.to_numpy(), Y.to_numpy())
    assert np.isfinite(trial.seconds_for(1000, 569))
    assert trial.seconds_for(1000, 569) > 0
