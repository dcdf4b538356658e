"""Ctrl-C at any moment: a real signal to a real process, one line, and nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.apart import COMMAND, Begun
from tests.cli.command import qpfs

from qpfs import files as qpfs_files
from qpfs.cli.signals import Stopped, Watch

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")


def interrupted(process):
    end = process.send(signal.SIGINT)
    return end.code, end.stdout, end.stderr


@posix
def test_while_reading(tmp_path):
    os.mkfifo(tmp_path / "slow.csv")
    process = Begun(COMMAND, "select", "slow.csv", "--target", "t", "--out", "o", cwd=tmp_path)
    with (tmp_path / "slow.csv").open("wb"):  # opens once the command has begun to read
        code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "qpfs: interrupted; nothing was written.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["slow.csv"]


@posix
def test_while_selecting_again_and_again(tmp_path):
    asked = ["select", "wdbc", "--stability", 100_000, "--jobs", 2, "--out", "o"]
    process = Begun(COMMAND, *asked, cwd=tmp_path)
    process.wait_for(lambda: "fitted" in process.said("stderr"))
    code, out, err = interrupted(process)
    assert (code, out) == (130, "")
    assert err.partition("fitted")[2].partition("\n")[2] == "qpfs: interrupted; nothing was written.\n"
    assert list(tmp_path.iterdir()) == []


@posix
def test_while_comparing(tmp_path):
    arguments = ["compare", "wine", "--method", "maxrel", "--repeats", 200, "--no-memory", "--out", "o"]
    process = Begun(COMMAND, *arguments, cwd=tmp_path)
    records = tmp_path / "o" / "records.jsonl"
    process.wait_for(lambda: records.exists() and records.read_text().count("\n") > 3)
    code, out, err = interrupted(process)
    assert (code, out) == (130, "")
    assert (
        "qpfs: interrupted; finished trials are in o/records.jsonl; run the same command to continue" in err
    )
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["records.jsonl"]
    assert all(json.loads(line) for line in records.read_text().splitlines())


@pytest.fixture
def heeding():
    """Ctrl-C is heeded, which a shell turns off in what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def signalled_in(monkeypatch, name):
    """Ctrl-C when a step of writing begins."""
    step = getattr(qpfs_files, name)

    def signalled(*args):
        os.kill(os.getpid(), signal.SIGINT)
        return step(*args)

    monkeypatch.setattr(qpfs_files, name, signalled)


