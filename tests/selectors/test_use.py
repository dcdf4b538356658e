"""How selectors are used: parameters, data frames, pipelines, progress."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.published import MRMR, QPFS, MaxRel, NystromQPFS

from qpfs import EqualWidth, LeakWarning, ThreeSegments

ALL = [QPFS, NystromQPFS, MaxRel, MRMR]
MIXED = {
    "age": [31.0, 45.5, None, 22.0, 60.0, 38.5, 29.0, 51.0],
    "smoker": [True, False, True, True, False, False, True, False],
    "city": ["a", "b", "a", None, "c", "b", "a", "c"],
    "dose": [1, 2, 3, 1, 2, 3, 1, 2],
}
ILL = ["yes", "no", "yes", "yes", "no", "no", "yes", "no"]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(scope="module")
def wdbc():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("selector", ALL)
def test_names_of_a_frame_are_kept(wdbc, selector):
    X, y = wdbc
    fitted = selector(4).fit(X, y)
    assert list(fitted.feature_names_in_) == list(X.columns)
    assert list(fitted.get_feature_names_out()) == list(X.columns[fitted.get_support()])


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_mixed_frames_give_one_answer(frame):
    fitted = QPFS(2).fit(frame(MIXED), ILL)
    assert fitted.order_[0] == 1
    assert list(fitted.discretizer_.labels_) == [2]
    np.testing.assert_array_equal(fitted.scores_, QPFS(2).fit(pd.DataFrame(MIXED), ILL).scores_)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("selector", ALL)
def test_set_output_keeps_columns_and_types(selector, output):
    X = FRAMES[output](MIXED)
    selected = selector(2).set_output(transform=output).fit(X, ILL).transform(X)
    assert type(selected) is type(X)
    for name in selected.columns:
        assert selected[name].dtype == X[name].dtype


def test_output_of_another_library(wdbc):
    X, y = wdbc
    selected = QPFS(3).set_output(transform="polars").fit(X, y).transform(X)
    assert isinstance(selected, pl.DataFrame)
    assert list(selected.columns) == list(QPFS(3).fit(X, y).get_feature_names_out())


def test_arrays_come_out_as_arrays(wdbc):
    X, y = wdbc
    np.testing.assert_array_equal(
        QPFS(3).fit_transform(X.to_numpy(), y), X.to_numpy()[:, QPFS(3).fit(X, y).get_support()]
    )


def test_other_columns_in_transform_are_an_error(wdbc):
    X, y = wdbc
    fitted = QPFS(3).set_output(transform="pandas").fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(X[X.columns[::-1]])


@pytest.mark.parametrize("selector", ALL)
def test_clone_and_pickle(wdbc, selector):
    X, y = wdbc
    fitted = selector(5, discretizer=ThreeSegments(0.8)).fit(X, y)
    assert clone(fitted).get_params()["discretizer__n_sigma"] == 0.8
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.transform(X), fitted.transform(X))
    np.testing.assert_array_equal(copy.order_, fitted.order_)


def test_alternatives_after_pickle_by_name(wdbc):
    X, y = wdbc
    fitted = QPFS(5).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.alternatives("mean radius") == fitted.alternatives(0)


def test_pipeline_and_grid_search(wdbc):
    X, y = wdbc
    pipeline = make_pipeline(StandardScaler(), QPFS(5), LogisticRegression())
    grid = {
        "qpfs__theta": [0.3, "auto"],
        "qpfs__discretizer": [ThreeSegments(), EqualWidth(4)],
        "qpfs__n_features_to_select": [3, 0.5],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    nested = GridSearchCV(
        QPFS(discretizer=ThreeSegments()), {"discretizer__n_sigma": [0.5, 1]}, scoring=support_size
    )
    assert nested.fit(X, y).best_params_["discretizer__n_sigma"] in (0.5, 1)


def support_size(estimator, X, y):
    return int(estimator.get_support().sum())


def test_fit_leaves_the_given_discretizer_alone(wdbc):
    X, y = wdbc
    given = ThreeSegments()
    QPFS(discretizer=given).fit(X, y)
    assert not hasattr(given, "edges_")


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (QPFS(0), "n_features_to_select=0, but there are 30 features; ask for 1 to 30"),
        (QPFS(1.5), "n_features_to_select=1.5, but it must be"),
        (QPFS("all"), "n_features_to_select='all', but it must be"),
        (QPFS(True), "n_features_to_select=True, but it must be"),
        (QPFS(theta=1.2), "theta=1.2, but it must be 'auto' or a number from 0 to 1"),
        (QPFS(theta=np.nan), "theta=nan, but it must be 'auto' or a number from 0 to 1"),
        (QPFS(theta="best"), "theta='best', but it must be 'auto' or a number from 0 to 1"),
        (QPFS(measure="gini"), "measure='gini', but it must be one of 'auto', 'mi', 'correlation', 'chi2'"),
        (QPFS(discretizer="cut"), "discretizer='cut', but it must be a discretiser"),
        (QPFS(discretizer=EqualWidth(1)), "n_bins=1, but it must be an integer from 2 to 254"),
        (QPFS(target_discretizer=3), "target_discretizer=3, but it must be a discretiser"),
        (QPFS(theta=None), "theta=None, but it must be 'auto' or a number"),
        (QPFS(n_jobs="2"), "n_jobs='2', but it must be an integer"),
        (QPFS(n_jobs=1.5), "n_jobs=1.5, but it must be an integer"),
        (NystromQPFS(diagonal_correction="yes"), "diagonal_correction='yes', but it must be True or False"),
        (QPFS(n_starts=0), "n_starts=0, but it must be an integer of at least 1"),
        (MRMR(scheme="sum"), "scheme='sum', but it must be one of 'difference', 'quotient'"),
        (NystromQPFS(sampling_rate=0), "sampling_rate=0, but it must be a number above 0"),
        (NystromQPFS(sampling_rate=2), "sampling_rate=2, but it must be a number above 0"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_bad_parameters(wdbc, selector, message):
    X, y = wdbc
    with pytest.raises(ValueError, match=re.escape(message)):
        selector.fit(X, y)


@pytest.mark.parametrize("feature", [30, -1, 2.5, True, "no such column"])
def test_alternatives_of_an_unknown_feature(wdbc, feature):
    X, y = wdbc
    with pytest.raises(ValueError, match="feature="):
        QPFS().fit(X, y).alternatives(feature)


@pytest.mark.parametrize("selector", ALL)
def test_infinity_names_its_column(wdbc, selector):
    X, y = wdbc
    X = X.copy()
    X.loc[5, "mean area"] = np.inf
    with pytest.raises(ValueError, match="infinity: column 'mean area' has inf in row 5"):
        selector().fit(X, y)


def test_missing_values_are_a_level(wdbc):
    X, y = wdbc
    X = X.copy()
    X.loc[y == 0, "mean area"] = np.nan
    with pytest.warns(LeakWarning, match="'mean area' alone nearly determines the target"):
        assert QPFS().fit(X, y).order_[0] == list(X.columns).index("mean area")


def test_correlation_says_what_it_cannot_take(wdbc):
    X, y = wdbc
    with pytest.raises(ValueError, match="'mean area' has missing values"):
        QPFS(measure="correlation").fit(X.assign(**{"mean area": np.nan}), y)
    with pytest.raises(ValueError, match="'mean area' holds labels"):
        QPFS(measure="correlation").fit(X.assign(**{"mean area": "x"}), y)


def test_tags_are_true():
    for selector in ALL:
        assert selector().__sklearn_tags__().input_tags.allow_nan
        assert selector().__sklearn_tags__().target_tags.required
        assert not selector(measure="correlation").__sklearn_tags__().input_tags.allow_nan


def test_a_date_column_is_refused(wdbc):
    X, y = wdbc
    with pytest.raises(TypeError, match="column 'when' holds Datetime"):
        QPFS().fit(X.assign(when=pd.Timestamp("2020-01-01")), y)


def test_repeated_names_are_refused(wdbc):
    X, y = wdbc
    with pytest.raises(ValueError, match=r"(?s)'mean radius' 2 times.*rename them"):
        QPFS().fit(pd.concat([X, X["mean radius"]], axis=1), y)


def test_progress_reaches_the_callbacks(wdbc):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")

    class Recorder(callback.FitCallback):
        def __init__(self):
            self.seen = []

        def setup(self, estimator, context):
            self.seen.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            self.seen.append(f"/{context.task_name}")

        def teardown(self, estimator, context):
            self.seen.append("teardown")

    X, y = wdbc
    recorder = Recorder()
    QPFS(3).set_callbacks(recorder).fit(X, y)
    assert recorder.seen[:3] == ["setup", "fit", "discretise"]
    assert recorder.seen[-2:] == ["/fit", "teardown"]
    assert "weigh step" in recorder.seen


@pytest.mark.parametrize("selector", ALL)
def test_a_failed_fit_leaves_nothing_that_looks_fitted(wdbc, selector):
    X, y = wdbc
    fitted = selector(3).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent"):
        fitted.fit(X.iloc[:, :5], y[:-1])
    with pytest.raises(NotFittedError):
        fitted.transform(X)


def test_integers_too_long_to_be_numbers_are_refused(wdbc):
    X, y = wdbc
    with pytest.raises(ValueError, match=r"column 'id' holds integers beyond 2\^53"):
        QPFS().fit(X.assign(id=2**60 + y), y)


def test_identifiers_are_warned_of(wdbc):
    X, y = wdbc
    with pytest.warns(UserWarning, match="column 'id': more different labels"):
        QPFS().fit(X.assign(id=[f"p{i}" for i in range(len(X))]), y)


def test_masked_values_are_missing(wdbc):
    X, y = wdbc[0].to_numpy(), wdbc[1]
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    np.testing.assert_array_equal(
        QPFS().fit(np.ma.array(X, mask=holes), y).scores_, QPFS().fit(np.where(holes, np.nan, X), y).scores_
    )


def test_what_holds_no_numbers_is_refused(wdbc):
    X, y = wdbc
    with pytest.raises(TypeError, match="datetime64"):
        QPFS().fit(np.zeros((len(X), 2), "M8[D]"), y)
    with pytest.raises(TypeError, match="collect"):
        QPFS().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])
