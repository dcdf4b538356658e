"""The trace of a strategy: one record for each clustering and weighing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qpfs.arrays import FloatArray, IndexArray

Fate = Literal["kept", "split", "discarded"]


@dataclass(frozen=True, eq=False)
class Round:
    """Some features clustered, their representatives weighed, and what became of each cluster."""

    number: int
    level: int
    parent: tuple[int, int] | None  # the round and the cluster that was split; None: all features
    members: IndexArray
    labels: IndexArray
    representatives: IndexArray
    radii: FloatArray
    weights: FloatArray | None  # of the representatives; None if nothing asked for them
    fates: tuple[Fate, ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The clusters that were kept at the end, and how it came to that."""

    labels: IndexArray  # (n_features,) the final cluster of each; -1: discarded, or constant
    representatives: IndexArray
    radii: FloatArray
    rounds: tuple[Round, ...]
    n_distances: int
    radius: float  # tau as used
