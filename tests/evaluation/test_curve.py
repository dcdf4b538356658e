"""Error curves against plain loops; nothing of the test part is seen; records, threads, kinds of data."""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from tests.conftest import latent_factors
from tests.naive import evaluation as naive

from qpfs import FGM, IKMAQPFS, QPFS, TLKMQPFS, MaxRel
from qpfs.evaluation import (
    Folds,
    GivenSplit,
    LeaveOneOut,
    RandomSplits,
    Records,
    all_features,
    error_curve,
    representatives,
)

SIZES = [1, 3, 8]


@pytest.fixture(scope="module")
def problem():
    return latent_factors(40, 60)


class Spread(BaseEstimator):
    """A new method: features by how much they spread."""

    def fit(self, X, y):
        self.scores_ = np.std(X, axis=0)
        return self


class Witness(BaseEstimator):
    """Remembers which rows it was fitted to: the last column of X counts them."""

    seen: ClassVar[list[np.ndarray]] = []

    def fit(self, X, y):
        Witness.seen.append(np.sort(X[:, -1]).astype(int))
        self.order_ = np.arange(X.shape[1] - 1)
        return self


@pytest.mark.parametrize(
    "splits",
    [LeaveOneOut(), Folds(5), Folds(3, repeats=2), RandomSplits(4), GivenSplit(np.arange(15))],
    ids=str,
)
def test_curves_are_those_of_a_plain_loop(problem, splits):
    X, y = problem
    curve = error_curve(QPFS(), X, y, splits=splits, sizes=SIZES)
    parts = list(splits.parts(y))
    wrong = naive.wrong(QPFS, X, y, parts, SIZES)
    np.testing.assert_array_equal(curve.losses, wrong)
    np.testing.assert_array_equal(curve.references, [len(test) for _, test in parts])
    shares = wrong / curve.references[:, None]
    expected = shares.mean(axis=0) if splits.overlapping else wrong.sum(axis=0) / curve.references.sum()
    np.testing.assert_allclose(curve.mean, expected)


@pytest.mark.data
def test_leave_one_out_on_colon(benchmark_data):
    X, y = benchmark_data("colon")
    X = np.asarray(X, float)[:, :300]
    curve = error_curve(MaxRel(), X, y, splits=LeaveOneOut(), sizes=[5, 20])
    assert len(curve.losses) == 62
    wrong = naive.wrong(MaxRel, X, y, list(LeaveOneOut().parts(y)), [5, 20])
    np.testing.assert_allclose(curve.mean, wrong.sum(axis=0) / 62)


@pytest.mark.parametrize("splits", [LeaveOneOut(), Folds(4), RandomSplits(5)], ids=str)
def test_the_selector_sees_the_training_part_only(splits):
    y = np.arange(24) % 2
    X = np.column_stack([np.random.default_rng(0).normal(size=(24, 3)), np.arange(24)])
    Witness.seen = []
    error_curve(Witness(), X, y, splits=splits, sizes=[1, 2])
    trains = [train.tolist() for train, _ in splits.parts(y)]
    assert [one.tolist() for one in Witness.seen] == trains  # one fit each, whatever the number of sizes


def test_on_all_rows_one_fit_sees_everything_and_says_so():
    y = np.arange(24) % 2
    X = np.column_stack([np.random.default_rng(0).normal(size=(24, 3)), np.arange(24)])
    Witness.seen = []
    curve = error_curve(Witness(), X, y, splits=LeaveOneOut(), sizes=[1, 2], selection="all rows", n_jobs=2)
    assert [one.tolist() for one in Witness.seen] == [list(range(24))]
    assert "biased" in curve.protocol["text"]


def test_selection_on_all_rows_flatters_where_there_is_nothing_to_learn():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3000)), np.arange(40) % 2
    inside, flattered = (
        error_curve(MaxRel(), X, y, splits=Folds(10), sizes=[10], selection=selection).mean[0]
        for selection in ("inside", "all rows")
    )
    assert inside > 0.3
    assert flattered < 0.2


