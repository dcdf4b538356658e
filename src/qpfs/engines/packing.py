"""Messages made short: indices that ascend by one, or fit fewer bytes, travel as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LEAST = 16  # numbers that are not worth the trouble


@dataclass(frozen=True, eq=False)
class Steps:
    """Whole numbers in equal steps."""

    first: int
    step: int
    size: int

    def unpacked(self) -> Any:
        return self.first + self.step * np.arange(self.size)


@dataclass(frozen=True, eq=False)
class Narrow:
    """Whole numbers by how far they are above the least of them."""

    least: int
    above: Any

    def unpacked(self) -> Any:
        return self.above.astype(np.int64) + self.least


def packed(thing: Any) -> Any:
    """A message, with its indices packed."""
    if isinstance(thing, (tuple, list)):
        return type(thing)(packed(one) for one in thing) if type(thing) in (tuple, list) else thing
    if isinstance(thing, np.ndarray) and thing.dtype == np.int64 and thing.ndim == 1 and len(thing) > LEAST:
        return in_steps(thing) or narrowed(thing)
    return thing


def unpacked(thing: Any) -> Any:
    """What `packed` was given."""
    if type(thing) in (tuple, list):
        return type(thing)(unpacked(one) for one in thing)
    return thing.unpacked() if isinstance(thing, (Steps, Narrow)) else thing


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
