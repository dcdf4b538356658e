"""`qpfs bench`: what methods take on a table made for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from tests.apart import measure_in_forks
from tests.cli.command import qpfs

import qpfs as package
from qpfs.evaluation.measuring import Cost

SMALL = ("--samples", 60, "--features", 400, "--repeats", 1)


@pytest.mark.parametrize(
    "methods",
    [["ikma"], pytest.param(["ikma", "mrmr:top=20", "fgm", "qpfs"], marks=pytest.mark.slow)],
    ids=str,
)
def test_each_method_is_fitted_and_finds_what_is_planted(methods, monkeypatch):
    if len(methods) == 1:
        measure_in_forks(monkeypatch)
    asked = [word for method in methods for word in ("--method", method)]
    run = qpfs("bench", *SMALL, *asked, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["n_samples"], found["n_features"]) == (60, 400)
    assert [row["method"] for row in found["methods"]] == methods
    for row in found["methods"]:
        assert row["seconds"] > 0
        assert row["megabytes"] >= 0
    assert found["methods"][0]["groups_found"] >= 6


def test_a_person_sees_a_line_for_each(monkeypatch):
    monkeypatch.setattr("qpfs.evaluation.measured", lambda *what, **how: Cost(0.25, 3.0))
    run = qpfs("bench", *SMALL, "--method", "maxrel", "--method", "mrmr:top=20", "--quiet")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == "60 samples, 400 features, 8 groups of copies, 1 job"
    for method in ("maxrel", "mrmr:top=20"):
        assert any(line.split()[:1] == [method] and "of 8" in line for line in run.stdout.splitlines())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "nope"], "expected one of qpfs"),
        (["--method", "ikma:radius=7"], "radius"),
        (["--method", "qpfs", "--method", "qpfs"], "expected each once"),
        (["--features", "10"], r"integer of at least 48"),
    ],
)
def test_what_makes_no_sense_is_said_before_any_work(arguments, says):
    run = qpfs("bench", *arguments)
    assert run.returncode == 2
    assert re.search(says, run.stderr)


def test_the_package_is_the_command():
    run = subprocess.run([sys.executable, "-m", "qpfs", "--version"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, f"qpfs {package.__version__}\n")
