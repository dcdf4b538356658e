"""What a person sees while waiting: how much time is left, whatever the terminal."""

from __future__ import annotations

import os
import re
import struct
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale
from tests.cli.command import qpfs

from qpfs import FGM, IKMAQPFS, MRMR, QPFS, MaxRel, NystromQPFS, compiled
from qpfs.cli import plan, progress
from qpfs.cli.progress import Log
from qpfs.cli.sources import reading_seconds
from qpfs.data import open_problem

WAIT = """
import time
from qpfs.cli.progress import Log
log = Log(quiet=False)
with log.waiting("reading a file with a rather long name.csv", lambda: 3.0):
    time.sleep(1.5)
with log.steps("comparing") as tick:
    for done in range(6):
        tick(done, 20, "a method with a rather long name, split 3 of 15")
        time.sleep(0.3)
"""


def on_a_terminal(code, width):
    """What a program writes to a terminal of some width."""
    import fcntl
    import pty
    import termios

    child, terminal = pty.fork()
    if child == 0:
        # Of what Python knows alone: a library for reading lines may have set COLUMNS behind its back.
        known = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
        program = f"import sys; sys.stdin.readline()\n{code}"
        os.execve(sys.executable, [sys.executable, "-c", program], known)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.write(terminal, b"\n")  # only now is the width known
    text = b""
    while part := read(terminal):
        text += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the program has ended
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("width", [30, 60, 100])
def test_the_time_left_is_shown_on_terminals_of_any_width(width):
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", on_a_terminal(WAIT, width)) if line.strip()]
    assert max(map(len, lines)) <= width
    for what in ("readi", "compa"):
        assert any(what in line and re.search(r"0:0\d left", line) for line in lines), lines


TOLD = """
import time
from qpfs.cli.progress import Log
with Log(quiet=False).steps("regenerating") as tick:
    for done in range(4):
        tick(done, 20, "a task", 7384.0)
        time.sleep(0.3)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_time_left_that_is_told_is_what_is_shown():
    assert "2:03:04 left" in on_a_terminal(TOLD, 100)


@pytest.mark.parametrize(("pause", "said"), [(0.0, "regenerating: 3 of 2,000, 2:03:04 left\n"), (60.0, "")])
def test_without_a_terminal_a_long_run_says_a_line_now_and_then(monkeypatch, capsys, pause, said):
    monkeypatch.setattr(progress, "PAUSE", pause)
    with Log(quiet=False).steps("regenerating") as tick:
        tick(3, 2000, "a task", 7384.0)
    assert capsys.readouterr().err == said


@pytest.fixture
def waits(monkeypatch):
    """What was waited for, and how many seconds that was expected to take."""
    found = {}

    @contextmanager
    def waiting(self, what, expected=None):
        found[what] = None if expected is None else expected()
        yield

    monkeypatch.setattr(Log, "waiting", waiting)
    return found


def test_reading_fitting_and_writing_say_how_long_they_take(tmp_path, waits, monkeypatch):
    monkeypatch.setattr(plan, "SMALL", 100)
    monkeypatch.setattr(compiled, "LINEAR", 100)
    path = tmp_path / "a.csv"
    path.write_text("a,b,t\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(60)))
    assert qpfs("select", path, "--target", "t", "--out", tmp_path / "o").returncode == 0
    waits.pop("preparing (kernels are compiled the first time)")  # nobody knows how long
    assert len(waits) == 4
    assert all(seconds > 0 for seconds in waits.values()), waits
    waits.clear()
    selection = tmp_path / "o" / "selection.json"
    assert qpfs("apply", selection, path, "--out", tmp_path / "b.csv").returncode == 0
    assert waits[f"reading {path}"] > 0


def test_a_larger_file_takes_longer_and_a_compressed_one_longest(tmp_path):
    small, large, packed = (tmp_path / name for name in ("small.csv", "large.csv", "packed.csv.gz"))
    small.write_bytes(b"1," * 1000)
    large.write_bytes(b"1," * 1_000_000)
    packed.write_bytes(b"\x1f\x8b" + b"1," * 1_000_000)
    assert reading_seconds(str(small)) < reading_seconds(str(large)) < reading_seconds(str(packed))
    assert reading_seconds("-") == reading_seconds("wdbc") == 0


def timed(monkeypatch, seconds):
    """Whatever is timed is done, but said to take what is given."""
    monkeypatch.setattr(plan, "seconds", lambda work: (work(), seconds)[1])


def test_a_plan_counts_reading_and_the_resamples(monkeypatch):
    wine = open_problem("wine")
    timed(monkeypatch, 0.2)
    found = plan.planned(MaxRel(), wine.X, wine, "MaxRel", 10, reading=3.0)
    assert found.seconds == pytest.approx(3.0 + 0.2 + 10 * 0.2)  # so few samples cost the same
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert plan.planned(MaxRel(), wine.X, wine, "MaxRel", 10, jobs=4).seconds == pytest.approx(0.2 + 0.5)


def test_a_tall_table_is_tried_on_some_rows_with_every_class(monkeypatch):
    y = np.repeat(["rare", "usual"], [100, 20_000])
    X = np.random.default_rng(0).normal(size=(len(y), 3))
    timed(monkeypatch, 1.0)
    trial = plan.TrialFit.of(MaxRel(), X, y)
    assert trial.n_samples == plan.PILOT_ROWS
    assert set(y[plan.spread_rows(y, plan.PILOT_ROWS)]) == {"rare", "usual"}
    assert trial.seconds_for(3, len(y)) == pytest.approx(len(y) / plan.PILOT_ROWS)


@pytest.mark.parametrize("selector", [QPFS(), IKMAQPFS(), MRMR(5), MaxRel(), FGM(), NystromQPFS()])
def test_more_columns_take_longer(selector, monkeypatch):
    wine = open_problem("wine")
    timed(monkeypatch, 0.2)
    trial = plan.TrialFit.of(
        selector, minmax_scale(wine.X), wine.y
    )  # a linear machine has a long way otherwise
    assert trial.seconds_for(13, 178) >= 0.2
    assert trial.seconds_for(1300, 178) >= 100 * 0.2
