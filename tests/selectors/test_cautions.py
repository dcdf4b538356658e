"""A column that tells the target is warned of once, by its name, whoever is fitted."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

from qpfs import FGM, IKMAQPFS, JMI, MRMR, QPFS, QPFSCV, MaxRel, open_store, write_store
from qpfs.selectors.cautions import LeakWarning, cautions_of

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X = MinMaxScaler((-1, 1)).set_output(transform="pandas").fit_transform(X)
LEAKED = X.assign(outcome=np.where(np.arange(len(Y)) % 25 == 0, 1 - Y, Y) * 1.0)  # 4 % are wrong
TEXT = (
    "column 'outcome' alone nearly determines the target. If it was derived from the target, or is known "
    "only after "
    "it, leave it out."
)


def warnings_of(selector, table, y=Y):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        selector.fit(table, y)
    return [str(one.message) for one in heard if issubclass(one.category, LeakWarning)]


SELECTORS = [
    QPFS(4),
    QPFS(4, measure="mi"),
    QPFS(4, measure="correlation"),
    MaxRel(4),
    MRMR(4),
    JMI(4),
    IKMAQPFS(4),
    FGM(4),
    QPFSCV(param_grid={"theta": [0.5]}, n_features=[3], cv=2),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
def test_any_selector_warns_once_by_name(selector):
    assert warnings_of(selector, LEAKED) == [TEXT]
    assert selector.fitted_.telling == (30,)
    assert cautions_of(selector, list(LEAKED.columns)) == [TEXT]
    assert warnings_of(selector, X) == []
    assert cautions_of(selector, list(X.columns)) == []


def test_several_are_named_together():
    table = LEAKED.assign(again=-LEAKED["outcome"])
    (said,) = warnings_of(MaxRel(2), table)
    assert said.startswith("column 'outcome' and column 'again': each alone nearly determines the target. If")


def test_columns_without_names_are_numbered():
    (said,) = warnings_of(QPFS(3), LEAKED.to_numpy())
    assert said.startswith("column 30 alone")
    (said,) = warnings_of(QPFS(3), sparse.csc_array(LEAKED.to_numpy()))
    assert said.startswith("column 30 alone")


def test_labels_tell_and_identifiers_do_not():
    table = X.assign(verdict=np.where(Y, "ill", "well"), patient=[f"P{i}" for i in range(len(Y))])
    assert [said.split(" alone")[0] for said in warnings_of(MaxRel(3), table)] == ["column 'verdict'"]


def test_a_store_of_scores_tells_and_one_of_levels_cannot(tmp_path):
    ranks = open_store(write_store(LEAKED, tmp_path / "ranks.qpfs", Y, measure="rank"))
    assert warnings_of(QPFS(3), ranks, ranks.y) == [TEXT]
    levels = open_store(write_store(LEAKED, tmp_path / "levels.qpfs", Y))
    assert warnings_of(QPFS(3), levels, levels.y) == []


def test_a_quantity():
    rng = np.random.default_rng(0)
    amount = rng.normal(size=300)
    table = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd")).assign(paid=np.exp(amount))
    assert [said.split(" alone")[0] for said in warnings_of(QPFS(2), table, amount)] == ["column 'paid'"]
    assert warnings_of(QPFS(2), table.drop(columns="paid"), amount) == []


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["leukemia", "colon", "srbct", "rac_standin_hsmm", "wdbc", "usps", "mnist38"]
)
def test_real_sets_have_none(name, benchmark_data):
    assert warnings_of(MaxRel(20), *benchmark_data(name)) == []
