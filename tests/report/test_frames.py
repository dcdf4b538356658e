"""Data frames of what is known, of whatever library there is, and numbers for trackers."""

from __future__ import annotations

import builtins
import importlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.report.selections import wdbc

from qpfs import FGM, IKMQPFS, MRMR, QPFS
from qpfs.evaluation import Comparison
from qpfs.report import feature_rows, frames


@pytest.fixture
def without(monkeypatch):
    """Makes libraries look as if they were not installed."""

    def hide(*hidden):
        def found(name):
            if name in hidden:
                raise ImportError(name)
            return importlib.import_module(name)

        monkeypatch.setattr(frames, "import_module", found)

    return hide


def test_the_library_is_that_of_set_output():
    selector = IKMQPFS(4, radius=0.6).fit(*wdbc())
    expected = selector.to_frame()
    assert isinstance(expected, pd.DataFrame)
    assert isinstance(selector.set_output(transform="pandas").to_frame(), pd.DataFrame)
    found = selector.set_output(transform="polars").to_frame()
    assert isinstance(found, pl.DataFrame)
    assert found.columns == [*expected]
    gaps = expected.astype(object).where(expected.notna(), None)
    assert found.rows() == [tuple(row) for row in gaps.itertuples(index=False)]


def test_integers_stay_integers_where_some_are_unknown():
    frame = QPFS(4).fit(*wdbc()).to_frame()
    assert frame["rank"].dtype == "Int64"
    assert frame["rank"].tolist() == [*range(1, 31), pd.NA]
    assert frame["index"].dtype == "int64"
    assert frame.set_index("feature")["weight"].dtype == "float64"


def test_without_pandas_it_is_polars_and_without_both_a_message(without):
    selector = MRMR(3).fit(*wdbc())
    without("pandas")
    assert isinstance(selector.to_frame(), pl.DataFrame)
    compared = Comparison({"methods": [{"name": "one", "failed": "no"}], "baselines": []})
    assert compared.to_frame()["failed"].to_list() == ["no"]
    without("pandas", "polars")
    with pytest.raises(ImportError, match=r"pandas or polars: pip install pandas\. Plain data need neither"):
        selector.to_frame()
    with pytest.raises(ImportError, match="needs polars: pip install polars"):
        selector.set_output(transform="polars").to_frame()


def test_nothing_is_imported_before_a_frame_is_asked_for(monkeypatch):
    X, y = wdbc()
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda name, *rest: real(name, *rest) if name != "pandas" else 1 / 0
    )
    assert QPFS(3).fit(X.to_numpy(), y).metrics()["n_selected"] == 3


def test_significance_has_columns_where_it_is_known():
    X, y = wdbc()
    without = FGM(3).fit(X, y)
    assert not {"pvalue", "qvalue"} & {*without.to_frame()}
    assert not {"pvalue_min", "qvalue_min"} & {*without.metrics()}
    selector = QPFS(3).fit(X, y)
    selector.pvalues_ = np.linspace(0.02, 0.5, 31)
    selector.qvalues_ = np.r_[np.linspace(0.04, 0.6, 30), np.nan]
    frame = selector.to_frame().sort_values("index")
    np.testing.assert_array_equal(frame["pvalue"], selector.pvalues_)
    np.testing.assert_array_equal(frame["qvalue"], selector.qvalues_)
    assert selector.metrics()["pvalue_min"] == 0.02
    assert selector.metrics()["qvalue_min"] == 0.04


def test_the_selected_come_first_whatever_their_rank():
    """A feature that is ranked before a selected one, and was not selected, comes after all that are."""
    selector = QPFS(3).fit(*wdbc())
    first, second, third, fourth = selector.order_[:4]
    selector.support_[[first, fourth]] = False, True
    best = [first, second, third, fourth]
    assert selector.to_frame()["index"].tolist()[:4] == [second, third, fourth, first]
    assert selector.to_frame()["rank"].tolist()[:4] == [2, 3, 4, 1]
    assert feature_rows(selector).best_first()[:4].tolist() == [second, third, fourth, first]
    assert selector.ranking_[best].tolist() == [2, 1, 1, 1]
