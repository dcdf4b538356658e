"""The only module that imports numba.

A kernel computes and nothing else: it is serial, releases the GIL, is compiled for this machine and
kept on disk. Threads belong to `qpfs.engines`. If nothing can be kept, or what was kept is damaged, a
kernel is compiled again: that costs seconds, and a warning is given.

A kernel is Python, too, and gives the same bits uncompiled. So small calls of a `prompt` kernel need not wait
for the compiler: as long as it has no code on disk, they run as plain Python, until they have taken as long
as compiling would, in this run or in all runs so far. (Decision 0019)
"""

from __future__ import annotations

import atexit
import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from math import ceil
from pathlib import Path
from threading import Lock, local
from time import perf_counter, thread_time
from typing import Any, TypeVar, cast

import numpy as np
from numba import typeof, types
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic, overload

from qpfs.ingredients import digest

F = TypeVar("F", bound=Callable[..., Any])

# Numbers in the arrays of a call up to which plain Python takes some tenths of a second: if each is read a
# few times, and if they are a matrix that is factorised.
LINEAR, CUBIC = 1 << 17, 1 << 13
# Seconds of such calls of a kernel, in a process, after which it is compiled: that takes about as long.
PATIENCE = 1.0
# Seconds of such calls of all kernels in all runs after which everything is compiled at its first call.
PATIENCE_IN_ALL = 20
# Seconds of compiling in a process before the user is told: each kind of table needs some more kernels.
MOMENT = 1.0

logger = logging.getLogger("qpfs")
THIS_FILE = ""  # a digest: it has the options of the compiler, and functions that are part of many kernels
with suppress(OSError):
    THIS_FILE = sha256(Path(__file__).read_bytes()).hexdigest()


