"""Searches by cross-validation: the same as a grid search over the plain selector, with the work shared."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from qpfs import IKMAQPFS, IKMAQPFSCV, IKMQPFS, IKMQPFSCV, QPFS, QPFSCV, TLKMQPFS, TLKMQPFSCV, SelectionCV
from qpfs.codes import NumberColumns
from qpfs.evaluation import default_estimator, error_curve, selection_cv
from qpfs.evaluation.sample import sample_of
from qpfs.evaluation.splits import splits_of

SEARCHES = {
    "qpfs": (QPFSCV, QPFS, {"theta": [0.3, 0.7, "auto"]}),
    "tlkm": (TLKMQPFSCV, TLKMQPFS, {"n_clusters": [9, 25]}),
    "ikm": (IKMQPFSCV, IKMQPFS, {"radius": [0.8, 0.9], "n_first": [5, 15]}),
    "ikma": (IKMAQPFSCV, IKMAQPFS, {"radius": [0.8, 0.9], "n_first": [5, 15]}),
}
LENGTHS = [1, 3, 6]
every_search = pytest.mark.parametrize(("search", "plain", "grid"), SEARCHES.values(), ids=SEARCHES)


# All rows may have fewer clusters than the folds; and scikit-learn's data have classes of one sample.
quiet = pytest.mark.filterwarnings("ignore:n_features_to_select asks for", "ignore:The least populated class")


@parametrize_with_checks([TLKMQPFSCV(param_grid={"n_clusters": [2]}, n_features=1, cv=2)])
@quiet
def test_scikit_learn_contract(estimator, check):
    if sklearn.__version__ < "1.7" and check.func.__name__ == "check_positive_only_tag_during_fit":
        pytest.skip("scikit-learn 1.6 takes a mean from integers here, in place")
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        QPFSCV(cv=2),
        QPFSCV(param_grid={"theta": [0.5, "auto"]}, cv=2),
        TLKMQPFSCV(cv=2),
        TLKMQPFSCV(param_grid={"n_clusters": [2, 5]}, n_features=1, cv=2),
        IKMQPFSCV(param_grid={"n_first": 5}, cv=2),
        IKMAQPFSCV(param_grid={"n_first": 5}, cv=2),
        IKMQPFSCV(param_grid={"radius": [0.8], "n_first": [2, 5]}, n_features=1, cv=2),
        IKMAQPFSCV(param_grid={"radius": [0.8, 0.9], "n_first": 5}, n_features=[1], cv=2),
    ]
)
@quiet
def test_scikit_learn_contract_of_all_and_of_the_default_grids(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("search", "plain", "grid"),
    [  # IKM and IKMA are searched by the same code
        pytest.param(*parts, id=name, marks=pytest.mark.slow if name == "ikm" else ())
        for name, parts in SEARCHES.items()
    ],
)
@pytest.mark.filterwarnings("ignore:n_features_to_select asks for")
def test_it_is_the_grid_search(microarray, search, plain, grid):
    X, y = microarray
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    found = search(param_grid=grid, n_features=LENGTHS, cv=cv).fit(X, y)
    pipeline = Pipeline([("select", plain()), ("model", default_estimator())])
    named = {f"select__{name}": values for name, values in grid.items()}
    expected = GridSearchCV(pipeline, named | {"select__n_features_to_select": LENGTHS}, cv=cv).fit(X, y)
    scores = {key(one): i for i, one in enumerate(expected.cv_results_["params"])}
    assert len(scores) == len(found.cv_results_["params"])
    for i, one in enumerate(found.cv_results_["params"]):
        j = scores[key(one)]
        for column in ("split0_test_score", "split2_test_score", "mean_test_score", "std_test_score"):
            assert found.cv_results_[column][i] == pytest.approx(expected.cv_results_[column][j], abs=1e-12)
        assert found.cv_results_["rank_test_score"][i] == expected.cv_results_["rank_test_score"][j]
    assert found.best_score_ == pytest.approx(expected.best_score_, abs=1e-12)


def key(parameters):
    return tuple(sorted((name.removeprefix("select__"), str(value)) for name, value in parameters.items()))


@every_search
def test_it_ends_as_the_plain_selector_with_what_was_chosen(microarray, search, plain, grid):
    X, y = microarray
    found = search(param_grid=grid, n_features=LENGTHS, cv=3).fit(X, y)
    fitted = plain(**found.best_params_).fit(X, y)
    np.testing.assert_array_equal(found.scores_, fitted.scores_)
    np.testing.assert_array_equal(found.get_support(), fitted.get_support())
    assert found.alternatives(0) == fitted.alternatives(0)
    assert found.transform(X).shape == (60, found.best_params_["n_features_to_select"])


@every_search
def test_a_fold_is_cut_and_packed_once(monkeypatch, microarray, search, plain, grid):
    X, y = microarray
    packed = []
    pack = NumberColumns.packed

    def counted(columns, *given, **named):
        packed.append(columns.n_samples)
        return pack(columns, *given, **named)

    monkeypatch.setattr(NumberColumns, "packed", counted)
    search(param_grid=grid, n_features=LENGTHS, cv=4).fit(X, y)
    assert len(packed) == 4 + 1
    assert packed[-1] == len(X) > max(packed[:-1])  # for the best of them


def test_equal_selections_are_scored_once(microarray):
    X, y = microarray
    trained = []

    class Counting(LogisticRegression):
        def fit(self, X, y):
            trained.append(X.shape)
            return super().fit(X, y)

    QPFSCV(param_grid={"theta": [0.3, 0.6, 0.9]}, n_features=[300], cv=3, estimator=Counting()).fit(X, y)
    assert len(trained) == 3


@every_search
def test_threads_do_not_change_a_bit(microarray, search, plain, grid):
    X, y = microarray
    one, two = (search(param_grid=grid, n_features=LENGTHS, cv=3, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert one.best_params_ == two.best_params_


def test_nor_do_threads_share_a_generator(microarray):
    X, y = microarray
    one, two = (
        TLKMQPFSCV(
            TLKMQPFS(init="random", random_state=np.random.RandomState(3)),
            param_grid={"n_clusters": [9, 25]},
            n_features=LENGTHS,
            cv=6,
            n_jobs=n,
        ).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_a_score_that_is_no_number_comes_last():
    found = selection_cv.results([{"theta": 0.1}, {"theta": 0.2}], [1], np.array([[[np.nan], [0.5]]]))
    assert found["rank_test_score"].tolist() == [2, 1]
    assert selection_cv.best(found) == 1


def test_of_equal_scores_the_fewest_features(microarray):
    X, y = microarray

    def indifferent(model, X, y):
        return 0.5

    found = QPFSCV(param_grid={"theta": [0.9, 0.3]}, n_features=[2, 4], cv=3, scoring=indifferent).fit(X, y)
    assert found.best_params_ == {"theta": 0.9, "n_features_to_select": 2}


def test_a_single_value_is_a_grid_of_one(microarray):
    X, y = microarray
    found = IKMQPFSCV(param_grid={"radius": 0.9, "n_first": np.array([5])}, n_features=4, cv=3).fit(X, y)
    assert found.best_params_ == {"radius": 0.9, "n_first": 5, "n_features_to_select": 4}
    other = QPFSCV(param_grid={"theta": np.array(0.3)}, n_features=np.array(4), cv=3).fit(X, y)
    assert other.best_params_ == {"theta": 0.3, "n_features_to_select": 4}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(microarray, frame):
    X, y = microarray
    names = [f"gene {i}" for i in range(300)]
    table = frame(dict(zip(names, X.T, strict=True)))
    found = QPFSCV(n_features=LENGTHS, cv=3).fit(table, y)
    assert found.best_params_ == QPFSCV(n_features=LENGTHS, cv=3).fit(X, y).best_params_
    assert set(found.get_feature_names_out()) <= set(names)


def test_a_quantity_as_target():
    X, y = load_diabetes(return_X_y=True)
    found = QPFSCV(param_grid={"theta": [0.5, "auto"]}, n_features=[1, 3, 5], cv=3).fit(X, y)
    assert found.best_score_ > 0.3


def test_classes_stay_classes_in_every_fold():
    """40 of them in 165 samples; in 132 samples so many integers would be taken for a quantity."""
    rng = np.random.default_rng(0)
    y = np.arange(165) % 40
    X = rng.normal(size=(165, 8)) + y[:, None] * (np.arange(8) < 3)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    found = QPFSCV(param_grid={"theta": 0.5}, n_features=[2], cv=cv).fit(X, y)
    as_strings = QPFSCV(param_grid={"theta": 0.5}, n_features=[2], cv=cv).fit(
        X, np.array([f"class {k:02}" for k in y])
    )
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], as_strings.cv_results_["mean_test_score"]
    )


def test_groups_stay_together(microarray):
    X, y = microarray
    seen = []

    class Watched(GroupKFold):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            return super().split(X, y, groups)

    QPFSCV(n_features=[2], cv=Watched(3)).fit(X, y, groups=np.arange(60) // 4)
    assert seen[0].tolist() == (np.arange(60) // 4).tolist()


def test_missing_values_and_labels_are_taken_as_a_comparison_takes_them():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    table = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    table["b"] += y
    table["colour"] = np.where((y + (rng.random(80) < 0.2)) % 2, "red", "blue")
    table.iloc[::7, 1] = np.nan
    table.iloc[3, 4] = None
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    found = QPFSCV(param_grid={"theta": [0.5]}, n_features=[1, 2, 5], cv=cv).fit(table, y)
    curve = error_curve(QPFS(theta=0.5), table, y, cv=cv, sizes=[1, 2, 5], scoring="accuracy")
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], curve.mean)
    assert curve.mean.max() > 0.7


@pytest.mark.parametrize("quantity", [False, True])
def test_there_is_one_default_estimator(microarray, quantity):
    X, y = microarray
    y = X[:, 0] + 0.1 * X[:, 1] if quantity else y
    cv = KFold(3)
    search = QPFSCV(param_grid={"theta": [0.5]}, n_features=[3], cv=cv)
    given = clone(search).set_params(estimator=default_estimator(quantity)).fit(X, y)
    assert clone(search).fit(X, y).best_score_ == given.best_score_
    curves = [
        error_curve(QPFS(theta=0.5), X, y, cv=cv, sizes=[3], estimator=one).mean
        for one in (None, default_estimator(quantity))
    ]
    assert curves[0] == curves[1]


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (QPFSCV(param_grid={"theta": []}), "theta is empty"),
        (QPFSCV(param_grid={"theta": [0.5, 1.5]}), "theta=1.5, but it must be 'auto' or a number"),
        (QPFSCV(n_features=[0, 3]), "n_features=0, but there are 300 features; give integers from 1 to 300"),
        (QPFSCV(n_features=[2.5]), "n_features=2.5, but there are"),
        (QPFSCV(n_features=[1, "a"]), "n_features='a', but there are"),
        (QPFSCV(n_features=[2], cv=[]), r"cv=\[\] gives no folds"),
        (
            QPFSCV(n_features=[2], scoring=["accuracy", "roc_auc"]),
            r"scoring=\['accuracy', 'roc_auc'\], but it must be one",
        ),
        (
            QPFSCV(n_features=[2], cv=[(np.arange(5), np.arange(5, 9))]),
            "The training part of a fold holds samples of one class",
        ),
        (
            IKMQPFSCV(param_grid={"radius": [0.8, 2]}),
            "radius=2, but it must be 'auto' or a number from 0 to 1",
        ),
        (TLKMQPFSCV(param_grid={"n_clusters": [10, 0]}), "n_clusters=0, but it must be an integer"),
        (QPFSCV(random_state=-1), "random_state=-1, but it must be an integer of at least 0"),
        (IKMAQPFSCV(IKMAQPFS(measure="mutual")), "measure='mutual', but it must be one of"),
    ],
    ids=str,
)
def test_bad_parameters(microarray, search, message):
    X, y = microarray
    with pytest.raises(ValueError, match=message):
        clone(search).fit(X, np.sort(y))


def test_any_generator_of_random_numbers(microarray):
    X, y = microarray
    drawn = np.random.RandomState(np.random.PCG64(3))
    assert QPFS(random_state=drawn).fit(X, y).theta_ == QPFS().fit(X, y).theta_


def scores_by_fold(X, y, groups=None, **how):
    found = QPFSCV(param_grid={"theta": [0.3]}, n_features=[1, 3], **how).fit(X, y, groups).cv_results_
    return [found[f"split{i}_test_score"].tolist() for i in range(3)]


def test_a_number_of_folds_is_what_it_is_in_a_search_of_scikit_learn(microarray):
    X, y = microarray
    assert scores_by_fold(X, y, cv=3) == scores_by_fold(X, y, cv=StratifiedKFold(3))
    quantity = X[:, 0] + 0.1 * X[:, 1]
    assert scores_by_fold(X, quantity, cv=3) == scores_by_fold(X, quantity, cv=KFold(3))


def test_a_number_of_folds_is_shuffled_by_random_state(microarray):
    """As in `error_curve`, and as scikit-learn's own splitter would do."""
    X, y = microarray
    shuffled = scores_by_fold(X, y, cv=3, random_state=4)
    assert shuffled == scores_by_fold(X, y, cv=StratifiedKFold(3, shuffle=True, random_state=4))
    assert shuffled != scores_by_fold(X, y, cv=3)
    groups = np.arange(len(y)) // 4
    whole = StratifiedGroupKFold(3, shuffle=True, random_state=4)
    assert scores_by_fold(X, y, groups, cv=3, random_state=4) == scores_by_fold(X, y, groups, cv=whole)
    quantity = X[:, 0] + 0.1 * X[:, 1]
    parts = splits_of(3, sample_of(X, quantity), random_state=4).parts
    assert scores_by_fold(X, quantity, cv=3, random_state=4) == scores_by_fold(X, quantity, cv=parts)