def test_scaling_is_learned_on_the_training_part():
    seen = []

    class Listening(LinearSVC):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

        def predict(self, X):
            seen.append(X)
            return super().predict(X)

    X, y = latent_factors(30, 5)
    X[0, 0] = 100.0  # beyond all others, and tested first
    error_curve(MaxRel(), X, y, splits=GivenSplit([0]), sizes=[5], classifier=Listening(dual=False))
    train, test = seen
    np.testing.assert_allclose([train.min(axis=0), train.max(axis=0)], [-np.ones(5), np.ones(5)])
    assert test.max() > 5


def test_columns_that_are_constant_in_training_say_nothing():
    X, y = latent_factors(30, 3)
    X = np.column_stack([X, np.zeros(30)])
    X[0, 3] = 1e6
    with_it, without = (
        error_curve(Spread(), X[:, :d], y, splits=GivenSplit([0, 1, 2]), sizes=[d]).losses.tolist()
        for d in (4, 3)
    )
    assert with_it == without


def test_a_new_method_joins_by_its_scores(problem):
    X, y = problem
    curve = error_curve(Spread(), X, y, splits=Folds(3), sizes=[2])
    for order, (train, _) in zip(curve.orders, Folds(3).parts(y), strict=True):
        assert order[:2].tolist() == np.argsort(-X[train].std(axis=0), kind="stable")[:2].tolist()
    assert error_curve(SelectKBest(f_classif), X, y, splits=Folds(3), sizes=[2]).mean[0] < 0.5


class Plain:
    """Not even an estimator of scikit-learn."""

    def fit(self, X, y):
        self.order_ = np.argsort(-np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)))


def test_fit_and_an_order_are_enough(problem, tmp_path):
    X, y = problem
    selector, path = Plain(), tmp_path / "r.jsonl"
    one, two = (
        error_curve(selector, X, y, splits=Folds(3), sizes=[2], n_jobs=n, records=path) for n in (1, 2)
    )
    assert not hasattr(selector, "order_")
    assert one.table() == two.table()
    for order, (train, _) in zip(two.orders, Folds(3).parts(y), strict=True):
        apart = np.abs(X[train][y[train] == 0].mean(axis=0) - X[train][y[train] == 1].mean(axis=0))
        assert order.tolist() == np.argsort(-apart)[:2].tolist()


def test_any_classifier_can_judge(problem):
    X, y = problem
    forest = RandomForestClassifier(5, random_state=0)
    curve = error_curve(QPFS(), X, y, splits=Folds(3), sizes=[5], classifier=forest, scale=None)
    for wrong, (train, test) in zip(curve.losses[:, 0], Folds(3).parts(y), strict=True):
        top = QPFS().fit(X[train], y[train]).order_[:5]
        predicted = forest.fit(X[train][:, top], y[train]).predict(X[test][:, top])
        assert wrong == (predicted != y[test]).sum()


def test_a_curve_goes_on_level_where_the_ranking_ends(problem):
    X, y = problem
    curve = error_curve(TLKMQPFS(n_clusters=5), X, y, splits=Folds(3), sizes=[1, 20, 40, 60])
    assert (curve.ranked < 20).all()
    assert (curve.mean[1:] == curve.mean[1]).all()
    assert curve.masks(60).sum(axis=1).tolist() == curve.ranked.tolist()


def test_quantities_have_the_relative_squared_error(problem):
    X = problem[0]
    y = X[:, 0] - 2 * X[:, 1] + np.random.default_rng(0).normal(size=40)
    curve = error_curve(QPFS(), X, y, splits=GivenSplit(np.arange(15)), sizes=[4])
    train, test = np.arange(15, 40), np.arange(15)
    top = QPFS().fit(X[train], y[train]).order_[:4]
    scaler = StandardScaler().fit(X[train][:, top])
    model = Ridge().fit(scaler.transform(X[train][:, top]), y[train])
    predicted = model.predict(scaler.transform(X[test][:, top]))
    expected = ((y[test] - predicted) ** 2).sum() / ((y[test] - y[train].mean()) ** 2).sum()
    assert curve.mean[0] == pytest.approx(expected)
    shifted = ((y[test] - y[test].mean()) ** 2).sum() / ((y[test] - y[train].mean()) ** 2).sum()
    assert curve.mean[0] == pytest.approx((1 - r2_score(y[test], predicted)) * shifted)


