"""Search rules for the group of features that violates optimality most.

Letters: c the gradient of each feature, B the size of a group, rho the largest correlation allowed.

The group that violates most is the one with the largest sum of c^2. Without a constraint that is the B
largest |c|. With the constraint that no two of them correlate by more than rho it is a maximum-weight
independent set problem, which is NP-hard; so features are examined from the largest |c| down, and one is
added unless it correlates too much with one already in the group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.embedded.features import Features

TILE = 1 << 22  # numbers gathered at a time
ROUNDING = 1e-12  # rounding error of a correlation


class Search(Protocol):
    """A rule that finds the next group; no group it finds has more than `size` features."""

    @property
    def size(self) -> int:
        """B."""

    def __call__(self, strength: FloatArray, features: Features) -> IndexArray:
        """The group for the given |c|, its strongest first; features of strength 0 are in none."""


def leading(strength: FloatArray, count: int) -> IndexArray:
    """At most `count` features of positive strength, the strongest first, ties to the lower index."""
    cut = np.partition(strength, -count)[-count] if len(strength) > count else 0.0
    strong = np.flatnonzero(strength >= cut if cut > 0.0 else strength > 0.0)
    return strong[np.argsort(-strength[strong], kind="stable")][:count]


@dataclass(frozen=True)
class Largest:
    """The search rule of FGM: the B features with the largest |c|."""

    size: int

    def __call__(self, strength: FloatArray, features: Features) -> IndexArray:
        return leading(strength, self.size)


@dataclass(frozen=True)
class Uncorrelated:
    """The search rule of GDM: from the largest |c| down, if correlations are at most rho = `highest`."""

    size: int
    highest: float

    def __call__(self, strength: FloatArray, features: Features) -> IndexArray:
        taken = np.zeros(0, np.intp)
        units = np.zeros((features.n_samples, 0))
        for block in blocks(strength, self.size, max(1, TILE // features.n_samples)):
            fresh = unit_columns(features.gathered(block))
            accepted = unlike(units, fresh, self.highest + ROUNDING, self.size - len(taken))
            taken = np.append(taken, block[accepted])
            units = np.hstack((units, fresh[:, accepted]))
            if len(taken) == self.size:
                break
        return taken


def unlike(units: FloatArray, fresh: FloatArray, highest: float, room: int) -> IndexArray:
    """Which columns of `fresh` are added, one after another, up to `room` of them."""
    nearest = np.abs(correlations(units, fresh)).max(axis=0, initial=0.0)
    accepted: list[int] = []
    while len(accepted) < room:
        free = np.flatnonzero(nearest <= highest)
        if len(free) == 0:
            break
        accepted.append(int(free[0]))
        rest = free[1:]
        nearest[: free[0] + 1] = np.inf
        nearest[rest] = np.maximum(nearest[rest], np.abs(correlations(fresh[:, free[0]], fresh[:, rest])))
    return np.array(accepted, np.intp)


def correlations(units: FloatArray, others: FloatArray) -> FloatArray:
    """The correlations of standardised columns."""
    R: FloatArray = np.clip(units.T @ others, -1.0, 1.0)
    return R


def blocks(strength: FloatArray, size: int, most: int) -> Iterator[IndexArray]:
    """The features from the strongest down, in blocks; the first few are usually enough."""
    few = leading(strength, min(4 * size, most))
    yield few
    rest = leading(strength, len(strength))[len(few) :]
    for start in range(0, len(rest), most):
        yield rest[start : start + most]


def unit_columns(columns: FloatArray) -> FloatArray:
    """Columns with mean 0 and length 1, whose products are correlations."""
    centred = columns - columns[0]  # exact where numbers hardly differ
    centred -= centred.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    centred /= np.where(largest > 0.0, largest, 1.0)
    lengths = np.sqrt((centred * centred).sum(axis=0))
    return centred / np.where(lengths > 0.0, lengths, 1.0)
