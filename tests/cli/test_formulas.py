"""The command on names and labels that are formulas: files that are safe to open, and the same answer."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.cli.command import qpfs
from tests.spreadsheets import cells_of, run_cells

from qpfs import open_store
from qpfs.cli.compare import scores_csv

NAMES = [
    '=HYPERLINK("http://x.example","y")',
    "+1",
    "-x",
    "@sum",
    "'=already",
    "two\rlines",
    "\t=tab",
    "＝full",
]


def select(folder, table, out):
    roles = ["--target", "=ill", "--index", "who"]
    return qpfs("select", folder / table, *roles, "--top", len(NAMES) + 1, "--out", folder / out)


def cut(folder, table, out):
    selection = folder / "result" / "selection.json"
    return qpfs("apply", selection, folder / table, "--keep", "=ill", "--keep", "who", "--out", out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, a selection of all its features, the table cut to them twice, and what is selected there."""
    folder = tmp_path_factory.mktemp("formulas")
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    columns = {name: rng.normal(size=60) + shift * y for shift, name in enumerate(NAMES)}
    columns["strand"] = [*"+-+--+", *"+-" * 27]
    columns["=ill"] = ["@no" if one else "-5 yes" for one in y]
    columns["who"] = [f"-{i} =who" for i in range(60)]
    pa.parquet.write_table(pa.table(columns), folder / "a.parquet")
    done = [
        select(folder, "a.parquet", "result"),
        cut(folder, "a.parquet", folder / "cut.csv"),
        cut(folder, "a.parquet", folder / "cut.parquet"),
        select(folder, "cut.csv", "from text"),
        select(folder, "cut.parquet", "from parquet"),
    ]
    assert {run.returncode for run in done} == {0}, [run.stderr for run in done]
    return folder


def record(folder, name):
    return json.loads((folder / name / "selection.json").read_text())


def test_no_file_has_a_cell_that_is_run(folder):
    for name in ("result/selection.csv", "cut.csv", "from text/selection.csv"):
        assert run_cells((folder / name).read_bytes().decode()) == []
    rows = cells_of((folder / "result" / "selection.csv").read_bytes().decode())
    assert {len(row) for row in rows} == {15}
    assert f"'{NAMES[0]}" in [row[0] for row in rows]


def test_what_was_cut_selects_the_same(folder):
    """To the last bit: in Parquet names and labels are as they were, and columns in the same order."""
    first, second = record(folder, "from parquet"), record(folder, "from text")
    assert sorted(row["feature"] for row in first["features"]) == sorted([*NAMES, "strand"])
    assert {one["name"] for one in first["data"]["classes"]} == {"@no", "-5 yes"}
    for part in ("features", "n_weighted", "certificate", "redundancy"):
        assert first[part] == second[part]
    for part in ("target", "classes", "n_samples", "n_features", "notes"):
        assert first["data"][part] == second["data"][part]


def test_what_was_cut_is_cut_again_to_the_same_bytes(folder):
    run = cut(folder, "cut.csv", "-")
    assert run.returncode == 0, run.stderr
    assert run.stdout == (folder / "cut.csv").read_bytes().decode()


def test_what_was_cut_is_encoded_under_its_names(folder):
    store = folder / "cut.qpfs"
    run = qpfs("encode", folder / "cut.csv", "--target", "=ill", "--index", "who", "--out", store)
    assert run.returncode == 0, run.stderr
    assert sorted(open_store(store).names) == sorted([*NAMES, "strand"])


def test_the_scores_of_a_comparison_are_not_run():
    point = {"k": 1, "score": -0.5, "low": 0.0, "high": 1.0, "n": 2}
    nested = {"k": [1, 1], "score": 0.25, "low": 0.0, "high": 1.0}
    methods = [{"name": "=x\r+y", "curve": [point], "nested": nested}, {"name": "b", "failed": "=why()"}]
    text = scores_csv({"methods": methods})
    assert run_cells(text) == []
    assert cells_of(text)[1:] == [
        ["'=x\r+y", "1", "-0.5", "0.0", "1.0", "2", "curve", ""],
        ["'=x\r+y", "1 1", "0.25", "0.0", "1.0", "2", "nested", ""],
        ["b", "", "", "", "", "", "", "'=why()"],
    ]
