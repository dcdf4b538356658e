"""Runs killed at any moment: what is there is whole, and the same command then gives the same answer."""

from __future__ import annotations

import json
import random
import shutil
import signal
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from tests.fuzz.commands import ENDED, FINE, INTERRUPTED, command
from tests.fuzz.files import kept_apart
from tests.fuzz.server import NOT_BEGUN

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGINT)
TIMES = ("seconds", "command", "created")  # of a record: what no two runs share


@dataclass(frozen=True)
class Job:
    """A command, what it writes, and whether it goes on where it was stopped."""

    arguments: tuple[str, ...]
    out: str
    goes_on: bool = False
    last: str = "selection.json"  # of the files of a folder: where it is, all of them are


JOBS = {
    "select": Job(("select", "a.csv", "--target", "y", "--out", "out"), "out"),
    "stability": Job(("select", "a.csv", "--target", "y", "--stability", "8", "--out", "out"), "out"),
    "clusters": Job(("select", "a.npy", "--labels", "y.npy", "--method", "ikma", "--out", "out"), "out"),
    "encode text": Job(("encode", "a.csv", "--target", "y", "--out", "out.qpfs"), "out.qpfs", True),
    "encode array": Job(
        ("encode", "wide.npy", "--labels", "y.npy", "--out", "out.qpfs", "--memory", "256MB"),
        "out.qpfs",
        True,
    ),
    "compare": Job(
        (
            *("compare", "a.csv", "--target", "y", "--method", "maxrel", "--method", "mrmr"),
            *("--sizes", "1", "--sizes", "3", "--no-memory", "--out", "out"),
        ),
        "out",
        True,
        "comparison.json",
    ),
    "report": Job(("report", "given.json", "--out", "out.html"), "out.html"),
    "apply": Job(("apply", "given.json", "a.csv", "--out", "out.csv"), "out.csv"),
}


def fuzz(number, examples):
    """A batch: how many runs were stopped how; raises AssertionError for the first that lost something."""
    rng, ended = random.Random(f"kills {number}"), {}
    for _ in range(examples):
        told = one_kill(rng)
        ended[told] = ended.get(told, 0) + 1
    return ended


def one_kill(rng):
    name = rng.choice([*JOBS])
    job, (expected, seconds) = JOBS[name], undisturbed(name)
    with tempfile.TemporaryDirectory(prefix="qpfs-fuzz-") as temporary:
        folder = Path(temporary)
        copy_inputs(folder)
        complaint, told = "", []
        for _ in range(rng.choice((1, 1, 2, 3))):
            number = rng.choice(SIGNALS)
            moments = sorted(rng.uniform(0, 1.1 * seconds) for _ in range(rng.choice((1, 1, 1, 2))))
            run = command(*words(job, folder), cwd=folder, signals=[[t, int(number)] for t in moments])
            told.append(f"{number.name} at {moments[0]:.3f} of {seconds:.3f} s: {run.code}")
            complaint = complaint or wrong_with(job, folder, run, number, expected)
        again = command(*words(job, folder), cwd=folder)
        complaint = complaint or again.complaint((FINE,)) or different(job, folder, expected)
        if complaint:
            kept = kept_apart(folder)
            raise AssertionError(
                f"{name}: {told}\n{complaint}\nkept in {kept}\n{run.stderr[-1500:]}\n{again.stderr[-500:]}"
            )
        return f"{name}: {'stopped' if run.code != FINE else 'was done before'}"


def words(job, folder):
    """The command, allowed to write over a result that is there."""
    out = folder / job.out
    there = out.is_file() or (out.is_dir() and any(one.name != "records.jsonl" for one in out.iterdir()))
    return [*job.arguments, *(["--force"] if there else [])]


@cache
def inputs():
    """What the jobs read: tables of 80 x 300 and one that is wide, and a record."""
    folder = Path(tempfile.mkdtemp(prefix="qpfs-fuzz-"))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 300)).round(4), np.arange(80) % 2
    X[:, :5] += y[:, None]
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(300)]).assign(y=np.array(["ill", "well"])[y])
    frame.to_csv(folder / "a.csv", index=False)
    np.save(folder / "a.npy", X)
    np.save(folder / "wide.npy", rng.normal(size=(80, 30_000)).astype(np.float32))
    np.save(folder / "y.npy", y)
    run = command("select", "a.csv", "--target", "y", "--top", 3, "--out", "o", cwd=folder)
    assert run.code == FINE, run.stderr
    shutil.copy(folder / "o" / "selection.json", folder / "given.json")
    shutil.rmtree(folder / "o")
    return folder


def copy_inputs(folder):
    for path in inputs().iterdir():
        (folder / path.name).symlink_to(path)


@cache
def undisturbed(name):
    """What a job writes if it is let, and how long it takes."""
    job = JOBS[name]
    with tempfile.TemporaryDirectory(prefix="qpfs-fuzz-") as folder:
        copy_inputs(Path(folder))
        run = command(*job.arguments, cwd=folder)
        assert run.code == FINE, run.stderr
        return result(Path(folder) / job.out), run.seconds


def result(path):
    """What was written, without what differs from run to run."""
    if path.is_dir():
        return {one.name: content(one) for one in path.iterdir() if one.name != "records.jsonl"}
    return content(path)


def content(path):
    if path.suffix == ".json":
        return without_times(json.loads(path.read_text()))
    if path.suffix == ".html" or (path.suffix == ".csv" and b"seconds" in path.read_bytes()[:2000]):
        return "there"  # they tell the time
    return path.read_bytes()


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def wrong_with(job, folder, run, number, expected):
    """What a run that was stopped should not have left or said; empty if nothing."""
    allowed = (FINE, INTERRUPTED, ENDED, NOT_BEGUN)
    if not (number == signal.SIGKILL and run.code == -number):
        complaint = run.complaint(allowed)
        if complaint:
            return complaint
    if any(not path.exists() for path in folder.iterdir() if path.is_symlink()):
        return "an input is gone"
    out = folder / job.out
    whole = out.exists() and (out.is_file() or (out / job.last).exists())
    if whole and different(job, folder, expected):
        return different(job, folder, expected)
    left = [path.name for path in folder.iterdir() if not path.is_symlink() and path.name != job.out]
    if left and number != signal.SIGKILL and not job.goes_on:
        return f"it left {left}"
    return ""


def different(job, folder, expected):
    found = result(folder / job.out)
    if found == expected:
        return ""
    if isinstance(found, dict):
        return f"{[name for name in expected if found.get(name) != expected[name]]} differ"
    return "the result differs"
