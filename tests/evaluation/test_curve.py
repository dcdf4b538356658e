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
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from tests.conftest import latent_factors
from tests.naive import evaluation as naive

from qpfs import FGM, IKMAQPFS, QPFS, TLKMQPFS, MaxRel
from qpfs.evaluation import AllFeatures, Records, design, error_curve
from qpfs.evaluation.sample import sample_of
from qpfs.evaluation.splits import splits_of

SIZES = [1, 3, 8]


@pytest.fixture(scope="module")
def problem():
    return latent_factors(40, 60)


def parts_of(cv, y, groups=None):
    """The rows that a number of folds or a splitter makes."""
    return splits_of(cv, sample_of(np.zeros((len(y), 1)), y, groups)).parts


def one_split(test, n):
    return [(np.setdiff1d(np.arange(n), test), np.asarray(test))]


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
    "cv",
    [
        LeaveOneOut(),
        5,
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        StratifiedShuffleSplit(4, train_size=0.6, random_state=0),
        one_split(np.arange(15), 40),
        TimeSeriesSplit(3),
        PredefinedSplit(np.arange(40) % 4 - 1),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_curves_are_those_of_a_plain_loop(problem, cv):
    X, y = problem
    curve = error_curve(QPFS(), X, y, cv=cv, sizes=SIZES)
    parts = parts_of(cv, y)
    wrong = naive.wrong(QPFS, X, y, parts, SIZES)
    np.testing.assert_array_equal(curve.losses, wrong)
    np.testing.assert_array_equal(curve.references, [len(test) for _, test in parts])
    shares = wrong / curve.references[:, None]
    drawn = isinstance(cv, StratifiedShuffleSplit)
    expected = shares.mean(axis=0) if drawn else wrong.sum(axis=0) / curve.references.sum()
    np.testing.assert_allclose(curve.mean, expected)


@pytest.mark.data
def test_leave_one_out_on_colon(benchmark_data):
    X, y = benchmark_data("colon")
    X = np.asarray(X, float)[:, :300]
    curve = error_curve(MaxRel(), X, y, cv=LeaveOneOut(), sizes=[5, 20])
    assert len(curve.losses) == 62
    wrong = naive.wrong(MaxRel, X, y, parts_of(LeaveOneOut(), y), [5, 20])
    np.testing.assert_allclose(curve.mean, wrong.sum(axis=0) / 62)


@pytest.mark.parametrize("cv", [LeaveOneOut(), 4, ShuffleSplit(5, random_state=0)], ids=str)
def test_the_selector_sees_the_training_part_only(cv):
    y = np.arange(24) % 2
    X = np.column_stack([np.random.default_rng(0).normal(size=(24, 3)), np.arange(24)])
    Witness.seen = []
    error_curve(Witness(), X, y, cv=cv, sizes=[1, 2])
    trains = [train.tolist() for train, _ in parts_of(cv, y)]
    assert [one.tolist() for one in Witness.seen] == trains  # one fit each, whatever the number of sizes


class Fixed(BaseEstimator):
    """Ranks in an order that it was given."""

    def __init__(self, order=None):
        self.order = order

    def fit(self, X, y):
        self.order_ = self.order
        return self


def test_selection_on_all_rows_flatters_where_there_is_nothing_to_learn():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3000)), np.arange(40) % 2
    assert error_curve(MaxRel(), X, y, cv=10, sizes=[10]).mean[0] > 0.3
    assert error_curve(Fixed(MaxRel().fit(X, y).order_), X, y, cv=10, sizes=[10]).mean[0] < 0.2


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
    model = make_pipeline(MinMaxScaler((-1, 1)), Listening(dual=False))
    error_curve(MaxRel(), X, y, cv=one_split([0], 30), sizes=[5], estimator=model)
    train, test = seen
    np.testing.assert_allclose([train.min(axis=0), train.max(axis=0)], [-np.ones(5), np.ones(5)])
    assert test.max() > 5


