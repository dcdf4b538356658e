"""Encoded tables are evaluated at what they hold: levels as indicators, scores as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.evaluation.test_curve import parts_of

from qpfs import MaxRel, open_store, write_store
from qpfs.codes.decoding import decoded
from qpfs.evaluation import compare, design, error_curve, resampled
from qpfs.evaluation.estimators import default_estimator


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = pd.DataFrame(rng.normal(size=(60, 8)) + np.outer(y, [2.0, 1.0, *[0.0] * 6])).add_prefix("g")
    X.loc[4, "g1"] = np.nan
    folder = tmp_path_factory.mktemp("stores")
    stores = {
        form: open_store(write_store(X, folder / f"{form}.qpfs", y, **how))
        for form, how in (("levels", {}), ("scores", {"measure": "rank"}))
    }
    return X, y, stores


def shown(table, columns):
    """What an estimator may see of some columns, by pandas."""
    parts = decoded(table, np.asarray(columns))
    if table.form.name == "scores":
        return pd.DataFrame(dict(zip(columns, parts, strict=True)))
    return pd.concat([pd.get_dummies(pd.Series(part), dummy_na=True) for part in parts], axis=1)


@pytest.mark.parametrize("form", ["levels", "scores"])
def test_errors_are_those_of_a_plain_loop(problem, form):
    _, y, stores = problem
    table = stores[form]
    curve = error_curve(MaxRel(2), table, y, cv=3, sizes=[2])
    wrong = 0
    for train, test in parts_of(3, y):
        best = np.sort(MaxRel(2).fit(table[train], y[train]).order_[:2])
        seen = shown(table, best)
        filled = seen.fillna(seen.iloc[train].median()).to_numpy(float)
        model = default_estimator().fit(filled[train], y[train])
        wrong += (model.predict(filled[test]) != y[test]).sum()
    assert curve.mean[0] == wrong / 60
    assert "test samples included" in curve.protocol["text"]


def test_methods_are_compared_and_go_on_from_records(problem, tmp_path):
    _, y, stores = problem
    how = {"cv": 3, "inner_cv": 2, "sizes": [1, 2], "records": tmp_path / "r.jsonl"}
    found = compare({"m": MaxRel()}, stores["levels"], y, **how).record
    assert found["methods"][0]["often"][0]["feature"] == "g0"
    lines = (tmp_path / "r.jsonl").read_text()
    compare({"m": MaxRel()}, stores["levels"], y, **how)
    assert (tmp_path / "r.jsonl").read_text() == lines


def test_a_part_of_a_store_is_told_from_another(problem, tmp_path):
    _, y, stores = problem
    one, other = (stores["scores"][:, some] for some in ([0, 1], [0, 2]))
    error_curve(MaxRel(), one, y, cv=2, sizes=[1], records=tmp_path / "r.jsonl")
    error_curve(MaxRel(), other, y, cv=2, sizes=[1], records=tmp_path / "r.jsonl")
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 1 + 4


def test_columns_that_have_no_room_are_refused_in_words(problem, monkeypatch):
    _, y, stores = problem
    monkeypatch.setattr(design, "MOST_DENSE", 500)
    found = compare({"m": MaxRel()}, stores["levels"], y, cv=2, sizes=[1]).record
    assert "nested" in found["methods"][0]
    assert "too many to be spread out" in found["baselines"][0]["failed"]


@pytest.mark.parametrize("form", ["levels", "scores"])
def test_resamples_are_selections_from_rows(problem, form):
    X, y, stores = problem
    found = resampled(MaxRel(2), stores[form], y, n=3)
    assert found.feature_names == list(X)
    assert found.frequencies.sum() == pytest.approx(2)
    assert found.frequencies[0] == 1