class Kept(FunctionCache):  # type: ignore[misc]
    """Compiled code on disk, if it can be kept there."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """The key of compiled code: types by their names, and a digest of everything it is compiled from."""
        # An index of the types themselves could only be read if all their classes can be imported.
        _, *rest = super()._index_key(sig, codegen)
        return (str(sig), digest(self._py_func, classes_in(sig)), THIS_FILE, *rest)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code that was kept, or None, also if it is damaged or may not be read."""
        found = None
        if all(map(others_can_import, classes_in(sig))):
            with suppress(Exception):  # damaged bytes can raise anything
                found = super().load_overload(sig, target_context)
        if found is None and compiling.seconds() > MOMENT:
            say_compiling()
        return found

    def names(self, sig: Any, codegen: Any) -> bool:
        """Whether the index names code for these types."""
        with suppress(Exception):
            return self._index_key(sig, codegen) in self._cache_file._load_index()
        return False

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps compiled code, if that is possible."""
        if not all(map(others_can_import, classes_in(sig))):
            return
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a damaged index raises here, too
            # The index is written before the code, so if only the index could be written, it may name code of
            # an older version of the same function: it is removed.
            with suppress(OSError):
                Path(self._cache_file._index_path).unlink()
            note_compiled_anew(getattr(error, "strerror", None) or "the kept code is damaged")


def classes_in(kinds: Iterable[Any]) -> Iterator[type]:
    """The classes of named tuples among types, and within them."""
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield from [kind.instance_class] if hasattr(kind, "instance_class") else []
            yield from classes_in(kind)


def others_can_import(one: type) -> bool:
    """Whether other processes can import a class, and with it code that is compiled for it."""
    is_main = one.__module__ == "__main__" or one.__module__ not in sys.modules
    return not is_main and "<locals>" not in one.__qualname__


@cache
def note_compiled_anew(why: str) -> None:
    """Warns once that every run will begin slowly, and why."""
    warnings.warn(
        f"Compiled code could not be kept ({why}): each run compiles it again, which takes a while. Name a "
        "folder for it with NUMBA_CACHE_DIR.",
        CompiledAnewWarning,
        stacklevel=2,
    )


@cache
def say_compiling() -> None:
    """Logs once that the user waits for the compiler, and for how long."""
    logger.info(
        "compiling code that is needed for the first time, for this kind of table: some seconds, for a large "
        "table up to half a minute; later runs reuse it"
    )


class CompiledAnewWarning(Warning):
    """Compiled code could not be kept on disk; results are the same."""


class CompilerWatch:
    """The seconds during which something was compiled or fetched from disk, in any thread."""

    def __init__(self) -> None:
        self._lock, self._busy, self._begun, self._seconds = Lock(), 0, 0.0, 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        with self._lock:
            self._begun = self._begun if self._busy else perf_counter()
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1
                self._seconds += 0.0 if self._busy else perf_counter() - self._begun

    def seconds(self) -> float:
        with self._lock:
            return self._seconds + (perf_counter() - self._begun if self._busy else 0.0)


def clock() -> float:
    """A clock that stands still while something is compiled: times of fits do not include that."""
    return perf_counter() - compiling.seconds()


class Thread(local):
    """The state of a thread."""

    in_python = False  # within a call that runs as plain Python


compiling, thread = CompilerWatch(), Thread()


class Promptness:
    """Whether small calls may run as plain Python; not while kernels are tested and timed."""

    allowed = True
    seconds = 0.0  # of such calls in this run


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """A context in which every kernel is compiled at its first call, however small."""
    before, Promptness.allowed = Promptness.allowed, False
    try:
        yield
    finally:
        Promptness.allowed = before


@cache
def tally() -> Path:
    """The file beside the code on disk that has a byte for each second of uncompiled calls."""
    return Path(Kept(size_of).cache_path, "uncompiled")


@cache
def patience_is_spent() -> bool:
    """Whether earlier runs in total would have been faster if they had waited for the compiler."""
    try:
        return tally().stat().st_size >= PATIENCE_IN_ALL
    except (RuntimeError, OSError):  # there is no file, or no folder for one
        return False


@cache
def tally_at_exit() -> None:
    """Adds the uncompiled calls of this run to those of all runs when it ends."""

    def add() -> None:
        with suppress(RuntimeError, OSError):
            tally().parent.mkdir(parents=True, exist_ok=True)
            with tally().open("ab") as file:
                file.write(b"." * ceil(Promptness.seconds))

    atexit.register(add)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that treats a read-only array like any other."""

    small = 0  # numbers in the arrays of a call that need not wait for the compiler
    patience = PATIENCE  # seconds of such calls in a process after which it is compiled
    in_python_for = 0.0  # seconds of calls that ran as plain Python

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._inserting = Lock()
        self._read_only: set[tuple[int, ...]] = set()  # the types that lead to the code for others
        self._not_kept: set[tuple[Any, ...]] = set()  # types of which there is no code on disk

    def compile(self, sig: Any) -> Any:
        with compiling.running():
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """The code for argument types that are new to numba; the next call finds it without this method."""
        if thread.in_python:
            return self.py_func
        begun = thread_time()
        # To numba a read-only array is of another type: every loop over a store, whose arrays are in a file,
        # would be compiled a second time. Kernels write only to arrays that their callers have made for that.
        given = tuple(map(typeof, args))
        taken = tuple(map(writeable, given))
        if self.small and self._waits(taken) and size_of(args) <= self.small:
            self._book(thread_time() - begun)
            return self._in_python
        if taken == given:
            return super()._compile_for_args(*args, **kwargs)
        code, kinds = self.compile(taken), tuple(kind._code for kind in given)
        with self._inserting:  # numba ignores two entries with the same types
            if kinds not in self._read_only:
                self._insert(kinds, code, False)
                self._read_only.add(kinds)
        return code

    def _waits(self, taken: tuple[Any, ...]) -> bool:
        """Whether a call with these types would wait for the compiler and should rather run as Python."""
        if not Promptness.allowed or self.in_python_for > self.patience or taken in self.overloads:
            return False
        if patience_is_spent():
            return False
        if taken not in self._not_kept:
            if isinstance(self._cache, Kept) and self._cache.names(taken, self.targetctx.codegen()):
                return False
            self._not_kept.add(taken)
        return True

    def _in_python(self, *args: Any) -> Any:
        """The result of the kernel run as plain Python, and so are the kernels that it calls."""
        begun, before, thread.in_python = thread_time(), thread.in_python, True
        try:
            with np.errstate(all="ignore"):  # like compiled code: divides by zero and lets integers wrap
                return self.py_func(*args)
        finally:
            thread.in_python = before
            self._book(thread_time() - begun)

    def _book(self, seconds: float) -> None:
        """Counts what a call took that ran as plain Python; looking at its types may take longest."""
        self.in_python_for += seconds
        if not thread.in_python:  # the outer call counts those within it
            Promptness.seconds += seconds
            tally_at_exit()


