"""The trace of a strategy: one record for each clustering and weighting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering import Clusters
from qpfs.sorting import sorted_places

Fate = Literal["kept", "split", "discarded"]
Parent: TypeAlias = tuple[int, int]
Parents: TypeAlias = tuple[IndexArray, IndexArray] | None  # rounds, and numbers in them; None: all features
FateArray: TypeAlias = NDArray[np.int8]

FATES: tuple[Fate, ...] = ("kept", "split", "discarded")
KEPT, SPLIT, DISCARDED = range(3)  # positions in FATES


@dataclass(frozen=True, eq=False)
class Round:
    """One clustering of some features, with the weights of representatives and the fate of each cluster."""

    number: int
    level: int
    parent: Parent | None  # the round and the cluster that was split; None: all features
    members: IndexArray
    labels: IndexArray
    representatives: IndexArray
    radii: FloatArray
    weights: FloatArray | None  # of the representatives; None if they were not needed
    fates: tuple[Fate, ...]


@dataclass(frozen=True, eq=False)
class Level:
    """All rounds of a level: their clusters, and the fate of each."""

    number: int
    first_round: int
    parents: Parents  # of each round
    clusters: Clusters
    weights: FloatArray  # NaN where they were not needed
    fates: FateArray

    def __len__(self) -> int:
        return len(self.clusters.groups)

    def lean(self) -> Level:
        """The level in less memory, as it is kept."""
        return replace(self, clusters=self.clusters.lean())

    def round(self, i: int) -> Round:
        """One of the rounds."""
        groups, bounds = self.clusters.groups, self.clusters.bounds
        members = slice(groups.bounds[i], groups.bounds[i + 1])
        some = slice(bounds[i], bounds[i + 1])
        weights = self.weights[some]
        return Round(
            self.first_round + i,
            self.number,
            None if self.parents is None else (int(self.parents[0][i]), int(self.parents[1][i])),
            groups.members[members].astype(np.intp),
            self.clusters.labels[members].astype(np.intp) - bounds[i],
            self.clusters.representatives[some].astype(np.intp),
            self.clusters.radii[some],
            None if np.isnan(weights).any() else weights,
            tuple(FATES[fate] for fate in self.fates[some]),
        )

    def splits(self) -> Parents:
        """Which clusters are split: the parents of the next level."""
        split = np.flatnonzero(self.fates == SPLIT)
        owner = self.clusters.owner()[split]
        return self.first_round + owner, split - self.clusters.bounds[owner]


class Trace(Sequence[Round]):
    """All rounds, level by level; each record is made on demand."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self.levels = tuple(levels)

    def __len__(self) -> int:
        return sum(len(level) for level in self.levels)

    @overload
    def __getitem__(self, which: int) -> Round: ...

    @overload
    def __getitem__(self, which: slice) -> list[Round]: ...

    def __getitem__(self, which: int | slice) -> Round | list[Round]:
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        number = range(len(self))[which]
        level = next(one for one in reversed(self.levels) if one.first_round <= number)
        return level.round(number - level.first_round)

    def __iter__(self) -> Iterator[Round]:
        return (level.round(i) for level in self.levels for i in range(len(level)))

    def __repr__(self) -> str:
        return f"<{len(self)} rounds at {len(self.levels)} levels>"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The clusters that were kept at the end, and the trace of all rounds."""

    labels: IndexArray  # (n_features,) the final cluster of each; -1: discarded, or constant
    representatives: IndexArray
    radii: FloatArray
    rounds: Trace
    n_distances: int
    radius: float | None  # the tau used; None: no cluster was to be split


def outcome(levels: list[Level], n_features: int, n_distances: int, radius: float | None) -> Outcome:
    """The clusters kept at any level, ordered by representative."""
    kept = [level.fates == KEPT for level in levels]
    each = zip(levels, kept, strict=True)
    representatives = np.concatenate([level.clusters.representatives[k] for level, k in each])
    representatives = representatives.astype(np.intp)
    radii = np.concatenate([level.clusters.radii[k] for level, k in zip(levels, kept, strict=True)])
    order = sorted_places(representatives)
    number = np.empty(len(order), np.intp)
    number[order] = np.arange(len(order))
    labels, n_before = np.full(n_features, -1, np.intp), 0
    for level, mask in zip(levels, kept, strict=True):
        final = np.full(len(mask), -1, np.intp)
        final[mask] = number[n_before : n_before + mask.sum()]
        labels[level.clusters.groups.members] = final[level.clusters.labels]
        n_before += mask.sum()
    return Outcome(labels, representatives[order], radii[order], Trace(levels), n_distances, radius)