def test_columns_that_are_constant_in_training_say_nothing():
    X, y = latent_factors(30, 3)
    X = np.column_stack([X, np.zeros(30)])
    X[0, 3] = 1e6
    with_it, without = (
        error_curve(Spread(), X[:, :d], y, cv=one_split([0, 1, 2], 30), sizes=[d]).losses.tolist()
        for d in (4, 3)
    )
    assert with_it == without


def test_a_new_method_joins_by_its_scores(problem):
    X, y = problem
    curve = error_curve(Spread(), X, y, cv=3, sizes=[2])
    for order, (train, _) in zip(curve.orders, parts_of(3, y), strict=True):
        assert order[:2].tolist() == np.argsort(-X[train].std(axis=0), kind="stable")[:2].tolist()
    assert error_curve(SelectKBest(f_classif), X, y, cv=3, sizes=[2]).mean[0] < 0.5


class Plain:
    """Not even an estimator of scikit-learn."""

    def fit(self, X, y):
        self.order_ = np.argsort(-np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)))


def test_fit_and_an_order_are_enough(problem, tmp_path):
    X, y = problem
    selector, path = Plain(), tmp_path / "r.jsonl"
    one, two = (error_curve(selector, X, y, cv=3, sizes=[2], n_jobs=n, records=path) for n in (1, 2))
    assert not hasattr(selector, "order_")
    assert one.table() == two.table()
    for order, (train, _) in zip(two.orders, parts_of(3, y), strict=True):
        apart = np.abs(X[train][y[train] == 0].mean(axis=0) - X[train][y[train] == 1].mean(axis=0))
        assert order.tolist() == np.argsort(-apart)[:2].tolist()


def test_any_estimator_can_judge(problem):
    X, y = problem
    forest = RandomForestClassifier(5, random_state=0)
    curve = error_curve(QPFS(), X, y, cv=3, sizes=[5], estimator=forest)
    for wrong, (train, test) in zip(curve.losses[:, 0], parts_of(3, y), strict=True):
        top = np.sort(QPFS().fit(X[train], y[train]).order_[:5])
        predicted = forest.fit(X[train][:, top], y[train]).predict(X[test][:, top])
        assert wrong == (predicted != y[test]).sum()


def test_a_curve_goes_on_level_where_the_ranking_ends(problem):
    X, y = problem
    curve = error_curve(TLKMQPFS(n_clusters=5), X, y, cv=3, sizes=[1, 20, 40, 60])
    assert (curve.ranked < 20).all()
    assert (curve.mean[1:] == curve.mean[1]).all()
    assert curve.masks(60).sum(axis=1).tolist() == curve.ranked.tolist()


def test_quantities_have_the_relative_squared_error(problem):
    X = problem[0]
    y = X[:, 0] - 2 * X[:, 1] + np.random.default_rng(0).normal(size=40)
    curve = error_curve(QPFS(), X, y, cv=one_split(np.arange(15), 40), sizes=[4])
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
    curve = error_curve(MaxRel(), X, y, cv=2, sizes=[1])
    assert curve.scoring == "relative squared error"
    assert curve.mean[0] < 0.3


@pytest.mark.parametrize("quantity", [False, True])
def test_the_answer_does_not_depend_on_n_jobs(problem, quantity):
    X, y = problem
    y = X[:, 3] if quantity else y
    one, four = (error_curve(IKMAQPFS(), X, y, cv=6, sizes=SIZES, n_jobs=n) for n in (1, 4))
    for name in ("losses", "references", "mean", "low", "high", "ranked"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))
    assert one.notes == four.notes


