"""Ctrl-C at any moment: a real signal to a real process, one line, and nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.cli.command import qpfs

from qpfs import files as qpfs_files

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")


def begun(*arguments, cwd):
    """The command in a process of its own, which heeds Ctrl-C however this one was started."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from qpfs.cli import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def wait_for(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@posix
def test_while_reading(tmp_path):
    os.mkfifo(tmp_path / "slow.csv")
    process = begun("select", "slow.csv", "--target", "t", "--out", "o", cwd=tmp_path)
    with (tmp_path / "slow.csv").open("wb"):  # opens once the command has begun to read
        code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "qpfs: interrupted; nothing was written.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["slow.csv"]


@posix
def test_while_selecting_again_and_again(tmp_path):
    process = begun("select", "wdbc", "--stability", 100_000, "--jobs", 2, "--out", "o", cwd=tmp_path)
    assert any("fitted" in line for line in process.stderr)
    code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "qpfs: interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


@posix
def test_while_comparing(tmp_path):
    arguments = ["compare", "wine", "--method", "maxrel", "--repeats", 1000, "--no-memory", "--out", "o"]
    process = begun(*arguments, cwd=tmp_path)
    records = tmp_path / "o" / "records.jsonl"
    wait_for(lambda: records.exists() and records.read_text().count("\n") > 3)
    code, out, err = interrupted(process)
    assert (code, out) == (130, "")
    assert "qpfs: interrupted; what is done is in o/records.jsonl, and the same command goes on" in err
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["records.jsonl"]
    assert all(json.loads(line) for line in records.read_text().splitlines())


def signalled_in(monkeypatch, name):
    """Ctrl-C when a step of writing begins."""
    step = getattr(qpfs_files, name)

    def signalled(*args):
        os.kill(os.getpid(), signal.SIGINT)
        return step(*args)

    monkeypatch.setattr(qpfs_files, name, signalled)


@posix
def test_while_writing_nothing_is_left(tmp_path, monkeypatch):
    signalled_in(monkeypatch, "settle")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have turned off
    try:
        run = qpfs("select", "iris", "--top", 2, "--out", "o", cwd=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (run.returncode, run.stdout) == (130, "")
    assert run.stderr.endswith("qpfs: interrupted; nothing was written.\n")
    assert list(tmp_path.iterdir()) == []


@posix
def test_while_the_files_take_their_place_that_is_finished_and_said(tmp_path, monkeypatch):
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

    monkeypatch.setattr("qpfs.cli.terminal.show_selection", stopped)
    run = qpfs("select", "iris", "--top", 2, "--out", "o", cwd=tmp_path)
    assert run.returncode == 130
    assert run.stderr.endswith("qpfs: interrupted; the result is in o.\n")
