"""What tasks do, against the same done step by step with scikit-learn."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from reproduction import published
from reproduction.methods import COMPARED, FEW
from reproduction.plan import QUICK, PaperPlan
from reproduction.results import JUDGED
from reproduction.sets import DATA_SETS, set_table
from reproduction.theory import levels_expected, share_without_weight, theory
from reproduction.work import SetWork
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from tests.published import QPFS, MaxRel

from qpfs.evaluation import Records

SIZES = (1, 4, 9, 30)
EXTENT = replace(
    QUICK, steps=dict.fromkeys(QUICK.steps, SIZES), inner_steps=(2, 5, 10), n_tried=2, n_splits=3
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(48) % 2)
    X = 100 * rng.normal(size=(48, 25))
    X[:, :6] += 80 * y[:, None]
    return set_table(X, y)


@pytest.fixture
def work(table, tmp_path):
    """The work on a made-up table that goes by the name of a set, and so is divided as that one."""
    with Records(tmp_path / "records.jsonl") as records:
        yield lambda name, **more: SetWork(
            PaperPlan(replace(EXTENT, **more), {name: table.shape}), DATA_SETS[name], table, records
        )


def svm():
    return LinearSVC(dual=False, tol=1e-8, max_iter=100_000)


def n_missed(X, y, train, test):
    return int((svm().fit(X[train], y[train]).predict(X[test]) != y[test]).sum())


def test_one_selection_on_all_rows_then_leave_one_out(work, table):
    X, y = table.scaled.X, table.scaled.y
    order, rows = QPFS(theta=0.5).fit(X, y).order_, np.arange(48)
    expected = [sum(n_missed(X[:, order[:k]], y, rows != i, [i]) for i in rows) / 48 for k in (1, 4, 9)]
    (found,) = work("colon").tried(COMPARED["qpfs"], [{"theta": 0.5}])
    assert found.sizes == [1, 4, 9]  # there are no 30
    assert found.errors == pytest.approx(expected)
    assert found.n == 48


def test_a_selection_made_anew_without_each_sample(work, table):
    X, y, rows, expected = table.scaled.X, table.scaled.y, np.arange(48), 0
    for i in rows:
        order = MaxRel().fit(X[rows != i], y[rows != i]).order_
        expected += n_missed(X[:, order[:4]], y, rows != i, [i])
    some = work("colon")
    found = some.curve(COMPARED["maxrel"], {}, some.each_left_out)
    assert found.at(4) == pytest.approx(expected / 48)
    assert (found.n, any(found.spread)) == (48, False)


def test_a_selection_inside_each_random_split(work, table):
    X, y = table.scaled.X, table.scaled.y
    some, expected = work("usps"), []
    splitter = StratifiedShuffleSplit(3, train_size=0.6, random_state=0)
    for train, test in splitter.split(X, y):
        train, test = np.sort(train), np.sort(test)
        order = QPFS().fit(X[train], y[train]).order_
        expected.append([n_missed(X[:, order[:k]], y, train, test) / len(test) for k in (1, 4, 9)])
    found = some.curve(COMPARED["qpfs"], {}, some.splits)
    assert found.errors == pytest.approx(np.mean(expected, axis=0))
    assert found.spread == pytest.approx(np.std(expected, axis=0, ddof=1) / 3**0.5)
    assert some.curve(COMPARED["qpfs"], {}, some.tests).errors == pytest.approx(np.mean(expected[:2], axis=0))
    assert some.curve(COMPARED["qpfs"], {}, some.splits, C=1e-4).errors != found.errors


@pytest.mark.parametrize(
    ("method", "selector", "candidates"),
    [
        ("maxrel", MaxRel(), [{}]),
        ("qpfs", QPFS(), [{"theta": 0.3}, {"theta": 0.9}]),
    ],
)
def test_everything_chosen_inside_the_training_part(work, table, method, selector, candidates):
    X, y, sizes = table.raw.X, table.raw.y, [2, 5, 10]
    some = work("colon", inside={method: candidates}, n_folds=3, repeats=1, n_inner=3)
    train, test = some.outer[1]
    expected_folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    np.testing.assert_array_equal(test, expected_folds[1][1])
    pipeline = make_pipeline(selector, MinMaxScaler((-1, 1)), svm())
    name = type(selector).__name__.lower()
    ranges = {f"{name}__n_features_to_select": sizes}
    if candidates[0]:
        ranges[f"{name}__theta"] = [one["theta"] for one in candidates]
    search = GridSearchCV(pipeline, ranges, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    search.fit(X[train], y[train])
    found = some.nested(COMPARED[method])
    assert found.sizes[1] == search.best_params_[f"{name}__n_features_to_select"]
    assert found.parameters[1].get("theta") == search.best_params_.get(f"{name}__theta")
    assert found.by_part[1] == pytest.approx((search.predict(X[test]) != y[test]).mean())
    assert (found.n, set(found.at)) == (48, {10})


def test_baselines_with_all_features(work, table):
    X, y, rows = table.scaled.X, table.scaled.y, np.arange(48)
    found = work("colon").baselines()
    assert found["all"] == pytest.approx(sum(n_missed(X, y, rows != i, [i]) for i in rows) / 48)
    assert 0 < found["representatives"] < 1


def test_on_the_given_split_what_was_chosen_is_looked_at_at_every_size(work, monkeypatch):
    monkeypatch.setattr(published, "MNIST_ROWS", (30, 18))
    some = work("mnist38", last_steps=tuple(range(1, 26)), grids=dict.fromkeys(QUICK.grids, FEW))
    found = some.results()
    assert found.curves["maxrel"].sizes == list(range(1, 26))
    assert found.chosen["maxrel"].sizes == [1, 4, 9]
    assert found.curves["maxrel"].at(4) == found.chosen["maxrel"].at(4)
    assert found.inside["maxrel"] is found.curves["maxrel"]
    assert set(found.prices) == {(name, 0.1) for name in JUDGED}
    assert found.nested.keys() == found.curves.keys() == COMPARED.keys()


def test_levels_that_the_publication_expects():
    assert levels_expected(62, 15, 1.0, 0.8) == pytest.approx(62 * math.log(1.25) / math.log(15))
    assert levels_expected(62, 15, 0.7, 0.8) == 0.0


def test_shares_without_weight():
    assert share_without_weight(np.array([0.0, 0.5, 0.5, 0.0])) == 0.5
    assert share_without_weight(np.array([np.nan, 1.0])) is None


@pytest.mark.parametrize("method", ["tlkm", "ikm", "ikma"])
def test_counts_of_a_fit(table, method):
    parameters = {"n_clusters": 6} if method == "tlkm" else {"radius": 0.9, "n_first": 4}
    found = theory(method, parameters, table.scaled.X, table.scaled.y)
    assert found["n_features"] == 25
    assert found["pairs"] == 300
    assert found["k"] >= 2
    assert found["published_bound"] < found["bound"]
    assert found["bound"] == found["levels"] * 50 * (found["k"] + 1)
    if method != "tlkm":
        assert found["widest"] <= found["tau"] == 0.9