def test_what_is_on_record_is_not_done_again(problem, tmp_path):
    X, y = problem
    path = tmp_path / "records.jsonl"
    first = error_curve(QPFS(), X, y, cv=4, sizes=SIZES, records=path)
    written = path.read_bytes()
    lines = written.splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[3], lines[1]]) + lines[2][:40])
    ticks = []
    again = error_curve(QPFS(), X, y, cv=4, sizes=SIZES, records=path, tick=lambda *done: ticks.append(done))
    assert json.dumps(first.table()) == json.dumps(again.table())
    assert [done[:2] for done in ticks] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with Records(path) as records:
        assert len(records) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"selector": QPFS(theta=0.5)},
        {"random_state": 1},
        {"sizes": [1, 3]},
        {"estimator": LinearSVC(dual=False, C=0.1)},
        {"scoring": "accuracy"},
        {"y": 1},
        {"X": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_results_have_other_keys(problem, tmp_path, change):
    X, y = problem
    X, y = X + change.pop("X", 0), y ^ change.pop("y", 0)
    how = {"selector": QPFS(), "cv": 4, "sizes": SIZES, "records": tmp_path / "r.jsonl"}
    error_curve(**how, X=problem[0], y=problem[1])
    error_curve(**how | change, X=X, y=y)
    with Records(tmp_path / "r.jsonl") as records:
        assert len(records) == 8


def test_all_features(problem):
    X, y = problem
    everything = error_curve(AllFeatures(), X, y, cv=4, sizes=[60])
    np.testing.assert_array_equal(everything.losses, naive.wrong(AllFeatures, X, y, parts_of(4, y), [60]))


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
    curve = error_curve(QPFS(), table, y, cv=4, sizes=[1, 2, 3])
    assert curve.mean[0] < 0.2
    assert "median" in curve.protocol["text"]
    again = error_curve(QPFS(), table.to_pandas(), y, cv=4, sizes=[1, 2, 3])
    np.testing.assert_array_equal(curve.losses, again.losses)


def test_tables_give_what_a_pipeline_of_scikit_learn_gives():
    table, y = mixed(80)
    frame = table.to_pandas()
    curve = error_curve(QPFS(), table, y, cv=5, sizes=[1, 2, 3])
    wrong = np.zeros((5, 3))
    for i, (train, test) in enumerate(parts_of(5, y)):
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
    table, _ = mixed()
    train, test = np.arange(2, 60), np.arange(2)
    shown = design.design(table, np.array([0, 1]), train, test)
    assert shown.train.shape == (58, 4)  # blue, red, missing; size
    assert shown.ends.tolist() == [3, 4]
    assert (shown.test[:, :3] == 0).all()  # green was not seen
    assert shown.train[3, 3] == np.nanmedian(np.asarray(table["size"])[2:])
    np.testing.assert_array_equal(shown.of(np.array([1]))[0], shown.train[:, 3:])


def test_sparse_features_give_what_dense_ones_give():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.poisson(0.4, (60, 30)) + (rng.random((60, 30)) < 0.6) * y[:, None] * (np.arange(30) < 5)
    dense = error_curve(FGM(5), X.astype(float), y, cv=3, sizes=[2, 5])
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        curve = error_curve(FGM(5), kind(X.astype(float)), y, cv=3, sizes=[2, 5])
        np.testing.assert_array_equal(curve.losses, dense.losses)


@pytest.mark.parametrize("quantity", [False, True])
def test_sparse_features_too_many_to_be_spread_out(monkeypatch, quantity):
    monkeypatch.setattr(design, "MOST_DENSE", 10)
    rng = np.random.default_rng(0)
    X, y = sparse.csr_array(rng.poisson(0.4, (40, 20)).astype(float)), np.arange(40) % 2
    shown = design.design(X, np.arange(20), np.arange(30), np.arange(30, 40))
    np.testing.assert_array_equal(shown.test.toarray(), X.toarray()[30:])
    y = X.toarray()[:, 0] + rng.normal(size=40) if quantity else y
    assert error_curve(AllFeatures(), X, y, cv=3, sizes=[20]).mean.shape == (1,)


def test_warnings_become_notes(problem):
    X, y = problem
    curve = error_curve(QPFS(), X, y, cv=3, sizes=[20, 30], estimator=LinearSVC(dual=False, max_iter=1))
    assert [note for note in curve.notes if "ConvergenceWarning" in note and "3 of 3" in note]


def test_groups_stay_together(problem):
    X, y = problem
    groups = np.arange(40) // 4
    X = np.column_stack([X, np.arange(40)])
    Witness.seen = []
    curve = error_curve(Witness(), X, y, cv=5, sizes=[3], groups=groups)
    for seen in Witness.seen:
        assert not set(groups[seen]) & set(groups[np.setdiff1d(np.arange(40), seen)])
    assert "groups kept together" in curve.protocol["text"]


def test_best_and_smallest(problem):
    X, y = problem
    curve = error_curve(QPFS(), X, y, cv=5)
    k, error = curve.best()
    assert error == curve.mean.min()
    assert (curve.mean[: curve.sizes.index(k)] > error).all()
    small, within = curve.smallest()
    assert small <= k
    assert within <= error + curve.standard_error[curve.sizes.index(k)] + 1e-12


def test_a_scorer_is_that_of_scikit_learn(problem):
    X, y = problem
    curve = error_curve(MaxRel(), X, y, cv=3, sizes=[2, 5], scoring="roc_auc")
    for values, (train, test) in zip(curve.values, parts_of(3, y), strict=True):
        for value, k in zip(values, (2, 5), strict=True):
            top = np.sort(MaxRel().fit(X[train], y[train]).order_[:k])
            model = make_pipeline(MinMaxScaler((-1, 1)), LinearSVC(dual=False, max_iter=10_000))
            scores = model.fit(X[train][:, top], y[train]).decision_function(X[test][:, top])
            assert value == pytest.approx(roc_auc_score(y[test], scores))
    assert curve.mean == pytest.approx(curve.values.mean(axis=0))
    assert (curve.high <= 1).all()
    assert curve.best() == (curve.sizes[np.argmax(curve.mean)], curve.mean.max())
    assert curve.smallest()[1] <= curve.best()[1]


def test_scores_of_a_quantity_and_functions(problem):
    X = problem[0]
    y = X[:, 0] - 2 * X[:, 1] + np.random.default_rng(0).normal(size=40)

    def misses(model, X, y):
        return -float(np.abs(model.predict(X) - y).max())

    by_name = error_curve(QPFS(), X, y, cv=4, sizes=[4], scoring="r2")
    assert by_name.mean[0] == pytest.approx(1 - error_curve(QPFS(), X, y, cv=4, sizes=[4]).mean[0], abs=0.1)
    assert error_curve(QPFS(), X, y, cv=4, sizes=[4], scoring=misses).scoring == "misses"


def test_a_classifier_is_not_trained_on_a_quantity(problem):
    X = problem[0]
    for scoring in (None, "r2"):
        with pytest.raises(
            ValueError,
            match=r"is RandomForestClassifier\(\), a classifier, but the target is a quantity.* Give",
        ):
            error_curve(QPFS(), X, X[:, 0], estimator=RandomForestClassifier(), scoring=scoring)


def test_groups_that_a_splitter_would_part_are_refused(problem):
    X, y = problem
    groups = np.arange(40) // 4
    assert error_curve(MaxRel(), X, y, cv=GroupKFold(3), sizes=[2], groups=groups).mean[0] < 1
    with pytest.raises(ValueError, match=r"has the group 0 in both .* Use GroupKFold"):
        error_curve(MaxRel(), X, y, cv=KFold(3, shuffle=True, random_state=0), groups=groups)


class Mute(BaseEstimator):
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ({"selector": Mute()}, TypeError, "none of order_, scores_, ranking_"),
        ({"cv": "five"}, ValueError, "cv='five', but it must be a number of folds or a splitter"),
        ({"cv": 1}, ValueError, "cv=1"),
        ({"cv": []}, ValueError, "gives no folds"),
        ({"cv": [([0], [])]}, ValueError, "nothing to be tested on"),
        ({"cv": [([0, 1], [99])]}, ValueError, "beyond the 40 samples"),
        ({"cv": [(np.arange(40) < 30, np.ones(39, bool))]}, ValueError, "mask of 39 .* 40 samples"),
        ({"cv": [([0.5, 1.7], [3])]}, ValueError, r"names the row 0\.5; expected integers"),
        ({"cv": KFold}, ValueError, "must be a number of folds or a splitter"),
        (
            {"y": list("abcd") * 10, "scoring": "roc_auc"},
            ValueError,
            "target has 4; .* scoring='roc_auc_ovr'",
        ),
        ({"y": list("abcd") * 10, "scoring": "f1"}, ValueError, "two classes, .* such as scoring='f1_macro'"),
        (
            {"y": list("ab") * 20, "scoring": "r2"},
            ValueError,
            "'r2' scores numbers, but the target holds classes",
        ),
        (
            {"scoring": "acuracy"},
            ValueError,
            "scoring='acuracy' is not a score of scikit-learn; did you mean accur",
        ),
        (
            {"y": np.arange(40) / 7, "scoring": "f1"},
            ValueError,
            "'f1' scores classes, but the target is a quant",
        ),
        ({"scoring": ["accuracy", "r2"]}, ValueError, "must be one name"),
        (
            {"cv": 21, "y": list("ab") * 20},
            ValueError,
            "cv=21, but the largest class has 20 samples; give a number of folds from 2 to 20",
        ),
        ({"cv": KFold(41)}, ValueError, r"cv=KFold\(n_splits=41,.*\) cannot divide 40 samples: Cannot have"),
        (
            {"cv": 5, "groups": np.arange(40) % 4},
            ValueError,
            "cv=5, but there are 4 groups; give .* from 2 to 4",
        ),
        (
            {"cv": 20, "y": np.arange(40) / 7},
            ValueError,
            "cv=20, but the largest fifth of the target has 8 samples",
        ),
        ({"confidence": 95}, ValueError, "confidence=95"),
        ({"cv": LeaveOneOut(), "scoring": "roc_auc"}, ValueError, "fewer folds"),
        ({"estimator": Ridge()}, ValueError, "estimator is Ridge\\(\\), a regressor, but the target holds"),
        ({"estimator": "forest"}, ValueError, "must be an object with fit"),
        ({"sizes": [0]}, ValueError, "integers from 1 to 60"),
        ({"groups": [1, 2]}, ValueError, "inconsistent"),
        ({"X": np.zeros(40)}, ValueError, "expected numbers of shape"),
    ],
)
def test_what_makes_no_sense(problem, how, kind, message):
    X, y = problem
    with pytest.raises(kind, match=message):
        error_curve(**{"selector": QPFS(), "X": X, "y": y, "cv": 3} | how)


