"""Clusters of features, and the variant of MacQueen's k-means that makes them.

Letters. d the distance 1 - I / max(H, H'), k the number of parts, r the radius of a cluster: the largest
distance of a member to its representative.

Two passes. In each, every feature goes to the nearest centre (the lowest index on ties; a centre stays in its
own cluster), then each cluster's representative becomes its centre.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering.first_centres import FirstCentres, most_relevant
from qpfs.clustering.representatives import Representative
from qpfs.information import FeatureTable

PASSES = 2


@dataclass(frozen=True, eq=False)
class Clusters:
    """Disjoint clusters of some features."""

    members: IndexArray  # ascending
    labels: IndexArray  # (members,) the cluster of each
    representatives: IndexArray  # (k,) ascending
    radii: FloatArray  # (k,)
    n_distances: int = 0

    def __len__(self) -> int:
        return len(self.representatives)

    def of(self, cluster: int) -> IndexArray:
        """The members of a cluster."""
        return self.members[self.labels == cluster]


@dataclass(frozen=True, eq=False)
class MacQueenVariant:
    """Clusters features around representatives in two passes."""

    representative: Representative
    first_centres: FirstCentres = field(default=most_relevant)

    def cluster(
        self, table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
    ) -> Clusters:
        """At most k clusters of the given features, none of them constant."""
        centres, n_distances = self.first_centres(table, members, min(k, len(members)), relevance)
        for _ in range(PASSES):
            labels, n = assigned(table, members, centres)
            n_distances += n
            centres, labels, n = self._moved(table, members, labels, centres)
            n_distances += n
        radii, n = cluster_radii(table, members, labels, centres)
        return Clusters(members, labels, centres, radii, n_distances + n)

    def _moved(
        self, table: FeatureTable[Any], members: IndexArray, labels: IndexArray, centres: IndexArray
    ) -> tuple[IndexArray, IndexArray, int]:
        """The representatives as new centres, ascending, with labels to match, and the distances computed."""
        found = [
            self.representative(table, members[labels == i], int(centre)) for i, centre in enumerate(centres)
        ]
        new = np.array([feature for feature, _ in found], np.intp)
        order = np.argsort(new)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return new[order], rank[labels], sum(n for _, n in found)


def assigned(table: FeatureTable[Any], members: IndexArray, centres: IndexArray) -> tuple[IndexArray, int]:
    """The cluster of each member, and how many distances that took: none for the centres."""
    labels = np.zeros(len(members), np.intp)
    place = np.searchsorted(members, centres)
    labels[place] = np.arange(len(centres))
    others = np.delete(np.arange(len(members)), place)
    if len(others):
        labels[others] = table.nearest(members[others], centres)[0]
    return labels, len(others) * len(centres)


def cluster_radii(
    table: FeatureTable[Any], members: IndexArray, labels: IndexArray, centres: IndexArray
) -> tuple[FloatArray, int]:
    """The radius of each cluster around its centre, and how many distances that took."""
    radii = np.zeros(len(centres))
    n_distances = 0
    for i, centre in enumerate(centres):
        others = members[labels == i]
        others = others[others != centre]
        if len(others):
            radii[i] = table.nearest(others, np.array([centre]))[1].max()
        n_distances += len(others)
    return radii, n_distances
