"""Compact messages: one string of bytes, in which indices are stored as steps or in fewer bytes.

Dask would send every array of a message separately.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

LEAST = 16  # shorter arrays are not compacted


@dataclass(frozen=True, eq=False)
class Steps:
    """Whole numbers in equal steps."""

    first: int
    step: int
    size: int

    def restored(self) -> Any:
        return self.first + self.step * np.arange(self.size)


@dataclass(frozen=True, eq=False)
class Narrow:
    """Whole numbers as offsets from the smallest."""

    least: int
    above: Any

    def restored(self) -> Any:
        return self.above.astype(np.int64) + self.least


def packed(thing: Any) -> bytes:
    """The message of an object."""
    return pickle.dumps(shortened(thing), protocol=5)


def unpacked(message: bytes) -> Any:
    """The object that `packed` was given."""
    return restored(pickle.loads(message))


def shortened(thing: Any) -> Any:
    """An object with its indices in fewer bytes."""
    if type(thing) in (tuple, list):
        return type(thing)(shortened(one) for one in thing)
    if isinstance(thing, np.ndarray) and thing.dtype == np.int64 and thing.ndim == 1 and len(thing) > LEAST:
        return in_steps(thing) or narrowed(thing)
    return thing


def restored(thing: Any) -> Any:
    """The object that `shortened` was given."""
    if type(thing) in (tuple, list):
        return type(thing)(restored(one) for one in thing)
    return thing.restored() if isinstance(thing, (Steps, Narrow)) else thing


def in_steps(indices: Any) -> Steps | None:
    step = indices[1] - indices[0]
    if (indices[1:] - indices[:-1] == step).all():
        return Steps(int(indices[0]), int(step), len(indices))
    return None


def narrowed(indices: Any) -> Any:
    least, most = int(indices.min()), int(indices.max())
    for kind in (np.uint8, np.uint16, np.uint32):
        if most - least <= np.iinfo(kind).max:
            return Narrow(least, (indices - least).astype(kind))
    return indices