@posix
def test_while_writing_nothing_is_left(tmp_path, monkeypatch, heeding):
    signalled_in(monkeypatch, "settle")
    run = qpfs("select", "iris", "--top", 2, "--out", "o", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (130, "")
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


@posix
def test_while_the_files_take_their_place_that_is_finished_and_said(tmp_path, monkeypatch, heeding):
    signalled_in(monkeypatch, "move_into")
    run = qpfs("select", "iris", "--top", 2, "--out", "o", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (130, "")
    assert run.stderr.endswith("qpfs: interrupted; the result is in o.\n")
    found = {path.name for path in (tmp_path / "o").iterdir()}
    assert found == {"selection.csv", "selection.json", "report.html"}
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


def test_once_the_files_are_written(tmp_path, monkeypatch):
    def stopped(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("qpfs.cli.select.show_selection", stopped)
    run = qpfs("select", "iris", "--top", 2, "--out", "o", cwd=tmp_path)
    assert run.returncode == 130
    assert run.stderr.endswith("qpfs: interrupted; the result is in o.\n")


COMMANDS = {
    "select": ["select", "{}/d.csv", "--target", "t", "--top", "2", "--out", "o"],
    "encode": ["encode", "{}/d.csv", "--target", "t", "--out", "o.qpfs"],
    "version": ["--version"],
    "usage": ["select", "--help"],
}
ENDS = {
    "select": (set(), {"o", "o/selection.csv", "o/report.html", "o/selection.json"}),
    "encode": (set(), {"o.qpfs"}),
    "version": (set(),),
    "usage": (set(),),
}


def at_many_moments(tmp_path, command, number, n, seed, times=1):
    """The outcomes of a command that gets a signal after more and more of its time."""
    table = "a,b,c,t\n" + "".join(f"{i % 7},{i % 5},{i % 3},{'xy'[i % 2]}\n" for i in range(60))
    (tmp_path / "d.csv").write_text(table)
    (tmp_path / "runs").mkdir()
    arguments = [one.format(tmp_path) for one in COMMANDS[command]]
    script = Path(__file__).with_name("moments.py")
    asked = [sys.executable, script, tmp_path / "runs", int(number), n, seed, times, *arguments]
    run = subprocess.run(list(map(str, asked)), capture_output=True, text=True, timeout=1200)
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == n
    return found


def check_ends(found, command, number):
    for one in found:
        assert one["code"] in (0, 128 + number), one
        assert "Traceback" not in one["err"], one
        assert "Exception ignored" not in one["err"], one
        last = [line for line in one["err"].splitlines() if line.startswith("qpfs: ")]
        assert len(last) == (one["code"] != 0), one
        left = {path for path in one["files"] if ".partial" not in path}
        assert left in ENDS[command], one


@posix
@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("version", signal.SIGINT),
        ("version", signal.SIGTERM),
        pytest.param("usage", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("encode", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_few_moments(tmp_path, command, number):
    found = at_many_moments(tmp_path, command, number, 8, seed=0)
    check_ends(found, command, number)
    assert {one["code"] for one in found} & {128 + number}


def test_signals_while_the_command_ends_are_not_heeded_until_one_insists(monkeypatch):
    ends = []
    monkeypatch.setattr("os._exit", ends.append)
    watch = Watch()
    with pytest.raises(Stopped):
        watch.heed(signal.SIGTERM, None)
    watch.heed(signal.SIGINT, None)
    watch.over()
    watch.heed(signal.SIGINT, None)
    assert ends == []
    watch.heed(signal.SIGINT, None)
    assert ends == [130]


def test_signals_wait_for_the_end_of_a_block():
    watch, done = Watch(), []

    def block():
        with watch.holding():
            watch.heed(signal.SIGTERM, None)
            done.append("all")

    with pytest.raises(Stopped) as stopped:
        block()
    assert (done, stopped.value.number) == (["all"], signal.SIGTERM)


class Grumpy:
    """Is stopped where Python goes on after every exception."""

    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)


@posix
def test_a_signal_in_a_destructor_is_not_lost(tmp_path, monkeypatch, heeding):
    def waiting(*_):
        Grumpy()
        time.sleep(60)

    monkeypatch.setattr("qpfs.cli.select.answer", waiting)
    run = qpfs("select", "iris", "--top", 2, cwd=tmp_path)
    assert run.returncode == 130
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")
    assert "Traceback" not in run.stderr


class HalfMade:
    """Its constructor is interrupted, so its destructor fails, as that of an archive does."""

    def __init__(self):
        os.kill(os.getpid(), signal.SIGINT)
        self.made = True

    def __del__(self):
        assert self.made


@posix
def test_what_a_signal_leaves_half_made_does_not_complain(tmp_path, monkeypatch, heeding):
    monkeypatch.setattr("qpfs.cli.select.answer", lambda *_: HalfMade())
    complaints = []
    monkeypatch.setattr(sys, "__unraisablehook__", complaints.append)
    run = qpfs("select", "iris", "--top", 2, cwd=tmp_path)
    assert run.returncode == 130
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")
    assert complaints == []


def test_without_a_signal_a_failing_destructor_is_told(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "__unraisablehook__", told.append)
    monkeypatch.setattr(sys, "unraisablehook", Watch().again)
    half = HalfMade.__new__(HalfMade)
    del half
    assert [type(one.exc_value) for one in told] == [AttributeError]


@posix
def test_inside_a_compiler_a_signal_waits_until_it_is_done(tmp_path, monkeypatch, heeding):
    """An exception there leaves native memory half-made, and the process ends by another signal."""
    done = []

    def inside():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        done.append("all")

    def waiting(*_):
        llvmlite = {"__name__": "llvmlite.binding.executionengine", "inside": inside}
        exec("inside()", llvmlite)
        assert done == ["all"]
        time.sleep(60)

    monkeypatch.setattr("qpfs.cli.select.answer", waiting)
    run = qpfs("select", "iris", "--top", 2, cwd=tmp_path)
    assert (run.returncode, done) == (130, ["all"])
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")


@posix
@pytest.mark.parametrize("module", ["typer", "qpfs.cli.sources", "pyarrow"])
def test_while_modules_are_imported(tmp_path, module):
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def heard(event, given):\n"
        f"    if event == 'import' and given[0] == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.addaudithook(heard)\n"
        "sys.argv = ['qpfs', 'select', 'iris', '--out', 'o']\n"
        "from qpfs.cli import main; main()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (130, "qpfs: interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
def test_many_moments(tmp_path, command, number, times):
    """Four hundred in all: with sixteen hundred, half of the time of all tests was spent here."""
    check_ends(at_many_moments(tmp_path, command, number, 25, seed=1, times=times), command, number)


@posix
def test_a_signal_that_was_to_come_again_does_not_come_after_the_end():
    script = (
        "import signal; from qpfs.cli.signals import WATCH; WATCH.begin(); WATCH.come_again(signal.SIGTERM); "
        "WATCH.over(); print(signal.getitimer(signal.ITIMER_REAL))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "(0.0, 0.0)\n")
