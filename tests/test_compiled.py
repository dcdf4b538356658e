"""Compiled code is kept where that is possible; where it is not, kernels do their work all the same."""

from __future__ import annotations

import runpy
import warnings

import pytest
from numba.core import config
from tests.faults.disks import full_at

from qpfs import compiled

PROGRAM = """
from qpfs.compiled import kernel

@kernel
def times(x):
    return TIMES * x

answer = times(21)
at_hand = len(times._cache_hits)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Runs a program with a kernel; what it answers, and whether the kernel was at hand."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    compiled.note_compiled_anew.cache_clear()
    path = tmp_path / "program.py"

    def run(times=2):
        path.write_text(PROGRAM.replace("TIMES", str(times)))
        found = runpy.run_path(str(path))
        return found["answer"], found["at_hand"]

    run.kept = tmp_path / "__pycache__"
    return run


def test_what_was_compiled_is_kept(program):
    assert [program(), program(), program(3), program(3)] == [(42, 0), (42, 1), (63, 0), (63, 1)]


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:40], lambda data: b"junk" + data])
def test_damage_costs_time_alone(program, kind, damage):
    program()
    (path,) = program.kept.glob(f"*.{kind}")
    path.write_bytes(damage(path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", compiled.CompiledAnewWarning)
        assert program() == (42, 0)
        program()
    assert program() == (42, 1)


def test_a_full_disk_costs_time_alone(program):
    """At each step of keeping, and with code of an older version of the same kernel at hand."""
    program()
    for k in range(1, 100):
        with full_at(k, program.kept) as disk, warnings.catch_warnings():
            warnings.simplefilter("ignore", compiled.CompiledAnewWarning)
            assert program(k + 2) == (21 * (k + 2), 0)
        assert program(k + 2)[0] == 21 * (k + 2)
        if not disk.failed:
            break
    assert k > 3


def test_it_is_said_once_that_nothing_can_be_kept(program, monkeypatch):
    def no_place(function):
        raise RuntimeError("cannot cache function 'times': no locator available")

    monkeypatch.setattr(compiled, "Kept", no_place)
    with pytest.warns(compiled.CompiledAnewWarning, match="compiles it anew.*NUMBA_CACHE_DIR") as noted:
        assert [program(), program()] == [(42, 0), (42, 0)]
    assert len(noted) == 1
