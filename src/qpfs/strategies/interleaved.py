"""Clustering and weighing in turns, until nothing splits.

Letters. tau the radius at which a cluster is small enough, L the most levels, k the parts of a split, alpha
the weights of the representatives.

All features are clustered and their representatives weighed. A cluster that is small enough, at the last
level, or has one member is final: kept if its representative has weight, else discarded. Any other is split
and its parts are treated alike, one level down. The aggressive rule discards a cluster without weight before
it is split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.clustering import Clusters, MacQueenVariant
from qpfs.criteria import Criterion
from qpfs.criteria.weighing import Tick
from qpfs.information import FeatureTable
from qpfs.strategies.rounds import Fate, Outcome, Round


def careful(weights: FloatArray | None, final: BoolArray) -> BoolArray:
    """Discard a cluster without weight once it is final (IKM)."""
    return np.zeros(len(final), bool) if weights is None else final & (weights == 0)


def aggressive(weights: FloatArray | None, final: BoolArray) -> BoolArray:
    """Discard a cluster without weight at once (IKMA)."""
    return np.zeros(len(final), bool) if weights is None else weights == 0


@dataclass(frozen=True, eq=False)
class Waiting:
    """A cluster that has been made by a split and not yet been judged."""

    clusters: Clusters
    level: int
    parent: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Interleaved:
    """The strategy; `discard` is its rule for clusters without weight."""

    clusterer: MacQueenVariant
    criterion: Criterion
    discard: Any
    radius: float
    n_first: int
    n_split: int
    max_levels: int | None = None

    def run(self, table: FeatureTable[Any], relevance: FloatArray, tick: Tick) -> Outcome:
        """Rounds until nothing splits. A stack in place of recursion: its depth is no limit."""
        everything = self.clusterer.cluster(table, table.varying, self.n_first, relevance)
        waiting = [Waiting(everything, 1, None)]
        rounds: list[Round] = []
        kept: list[tuple[IndexArray, int, float]] = []
        n_distances = everything.n_distances
        while waiting:
            here = waiting.pop()
            made, splits = self._judged(table, relevance, here, len(rounds))
            rounds.append(made)
            n_distances += sum(split.clusters.n_distances for split in splits)
            kept += [
                (here.clusters.of(i), int(made.representatives[i]), float(made.radii[i]))
                for i, fate in enumerate(made.fates)
                if fate == "kept"
            ]
            waiting += reversed(splits)
            tick()
        return outcome(kept, rounds, n_distances, table.n_features, self.radius)

    def _judged(
        self, table: FeatureTable[Any], relevance: FloatArray, here: Waiting, number: int
    ) -> tuple[Round, list[Waiting]]:
        """The round of a clustering, and the clusterings of the parts of what it splits."""
        clusters = here.clusters
        final = self._final(clusters, here.level)
        weights = self._weights(table, relevance, clusters, final)
        discarded = self.discard(weights, final)
        splits: list[Waiting] = []
        fates: list[Fate] = []
        for i in range(len(clusters)):
            parts = None
            if not final[i] and not discarded[i]:
                parts = self.clusterer.cluster(table, clusters.of(i), self.n_split, relevance)
            if discarded[i]:
                fates.append("discarded")
            elif parts is None or len(parts) == 1:
                fates.append("kept")
            else:
                fates.append("split")
                splits.append(Waiting(parts, here.level + 1, (number, i)))
        made = Round(
            number,
            here.level,
            here.parent,
            clusters.members,
            clusters.labels,
            clusters.representatives,
            clusters.radii,
            weights,
            tuple(fates),
        )
        return made, splits

    def _final(self, clusters: Clusters, level: int) -> BoolArray:
        """Which clusters are not to be split."""
        size = np.bincount(clusters.labels, minlength=len(clusters))
        last = self.max_levels is not None and level >= self.max_levels
        return (clusters.radii <= self.radius) | (size == 1) | last

    def _weights(
        self, table: FeatureTable[Any], relevance: FloatArray, clusters: Clusters, final: BoolArray
    ) -> FloatArray | None:
        """The weights of the representatives; None if the rule would not look at them."""
        probe = np.zeros(len(clusters))
        if not self.discard(probe, final).any():
            return None
        weighing = self.criterion.weigh(table, relevance, clusters.representatives, lambda: None)
        return weighing.scores[clusters.representatives]


def outcome(
    kept: list[tuple[IndexArray, int, float]],
    rounds: list[Round],
    n_distances: int,
    n_features: int,
    radius: float,
) -> Outcome:
    """The clusters kept, ordered by representative."""
    kept = sorted(kept, key=lambda cluster: cluster[1])
    labels = np.full(n_features, -1, np.intp)
    for number, (members, _, _) in enumerate(kept):
        labels[members] = number
    return Outcome(
        labels,
        np.array([representative for _, representative, _ in kept], np.intp),
        np.array([r for _, _, r in kept]),
        tuple(rounds),
        n_distances,
        radius,
    )
