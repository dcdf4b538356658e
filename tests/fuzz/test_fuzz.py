"""A slice of every kind of fuzzing, the same each time; `make fuzz` goes on from there."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import pytest
from tests.codes.crafting import crafted_stores
from tests.fuzz import commands, crafted, files, fits, kills, mutations
from tests.fuzz.__main__ import main
from tests.report.crafting import crafted_records

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


def test_fits():
    count = fits.fuzz(
        0, 80
    )  # another version of hypothesis draws others, and all of these kinds have to be met
    assert (count.cases, count.fits > 160, count.seen["relevance"] > 8) == (80, True, True)
    assert count.seen["several targets"] > 1


@posix
def test_files():
    assert sum(files.fuzz(0, 5).values()) == 5


@posix
def test_kills():
    assert sum(kills.fuzz(0, 1).values()) == 1


@posix
def test_crafted_stores():
    assert sum(crafted.fuzz_stores(0, 2).values()) == 4


@posix
def test_crafted_records():
    assert sum(crafted.fuzz_records(0, 4).values()) == 4


@posix
@pytest.mark.parametrize(
    ("call", "complains"),
    [
        ("crash", "ended by signal 11"),
        ("hang", "did not end"),
        ("fail", "a traceback: RuntimeError"),
        ("grow", "MemoryError"),
        ("mute", "without a sentence"),
        ("foreign", "without a sentence"),
        ("talk", "without a sentence"),
    ],
)
def test_what_goes_wrong_is_noticed(tmp_path, call, complains):
    run = commands.server().run(f"tests.fuzz.misbehaving:{call}", cwd=tmp_path, seconds=3, memory=1 << 30)
    assert complains in run.complaint()


def test_a_wrong_answer_is_noticed(monkeypatch):
    monkeypatch.setitem(fits.naive.TWINS, "mi", 2 * (lambda f, g: 0.5,))
    with pytest.raises((AssertionError, ExceptionGroup)):  # in one place, or in several
        fits.fuzz(0, 40)


@pytest.mark.slow
def test_a_seed_makes_the_same_cases_in_every_process():
    script = "from tests.fuzz.test_fuzz import digest; print(digest())"
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=commands.ROOT, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == digest()


def digest():
    """Of files, stores and records of one seed."""
    known, rng = hashlib.sha256(), random.Random(5)
    for _ in range(40):
        with tempfile.TemporaryDirectory() as folder:
            path, *_ = files.changed(Path(folder), rng)
            known.update(path.name.encode() + path.read_bytes())
    for (_, store), (_, record) in islice(zip(crafted_stores(5), crafted_records(5), strict=False), 10):
        known.update(store + record.encode("utf-8", "surrogatepass"))
    return known.hexdigest()


def test_mutations_change_bytes():
    rng, data = random.Random(0), bytes(range(256)) * 40
    changed = [mutations.mutated(data, rng)[0] != data for _ in range(200)]
    assert sum(changed) > 180


def test_it_ends_when_the_time_is_up(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tests.fuzz", "--minutes", "0"])
    assert main() == 0
    assert "0 batches failed" in capsys.readouterr().out