class Column(LinearSVC):
    """Predicts a column, as some networks do."""

    def predict(self, X):
        return super().predict(X)[:, None]


class Short(LinearSVC):
    def predict(self, X):
        return super().predict(X)[:-1]


def test_predictions_in_a_column_are_those_in_a_row(problem):
    X, y = problem
    row, column = (
        error_curve(MaxRel(), X, y, cv=3, sizes=[3], estimator=one()) for one in (LinearSVC, Column)
    )
    assert column.losses.tolist() == row.losses.tolist()
    with pytest.raises(
        ValueError, match=r"predict\(X\) of Short gives an array of shape \(13,\) for 14 samples"
    ):
        error_curve(MaxRel(), X, y, cv=3, sizes=[3], estimator=Short())


class Given(BaseEstimator):
    def __init__(self, order):
        self.order = order

    def fit(self, X, y):
        self.order_ = self.order
        return self


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1, 1], "feature 1 twice"),
        ([0, -1], "from 0 to 59, got -1"),
        ([60], "from 0 to 59, got 60"),
        ([0.5, 1.5], "expected integers"),
        ([[0, 1]], "expected integers"),
    ],
)
def test_an_order_that_is_none_is_refused_and_not_put_on_record(problem, tmp_path, order, message):
    X, y = problem
    path = tmp_path / "r.jsonl"
    for method in (Given(order), make_pipeline(StandardScaler(), Given(order))):
        with pytest.raises(ValueError, match=f"Given ranks .*{message}"):
            error_curve(method, X, y, cv=3, sizes=[1], records=path)
    assert len(path.read_text().splitlines()) == 1


def test_an_error_relative_to_nothing_is_refused_in_words(problem):
    X, _ = problem
    y = np.r_[X[:20, 0], np.full(20, X[:20, 0].mean())]
    cv = [
        (np.arange(20), np.arange(20, 40)),
        (np.arange(10, 30), np.arange(10)),
        (np.arange(5), np.arange(9, 40)),
    ]
    with pytest.raises(
        ValueError, match=r"relative squared error .* 20 samples .* mean of the training part"
    ):
        error_curve(MaxRel(), X, y, cv=cv, sizes=[2])
