"""Two-level k-means of features: a few large clusters, and those that are too wide split once more.

Letters. k the expected number of clusters, k' of the first level, R the radius of all features around their
representative, r_i of a cluster, tau the radius beyond which a cluster is split, N the number of samples.

A ball of radius R holds about (R / tau)^N balls of radius tau, so k clusters have tau = R k^(-1/N), and a
cluster is split into (r_i / tau)^N parts: computed in logarithms, at least 2, at most k and as many as it has
members. Two passes of k-means do not guarantee a radius, so clusters may remain wider than tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.criteria.weighing import Tick
from qpfs.groups import Groups
from qpfs.information import FeatureTable
from qpfs.strategies.refining import PartsOf, Refining, never
from qpfs.strategies.rounds import Outcome


@dataclass(frozen=True, eq=False)
class TwoLevel:
    """The strategy that keeps every cluster of two levels; only the final weights select."""

    clusterer: Clusterer
    criterion: Criterion
    n_clusters: int
    n_first: int | None = None
    radius: float | None = None
    repeat: bool = False  # until every radius is at most tau
    keep: IndexArray = field(default_factory=lambda: np.empty(0, np.intp))  # features to keep

    def run(self, table: FeatureTable, relevance: FloatArray, tick: Tick) -> Outcome:
        table = table.turned()
        tau, n_distances = self._radius(table, relevance)
        found = Refining(
            self.clusterer,
            self.criterion,
            never,
            tau,
            self.n_first or max(1, round(math.sqrt(self.n_clusters))),
            parts_of(self.n_clusters, tau, table.measure.size),
            None if self.repeat else 2,
            self.keep,
        ).run(table, relevance, tick)
        return replace(found, n_distances=found.n_distances + n_distances)

    def _radius(self, table: FeatureTable, relevance: FloatArray) -> tuple[float, int]:
        """tau, and the number of distances computed for it."""
        if self.radius is not None:
            return float(self.radius), 0
        whole = self.clusterer.cluster(table, Groups.one(table.varying), np.array([1]), relevance)
        tau = float(whole.radii[0]) * float(self.n_clusters) ** (-1.0 / table.measure.size)
        return tau, whole.n_distances


def parts_of(k: int, tau: float, n_samples: float) -> PartsOf:
    """(r / tau)^N rounded up, from 2 to k and to the number of members."""

    def parts(radii: FloatArray, sizes: IndexArray) -> IndexArray:
        exponent = n_samples * np.log(radii / max(tau, 1e-300))
        wanted = np.ceil(np.exp(np.minimum(exponent, 40.0)) - 1e-9)
        return np.minimum(np.clip(wanted, 2, float(max(k, 2))), sizes).astype(np.intp)

    return parts
