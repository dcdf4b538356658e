"""`qpfs bench`: what methods take on a table made for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from tests.cli.command import qpfs

import qpfs as package

SMALL = ("--samples", 60, "--features", 400, "--repeats", 1)


@pytest.mark.parametrize(
    "methods",
    [["ikma", "mrmr:top=20"], pytest.param(["ikma", "fgm", "qpfs"], marks=pytest.mark.slow)],
    ids=str,
)
def test_each_method_is_fitted_and_finds_what_is_planted(methods):
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


def test_a_person_sees_a_line_for_each():
    run = qpfs("bench", *SMALL, "--method", "maxrel", "--quiet")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == "60 samples, 400 features, 8 groups of copies, 1 job"
    assert any(line.split()[:1] == ["maxrel"] and "of 8" in line for line in run.stdout.splitlines())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "nope"], "expected one of qpfs"),
        (["--method", "ikma:radius=7"], "radius"),
        (["--method", "qpfs", "--method", "qpfs"], "expected each once"),
        (["--features", "10"], r"(greater than or equal to |>=)48"),
    ],
)
def test_what_makes_no_sense_is_said_before_any_work(arguments, says):
    run = qpfs("bench", *arguments)
    assert run.returncode == 2
    assert re.search(says, run.stderr)


def test_the_package_is_the_command():
    run = subprocess.run([sys.executable, "-m", "qpfs", "--version"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, f"qpfs {package.__version__}\n")
