"""A clock that is wrong: the same results, no time below zero, and no file taken for another by its age."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest
from tests.cli.command import qpfs
from tests.cli.test_progress import on_a_terminal
from tests.faults.clocks import CLOCKS, clock_that, durations_of_nothing
from tests.faults.test_changed import WRITERS, numbers
from tests.faults.works import READ, WORKS, Work, begin, files_in, prepare, result_in, succeed

import qpfs as package
from qpfs.codes import disk_draft
from qpfs.codes.disk_draft import Draft
from qpfs.evaluation import Records, rankings

MORE = {
    "select with stability": Work(("select", *READ, "--top", "3", "--stability", "3", "--out", "disk/o")),
    "memory is measured": Work(
        (
            *("compare", *READ, "--method", "maxrel", "--cv", "2", "--inner-cv", "2"),
            *("--sizes", "1", "--out", "disk/c"),
        )
    ),
}
ALL = WORKS | MORE
SOME = [
    ("select with stability", "goes back"),
    ("compare", "goes back"),
    ("encode text", "goes back"),
    ("fetch a set", "is before its beginning"),  # an archive, whose entries have dates from 1980 on
    ("apply to NumPy", "is at its beginning"),
    ("apply to packed text", "has too many seconds for four bytes"),
]
EVERY = [(name, clock) for name in ALL for clock in CLOCKS]
AGES = {"the first day": 0, "before the first day": -1_000_000_000, "the future": 16_000_000_000}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clock")
    prepare(folder)
    return folder


@pytest.fixture(scope="module")
def expected(folder):
    """What each work ends with while the clock is right."""
    found = {}

    def of(name):
        if name not in found:
            begin(ALL[name], folder)
            succeed(ALL[name].run(folder))
            found[name] = result_in(folder / "disk")
        return found[name]

    return of


def check_times(folder):
    """No record has a duration below zero, or a date that is none."""
    for name, data in files_in(folder / "disk").items():
        if name.endswith((".json", ".jsonl")):
            for line in data.splitlines() if name.endswith("l") else [data]:
                check_times_in(json.loads(line), name)


def check_times_in(thing, where):
    if isinstance(thing, list):
        for one in thing:
            check_times_in(one, where)
    elif isinstance(thing, dict):
        for name, one in thing.items():
            check_times_in(one, f"{where}: {name}")
            if name == "created":
                assert datetime.fromisoformat(one).tzinfo is not None, where
    elif "seconds" in where and isinstance(thing, (int, float)):
        assert thing >= 0, where


@pytest.mark.parametrize(
    ("name", "clock"), [one if one in SOME else pytest.param(*one, marks=pytest.mark.slow) for one in EVERY]
)
def test_a_clock_that_is_wrong_changes_nothing(folder, expected, name, clock):
    wanted = expected(name)
    begin(ALL[name], folder)
    with clock_that(clock):
        succeed(ALL[name].run(folder))
    assert result_in(folder / "disk") == wanted
    check_times(folder)


QUICKEST = ("select with stability", "compare", "encode text")


@pytest.mark.parametrize(
    "name", [one if one in QUICKEST else pytest.param(one, marks=pytest.mark.slow) for one in ALL]
)
def test_what_takes_no_time_is_no_less_done(folder, expected, name):
    wanted = expected(name)
    begin(ALL[name], folder)
    with durations_of_nothing():
        succeed(ALL[name].run(folder))
    assert result_in(folder / "disk") == wanted
    check_times(folder)


@pytest.mark.parametrize("command", ["select", "encode"])
def test_a_plan_of_what_takes_no_time(folder, command):
    with durations_of_nothing():
        run = qpfs(command, *READ, "--plan", "--json", "--out", "disk/x", cwd=folder)
    succeed(run)
    assert json.loads(run.stdout)["seconds"] >= 0


def age_all(folder, seconds):
    """Gives all files of a folder a date."""
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (seconds, seconds))


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize(
    "name", [one if one == "t.csv" else pytest.param(one, marks=pytest.mark.slow) for one in WRITERS]
)
def test_files_of_any_age_are_read(tmp_path, name, age):
    WRITERS[name](tmp_path / name, numbers(0))
    (tmp_path / "y.csv").write_text("y\n" + "0\n1\n" * (len(numbers(0)) // 2))
    target = ("--labels", "y.csv") if name in ("t.npy", "t.svm") else ("--target", "y")
    target = () if name in ("t.svm", "t.npz") else target
    typed = (name, *target, "--quiet")

    def answers():
        """The selection from the table, and from its store."""
        succeed(qpfs("encode", *typed, "--out", "t.qpfs", "--force", cwd=tmp_path))
        if age_now is not None:
            age_all(tmp_path, age_now)
        runs = [qpfs("select", *one, "--json", cwd=tmp_path) for one in (typed, ("t.qpfs", "--quiet"))]
        for run in runs:
            succeed(run)
        return [json.loads(run.stdout)["features"] for run in runs]

    age_now = None
    wanted = answers()
    age_now = AGES[age]
    age_all(tmp_path, age_now)
    assert answers() == wanted


@pytest.mark.parametrize("age", AGES)
def test_encoding_goes_on_whenever_it_began(folder, monkeypatch, age):
    monkeypatch.setattr(disk_draft, "strip_width", lambda n_samples: 8)
    work, add, added = WORKS["encode text"], Draft.add, []
    begin(work, folder)
    succeed(work.run(folder))
    wanted = result_in(folder / "disk")

    def stopped(self, number, engine):
        if number == 2:
            raise KeyboardInterrupt
        add(self, number, engine)

    def counted(self, number, engine):
        added.append(number)
        add(self, number, engine)

    begin(work, folder)
    monkeypatch.setattr(Draft, "add", stopped)
    with clock_that("leaps"):
        assert work.run(folder).returncode == 130
    age_all(folder / "disk", AGES[age])
    monkeypatch.setattr(Draft, "add", counted)
    with clock_that("goes back"):
        succeed(work.run(folder))
    assert added == [2, 3]
    assert result_in(folder / "disk") == wanted


@pytest.mark.parametrize("age", AGES)
def test_comparing_goes_on_whenever_it_began(folder, expected, monkeypatch, age):
    work, add, added = WORKS["compare"], Records.add, []
    wanted = expected("compare")

    def stopped(self, key, *others):
        if len(self) == 2:
            raise KeyboardInterrupt
        return add(self, key, *others)

    def counted(self, key, *others):
        added.append(key)
        return add(self, key, *others)

    begin(work, folder)
    monkeypatch.setattr(Records, "add", stopped)
    with clock_that("leaps"):
        assert work.run(folder).returncode == 130
    age_all(folder / "disk", AGES[age])
    monkeypatch.setattr(Records, "add", counted)
    with clock_that("goes back"):
        succeed(work.run(folder))
    assert len(added) == len(wanted["c/records.jsonl"]) - 3  # a header, and two that were done
    assert result_in(folder / "disk") == wanted
    check_times(folder)


def test_records_say_what_the_clock_says(folder):
    """So that the tests above are of a clock that is looked at."""
    begin(WORKS["select"], folder)
    with clock_that("is at its beginning"):
        succeed(WORKS["select"].run(folder))
    record = json.loads((folder / "disk" / "o" / "selection.json").read_text())
    assert record["created"] == "1970-01-01T00:00:00+00:00"


def test_a_duration_by_the_clock_on_the_wall_would_be_noticed(folder, monkeypatch):
    monkeypatch.setattr(rankings, "clock", lambda: time.time())
    begin(WORKS["compare"], folder)
    with clock_that("goes back"):
        run = WORKS["compare"].run(folder)
    assert (run.returncode, "rankings[0].seconds: expected a number from 0 on" in run.stderr) == (1, True)


WAITING = """
import itertools, time
hours = itertools.count()
time.time = lambda: -3600.0 * next(hours)
from qpfs.cli.progress import Log
log = Log(quiet=False)
with log.waiting("reading", lambda: 1.0):
    time.sleep(0.5)