def test_selectors_of_others_are_refused_with_advice(microarray):
    X, y = microarray
    with pytest.raises(ValueError, match=r"selector=RFE\(.*of this package, .* pipeline .* GridSearchCV"):
        SelectionCV(RFE(LinearSVC()), {"step": [1, 2]}).fit(X, y)


@pytest.mark.parametrize(("scoring", "y"), [(None, np.arange(30) / 7), ("roc_auc", np.arange(30) % 2)])
def test_a_score_that_one_sample_does_not_have_is_refused_with_advice(scoring, y):
    X = np.random.default_rng(0).normal(size=(30, 4))
    search = SelectionCV(QPFS(), n_features=[1, 2], cv=LeaveOneOut(), scoring=scoring)
    with (
        pytest.warns(UndefinedMetricWarning),
        pytest.raises(ValueError, match=r"use larger test parts \(cv\), or another score \(scoring\)"),
    ):
        search.fit(X, y)


def test_grids_of_different_parameters(microarray):
    X, y = microarray
    grids = [{"theta": [0.3]}, {"measure": ["mi", "rank"]}]
    found = QPFSCV(param_grid=grids, n_features=[2], cv=2).fit(X, y).cv_results_
    assert found["param_theta"].mask.tolist() == [False, True, True]
    assert found["param_measure"].tolist() == [None, "mi", "rank"]
    assert found["param_n_features_to_select"].tolist() == [2, 2, 2]


