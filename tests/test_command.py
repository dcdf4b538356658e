"""The command, run as a user runs it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest
from sklearn.datasets import load_breast_cancer

from qpfs import MRMR, QPFS


def qpfs(*arguments, cwd=None, **environment):
    import os

    return subprocess.run(
        [sys.executable, "-c", "from qpfs.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
    )


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "patients.csv"
    rows = [["age", 'he said "hi"', "<b>", "city", "ill"]]
    rows += [
        [20 + i, i % 3, "" if i % 5 == 0 else i * 0.5, "ab"[i % 2], ["no", "yes"][i % 2]] for i in range(40)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_built_in_set_agrees_with_the_estimator():
    run = qpfs("select", "wdbc", "--top", 6, "--json")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = QPFS(6).fit(X, y)
    record = json.loads(run.stdout)
    assert record["schema"] == "qpfs-selection/1"
    assert [row["feature"] for row in record["features"]] == list(X.columns[fitted.order_[:6]])
    assert [row["weight"] for row in record["features"]] == list(fitted.scores_[fitted.order_[:6]])
    assert record["certificate"]["gap"] == fitted.gap_


def test_a_file_agrees_with_the_estimator(table):
    import pandas as pd

    frame = pd.read_csv(table)
    fitted = MRMR(3).fit(frame.drop(columns="ill"), frame["ill"])
    record = json.loads(
        qpfs("select", table, "--target", "ill", "--method", "mrmr", "--top", 3, "--json").stdout
    )
    assert [row["index"] for row in record["features"]] == list(fitted.order_)


@pytest.mark.parametrize("method", ["qpfs", "nystrom", "mrmr", "maxrel"])
def test_the_table_for_a_person(table, method):
    run = qpfs("select", table, "--target", "ill", "--method", method, "--top", 2)
    assert run.returncode == 0, run.stderr
    assert "40 samples, 4 features, target 'ill'" in run.stdout
    assert method == "nystrom" or "city" in run.stdout  # one sampled feature of four guesses the rest
    assert "\x1b[" not in run.stdout


def test_files_are_written_and_not_overwritten(table, tmp_path):
    out = tmp_path / "result"
    first = qpfs("select", table, "--target", "ill", "--out", out)
    assert first.returncode == 0, first.stderr
    assert sorted(path.name for path in out.iterdir()) == ["selection.csv", "selection.json"]
    with (out / "selection.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["feature"] == "city"
    again = qpfs("select", table, "--target", "ill", "--out", out)
    assert (again.returncode, again.stdout) == (2, "")
    assert "exists" in again.stderr
    assert qpfs("select", table, "--target", "ill", "--out", out, "--force").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["patients.csv"], 2, "--target COLUMN"),
        (["patients.csv", "--target", "nobody"], 2, "no column 'nobody'"),
        (["nowhere.csv"], 2, "neither a file nor a built-in set"),
        (["patients.csv", "--target", "ill", "--top", "9"], 2, "there are 4 features"),
        (["patients.csv", "--target", "ill", "--method", "magic"], 2, "magic"),
        (["patients.csv", "--target", "<b>"], 1, "missing in 8 of 40 rows"),
        (["broken.csv", "--target", "a"], 1, "cannot be read as CSV"),
        (["twice.csv", "--target", "b"], 1, "several columns named 'a'"),
        (["empty.csv", "--target", "b"], 1, "empty.csv"),
        (["one_row.csv", "--target", "b"], 1, "1 rows"),
    ],
)
def test_bad_input_is_one_line(table, arguments, code, message):
    folder = table.parent
    (folder / "broken.csv").write_text("a,b\n1,2\n3\n")
    (folder / "twice.csv").write_text("a,a,b\n1,2,3\n4,5,6\n")
    (folder / "empty.csv").write_text("")
    (folder / "one_row.csv").write_text("a,b\n1,2\n")
    run = qpfs("select", *arguments, cwd=folder)
    assert run.returncode == code
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_hostile_names_are_shown_as_text(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(
        '"[bold red]x[/]","\x1b[31mred","a\nb",t\n'
        + "".join(f"{i},{i % 2},{i % 3},{i % 2}\n" for i in range(12))
    )
    run = qpfs("select", path, "--target", "t", "--top", 3)
    assert run.returncode == 0, run.stderr
    assert "[bold red]x[/]" in run.stdout
    assert "\x1b" not in run.stdout
    assert r"a\nb" in run.stdout


def test_files_are_written_even_if_nobody_reads_the_table(table, tmp_path):
    command = f"{sys.executable} -c 'from qpfs.cli import main; main()' select {table} --target ill"
    subprocess.run(f"{command} --out {tmp_path}/o | true", shell=True, check=True, capture_output=True)
    assert (tmp_path / "o" / "selection.json").exists()


def test_a_terminal_without_the_characters(table):
    run = qpfs("select", table, "--target", "ill", PYTHONIOENCODING="ascii")
    assert run.returncode == 0, run.stderr
    assert "city" in run.stdout


def test_a_quantity_for_a_target():
    run = qpfs("select", "diabetes", "--top", 3)
    assert run.returncode == 0
    assert "bmi" in run.stdout


def test_out_that_is_a_file(table):
    run = qpfs("select", table, "--target", "ill", "--out", table)
    assert (run.returncode, run.stdout) == (2, "")
    assert "must name a folder" in run.stderr


def test_a_wide_file(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"a_rather_long_name_of_a_feature_{i}" for i in range(50_000)]
    rows = [",".join(str((i * j) % 7) for i in range(1, 50_001)) for j in range(1, 7)]
    path.write_text("\n".join([",".join([*names, "t"]), *(f"{row},{i % 2}" for i, row in enumerate(rows))]))
    run = qpfs("select", path, "--target", "t", "--method", "maxrel", "--top", 2)
    assert run.returncode == 0, run.stderr
    assert "50000 features" in run.stdout


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "latin.csv").write_bytes("größe,t\n1,a\n2,b\n3,a\n".encode("latin-1"))
    run = qpfs("select", "latin.csv", "--target", "t", cwd=tmp_path)
    assert run.returncode == 1
    assert "not text in UTF-8" in run.stderr


def test_a_narrow_terminal_still_shows_the_numbers(table):
    run = qpfs("select", table, "--target", "ill", COLUMNS="40")
    assert "0.6931" in run.stdout


def test_version():
    import qpfs as package

    assert qpfs("--version").stdout.strip() == f"qpfs {package.__version__}"
