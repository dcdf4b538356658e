"""A fitted selector in production: tables with the selected columns alone, and grids over numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from qpfs import FGM, IKMQPFS, JMI, MRMR, QPFS, QPFSCV, MaxRel

FRAMES = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


@pytest.fixture(scope="module")
def wdbc():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:150, :12], y[:150]


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_the_selected_columns_are_enough(wdbc, frame, output):
    X, y = wdbc
    fitted = MaxRel(3).set_output(transform=output).fit(frame(X), y)
    chosen = list(fitted.get_feature_names_out())
    whole = fitted.transform(frame(X))
    for names in (chosen, chosen[::-1], [*chosen, X.columns[~fitted.support_][0]]):
        part = fitted.transform(frame(X[names]))
        assert type(part) is type(whole)
        np.testing.assert_array_equal(np.asarray(part), np.asarray(whole))
        if output != "default":
            assert list(part.columns) == chosen


@pytest.mark.parametrize("selector", [FGM(2), JMI(2), QPFSCV(n_features=2, cv=2)])
def test_every_selector_takes_them(wdbc, selector):
    X, y = wdbc
    X = X / X.max()
    fitted = selector.fit(X, y)
    part = X[fitted.get_feature_names_out()]
    np.testing.assert_array_equal(fitted.transform(part), fitted.transform(X))


def test_mixed_columns_keep_their_types(wdbc):
    X, y = wdbc
    X = X.iloc[:, :4].assign(kind=np.where(y, "a", "b"), mean=X.iloc[:, 5].astype("Float64"))
    fitted = MaxRel(2).set_output(transform="pandas").fit(X, y)
    part = fitted.transform(X[["mean", *fitted.get_feature_names_out()[:1], "kind"]])
    pd.testing.assert_frame_equal(part, fitted.transform(X))


def test_what_is_missing_is_named(wdbc):
    X, y = wdbc
    fitted = MaxRel(3).fit(X, y)
    first, *others = fitted.get_feature_names_out()
    with pytest.raises(ValueError, match=f"yet now missing(.|\n)*enough; of these '{first}' is missing"):
        fitted.transform(X[others])
    with pytest.raises(ValueError, match=f"of these '{first}' and '{others[0]}' are missing"):
        fitted.transform(X[others[1:]])


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
def test_what_could_be_a_mistake_is_refused_as_by_scikit_learn(wdbc):
    X, y = wdbc
    fitted = MaxRel(3).fit(X, y)
    chosen = X[fitted.get_feature_names_out()]
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.transform(X.iloc[:, ::-1])
    with pytest.raises(ValueError, match="unseen at fit time"):
        fitted.transform(chosen.assign(other=1.0))
    with pytest.raises(ValueError, match="X has 3 features, but MaxRel is expecting 12"):
        fitted.transform(chosen.to_numpy())
    with pytest.raises(ValueError, match="X has 3 features, but MaxRel is expecting 12"):
        MaxRel(3).fit(X.to_numpy(), y).transform(chosen)


@pytest.mark.parametrize("selector", [QPFS(99), MRMR(99), FGM(99)])
def test_more_features_than_there_are_is_all(wdbc, selector):
    X, y = wdbc
    X = X / X.max()
    with pytest.warns(UserWarning, match="asks for 99 features, but there are 12; all of them are selected"):
        fitted = selector.fit(X, y)
    assert fitted.support_.all()
    with pytest.warns(UserWarning, match="asks for 99 features, but only 12 of 13 are not constant"):
        selector.fit(X.assign(one=1.0), y)


def test_a_clustered_method_takes_what_stands_for_clusters(wdbc):
    X, y = wdbc
    with pytest.warns(UserWarning, match="asks for 99 features, but only .* represent a cluster"):
        fitted = IKMQPFS(99, radius=0.9).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(fitted.support_), np.sort(fitted.order_))


@pytest.mark.filterwarnings("ignore:n_features_to_select asks for")
def test_a_grid_over_numbers_of_features_does_not_break(wdbc):
    X, y = wdbc
    model = make_pipeline(StandardScaler(), MaxRel(), LogisticRegression())
    search = GridSearchCV(model, {"maxrel__n_features_to_select": [2, 12, 50]}, cv=2, error_score="raise")
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    assert scores[1] == scores[2]


def test_a_search_tries_all_where_more_are_asked_for(wdbc):
    X, y = wdbc
    with pytest.warns(UserWarning, match="n_features asks for 50 and 99 features, but there are 12; all"):
        found = QPFSCV(param_grid={}, n_features=[2, 99, 50], cv=2).fit(X, y).cv_results_
    assert found["param_n_features_to_select"].tolist() == [2, 12]


@pytest.mark.parametrize("what", ["y", "groups"])
@pytest.mark.parametrize("selector", [MaxRel(2), QPFSCV(n_features=2, param_grid={}, cv=GroupKFold(2))])
def test_samples_in_another_order_are_warned_of(wdbc, selector, what):
    X, y = wdbc
    groups = pd.Series(np.arange(len(y)) // 2, y.index)
    given = {"y": y, "groups": groups}
    given[what] = given[what].sample(frac=1.0, random_state=0)
    with pytest.warns(UserWarning, match=rf"is paired with \d+ of {what}\. .* {what}\.loc\[X\.index\]"):
        selector.fit(X, **given)


def test_indices_that_agree_or_share_little_are_not_warned_of(wdbc):
    X, y = wdbc
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for index in (X.index, [f"s{i}" for i in X.index], X.index + 1, X.index.astype(float)):
            MaxRel(2).fit(X, y.set_axis(index))
        MaxRel(2).fit(X, y.sample(frac=1.0, random_state=0).to_numpy() * 0 + y)
