"""The representative of a cluster.

Each rule is an object called with (table, clusters, centres): members ascend within a cluster, and each
cluster has a centre, one of its members. It returns a member of each, the lowest index on ties, and how many
distances it computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.encoding import Rule
from qpfs.groups import Groups
from qpfs.information import FeatureTable

Representative: TypeAlias = Callable[[FeatureTable, Groups, IndexArray], tuple[IndexArray, int]]
Means: TypeAlias = Callable[[FeatureTable, Groups, IndexArray], FloatArray]

MEANS_BYTES = 1 << 22  # bytes of means held at a time


def aligned(table: FeatureTable, clusters: Groups, centres: IndexArray) -> FloatArray:
    """The mean of each cluster, with levels as scores, and the sign of each member matched to the centre.

    The distance does not depend on the sign; without matching, negatively correlated members would cancel.
    """
    return table.means(clusters, centres)


@dataclass(frozen=True, eq=False)
class NearestToMean:
    """Representatives nearest to the cluster's mean, which is discretised by the rule of the features."""

    rule: Rule
    means: Means = aligned

    def __call__(self, table: FeatureTable, clusters: Groups, centres: IndexArray) -> tuple[IndexArray, int]:
        found = clusters.members[clusters.bounds[:-1]].copy()
        several = np.flatnonzero(clusters.sizes > 1)
        n_distances = 0
        for some in chunks(several, max(1, MEANS_BYTES // (8 * table.store.n_samples))):
            part = clusters.take(some)
            tile = self.means(table, part, centres[some])
            apart = table.distance_to_points(part.members, tile, part.labels, self.rule)
            found[some] = part.members[part.best(apart)]
            n_distances += len(apart)
        return found, n_distances


def medoid(table: FeatureTable, clusters: Groups, centres: IndexArray) -> tuple[IndexArray, int]:
    """Representatives with the smallest sum of distances to the other members."""
    n_distances = int((clusters.sizes * (clusters.sizes - 1)).sum())
    return clusters.members[clusters.best(table.distance_sums(clusters))], n_distances


def chunks(indices: IndexArray, size: int) -> Iterator[IndexArray]:
    for start in range(0, len(indices), size):
        yield indices[start : start + size]