class KernelPart(Kernel):
    """A function that only kernels call: it has no code for calls from Python, and none on disk."""

    def add_overload(self, code: Any) -> None:
        self.overloads[tuple(code.signature.args)] = code

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """A call from Python runs as Python: in a kernel that is uncompiled, and when it is tried alone."""
        return self.py_func if thread.in_python else self._in_python


def size_of(args: Iterable[Any]) -> int:
    """How many numbers there are in the arrays of a call."""
    return sum(
        one.size if isinstance(one, np.ndarray) else size_of(one) if isinstance(one, tuple) else 0
        for one in args
    )


def writeable(kind: Any) -> Any:
    """The type of an argument if no array in it were read-only."""
    if isinstance(kind, types.Array):
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(
            [writeable(one) for one in kind], getattr(kind, "instance_class", None)
        )
    return kind


OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}


def kernel(function: F) -> F:
    """`function`, compiled on first use."""
    compiled = Kernel(function, targetoptions=OPTIONS)
    try:
        compiled._cache = Kept(function)  # as cache=True does
    except (RuntimeError, OSError):
        note_compiled_anew("neither the folder of the package nor the user's cache can be written to")
    return cast(F, compiled)


def prompt(small: int, patience: float = PATIENCE) -> Callable[[F], F]:
    """A kernel whose calls with at most so many numbers need not wait for the compiler."""

    # Once they have taken `patience` seconds in a process, about what compiling takes, it is compiled. It,
    # and what it calls, must give the same bits as plain Python: no intrinsics, no cells, no sums of whole
    # arrays, no logarithms or powers, and integers of mixed types are converted explicitly.
    def marked(compiled: F) -> F:
        cast(Any, compiled).small, cast(Any, compiled).patience = small, patience
        return compiled

    return marked


def inner_part(function: F) -> F:
    """`function`, compiled with each kernel that calls it."""
    # A kernel has wrappers for calls from Python, and a file: two fifths of the time to compile a short one.
    options = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(F, KernelPart(function, targetoptions=options))


def inlined(function: F) -> F:
    """`function`, to be made part of each kernel that calls it."""
    # A call with arrays is not free: a loop over pairs of features took a third of the time without it.
    options = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    return cast(F, KernelPart(function, targetoptions=options))


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typingctx: Any, word: Any) -> Any:
    """The number of one bits in a 64-bit word; LLVM turns a loop of these into vector instructions."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic  # type: ignore[untyped-decorator]
def table_entry(typingctx: Any, table: Any, index: Any) -> Any:
    """table[index] of an int64 table, read alone."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        # A loop of plain look-ups becomes vector gathers, which many processors split up again: on one (AMD
        # Zen 4) nine look-ups a pair took 5.2 ns gathered and 3.3 ns one by one.
        return builder.load_atomic(builder.gep(array.data, [args[1]]), "unordered", 8)

    return types.int64(table, types.int64), emit


def of_tables(name: str, default: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function for kernels: the method of this name of the named tuple that is its first argument."""

    def called(tables: Any, *args: Any) -> Any:
        raise TypeError(f"{name} is called by kernels; call the method of the tables.")

    def chosen(tables: Any, *args: Any) -> Any:
        return getattr(tables.instance_class, name, default)

    # So a loop is written once, and compiled for each class of tables with that class's own method in it: as
    # fast as if it were written out, and kept on disk, which a loop over a function passed in is not.
    overload(called, strict=False)(chosen)
    return called


cell = of_tables("cell")  # (tables, n_ab, n_a, n_b) -> what a cell of a contingency table adds to the total
finish = of_tables("finish")  # (tables, total, own_a, own_b) -> the number that a total stands for


def nine_cells(
    tables: Any, c11: Any, c12: Any, c21: Any, c22: Any, n0: Any, n1: Any, n2: Any, m0: Any, m1: Any, m2: Any
) -> Any:
    """The total of a 3 x 3 table; n and m are the samples at each level, c those at each pair of levels."""
    c10, c20, c01, c02 = n1 - c11 - c12, n2 - c21 - c22, m1 - c11 - c21, m2 - c12 - c22
    total = cell(tables, c11, n1, m1) + cell(tables, c12, n1, m2) + cell(tables, c10, n1, m0)
    total += cell(tables, c21, n2, m1) + cell(tables, c22, n2, m2) + cell(tables, c20, n2, m0)
    total += cell(tables, c01, n0, m1) + cell(tables, c02, n0, m2) + cell(tables, n0 - c01 - c02, n0, m0)
    return total


threes = of_tables("threes", nine_cells)  # a faster way to the same total, if the tables have one
