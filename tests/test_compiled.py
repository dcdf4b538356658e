"""Compiled code is kept where that is possible; where it is not, kernels do their work all the same."""

from __future__ import annotations

import importlib
import os
import runpy
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Barrier
from time import sleep, thread_time
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof
from numba.core import config
from sklearn.base import clone
from tests.faults.disks import full_at

from qpfs import IKMAQPFS, QPFS, compiled

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
        text = PROGRAM.replace("TIMES", str(times))
        if not path.exists() or path.read_text() != text:  # older numba compiles a file anew by its date
            path.write_text(text)
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
    with pytest.warns(compiled.CompiledAnewWarning, match="compiles it again.*NUMBA_CACHE_DIR") as noted:
        assert [program(), program()] == [(42, 0), (42, 0)]
    assert len(noted) == 1


LOOP = """
from qpfs.compiled import cell, kernel

@kernel
def added(tables, counts):
    total = 0
    for n in counts:
        total += cell(tables, n, n, n)
    return total
"""
CELLS = """
from typing import NamedTuple

class Times(NamedTuple):
    by: int

    def cell(self, n_ab, n_a, n_b):
        return TIMES * self.by * n_ab

def hidden():
    class Hidden(NamedTuple):
        by: int

        def cell(self, n_ab, n_a, n_b):
            return TIMES * self.by * n_ab

    return Hidden
"""


CALLER = """
from qpfs.compiled import kernel
from the_middle import middle

@kernel
def outer(x):
    return middle(x)
"""
MIDDLE = """
from qpfs.compiled import inner_part
from the_end import end

@inner_part
def middle(x):
    return end(x)
"""
END = """
from qpfs.compiled import inner_part

@inner_part
def end(x):
    return TIMES * x
"""


