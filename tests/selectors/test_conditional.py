"""JMI and CMIM, against the definition, and on what only they can see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from tests.naive import selectors as naive

from qpfs import CMIM, JMI, MRMR, AsCodes, TwoLevelSelector, open_store, write_store


def discrete(seed, n=60, m=9):
    rng = np.random.default_rng(seed)
    X = np.floor(rng.random((n, m)) * rng.integers(2, 5, m))
    y = (X[:, 0] + X[:, 1] + rng.random(n) > 2).astype(int) + (X[:, 2] > 1)
    return X, y


@pytest.mark.parametrize("least", [False, True], ids=["jmi", "cmim"])
@pytest.mark.parametrize("seed", range(8))
def test_the_order_is_that_of_the_definition(seed, least):
    X, y = discrete(seed)
    found = (CMIM if least else JMI)(6, discretizer=AsCodes()).fit(X, y)
    assert found.order_.tolist() == naive.conditional(X, y, 6, least)


@pytest.mark.parametrize("selector", [JMI, CMIM])
def test_two_features_that_speak_together_are_seen(selector):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 12)).astype(float)
    y = (X[:, 3] != X[:, 7]).astype(int) + 2 * (X[:, 3] > 0)
    order = selector(2, discretizer=AsCodes()).fit(X, y).order_
    assert set(order) == {3, 7}


def test_what_repeats_a_feature_adds_nothing_by_the_least():
    X, y = discrete(1)
    X = np.column_stack([X, X[:, 0]])
    found = CMIM(10, discretizer=AsCodes()).fit(X, y)
    assert found.scores_[[0, 9]].min() == 0


@pytest.mark.parametrize("selector", [JMI(5), CMIM(5)], ids=["jmi", "cmim"])
def test_any_storage_and_any_number_of_threads(selector, tmp_path):
    X, y = discrete(2, n=150, m=40)
    expected = selector.fit(X, y)
    order, scores = expected.order_, expected.scores_
    tables = [sparse.csr_array(X), open_store(write_store(X, tmp_path / "x.qpfs", y))]
    for table in tables:
        np.testing.assert_array_equal(selector.fit(table, y).order_, order)
        np.testing.assert_array_equal(selector.fit(table, y).scores_, scores)
    np.testing.assert_array_equal(selector.set_params(n_jobs=2).fit(X, y).scores_, scores)


@pytest.mark.parametrize("selector", [JMI, CMIM])
def test_it_stops_where_chance_would_say_as_much(selector):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (300, 30)).astype(float)
    y = (X[:, 4] + X[:, 9] > 2).astype(int)
    found = selector(discretizer=AsCodes()).fit(X, y)
    assert {4, 9} <= set(found.order_[:2])
    assert len(found.order_) < 30


def test_as_criteria_of_clusters():
    X, y = discrete(4, m=30)
    found = TwoLevelSelector("kmeans", JMI(3)).fit(X, y)
    assert len(found.order_) == 3
    with pytest.raises(ValueError, match=r"criterion has measure='mi'.*set measure there"):
        TwoLevelSelector("kmeans", CMIM(3), measure="chi2").fit(X, y)


def test_a_quantity_is_cut():
    X, y = discrete(5)
    assert len(JMI(3).fit(X, y + 0.5 * X[:, 3]).order_) == 3
    assert MRMR(1).fit(X, y).order_[0] == JMI(1).fit(X, y).order_[0]
