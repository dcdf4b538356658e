"""What is wrong with a command line: one line, in the words of the command, before anything takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import qpfs

MISTAKES = {  # what is typed, and the line
    "an option": (["wdbc", "--adjust", "x"], "there is no option --adjust. `qpfs select --help` lists"),
    "near": (
        ["wdbc", "--messure", "mi"],
        "there is no option --messure; did you mean --measure? `qpfs select",
    ),
    "a command": (None, "No such command 'selct'"),
    "a method": (["wdbc", "--method", "nope"], "--method nope; expected one of qpfs, ikma,"),
    "a parameter of another": (["wdbc", "--radius", "1"], "--radius is not for --method qpfs: it belongs to"),
    "a number": (["wdbc", "--top", "x"], "--top x; expected an integer, a number or none."),
    "a word": (["wdbc", "--order", "up"], "--order up; expected nearest or weight."),
    "a seed": (["wdbc", "--seed", "-1"], "--seed"),
    "no file": (["tabel.csv", "--target", "y"], "There is no file 'tabel.csv'. Did you mean 'table.csv'?"),
    "no target": (["table.csv"], "Say which column of 'table.csv' is the target with --target COLUMN."),
    "no data": ([], "Missing argument 'DATA'. See `qpfs select --help`."),
    "twice": (["wdbc", "--target", "a", "--target", "b"], "'--target': given 2 times; it takes one value."),
    "both ways": (
        ["wdbc", "--method", "qpfs:theta=1", "--theta", "0"],
        "--theta 0 and --method qpfs:theta=1 both",
    ),
    "a result": (["table.csv", "--target", "b", "--out", "."], "selection.json exists; choose another"),
}
HEAVY = ["numpy", "pyarrow", "sklearn", "scipy", "numba", "pandas"]
CODE = """
import json, sys
from tests.cli.command import qpfs
said = {name: qpfs(*typed) for name, typed in json.loads(sys.argv[1]).items()}
heavy = [name for name in json.loads(sys.argv[2]) if name in sys.modules]
print(json.dumps([heavy, {name: [run.returncode, run.stderr] for name, run in said.items()}]))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What was imported, and what each mistake was answered with: all in one process."""
    folder = tmp_path_factory.mktemp("mistakes")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "selection.json").write_text("{}")
    typed = {name: ["selct"] if rest is None else ["select", *rest] for name, (rest, _) in MISTAKES.items()}
    paths = os.pathsep.join([str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(typed), json.dumps(HEAVY)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", MISTAKES)
def test_one_line_says_what_is_wrong(told, name):
    code, said = told[1][name]
    assert code == 2
    assert said.startswith("qpfs: ")
    assert said.count("\n") == 1
    assert MISTAKES[name][1] in said


def test_nothing_heavy_is_imported_for_them(told):
    assert told[0] == []


def test_options_that_may_be_given_again_are(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c,t\n" + "1,2,3,x\n2,1,5,y\n" * 9)
    run = qpfs("select", tmp_path / "a.csv", "--target", "t", "--drop", "a", "--drop", "b", "--quiet", "-q")
    assert run.returncode == 0, run.stderr


def test_without_anything_the_help_is_shown():
    run = qpfs()
    assert "select" in run.stdout + run.stderr
    assert "qpfs: " not in run.stderr
