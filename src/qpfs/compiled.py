"""The one door to numba.

A kernel computes and nothing else: it is serial, releases the GIL, is compiled for this machine and
kept on disk. Threads belong to `qpfs.engines`. Where nothing can be kept, or what was kept is damaged, a
kernel is compiled anew: that costs seconds, and a note says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


class Kept(FunctionCache):  # type: ignore[misc]
    """Compiled code on disk, which a run can do without."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was kept, or None, also for what is damaged or may not be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever is made of damaged bytes
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps compiled code, if that is possible.

        The index is written before the code, so if only that could be written the index may name code of
        an older version of the same function: it goes.
        """
        try:
            super().save_overload(sig, data)
        except Exception as error:  # damage to the index comes up here, too
            with suppress(OSError):
                Path(self._cache_file._index_path).unlink()
            note_compiled_anew(getattr(error, "strerror", None) or "what was kept is damaged")


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


def kernel(function: F) -> F:
    """`function`, compiled on first use."""
    compiled = njit(nogil=True, error_model="numpy")(function)
    try:
        compiled._cache = Kept(function)  # what cache=True does
    except (RuntimeError, OSError):
        note_compiled_anew("neither the folder of the package nor the user's cache can be written to")
    return cast(F, compiled)


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typingctx: Any, word: Any) -> Any:
    """The number of one bits in a 64-bit word; LLVM turns a loop of these into vector instructions."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic  # type: ignore[untyped-decorator]
def entry(typingctx: Any, table: Any, index: Any) -> Any:
    """table[index] of an int64 table, read alone.

    A loop of plain look-ups becomes vector gathers, which many processors split up again: on one
    (AMD Zen 4) nine look-ups a pair took 5.2 ns gathered and 3.3 ns one by one.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.load_atomic(builder.gep(array.data, [args[1]]), "unordered", 8)

    return types.int64(table, types.int64), emit