def test_what_scores_classes(microarray):
    X, y = microarray
    with pytest.raises(ValueError, match="a regressor, but the target holds classes"):
        QPFSCV(param_grid={"theta": [0.3]}, n_features=[2], cv=2, estimator=Ridge()).fit(X, y)
    by_name = QPFSCV(param_grid={"theta": [0.3]}, n_features=[2], cv=2, estimator=Ridge(), scoring="r2")
    assert by_name.fit(X, y).best_score_ < 1
    with pytest.raises(ValueError, match="such as scoring='roc_auc_ovr'"):
        QPFSCV(n_features=[2], cv=2, scoring="roc_auc").fit(X, np.arange(len(y)) % 3)


@pytest.mark.parametrize("search", [SelectionCV, QPFSCV, IKMAQPFSCV])
def test_a_parameter_that_is_none_is_refused_in_the_name_of_the_search(search):
    with pytest.raises(TypeError, match=rf"^{search.__name__}\.__init__\(\) got an unexpected"):
        search(keep=["a"])
    assert clone(search(cv=3)).get_params() == search(cv=3).get_params()


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("mrmr", "selector='mrmr', but it must be a selector of this package, not its name: MRMR()."),
        ("mrmrr", "selector='mrmrr', but it must be a selector of this package, such as QPFS()."),
        (QPFS, "must be a selector of this package, not a class: QPFS()."),
        (make_pipeline(StandardScaler(), QPFS()), "make_pipeline(..., SelectionCV(QPFS(...)))."),
        (
            make_pipeline(StandardScaler(), SelectKBest()),
            "GridSearchCV(make_pipeline(..., SelectKBest(...), estimator), {'selectkbest__...': [...]})",
        ),
        (
            SelectKBest(),
            "GridSearchCV(make_pipeline(SelectKBest(...), estimator), {'selectkbest__...': [...]})",
        ),
    ],
)
def test_what_is_no_selector_of_this_package(selector, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        SelectionCV(selector).check()
