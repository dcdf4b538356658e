"""Clustering and weighting alternately, until no cluster is split.

Letters. tau the radius at which a cluster is small enough, L the most levels, alpha the weights of the
representatives.

All features are clustered and their representatives weighted. A cluster that is small enough, at the last
level, or cannot be split is final: kept, unless the rule for discarding removes it. Any other is split,
unless that rule removes it, and its parts are treated in the same way, one level down. All clusters of a
level are processed together, without recursion, so the depth is not limited. Features to keep represent
clusters that are never discarded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.clustering import Anchored, Clusterer, Clusters, InBatches
from qpfs.criteria import Criterion
from qpfs.criteria.weighing import Tick
from qpfs.groups import Groups
from qpfs.information import FeatureTable
from qpfs.strategies.rounds import DISCARDED, KEPT, SPLIT, Level, Outcome, Parents, outcome

# The number of parts that clusters are split into, from their radii and sizes.
PartsOf: TypeAlias = Callable[[FloatArray, IndexArray], IndexArray]
# Which clusters are discarded, from the weights of their representatives and whether they are final.
Rule: TypeAlias = Callable[[FloatArray, BoolArray], BoolArray]


@dataclass(frozen=True)
class Discard:
    """A rule for single clusters, and for which clusters it needs the weight (NaN for the others)."""

    rule: Rule
    reads: Callable[[BoolArray], BoolArray]

    def goes(self, weights: FloatArray, final: BoolArray, bounds: IndexArray) -> BoolArray:
        """Which clusters are discarded; round i has those from bounds[i] to bounds[i + 1] - 1."""
        return self.rule(weights, final)


@dataclass(frozen=True)
class DiscardByRound(Discard):
    """A rule that is called for each round, and may compare its clusters."""

    def goes(self, weights: FloatArray, final: BoolArray, bounds: IndexArray) -> BoolArray:
        return np.concatenate([self._of_round(weights[a:b], final[a:b]) for a, b in pairwise(bounds)])

    def _of_round(self, weights: FloatArray, final: BoolArray) -> BoolArray:
        found = np.asarray(self.rule(weights, final))
        if found.shape != final.shape:
            raise ValueError(
                f"discard={self.rule!r} gave {found!r} for a round of {len(final)} clusters; it must return "
                "an array with True for each cluster to discard."
            )
        return found.astype(bool)


never = Discard(lambda weights, final: np.zeros_like(final), np.zeros_like)  # TLKM
careful = Discard(lambda weights, final: final & (weights == 0), np.copy)  # once it is final: IKM
aggressive = Discard(lambda weights, final: weights == 0, np.ones_like)  # immediately: IKMA


def by_round(rule: Rule) -> Discard:
    """The rule of a user's function, which is called with the weights of every round."""
    return DiscardByRound(rule, np.ones_like)


def always(n: int) -> PartsOf:
    """A function that splits every cluster into n parts."""
    return lambda radii, sizes: np.minimum(sizes, min(n, 1 << 62))


@dataclass(frozen=True, eq=False)
class Refining:
    """Clusters and weights alternately until no cluster is split; weights only where the rule needs them."""

    clusterer: Clusterer
    criterion: Criterion
    discard: Discard
    radius: float | None  # tau; None: every cluster is small enough
    n_first: int
    parts: PartsOf
    max_depth: int | None = None
    keep: IndexArray = field(default_factory=lambda: np.empty(0, np.intp))  # features to keep

    def run(self, table: FeatureTable, relevance: FloatArray, tick: Tick) -> Outcome:
        """The outcome, level by level until no cluster is split."""
        levels: list[Level] = []
        waiting, k = Groups.one(table.varying), np.array([min(self.n_first, table.n_features)])
        parents: Parents = None
        n_rounds, n_distances = 0, 0
        clusterer = InBatches(Anchored(self.clusterer, self.keep) if len(self.keep) else self.clusterer)
        table = table.turned()
        while len(waiting):
            clusters = clusterer.cluster(table, waiting, k, relevance)
            level = self._judged(table, relevance, clusters, parents, n_rounds, len(levels) + 1)
            levels.append(level.lean())
            n_rounds += len(waiting)
            n_distances += clusters.n_distances
            split = np.flatnonzero(level.fates == SPLIT)
            waiting, parents = clusters.parts().take(split), level.splits()
            k = self.parts(clusters.radii[split], waiting.sizes)
            table = table.packed_anew(waiting.members)
            tick()
        return outcome(levels, table.n_features, n_distances, self.radius)

    def _judged(
        self,
        table: FeatureTable,
        relevance: FloatArray,
        clusters: Clusters,
        parents: Parents,
        n_rounds: int,
        number: int,
    ) -> Level:
        """The level of a clustering, with the fate of each cluster."""
        final = self._final(clusters, number)
        weights = self._weights(table, relevance, clusters, final)
        fates = np.where(final, KEPT, SPLIT).astype(np.int8)
        goes = self.discard.goes(weights, final, clusters.bounds)
        fates[goes & ~np.isin(clusters.representatives, self.keep)] = DISCARDED
        return Level(number, n_rounds, parents, clusters, weights, fates)

    def _final(self, clusters: Clusters, number: int) -> BoolArray:
        """Which clusters are not to be split."""
        sizes = np.bincount(clusters.labels, minlength=len(clusters))
        last = self.max_depth is not None and number >= self.max_depth
        whole = (np.diff(clusters.bounds) == 1)[clusters.owner()] & (number > 1)
        small = True if self.radius is None else clusters.radii <= self.radius
        return (sizes == 1) | whole | last | small

    def _weights(
        self, table: FeatureTable, relevance: FloatArray, clusters: Clusters, final: BoolArray
    ) -> FloatArray:
        """The weights of the representatives; NaN in rounds where the rule needs none."""
        weights = np.full(len(clusters), np.nan)
        read = np.bincount(clusters.owner(), self.discard.reads(final), len(clusters.groups))
        rounds = Groups(clusters.representatives, clusters.bounds)
        asked = np.flatnonzero(read > 0)
        if len(asked):
            weights[rounds.places(asked)] = self.criterion.weigh_each(table, relevance, rounds.take(asked))
        return weights
