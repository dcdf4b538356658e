"""p values are computed where somebody reads them, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import qpfs.selectors.selector as selector_module
from qpfs import QPFS, QPFSCV, MaxRel
from qpfs.evaluation import error_curve, resampled
from qpfs.information.significance import pending_significance
from qpfs.selectors.chance import rankings_alone


@pytest.fixture
def tests_made(monkeypatch):
    """How often p values were computed."""
    made = []

    def counted(*args):
        made.append(args)
        return pending_significance(*args)

    monkeypatch.setattr(selector_module, "pending_significance", counted)
    return made


def test_no_p_values_are_computed_where_the_order_alone_is_read(tests_made):
    X, y = load_breast_cancer(return_X_y=True)
    error_curve(QPFS(), X, y, cv=3, sizes=[2])
    resampled(QPFS(3), X, y, n=3)
    assert not tests_made
    QPFS().fit(X, y)
    assert len(tests_made) == 1


def test_a_search_ends_with_a_selector_that_has_p_values(tests_made):
    X, y = load_breast_cancer(return_X_y=True)
    search = QPFSCV(param_grid={"theta": [0.3, 0.6]}, n_features=[2], cv=3).fit(X, y)
    assert len(tests_made) == 1
    np.testing.assert_array_equal(search.best_selector_.pvalues_, QPFS().fit(X, y).pvalues_)


def test_a_false_discovery_rate_holds_in_every_fold(tests_made):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), 40))])
    error_curve(MaxRel(fdr=1e-6), X, y, cv=3, sizes=[2])
    assert len(tests_made) == 3
    with rankings_alone():
        found = MaxRel(fdr=1e-6).fit(X, y)
    np.testing.assert_array_equal(found.order_, MaxRel(fdr=1e-6).fit(X, y).order_)
    assert len(found.order_) < X.shape[1]


def test_rankings_alone_are_those_of_a_plain_fit_and_end_with_the_block():
    X, y = load_breast_cancer(return_X_y=True)
    with rankings_alone():
        quick = QPFS(4).fit(X, y)
    whole = QPFS(4).fit(X, y)
    np.testing.assert_array_equal(quick.order_, whole.order_)
    np.testing.assert_array_equal(quick.scores_, whole.scores_)
    assert not hasattr(quick, "pvalues_")
    assert hasattr(whole, "pvalues_")
    assert "pvalue" not in quick.to_frame().columns
