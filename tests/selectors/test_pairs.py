"""What two features share is computed once in a fit, however many ask for it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from qpfs import QPFS, QPFSCV, TLKMQPFS
from qpfs.information.measures.correlation import Correlated
from qpfs.information.measures.counted import Counted
from qpfs.selectors import selector as fitting

READY = {"mi": Counted, "correlation": Correlated}  # a convex measure needs no proof


def table(n_samples, n_features, n_constant=0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::3] = rng.integers(2, size=(n_samples, len(X[0, ::3])))  # blocks of two numbers of levels
    X[:, :n_constant] = 1.0
    return X, (X[:, -1] + X[:, -2] > 0).astype(int)


def pairs_of(monkeypatch, measure, call):
    """How many pairs of features, or of a feature and the target, a call compares."""
    compared, between = [], READY[measure].between

    def counting(self, pivots, rows, other, *more):
        compared.append(len(pivots.own[rows]) * len(other.own))
        return between(self, pivots, rows, other, *more)

    with monkeypatch.context() as patch:
        patch.setattr(READY[measure], "between", counting)
        call()
    return sum(compared)


@pytest.mark.parametrize("measure", READY)
@pytest.mark.parametrize(("n_features", "n_constant"), [(20, 0), (90, 3), (600, 0)])
@pytest.mark.parametrize("theta", ["auto", 0.3])
def test_all_of_q_is_not_read_twice(monkeypatch, measure, n_features, n_constant, theta):
    X, y = table(70, n_features, n_constant)
    selector = QPFS(theta=theta, measure=measure)
    sure = selector.fit(X, y).fitted_.significance
    known = SimpleNamespace(result=lambda: sure)  # shuffles of the target are no pairs
    monkeypatch.setattr(fitting, "pending_significance", lambda *_: known)
    found = pairs_of(monkeypatch, measure, lambda: selector.fit(X, y))
    m = n_features - n_constant
    n_targets = 2 if measure == "correlation" else 1  # an indicator for each class
    assert found <= m * m + n_targets * m


def test_a_method_that_reads_few_rows_compares_two_features_once_for_theta(monkeypatch):
    X, y = table(50, 900)
    found = pairs_of(monkeypatch, "mi", lambda: TLKMQPFS().fit(X, y))
    assert found < 0.8 * 900 * 900


def test_the_candidates_of_a_search_share_one_q_for_each_fold(monkeypatch):
    X, y = table(60, 40)
    search = QPFSCV(cv=3)
    found = pairs_of(monkeypatch, "mi", lambda: search.fit(X, y))
    assert found <= 4 * (40 * 40 + 40)  # three folds and the whole
