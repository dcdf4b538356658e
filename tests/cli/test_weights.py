"""`qpfs select --weights` and `--class-weight`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.command import qpfs

from qpfs import QPFS, write_store


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.normal(size=(40, 5)).round(3), columns=list("abcde"))
    found["ill"] = np.resize(["no", "yes", "no"], 40)
    found["b"] += found["ill"] == "yes"
    found["w"] = rng.integers(0, 6, 40)
    return found


def selected(*arguments):
    run = qpfs("select", *arguments, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def weights_in(record):
    return {row["feature"]: row["weight"] for row in record["features"]}


def test_weights_from_the_table_and_from_labels_are_copies(table, tmp_path):
    path, rest, labels, repeated = (tmp_path / f"{name}.csv" for name in ("all", "rest", "labels", "rows"))
    names = pd.Series([f"s{i}" for i in range(40)], name="name")
    table.to_csv(path, index=False)
    table.loc[np.repeat(np.arange(40), table.w)].drop(columns="w").to_csv(repeated, index=False)
    pd.concat([names, table.drop(columns=["ill", "w"])], axis=1).to_csv(rest, index=False)
    pd.concat([names, table[["ill", "w"]]], axis=1).sample(frac=1, random_state=0).to_csv(labels, index=False)
    asked = ("--target", "ill", "--weights", "w")
    here, there = selected(path, *asked), selected(rest, "--labels", labels, "--index", "name", *asked)
    copies = selected(repeated, "--target", "ill")
    assert weights_in(here) == weights_in(there) == weights_in(copies)
    assert here["data"]["weights"]["sum"] == table.w.sum()
    assert here["data"]["n_features"] == 5
    store = write_store(table[list("abcde")], tmp_path / "t.qpfs", table.ill, samples=names, measure="rank")
    assert weights_in(selected(store, "--labels", labels, *asked)) == weights_in(copies)
    assert "give them with the target" in qpfs("select", store, "--weights", "w").stderr
    pd.concat([names, table[["w"]]], axis=1).to_csv(labels, index=False)
    alone = selected(store, "--labels", labels, "--target", "target", "--weights", "w")
    assert weights_in(alone) == weights_in(copies)


def test_weights_of_classes(table, tmp_path):
    path = tmp_path / "all.csv"
    table.to_csv(path, index=False)
    record = selected(path, "--target", "ill", "--weights", "w", "--class-weight", "yes=3,no=1")
    X, times = table[list("abcde")], np.where(table.ill == "yes", 3, 1)
    fitted = QPFS().fit(X, table.ill, sample_weight=table.w * times)
    assert weights_in(record) == {X.columns[i]: fitted.scores_[i] for i in np.flatnonzero(fitted.support_)}
    run = qpfs(
        "select", path, "--target", "ill", "--drop", "w", "--class-weight", "balanced", "--stability", 4
    )
    assert "Samples are weighted (rounded to 16 binary digits; the weights add up to 40" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--weights", "v"], "There is no column 'v'"),
        (["--weights", "w", "--method", "fgm"], "does not use weights"),
        (["--weights", "a"], "expected a finite number that is not negative"),
        (["--class-weight", "a=b"], "expected balanced, none, or classes and their weights"),
        (["--class-weight", "equal"], "must be 'balanced'"),
        (["--class-weight", "maybe=2"], "the classes are 'no', 'yes'"),
    ],
)
def test_weights_that_make_no_sense(table, tmp_path, arguments, message):
    path = tmp_path / "all.csv"
    table.to_csv(path, index=False)
    run = qpfs("select", path, "--target", "ill", *arguments)
    assert run.returncode != 0
    assert message in " ".join(run.stderr.split())


def test_mistakes_are_said_in_options(table, tmp_path):
    given = ["select", tmp_path / "a.csv", "--target", "ill"]
    table.assign(batch=np.arange(len(table)) % 3, low=-1.0).to_csv(given[1], index=False)
    run = qpfs(*given, "--weights", "low")
    assert run.returncode == 1
    assert "--weights is -1 in row 0" in run.stderr


def test_weights_in_a_check_and_a_comparison(table, tmp_path):
    path = tmp_path / "all.csv"
    table.to_csv(path, index=False)
    asked = ("--target", "ill", "--weights", "w")
    checked = selected(path, *asked, "--top", 2, "--check", 3)["comparison"]
    run = qpfs(
        "compare",
        path,
        *asked,
        "--no-memory",
        "--method",
        "qpfs",
        "--cv",
        3,
        "--repeats",
        1,
        "--sizes",
        2,
        "--json",
    )
    assert run.returncode == 0, run.stderr
    compared = json.loads(run.stdout)
    assert compared["data"]["n_samples"] == (table.w > 0).sum()
    assert "Samples are weighted in the selection, in training" in compared["protocol"]["text"]
    assert compared["methods"][0]["nested"] == checked["methods"][0]["nested"]


def test_weights_and_covariates_of_a_table_and_of_cohorts(table, tmp_path):
    rng = np.random.default_rng(3)
    table["w"] += 1
    table["site"] = rng.choice(["x", "y"], 40)
    path, first, second = tmp_path / "all.csv", tmp_path / "one.csv", tmp_path / "two.csv"
    table.to_csv(path, index=False)
    asked = ("--target", "ill", "--weights", "w", "--top", 2)
    record = selected(path, *asked, "--adjust", "site")
    X = table[list("abcde")]
    fitted = QPFS(2).fit(X, table.ill, sample_weight=table.w, covariates=table.site)
    assert weights_in(record) == {X.columns[i]: fitted.scores_[i] for i in fitted.order_[:2]}
    for name, here in ((first, table.site == "x"), (second, table.site == "y")):
        table[here].drop(columns="site").to_csv(name, index=False)
    together = selected(first, second, *asked)
    assert set(weights_in(together)) == set(weights_in(record))
