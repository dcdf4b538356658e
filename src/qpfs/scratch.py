"""Memory that a thread uses again and again.

A large array that is made in every call is allocated by the system each time, and cleared: on Dask's workers,
which return memory to the system immediately, that took longer than the work.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray

MOST = 1 << 24  # bytes that a thread keeps for a use


class ThreadArrays(threading.local):
    """The arrays of a thread, by use."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}


held = ThreadArrays()


def scratch(use: str, shape: tuple[int, ...], dtype: Any) -> AnyArray:
    """An array with undefined contents, valid until the thread requests one for the same use again."""
    size, kind = math.prod(shape), np.dtype(dtype)
    if size * kind.itemsize > MOST:
        return np.empty(shape, kind)
    array = held.arrays.get(use)
    if array is None or array.size < size or array.dtype != kind:
        array = held.arrays[use] = np.empty(size, kind)
    return array[:size].reshape(shape)
