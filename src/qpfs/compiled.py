"""The one door to numba.

A kernel computes and nothing else: it is serial, releases the GIL, is compiled for this machine and
kept on disk. Threads belong to `qpfs.engines`. Where nothing can be kept, or what was kept is damaged, a
kernel is compiled anew: that costs seconds, and a note says so.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

from numba import njit, typeof, types
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic, overload

F = TypeVar("F", bound=Callable[..., Any])


class Kept(FunctionCache):  # type: ignore[misc]
    """Compiled code on disk, which a run can do without."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """What compiled code is found by: types by their names, and the files that cells are in.

        An index that holds the types themselves can be read only where all their classes can be imported.
        """
        _, *rest = super()._index_key(sig, codegen)
        return (str(sig), *map(source_of, tables_in(sig)), *rest)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was kept, or None, also for what is damaged or may not be read."""
        if None in map(source_of, tables_in(sig)):
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever is made of damaged bytes
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps compiled code, if that is possible.

        The index is written before the code, so if only that could be written the index may name code of
        an older version of the same function: it goes.
        """
        if None in map(source_of, tables_in(sig)):
            return
        try:
            super().save_overload(sig, data)
        except Exception as error:  # damage to the index comes up here, too
            with suppress(OSError):
                Path(self._cache_file._index_path).unlink()
            note_compiled_anew(getattr(error, "strerror", None) or "what was kept is damaged")


def tables_in(sig: Iterable[Any]) -> list[type]:
    """The classes of named tuples with a cell among the types of a call."""
    classes = [getattr(one, "instance_class", None) for one in sig]
    return [one for one in classes if one is not None and hasattr(one, "cell")]


def source_of(tables: type) -> tuple[str, str, float, int] | None:
    """Which class it is, in which state of its file; None for one that other processes cannot import.

    A loop is compiled together with the cell that it calls, which may have changed since.
    """
    if tables.__module__ == "__main__" or "<locals>" in tables.__qualname__:
        return None
    try:
        about = Path(str(sys.modules[tables.__module__].__file__)).stat()
    except (KeyError, AttributeError, OSError):
        return None
    return tables.__module__, tables.__qualname__, about.st_mtime, about.st_size


@cache
def note_compiled_anew(why: str) -> None:
    """Says once what makes every run begin slowly."""
    warnings.warn(
        f"Compiled code could not be kept ({why}): each run compiles it anew, which takes a while. Name a "
        "folder for it by NUMBA_CACHE_DIR.",
        CompiledAnewWarning,
        stacklevel=2,
    )


class CompiledAnewWarning(Warning):
    """Compiled code could not be kept on disk; results are the same."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that takes a read-only array for an array like any other.

    To numba these are two types: every loop over a store, whose arrays lie in a file, would be compiled a
    second time. Kernels write to what their callers have made for that alone.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._inserting = Lock()
        self._read_only: set[tuple[int, ...]] = set()  # the types that lead to the code for others

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """The code for arguments that numba has not met before; next time it is found without this."""
        given = tuple(map(typeof, args))
        taken = tuple(map(writeable, given))
        if taken == given:
            return super()._compile_for_args(*args, **kwargs)
        code, kinds = self.compile(taken), tuple(kind._code for kind in given)
        with self._inserting:  # of two entries with the same types numba takes neither
            if kinds not in self._read_only:
                self._insert(kinds, code, False)
                self._read_only.add(kinds)
        return code


def writeable(kind: Any) -> Any:
    """The type of an argument if no array in it were read-only."""
    if isinstance(kind, types.Array):
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(
            [writeable(one) for one in kind], getattr(kind, "instance_class", None)
        )
    return kind


def kernel(function: F) -> F:
    """`function`, compiled on first use."""
    compiled = Kernel(function, targetoptions={"nopython": True, "nogil": True, "error_model": "numpy"})
    try:
        compiled._cache = Kept(function)  # what cache=True does
    except (RuntimeError, OSError):
        note_compiled_anew("neither the folder of the package nor the user's cache can be written to")
    return cast(F, compiled)


def inlined(function: F) -> F:
    """`function`, to be made part of each kernel that calls it.

    A call with arrays is not free: a loop over pairs of features took a third of the time without it.
    """
    return cast(F, njit(nogil=True, error_model="numpy", forceinline=True)(function))


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typingctx: Any, word: Any) -> Any:
    """The number of one bits in a 64-bit word; LLVM turns a loop of these into vector instructions."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic  # type: ignore[untyped-decorator]
def table_entry(typingctx: Any, table: Any, index: Any) -> Any:
    """table[index] of an int64 table, read alone.

    A loop of plain look-ups becomes vector gathers, which many processors split up again: on one
    (AMD Zen 4) nine look-ups a pair took 5.2 ns gathered and 3.3 ns one by one.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.load_atomic(builder.gep(array.data, [args[1]]), "unordered", 8)

    return types.int64(table, types.int64), emit


def of_tables(name: str, default: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A function for kernels: the method of this name of the named tuple that is its first argument.

    So a loop is written once, and compiled for each class of tables with that class's own method in it: as
    fast as if it were written out, and kept on disk, which a loop over a function passed in is not.
    """

    def called(tables: Any, *args: Any) -> Any:
        raise TypeError(f"{name} is called by kernels; call the method of the tables.")

    def chosen(tables: Any, *args: Any) -> Any:
        return getattr(tables.instance_class, name, default)

    overload(called, strict=False)(chosen)
    return called


cell = of_tables("cell")  # (tables, n_ab, n_a, n_b) -> what a cell of a contingency table adds to the total
finish = of_tables("finish")  # (tables, total, own_a, own_b) -> the number that a total stands for


def nine_cells(
    tables: Any, c11: Any, c12: Any, c21: Any, c22: Any, n0: Any, n1: Any, n2: Any, m0: Any, m1: Any, m2: Any
) -> Any:
    """The total of three levels with three; n and m are how many samples are at each, c at which two."""
    c10, c20, c01, c02 = n1 - c11 - c12, n2 - c21 - c22, m1 - c11 - c21, m2 - c12 - c22
    total = cell(tables, c11, n1, m1) + cell(tables, c12, n1, m2) + cell(tables, c10, n1, m0)
    total += cell(tables, c21, n2, m1) + cell(tables, c22, n2, m2) + cell(tables, c20, n2, m0)
    total += cell(tables, c01, n0, m1) + cell(tables, c02, n0, m2) + cell(tables, n0 - c01 - c02, n0, m0)
    return total


threes = of_tables("threes", nine_cells)  # the same by a quicker way, where the tables have one
