"""`qpfs select` for several targets, and for what an .h5ad file knows of its features."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from tests.cli.command import qpfs

from qpfs import QPFS, MaxRel
from qpfs.data import Reading, open_problem

rng = np.random.default_rng(0)
N = 80


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    X = pd.DataFrame(rng.normal(size=(N, 6)).round(2), columns=[f"f{i}" for i in range(6)])
    X["ill"] = np.where(X.f0 + 0.5 * rng.normal(size=N) > 0, "yes", "no")
    X["grade"] = np.digitize(X.f1 + 0.5 * rng.normal(size=N), [-0.5, 0.5])
    X["age"] = (X.f2 + 0.5 * rng.normal(size=N)).round(3)
    path = tmp_path_factory.mktemp("targets") / "t.csv"
    X.to_csv(path, index_label="sample")
    return path, X


TOGETHER = ["--target", "ill", "--target", "grade", "--target", "age", "--index", "sample"]


def test_repeated_targets_are_taken_together(table, tmp_path):
    path, X = table
    run = qpfs("select", path, *TOGETHER, "--method", "maxrel", "--top", 3, "--out", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    assert "6 features, targets 'ill', 'grade' and 'age'" in run.stdout
    assert "There are 3 targets, used jointly: relevance is what a feature shares with all" in run.stdout
    record = json.loads((tmp_path / "out" / "selection.json").read_text())
    fitted = MaxRel(3).fit(X.iloc[:, :6], X[["ill", "grade", "age"]])
    assert [row["relevance"] for row in record["features"]] == fitted.relevance_[fitted.order_[:3]].tolist()
    assert [one["name"] for one in record["data"]["targets"]] == ["ill", "grade", "age"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "3 targets jointly: “ill” (2 classes), “grade” (3 classes) and “age” (a quantity)" in page
    again = qpfs("report", tmp_path / "out" / "selection.json", "--out", tmp_path / "again.html")
    assert again.returncode == 0, again.stderr


def test_weights_of_targets(table):
    path, X = table
    run = qpfs(
        "select", path, *TOGETHER, "--measure", "mi", "--target-weights", "2,1,1", "--top", 3, "--json"
    )
    record = json.loads(run.stdout)
    fitted = MaxRel(3, measure="mi", target_weights=[2, 1, 1]).fit(X.iloc[:, :6], X[["ill", "grade", "age"]])
    for row in record["features"]:
        assert row["relevance"] == fitted.relevance_[row["index"]]
    assert [one["weight"] for one in record["data"]["targets"]] == [2, 1, 1]
    assert "mean over them, weighted: ill 2, grade 1 and age 1" in record["data"]["taken"][0]


def test_targets_of_a_file_of_labels(table, tmp_path):
    _, X = table
    labels = X[["ill", "grade"]].sample(frac=1.0, random_state=1)
    labels.to_csv(tmp_path / "labels.csv", index_label="sample")
    X.iloc[:, :6].to_csv(tmp_path / "x.csv", index_label="sample")
    reading = Reading(target="ill", further=("grade",), labels=str(tmp_path / "labels.csv"), index="sample")
    problem = open_problem(str(tmp_path / "x.csv"), reading)
    assert problem.y.to_pydict() == {"ill": X.ill.tolist(), "grade": X.grade.tolist()}
    (tmp_path / "one.csv").write_text("ill\n" + "\n".join(X.ill))
    run = qpfs("select", tmp_path / "x.csv", *TOGETHER[:4], "--labels", tmp_path / "one.csv")
    assert "--target grade: " in run.stderr
    assert "has one column of labels; name one target" in run.stderr


def test_targets_in_rows(table, tmp_path):
    _, X = table
    X.drop(columns="ill").T.to_csv(tmp_path / "rows.csv")
    reading = Reading(target="grade", further=("age",), features_in="rows")
    problem = open_problem(str(tmp_path / "rows.csv"), reading)
    assert problem.names == [f"f{i}" for i in range(6)]
    np.testing.assert_allclose(problem.y["age"].to_numpy(), X.age)


def test_targets_of_a_store(table, tmp_path):
    path, _ = table
    run = qpfs("encode", path, *TOGETHER, "--out", tmp_path / "t.qpfs")
    assert run.returncode == 0, run.stderr
    run = qpfs("select", tmp_path / "t.qpfs", *TOGETHER[:4], "--method", "maxrel", "--json")
    targets = json.loads(run.stdout)["data"]["targets"]
    assert [one["name"] for one in targets] == ["ill", "grade"]


MISTAKES = {
    "commas": (
        ["--target", "ill,grade"],
        "for several targets give each on its own: --target ill --target grade.",
    ),
    "twice": (["--target", "ill", "--target", "ill"], "--target ill is named twice"),
    "no column": (["--target", "ill", "--target", "grad"], "no column 'grad' in"),
    "check": ([*TOGETHER, "--check", "5"], "some of classes and some that are quantities"),
    "a machine": ([*TOGETHER, "--method", "fgm"], "--method fgm is for one target, but 3 are given"),
    "weights": (
        [*TOGETHER, "--target-weights", "2"],
        "--target-weights 2, but there are 3 targets",
    ),
    "no numbers": (
        [*TOGETHER, "--target-weights", "x"],
        "--target-weights x; expected numbers separated by commas",
    ),
    "no h5ad": (["--target", "ill", "--names", "x"], "--names is for .h5ad files, but"),
    "no layers": (["--target", "ill", "--layer", "x"], "--layer is for .h5ad files, but"),
}


@pytest.mark.parametrize(("typed", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_line(table, typed, said):
    run = qpfs("select", table[0], *typed)
    assert run.returncode == 2
    assert said in run.stderr.splitlines()[-1]
    assert run.stdout == ""


@pytest.fixture
def small_forests(monkeypatch):
    """Forests of ten trees, and not of a hundred, for who names no number."""
    monkeypatch.setattr(RandomForestClassifier.__init__, "__defaults__", (10,))


def test_what_is_told_of_several_targets(table, tmp_path, small_forests):
    path, _ = table
    run = qpfs("select", path, *TOGETHER, "--top", 2, "--stability", 4, "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["stability"]["index"] <= 1
    classes = ["--target", "ill", "--target", "grade", "--index", "sample", "--drop", "age"]
    run = qpfs("select", path, *classes, "--top", 2, "--check", 3, "--json", "--out", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    checked = json.loads(run.stdout)["comparison"]
    assert 0 <= checked["methods"][0]["nested"]["score"] < 0.6
    assert "Reported is the mean over the targets ill and grade." in checked["protocol"]["text"]
    asked = ("--method", "maxrel", "--cv", 2, "--inner-cv", 2, "--sizes", "1,2", "--no-memory", "--json")
    compared = json.loads(qpfs("compare", path, *classes, *asked, "--estimator", "forest").stdout)
    assert compared["methods"][0]["nested"]["score"] < 0.6
    assert "predicts one target" in qpfs("compare", path, *classes, *asked, "--estimator", "logistic").stderr
    assert "some of classes and some that are quantities" in qpfs("compare", path, *TOGETHER, *asked).stderr


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    anndata = pytest.importorskip("anndata")
    counts = rng.poisson(0.7, (60, 40)).astype(np.float32)
    kind = np.where(counts[:, 3] + counts[:, 7] > 1, "T cell", "B cell")
    names = [f"c{i}" for i in range(60)]
    obs = pd.DataFrame({"kind": pd.Categorical(kind), "donor": np.arange(60) % 6}, names)
    symbols = np.array([f"GENE{i}" for i in range(40)], object)
    symbols[[3, 7]], symbols[9] = "CD3E", np.nan
    var = {
        "symbol": symbols,
        "mt": np.arange(40) < 2,
        "hk": np.isin(np.arange(40), [1, 5]),
        "n": range(40),
        "lnc": np.arange(40) == 30,
    }
    table = anndata.AnnData(
        sparse.csr_matrix(counts), obs, pd.DataFrame(var, [f"ENSG{i}" for i in range(40)])
    )
    table.layers["log"] = sparse.csr_matrix(np.log1p(counts))
    path = tmp_path_factory.mktemp("cells") / "cells.h5ad"
    table.write_h5ad(path)
    return path, counts, kind


def test_symbols_and_excluded_features(cells, tmp_path):
    path, counts, kind = cells
    where = ["--exclude-where", "mt", "--exclude-where", "hk"]
    asked = ["--target", "kind", "--groups", "donor", "--names", "symbol", *where, "--layer", "log"]
    run = qpfs("select", path, *asked, "--top", 2, "--out", tmp_path)
    assert "2 features with 'mt' left out" in run.stderr
    assert "2 features with 'hk' left out" in run.stderr
    assert "made unique: 'CD3E (1)', 'CD3E (2)'" in run.stderr
    assert "60 samples, 37 features" in run.stdout
    rows = list(csv.DictReader((tmp_path / "selection.csv").read_text().splitlines()))
    assert {row["feature"] for row in rows[:2]} == {"CD3E (1)", "CD3E (2)"}
    assert "ENSG9" in {row["feature"] for row in rows}  # which has no symbol
    assert "CD3E (1)" in (tmp_path / "report.html").read_text()
    left = np.setdiff1d(np.arange(40), [0, 1, 5])
    plain = MaxRel(2).fit(np.log1p(counts)[:, left], kind)
    record = json.loads((tmp_path / "selection.json").read_text())
    assert record["features"][0]["relevance"] == plain.relevance_[record["features"][0]["index"]]
    out = tmp_path / "few.csv"
    applied = qpfs("apply", tmp_path / "selection.json", path, "--names", "symbol", "--out", out)
    assert applied.returncode == 0, applied.stderr
    assert out.read_text().splitlines()[0].count("CD3E") == 2


def test_features_of_a_var_column_that_must_be_in(cells):
    path, counts, kind = cells
    asked = ["--target", "kind", "--exclude-where", "hk", "--top", 3, "--json"]
    run = qpfs("select", path, *asked, "--keep-where", "lnc", "--keep", "ENSG8")
    assert run.returncode == 0, run.stderr
    record = json.loads(run.stdout)
    left = np.setdiff1d(np.arange(40), [1, 5])
    plain = QPFS(3, keep=[left.tolist().index(one) for one in (8, 30)]).fit(counts[:, left], kind)
    found = {row["feature"]: row["weight"] for row in record["features"]}
    assert found == {f"ENSG{left[i]}": plain.scores_[i] for i in np.flatnonzero(plain.support_)}
    assert {"ENSG8", "ENSG30"} <= found.keys()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--names", "symbols"], "There is no column 'symbols' in var (--names); did you mean 'symbol'?"),
        (["--exclude-where", "tm"], "There is no column 'tm' in var (--exclude-where)"),
        (
            ["--exclude-where", "n"],
            "--exclude-where n: this column of var holds '0', '1', '2' and 37 more",
        ),
        (["--keep-where", "tm"], "There is no column 'tm' in var (--keep-where)"),
        (["--keep-where", "mt", "--exclude-where", "hk"], "--keep-where and --exclude-where are both true"),
        (["--keep-where", "mt", "--exclude", "GENE1", "--names", "symbol"], "both name 'GENE1'"),
        (["--keep-where", "mt", "--method", "fgm"], "--keep-where, but fgm has no --keep"),
        (["--drop", "donor"], "--drop donor: 'donor' of"),
    ],
)
def test_mistakes_about_features_of_cells(cells, typed, said):
    run = qpfs("select", cells[0], "--target", "kind", *typed)
    assert run.returncode == 2
    assert said in run.stderr
