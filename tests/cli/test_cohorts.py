"""`qpfs select A B C`: several tables, each a cohort."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.cli.command import qpfs

SIZES = {"a": 40, "b": 30, "c": 30}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two markers in all cohorts, one in each alone, columns in another order in each."""
    folder, rng = tmp_path_factory.mktemp("cohorts"), np.random.default_rng(5)
    for place, (name, n) in enumerate(SIZES.items()):
        y = np.arange(n) % 2
        X = rng.normal(size=(n, 12))
        X[:, :2] += 2.5 * y[:, None]
        X[:, 4 + place] += 4.0 * y
        names = [*(f"g{i}" for i in range(12)), f"only_{name}"]
        columns = dict(zip(names, [*X.T, X[:, 0]], strict=True))
        shown = [*rng.permutation(names).tolist(), "id", "status"]
        columns |= {"id": [f"{name}{i}" for i in range(n)], "status": np.array(["well", "ill"])[y]}
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([shown, *zip(*(columns[one] for one in shown), strict=True)])
    return folder


def select(folder, *more, tables=("a.csv", "b.csv", "c.csv")):
    target = [] if "--labels" in more else ["--target", "status"]
    return qpfs("select", *tables, *target, "--index", "id", "--top", 3, *more, cwd=folder, COLUMNS="120")


@pytest.fixture(scope="module")
def answered(folder):
    run = select(folder, "--out", "out", "--method", "maxrel")
    assert run.returncode == 0, run.stderr
    return run, json.loads((folder / "out" / "selection.json").read_text())


def test_the_terminal_says_how_the_selection_does_across_cohorts(answered):
    run, record = answered
    said = run.stdout
    assert "a.csv, b.csv, c.csv" in said
    assert "100 samples, 12 features" in said
    assert "alone: cohorts that alone select it" in said
    assert "3 of 3" in said
    errors = [f"{one['name']} {one['score']:.1%}".replace("%", " %") for one in record["cohorts"]["cohorts"]]
    assert f"the error on each is: {', '.join(errors)}." in said
    assert "Each cohort alone selects 3 features; 2 of them are in all 3" in said
    assert "Relevance was computed within cohorts" in said
    assert "On samples of a cohort left out the error" in said
    assert "12 columns are in all 3 cohorts; left out, as only in some: a.csv: 1 ('only_a')" in run.stderr


def test_the_record_and_the_table(folder, answered):
    record = answered[1]
    across = record["cohorts"]
    assert [(one["name"], one["n"], one["n_features"]) for one in across["cohorts"]] == [
        (f"{name}.csv", n, 13) for name, n in SIZES.items()
    ]
    by_name = {one["feature"]: one for one in across["features"]}
    assert by_name["g0"]["n"] == 3
    assert by_name["g0"]["agree"] is True
    assert by_name["g5"]["selected"] == [False, True, False]
    assert {one["direction"] for one in by_name["g1"]["effects"]} == {"higher in ill"}
    assert record["comparison"]["protocol"]["outer"] == "leave-one-cohort-out"
    with (folder / "out" / "selection.csv").open(newline="") as file:
        rows = {row["feature"]: row for row in csv.DictReader(file)}
    assert rows["g0"]["cohorts"] == "3"
    assert rows["g0"]["directions_agree"] == "yes"
    assert float(rows["g0"]["effect in b.csv"]) == by_name["g0"]["effects"][1]["size"]
    assert len(rows) == 12


def test_the_page_is_drawn_again_from_the_record(folder, answered):
    page = (folder / "out" / "report.html").read_text()
    for words in ("Across cohorts", "Error on new samples", "error on a cohort left out", "selected alone"):
        assert words in page
    assert qpfs("report", folder / "out" / "selection.json", "--force").returncode == 0
    assert (folder / "out" / "report.html").read_text() == page


def test_labels_once_or_once_for_each(folder, tmp_path, answered):
    def labels(path, names):
        rows = [f"{name}{i},{('well', 'ill')[i % 2]}" for name in names for i in range(SIZES[name])]
        path.write_text("\n".join(["id,state", *rows, ""]))
        return path

    asked = ("--method", "maxrel", "--json", "--drop", "status")
    once = select(folder, *asked, "--labels", labels(tmp_path / "all.csv", "abc"))
    each = [part for name in "abc" for part in ("--labels", labels(tmp_path / f"{name}.csv", name))]
    for run in (once, select(folder, *asked, *each)):
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["cohorts"] == answered[1]["cohorts"]


def test_one_table_has_no_cohorts(folder):
    run = select(folder, "--json", tables=("a.csv",))
    assert run.returncode == 0, run.stderr
    assert "cohorts" not in json.loads(run.stdout)


def test_stability_and_the_plan(folder):
    run = select(folder, "--method", "maxrel", "--stability", 3, "--json")
    assert json.loads(run.stdout)["stability"]["resample"].endswith("halves of the samples of each cohort")
    plan = select(folder, "--plan").stdout
    assert "leave each of 3 cohorts out" in plan
    assert "in each cohort alone" in plan


def test_a_method_that_does_not_ask_within_cohorts_says_so(folder):
    run = select(folder, "--method", "gdm")
    assert run.returncode == 0, run.stderr
    assert "This method does not compute relevance within cohorts" in run.stdout


@pytest.mark.parametrize(
    ("more", "tables", "words"),
    [
        (("--check", 3), ("a.csv", "b.csv"), "--check is for one table"),
        (("--memory", "1GB"), ("a.csv", "b.csv"), "--memory is for a store"),
        ((), ("a.csv", "./a.csv"), "are the same file"),
        ((), ("a.csv", "nowhere.csv"), "There is no file 'nowhere.csv'"),
        (("--labels", "x.csv", "--labels", "y.csv"), ("a.csv",), "--labels was given 2 times for one table"),
        (
            ("--target", "stat"),
            ("a.csv", "b.csv"),
            "several tables can have one target only, but 2 are given",
        ),
    ],
)
def test_what_makes_no_sense_is_said_at_once(folder, more, tables, words):
    run = select(folder, *more, tables=tables)
    assert run.returncode == 2, run.stderr
    assert words in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_other_classes_are_said_before_anything_is_fitted(folder, tmp_path):
    other = tmp_path / "d.csv"
    other.write_text((folder / "b.csv").read_text().replace("well", "control").replace("ill", "case"))
    run = select(folder, tables=("a.csv", other))
    assert run.returncode == 2
    assert "a.csv has the classes 'ill', 'well', none of which" in run.stderr
    assert "fitted" not in run.stderr
