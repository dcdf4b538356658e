"""A rule for discarding: of a round, final clusters that weigh less than the middle one."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import BoolArray, FloatArray


def light_half(weights: FloatArray, final: BoolArray) -> BoolArray:
    """Which clusters of a round go, given their weights and which of them will not be split again."""
    return final & (weights < np.median(weights))