with log.steps("comparing") as tick:
    for done in range(1, 6):
        tick(done, 10, "a method")
        time.sleep(0.2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_bar_shows_what_is_left_by_another_clock():
    shown = on_a_terminal(WAITING, 100)
    assert set(re.findall(r"\S+ left", shown)) <= {f"0:0{n} left" for n in range(6)}
    assert re.search(r"comparing.*0:0\d left", shown)


WALL = {
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime"},
    "datetime": {"now", "today", "utcnow"},
}
MAY_LOOK = {"report/record.py", "evaluation/comparing.py"}  # when something was made


def test_only_records_say_what_time_it_is():
    """Whatever else looks at the clock on the wall would be led astray by one that is set."""
    root = Path(package.__file__).parent
    found = {
        str(path.relative_to(root).as_posix()) for path in root.rglob("*.py") if looks_at_the_clock(path)
    }
    assert found == MAY_LOOK


def looks_at_the_clock(path):
    text = path.read_text(encoding="utf-8")
    if "time" not in text:
        return False
    tree = ast.parse(text)
    names = [
        one for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    ]
    imports = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.module == "time"]
    return any(one.attr in WALL.get(one.value.id, ()) for one in names) or any(
        alias.name in WALL["time"] for one in imports for alias in one.names
    )
