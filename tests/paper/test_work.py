"""What tasks do, against the same done step by step with scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from sklearn.svm import LinearSVC
from tests.published import QPFS, MaxRel

from qpfs.evaluation import Folds, RandomSplits
from qpfs.paper.sets import SetTable
from qpfs.paper.theory import levels_expected, share_without_weight, theory
from qpfs.paper.work import as_published, baselines, inside, nested


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(48) % 2)
    X = 100 * rng.normal(size=(48, 25))
    X[:, :6] += 80 * y[:, None]
    return SetTable(minmax_scale(X, (-1, 1)), X, y, "none")


def svm():
    return LinearSVC(dual=False, tol=1e-8, max_iter=100_000)


def n_missed(X, y, train, test):
    return int((svm().fit(X[train], y[train]).predict(X[test]) != y[test]).sum())


def test_one_selection_on_all_rows_then_leave_one_out(table):
    task = {"set": "colon", "method": "qpfs", "parameters": {"theta": 0.5}, "sizes": [1, 4, 9, 30]}
    order = QPFS(theta=0.5).fit(table.scaled, table.y).order_
    rows = np.arange(48)
    expected = [
        sum(n_missed(table.scaled[:, order[:k]], table.y, rows != i, [i]) for i in rows) for k in (1, 4, 9)
    ]
    assert as_published(task, table) == {"wrong": expected, "n": 48, "found": 25}


def test_a_selection_made_anew_without_each_sample(table):
    task = {"set": "colon", "method": "maxrel", "parameters": {}, "sizes": [2, 30]}
    rows, expected = np.arange(48), 0
    for i in rows:
        order = MaxRel().fit(table.scaled[rows != i], table.y[rows != i]).order_
        expected += n_missed(table.scaled[:, order[:2]], table.y, rows != i, [i])
    assert inside(task, table) == {"wrong": [expected], "n": 48, "found": 25}


def test_a_selection_inside_each_random_split(table):
    task = {"set": "usps", "method": "qpfs", "parameters": {}, "sizes": [2, 20, 40], "splits": [1, 3]}
    expected = []
    for train, test in list(RandomSplits(3, 0.6).parts(table.y))[1:3]:
        order = QPFS().fit(table.scaled[train], table.y[train]).order_
        tops = (2, 20, len(order))  # there are no 40
        expected.append([n_missed(table.scaled[:, order[:k]], table.y, train, test) for k in tops])
    found = as_published(task, table)
    assert found["wrong"] == expected
    assert found["found"] == [25, 25]
    dear = as_published(task | {"C": 1e-4}, table)
    assert dear["wrong"] != expected


@pytest.mark.parametrize(
    ("method", "selector", "candidates"),
    [
        ("maxrel", MaxRel(), [{}]),
        ("qpfs", QPFS(), [{"theta": 0.3}, {"theta": 0.9}]),
    ],
)
def test_everything_chosen_inside_the_training_part(table, method, selector, candidates):
    sizes = [2, 5, 10]
    task = {
        "set": "colon",
        "method": method,
        "candidates": candidates,
        "sizes": sizes,
        "n_folds": 3,
        "repeats": 1,
        "n_inner": 3,
        "part": 1,
    }
    train, test = list(Folds(3).parts(table.y))[1]
    pipeline = make_pipeline(selector, MinMaxScaler((-1, 1)), svm())
    name = type(selector).__name__.lower()
    ranges = {f"{name}__n_features_to_select": sizes}
    if candidates[0]:
        ranges[f"{name}__theta"] = [one["theta"] for one in candidates]
    search = GridSearchCV(pipeline, ranges, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    search.fit(table.X[train], table.y[train])
    found = nested(task, table)
    assert found["k"] == search.best_params_[f"{name}__n_features_to_select"]
    assert found["parameters"].get("theta") == search.best_params_.get(f"{name}__theta")
    assert found["wrong"] == (search.predict(table.X[test]) != table.y[test]).sum()
    assert found["n"] == len(test)
    assert set(found["at"]) == {"10"}


def test_baselines_with_all_features(table):
    rows = np.arange(48)
    expected = sum(n_missed(table.scaled, table.y, rows != i, [i]) for i in rows) / 48
    found = baselines({"set": "colon", "n_clusters": 5}, table)
    assert found["all"] == pytest.approx(expected)
    assert 1 <= found["found"] < 25


def test_levels_that_the_publication_expects():
    assert levels_expected(62, 15, 1.0, 0.8) == pytest.approx(62 * math.log(1.25) / math.log(15))
    assert levels_expected(62, 15, 0.7, 0.8) == 0.0


def test_shares_without_weight():
    assert share_without_weight(np.array([0.0, 0.5, 0.5, 0.0])) == 0.5
    assert share_without_weight(np.array([np.nan, 1.0])) is None


@pytest.mark.parametrize("method", ["tlkm", "ikm", "ikma"])
def test_counts_of_a_fit(table, method):
    parameters = {"n_clusters": 6} if method == "tlkm" else {"radius": 0.9, "n_first": 4}
    found = theory(method, parameters, table.scaled, table.y)
    assert found["n_features"] == 25
    assert found["pairs"] == 300
    assert found["k"] >= 2
    assert found["published_bound"] < found["bound"]
    assert found["bound"] == found["levels"] * 50 * (found["k"] + 1)
    if method != "tlkm":
        assert found["widest"] <= found["tau"] == 0.9
