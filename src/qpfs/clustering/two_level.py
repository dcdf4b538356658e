"""Two-level k-means of features: a few large clusters, and those that are too wide split once more.

Letters. k the expected number of clusters, k' of the first level, R the radius of all features around their
representative, r_i of a cluster, tau the radius beyond which a cluster is split, N the number of samples.

A ball of radius R holds about (R / tau)^N balls of radius tau, so k clusters have tau = R k^(-1/N), and a
cluster is split into k (r_i / R)^N parts: computed in logarithms, at least 2, at most as many as it has
members.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering.clusters import Clusters, MacQueenVariant, cluster_radii
from qpfs.information import FeatureTable


@dataclass(frozen=True, eq=False)
class TwoLevelClusters:
    """Both levels: the first, and what it became."""

    first: Clusters
    final: Clusters
    radius: float  # tau as used


@dataclass(frozen=True, eq=False)
class TwoLevel:
    """Clusters features in two levels; one pass guarantees nothing about the radii it leaves."""

    clusterer: MacQueenVariant
    n_clusters: int
    n_first: int | None = None
    radius: float | None = None
    repeat: bool = False  # until every radius is at most tau

    def cluster(
        self, table: FeatureTable[Any], members: IndexArray, relevance: FloatArray
    ) -> TwoLevelClusters:
        """The clusters of the given features, none of them constant."""
        k_first = self.n_first or max(1, round(np.sqrt(self.n_clusters)))
        first = self.clusterer.cluster(table, members, k_first, relevance)
        whole, n_whole = self._whole_radius(table, members)
        n_samples = table.store.n_samples
        tau = self.radius if self.radius is not None else whole * self.n_clusters ** (-1.0 / n_samples)
        final = self._split(table, first, relevance, whole, tau)
        while self.repeat and (final.radii > tau).any() and len(final) < len(members):
            final = self._split(table, final, relevance, whole, tau)
        n = first.n_distances + n_whole + final.n_distances
        return TwoLevelClusters(first, replace(final, n_distances=n), float(tau))

    def _whole_radius(self, table: FeatureTable[Any], members: IndexArray) -> tuple[float, int]:
        """R, and how many distances it took."""
        centre, n_mean = self.clusterer.representative(table, members, int(members[0]))
        radii, n = cluster_radii(table, members, np.zeros(len(members), np.intp), np.array([centre]))
        return float(radii[0]), n_mean + n

    def _split(
        self, table: FeatureTable[Any], first: Clusters, relevance: FloatArray, whole: float, tau: float
    ) -> Clusters:
        """The clusters with every one wider than tau replaced by its parts."""
        parts: list[Clusters] = []
        for i in range(len(first)):
            mine = first.of(i)
            if first.radii[i] <= tau or len(mine) == 1:
                parts.append(single(mine, first.representatives[i], first.radii[i]))
            else:
                n = n_parts(first.radii[i] / whole, self.n_clusters, table.store.n_samples, len(mine))
                parts.append(self.clusterer.cluster(table, mine, n, relevance))
        return joined(parts)


def n_parts(share: float, k: int, n_samples: int, n_members: int) -> int:
    """k share^N rounded up, from 2 to the number of members."""
    exponent = np.log(k) + n_samples * np.log(min(max(share, 1e-300), 1.0))
    wanted = np.ceil(np.exp(min(exponent, 40.0)) - 1e-9)
    return int(np.clip(wanted, min(2, n_members), n_members))


def single(members: IndexArray, representative: int, radius: float) -> Clusters:
    """One cluster."""
    labels = np.zeros(len(members), np.intp)
    return Clusters(members, labels, np.array([representative]), np.array([radius]))


def joined(parts: list[Clusters]) -> Clusters:
    """One clustering of all parts, its representatives ascending."""
    representatives = np.concatenate([part.representatives for part in parts])
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    members = np.concatenate([part.members for part in parts])
    labels = np.concatenate([part.labels + at for part, at in zip(parts, offsets, strict=False)])
    order = np.argsort(representatives)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ascending = np.argsort(members)
    return Clusters(
        members[ascending],
        rank[labels][ascending],
        representatives[order],
        np.concatenate([part.radii for part in parts])[order],
        sum(part.n_distances for part in parts),
    )