def test_a_quantity_of_integers_stays_one_in_every_part():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 6))
    y = np.round(12 * X[:, 0] + 3 * rng.normal(size=100)).astype(float)
    curve = error_curve(MaxRel(), X, y, splits=Folds(2), sizes=[1])
    assert curve.protocol["scale"] == "standard"
    assert curve.mean[0] < 0.3


@pytest.mark.parametrize("quantity", [False, True])
def test_the_answer_does_not_depend_on_n_jobs(problem, quantity):
    X, y = problem
    y = X[:, 3] if quantity else y
    one, four = (error_curve(IKMAQPFS(), X, y, splits=Folds(6), sizes=SIZES, n_jobs=n) for n in (1, 4))
    for name in ("losses", "references", "mean", "low", "high", "ranked"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))
    assert one.notes == four.notes


def test_what_is_on_record_is_not_done_again(problem, tmp_path):
    X, y = problem
    path = tmp_path / "records.jsonl"
    first = error_curve(QPFS(), X, y, splits=Folds(4), sizes=SIZES, records=path)
    written = path.read_bytes()
    lines = written.splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[3], lines[1]]) + lines[2][:40])
    ticks = []
    again = error_curve(
        QPFS(), X, y, splits=Folds(4), sizes=SIZES, records=path, tick=lambda *done: ticks.append(done)
    )
    assert json.dumps(first.table()) == json.dumps(again.table())
    assert [done[:2] for done in ticks] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with Records(path) as records:
        assert len(records) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"selector": QPFS(theta=0.5)},
        {"splits": Folds(4, seed=1)},
        {"sizes": [1, 3]},
        {"classifier": LinearSVC(dual=False, C=0.1)},
        {"scale": None},
        {"selection": "all rows"},
        {"y": 1},
        {"X": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_results_have_other_keys(problem, tmp_path, change):
    X, y = problem
    X, y = X + change.pop("X", 0), y ^ change.pop("y", 0)
    how = {"selector": QPFS(), "splits": Folds(4), "sizes": SIZES, "records": tmp_path / "r.jsonl"}
    error_curve(**how, X=problem[0], y=problem[1])
    error_curve(**how | change, X=X, y=y)
    with Records(tmp_path / "r.jsonl") as records:
        assert len(records) == 8


def test_baselines_of_the_publication(problem):
    X, y = problem
    everything = all_features(X, y, splits=Folds(4))
    assert everything.sizes == (60,)
    wrong = naive.wrong(InOrder, X, y, list(Folds(4).parts(y)), [60])
    np.testing.assert_array_equal(everything.losses, wrong)
    some = representatives(X, y, n_clusters=6, splits=Folds(4))
    for order, (train, _) in zip(some.orders, Folds(4).parts(y), strict=True):
        fitted = TLKMQPFS(n_clusters=6).fit(X[train], y[train])
        assert set(order) == set(fitted.representatives_)


class InOrder(BaseEstimator):
    def fit(self, X, y):
        self.order_ = np.arange(X.shape[1])
        return self


def mixed(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    colour = np.where(y == 1, "red", "blue").astype(object)
    colour[rng.random(n) < 0.1] = None
    colour[:2] = "green"
    size = rng.normal(size=n) + y
    size[5] = np.nan
    return pa.table({"colour": colour.tolist(), "size": size, "noise": rng.normal(size=n)}), y


def test_tables_with_labels_and_gaps():
    table, y = mixed()
    curve = error_curve(QPFS(), table, y, splits=Folds(4), sizes=[1, 2, 3])
    assert curve.mean[0] < 0.2
    assert "median" in curve.protocol["text"]
    again = error_curve(QPFS(), table.to_pandas(), y, splits=Folds(4), sizes=[1, 2, 3])
    np.testing.assert_array_equal(curve.losses, again.losses)


def test_tables_give_what_a_pipeline_of_scikit_learn_gives():
    table, y = mixed(80)
    splits, frame = Folds(5), table.to_pandas()
    curve = error_curve(QPFS(), table, y, splits=splits, sizes=[1, 2, 3])
    wrong = np.zeros((5, 3))
    for i, (train, test) in enumerate(splits.parts(y)):
        order = QPFS().fit(table.take(train), y[train]).order_
        for k in (1, 2, 3):
            top = frame.iloc[:, order[:k]].copy()
            if "colour" in top:
                top["colour"] = top["colour"].fillna("missing")
            spread = make_column_transformer(
                (
                    OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                    [c for c in top if c == "colour"],
                ),
                (SimpleImputer(strategy="median"), [c for c in top if c != "colour"]),
            )
            model = make_pipeline(spread, MinMaxScaler((-1, 1)), LinearSVC(dual=False))
            model.fit(top.iloc[train], y[train])
            wrong[i, k - 1] = (model.predict(top.iloc[test]) != y[test]).sum()
    np.testing.assert_array_equal(curve.losses, wrong)


def test_labels_are_those_of_the_training_part():
    from qpfs.evaluation.design import design

    table, _ = mixed()
    train, test = np.arange(2, 60), np.arange(2)
    shown = design(table, np.array([0, 1]), train, test, None)
    assert shown.train.shape == (58, 4)  # blue, red, missing; size
    assert shown.ends.tolist() == [3, 4]
    assert (shown.test[:, :3] == 0).all()  # green was not seen
    assert shown.train[3, 3] == np.nanmedian(np.asarray(table["size"])[2:])


def test_sparse_features_give_what_dense_ones_give():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.poisson(0.4, (60, 30)) + (rng.random((60, 30)) < 0.6) * y[:, None] * (np.arange(30) < 5)
    dense = error_curve(FGM(5), X.astype(float), y, splits=Folds(3), sizes=[2, 5])
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        curve = error_curve(FGM(5), kind(X.astype(float)), y, splits=Folds(3), sizes=[2, 5])
        np.testing.assert_array_equal(curve.losses, dense.losses)


def test_sparse_features_too_many_to_be_spread_out(monkeypatch):
    from qpfs.evaluation import design

    monkeypatch.setattr(design, "MOST_DENSE", 10)
    rng = np.random.default_rng(0)
    X, y = sparse.csr_array(rng.poisson(0.4, (40, 20)).astype(float)), np.arange(40) % 2
    shown = design.design(X, np.arange(20), np.arange(30), np.arange(30, 40), "minmax")
    dense = X.toarray()
    largest = np.maximum(dense[:30].max(axis=0), 1)
    np.testing.assert_allclose(shown.test.toarray(), dense[30:] / largest)
    assert all_features(X, y, splits=Folds(3)).mean.shape == (1,)


def test_warnings_become_notes(problem):
    X, y = problem
    curve = error_curve(
        QPFS(), X, y, splits=Folds(3), sizes=[20, 30], classifier=LinearSVC(dual=False, max_iter=1)
    )
    assert [note for note in curve.notes if "ConvergenceWarning" in note and "3 of 3" in note]


def test_groups_stay_together(problem):
    X, y = problem
    groups = np.arange(40) // 4
    X = np.column_stack([X, np.arange(40)])
    Witness.seen = []
    curve = error_curve(Witness(), X, y, splits=Folds(5), sizes=[3], groups=groups)
    for seen in Witness.seen:
        assert not set(groups[seen]) & set(groups[np.setdiff1d(np.arange(40), seen)])
    assert "groups kept together" in curve.protocol["text"]


def test_best_and_smallest(problem):
    X, y = problem
    curve = error_curve(QPFS(), X, y, splits=Folds(5))
    k, error = curve.best()
    assert error == curve.mean.min()
    assert (curve.mean[: curve.sizes.index(k)] > error).all()
    small, within = curve.smallest()
    assert small <= k
    assert within <= error + curve.standard_error[curve.sizes.index(k)] + 1e-12


class Mute(BaseEstimator):
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ({"selector": Mute()}, TypeError, "neither order_ nor scores_"),
        ({"selection": "outside"}, ValueError, "'inside' or 'all rows'"),
        ({"scale": "max"}, ValueError, "scale='max'"),
        ({"sizes": [0]}, ValueError, "integers from 1 to 60"),
        ({"groups": [1, 2]}, ValueError, "inconsistent"),
        ({"X": np.zeros(40)}, ValueError, "expected numbers of shape"),
    ],
)
def test_what_makes_no_sense(problem, how, kind, message):
    X, y = problem
    with pytest.raises(kind, match=message):
        error_curve(**{"selector": QPFS(), "X": X, "y": y, "splits": Folds(3)} | how)
