"""The one door to numba.

A kernel computes and nothing else: it is serial, releases the GIL, is compiled for this machine and
kept on disk. Threads belong to `qpfs.engines`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """`function`, compiled on first use."""
    return cast(F, njit(nogil=True, cache=True, error_model="numpy")(function))


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