OF_FACTOR = """
from qpfs.compiled import inner_part
from the_factors import FACTOR

@inner_part
def middle(x):
    return FACTOR * x
"""
CALLING = """
from typing import NamedTuple
from the_middle import middle

class Times(NamedTuple):
    by: int

    def cell(self, n_ab, n_a, n_b):
        return middle(n_ab)
"""
FACTORS = """
import numpy as np

FACTOR = TIMES
"""
BY_FACTOR = """
import the_factors
from the_factors import FACTOR
from qpfs.compiled import kernel

@kernel
def outer(x):
    return FACTOR * x

@kernel
def of_module(x):
    return the_factors.FACTOR * x

@kernel
def within(x):
    def times(y):
        return FACTOR * y

    return times(x)

@kernel
def second(x):
    return FACTOR[1] * x
"""
PAIRED = """
from qpfs.compiled import kernel
from the_pairs import Pair

@kernel
def outer(pair):
    return 2 * pair.first

@kernel
def made(x):
    return Pair(first=x, second=1)[0]
"""
PAIR = """
from typing import NamedTuple

class Pair(NamedTuple):
    FIELDS
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Writes modules, by name, and imports them anew; the last one."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within a second
    monkeypatch.syspath_prepend(tmp_path)
    known = set()

    def write(**texts):
        known.update(texts)
        for name, text in texts.items():
            path = tmp_path / f"{name}.py"
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

    def run(**texts):
        write(**texts)
        for name in known:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return [importlib.import_module(name) for name in texts][-1]

    run.write = write
    yield run
    for name in known:
        sys.modules.pop(name, None)


@pytest.fixture
def caller(modules):
    """Has a kernel compiled with parts of other files; its answer, and whether it was on disk."""

    def run(times, then=None):
        outer = modules(the_end=times_in(END, times), the_middle=MIDDLE, the_caller=CALLER).outer
        if then is not None:
            modules.write(the_end=times_in(END, then))
        return outer(21), len(outer._cache_hits)

    return run


def times_in(text, times):
    return text.replace("TIMES", str(times))


def test_a_kernel_is_kept_with_the_parts_that_it_calls(caller):
    """And not used again once a part has changed, however deep it is called."""
    assert [caller(2), caller(2), caller(3), caller(3)] == [(42, 0), (42, 1), (63, 0), (63, 1)]


def test_a_file_that_is_edited_after_its_import_is_not_what_was_compiled(caller, loop):
    assert [caller(2, then=3), caller(3), caller(2)] == [(42, 0), (63, 0), (42, 1)]
    assert [loop(2, then=3), loop(3), loop(2)] == [(42, 0), (63, 0), (42, 1)]


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("outer", "2", "2.0"),
        ("outer", "True", "1"),
        ("outer", "np.uint8(2)", "np.float64(2)"),
        ("of_module", "2", "3"),
        ("within", "2", "3"),
        ("second", "(1, 2)", "(1, 3)"),
        ("second", "np.array([1, 2])", "np.array([1, 3])"),
    ],
)
def test_a_kernel_is_kept_with_the_constants_of_other_files(modules, name, one, other):
    def run(text):
        found = getattr(modules(the_factors=times_in(FACTORS, text), the_caller=BY_FACTOR), name)
        answer = found(21)
        return answer, type(answer), len(found._cache_hits)

    def expected(text, n_hits):
        factor = eval(text, {"np": np})
        answer = 21 * (factor[1] if name == "second" else factor)
        return answer, float if isinstance(answer, float) else int, n_hits

    found = [run(one), run(one), run(other), run(other)]
    assert found == [expected(one, 0), expected(one, 1), expected(other, 0), expected(other, 1)]


def test_a_kernel_is_kept_with_the_order_of_fields_of_other_files(modules):
    def run(*fields):
        found = modules(the_pairs=PAIR.replace("FIELDS", "; ".join(fields)), the_caller=PAIRED)
        answers = found.outer(found.Pair(first=21, second=1)), found.made(42)
        return *answers, len(found.outer._cache_hits), len(found.made._cache_hits)

    one, other = "first: int", "second: int"
    assert [run(one, other), run(one, other)] == [(42, 42, 0, 0), (42, 42, 1, 1)]
    assert run(other, one) == (42, 1, 0, 0)


def test_a_kernel_is_kept_with_the_door_to_the_compiler(program, monkeypatch):
    """Its options, and functions that are part of many kernels, have no file of their own."""
    assert [program(), program()] == [(42, 0), (42, 1)]
    monkeypatch.setattr(compiled, "THIS_FILE", "")
    assert program() == (42, 0)


@pytest.fixture
def loop(modules):
    """Has a loop compiled with a cell of another file; what it answers, and whether it was at hand."""

    def run(times=2, tables="Times", then=None, cells=CELLS, **others):
        texts = {"the_cells": times_in(cells, times), "the_loop": LOOP}
        texts = {**{name: times_in(text, times) for name, text in others.items()}, **texts}
        added, found = modules(**texts).added, sys.modules["the_cells"]
        if then is not None:
            modules.write(the_cells=times_in(cells, then))
        made = found.Times(1) if tables == "Times" else found.hidden()(1)
        return added(made, np.array([1, 20])), len(added._cache_hits)

    return run


def test_a_loop_is_kept_with_its_cell(loop):
    """And not found again once the cell has changed."""
    assert [loop(), loop(), loop(3), loop(3)] == [(42, 0), (42, 1), (63, 0), (63, 1)]


@pytest.mark.parametrize(
    "others", [{"the_end": END, "the_middle": MIDDLE}, {"the_factors": FACTORS, "the_middle": OF_FACTOR}]
)
def test_a_loop_is_kept_with_what_its_cell_needs(loop, others):
    """Parts and constants, wherever they are."""
    given = {"cells": CALLING, **others}
    found = [loop(2, **given), loop(2, **given), loop(3, **given), loop(3, **given)]
    assert found == [(42, 0), (42, 1), (63, 0), (63, 1)]


def test_a_cell_that_others_cannot_import_is_compiled_in_each_process(loop):
    """What it looks like could be another one next time; and an index that names it could not be read."""
    assert [loop(2, "hidden"), loop(3, "hidden"), loop(), loop()] == [(42, 0), (63, 0), (42, 0), (42, 1)]


def test_what_a_kernel_calls_is_not_called_by_hand():
    with pytest.raises(TypeError, match="cell is called by kernels"):
        compiled.cell((), 1, 2, 3)


class Pair(NamedTuple):
    numbers: np.ndarray
    n: int


@compiled.kernel
def summed(pair, numbers):
    total = 0.0
    for i in range(pair.n):
        total += pair.numbers[i] * numbers[i]
    return total


def test_a_read_only_array_is_taken_as_any_other():
    """Loops over stores, whose arrays lie in files, are not compiled a second time."""
    plain, locked = np.arange(4.0), np.arange(4.0)
    locked.flags.writeable = False
    for one, other in product((plain, locked), repeat=2):
        for _ in range(2):
            assert summed(Pair(one, 4), other) == 14
    assert len(summed.signatures) == 1


def test_a_read_only_array_is_known_again_however_many_threads_brought_it(monkeypatch):
    """A second entry for its types would send each call the long way."""
    locked = np.arange(4.0)
    locked.flags.writeable = False

    def doubled(numbers):
        return 2 * numbers[3]

    kernel, barrier, compiling = compiled.kernel(doubled), Barrier(4), compiled.Kernel.compile

    def compiling_together(self, kinds):
        barrier.wait(60)
        return compiling(self, kinds)

    with monkeypatch.context() as patch, ThreadPoolExecutor(4) as threads:
        patch.setattr(compiled.Kernel, "compile", compiling_together)
        assert [*threads.map(kernel, [locked] * 4)] == [6] * 4
    monkeypatch.setattr(compiled.Kernel, "_compile_for_args", None)
    assert kernel(locked) == 6


PATIENCE_IS_SPENT = compiled.patience_is_spent


@pytest.fixture
def prompt(monkeypatch):
    """A kernel that need not wait for up to 8 numbers; the test has nothing compiled at once."""
    monkeypatch.setattr(compiled.Promptness, "allowed", True)
    monkeypatch.setattr(compiled, "patience_is_spent", lambda: False)

    def added(numbers):
        total = 0.0
        for number in numbers:
            total += number
        return total

    return compiled.prompt(8)(compiled.Kernel(added, targetoptions=compiled.OPTIONS))  # nothing is kept


def test_a_small_call_does_not_wait_for_the_compiler(prompt):
    assert prompt(np.ones(8)) == 8
    assert not prompt.signatures
    assert prompt(np.ones(9)) == 9
    assert len(prompt.signatures) == 1
    assert prompt(np.ones(8)) == 8


def test_small_calls_that_took_long_are_compiled(prompt):
    prompt(np.ones(8))
    prompt.in_python_for = compiled.PATIENCE + 1
    assert prompt(np.ones(8)) == 8
    assert len(prompt.signatures) == 1


def test_looking_at_types_counts_as_well(prompt, monkeypatch):
    """Loops of some microseconds would else cost a tenth of a millisecond for ever."""

    def slow(argument):
        begun = thread_time()
        while thread_time() < begun + 0.01:
            pass
        return typeof(argument)

    monkeypatch.setattr(compiled, "typeof", slow)
    prompt(np.ones(8))
    assert prompt.in_python_for >= 0.01


def test_small_calls_are_compiled_where_that_is_asked_for(prompt):
    with compiled.compiled_at_once():
        assert prompt(np.ones(8)) == 8
    assert len(prompt.signatures) == 1


def test_small_calls_are_compiled_where_earlier_runs_had_many(prompt, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(compiled, "tally", lambda: tmp_path / "uncompiled")
        (tmp_path / "uncompiled").write_bytes(b"." * (compiled.PATIENCE_IN_ALL - 1))
        patch.setattr(compiled, "patience_is_spent", PATIENCE_IS_SPENT.__wrapped__)
        prompt(np.ones(8))
        assert not prompt.signatures
        with (tmp_path / "uncompiled").open("ab") as file:
            file.write(b".")
        prompt(np.ones(8))
        assert len(prompt.signatures) == 1


def test_runs_with_small_calls_are_told_of(tmp_path):
    code = (
        "import numpy as np\nfrom qpfs import compiled\n"
        "def last(numbers):\n    return numbers[-1]\n"
        "assert compiled.prompt(8)(compiled.Kernel(last))(np.ones(3)) == 1\nprint(compiled.tally())"
    )
    folder = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for n_runs in (1, 2):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=folder)
        assert run.returncode == 0, run.stderr
        assert Path(run.stdout.strip()).read_bytes() == b"." * n_runs
        assert tmp_path in Path(run.stdout.strip()).parents


def test_code_on_disk_is_used_for_small_calls(program, monkeypatch):
    monkeypatch.setattr(compiled.Promptness, "allowed", True)
    monkeypatch.setattr(compiled, "patience_is_spent", lambda: False)
    monkeypatch.setattr(compiled.Kernel, "small", 8)
    assert [program(), program()] == [(42, 0), (42, 0)]  # as plain Python
    with compiled.compiled_at_once():
        assert program() == (42, 0)
    assert program() == (42, 1)


def test_time_stands_still_while_something_is_compiled():
    before = compiled.clock()
    with compiled.compiling.running(), compiled.compiling.running():
        sleep(0.2)
    assert compiled.clock() - before < 0.1


@pytest.mark.parametrize("moment", [0.0, np.inf])
def test_it_is_said_once_if_compiling_takes_more_than_a_moment(program, caplog, monkeypatch, moment):
    compiled.say_compiling.cache_clear()
    monkeypatch.setattr(compiled, "MOMENT", moment)
    with caplog.at_level("INFO", "qpfs"):
        assert [program(), program(3)] == [(42, 0), (63, 0)]
    assert [record.message for record in caplog.records if "compiling" in record.message] == [
        "compiling code that is needed for the first time, for this kind of table: some seconds, for a large "
        "table up to half a minute; later runs reuse it"
    ] * (moment == 0.0)


def in_plain_python(monkeypatch):
    """Has the kernels that may run as plain Python do so, wherever they are called from Python."""
    modules = [one for name, one in sys.modules.items() if name.startswith("qpfs.")]
    for module in modules:
        for name, one in list(vars(module).items()):
            if isinstance(one, compiled.Kernel) and one.small:
                monkeypatch.setattr(module, name, one._in_python)


TIES = np.random.default_rng(5).integers(0, 4, (40, 15)).astype(float)
TIES[:, 9], TIES[3, 4] = TIES[:, 2], np.nan
SMOOTH = np.random.default_rng(6).normal(size=(40, 15))


@pytest.mark.parametrize("X", [TIES, SMOOTH], ids=["ties", "smooth"])
@pytest.mark.parametrize("selector", [QPFS(), QPFS(theta=0.3, measure="mi"), IKMAQPFS(n_first=4)])
def test_plain_python_gives_the_same_bits(selector, X, monkeypatch):
    y = np.arange(len(X)) % 2
    found = clone(selector).fit(X, y)
    with monkeypatch.context() as patch:
        in_plain_python(patch)
        again = clone(selector).fit(X, y)
    np.testing.assert_array_equal(again.scores_, found.scores_)
    np.testing.assert_array_equal(again.order_, found.order_)
