"""A slice of every kind of fuzzing, the same each time; `make fuzz` goes on from there."""

from __future__ import annotations

import sys

import pytest
from tests.fuzz import commands, crafted, files, fits, kills, mutations

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


def test_fits():
    count = fits.fuzz(0, 25)
    assert (count.cases, count.fits > 50, count.seen["relevance"] > 5) == (25, True, True)


@posix
def test_files():
    assert sum(files.fuzz(0, 12).values()) == 12


@posix
def test_kills():
    assert sum(kills.fuzz(0, 3).values()) == 3


@posix
def test_crafted_stores():
    assert sum(crafted.fuzz_stores(0, 6).values()) == 12


@posix
def test_crafted_records():
    assert sum(crafted.fuzz_records(0, 8).values()) == 8


@posix
@pytest.mark.parametrize(
    ("call", "complains"),
    [
        ("crash", "ended by signal 11"),
        ("hang", "did not end"),
        ("fail", "a traceback: RuntimeError"),
        ("grow", "MemoryError"),
        ("mute", "without a sentence"),
    ],
)
def test_what_goes_wrong_is_noticed(tmp_path, call, complains):
    run = commands.server().run(f"tests.fuzz.misbehaving:{call}", cwd=tmp_path, seconds=5, memory=1 << 30)
    assert complains in run.complaint()


def test_a_wrong_answer_is_noticed(monkeypatch):
    monkeypatch.setattr("tests.naive.information.mutual_information", lambda f, g: 0.5)
    monkeypatch.setitem(fits.SHARED, "mi", lambda f, g: 0.5)
    with pytest.raises(AssertionError):
        fits.fuzz(0, 25)


def test_mutations_change_bytes():
    import random

    rng, data = random.Random(0), bytes(range(256)) * 40
    changed = [mutations.mutated(data, rng)[0] != data for _ in range(200)]
    assert sum(changed) > 180
