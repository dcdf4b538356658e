"""Clusters around features to keep: each of them represents a cluster.

After the clusterer, each feature to keep replaces the representative of its cluster, and every member of its
group is assigned to the nearest of the resulting centres: one more pass of k-means. No two features to keep
are in one cluster, and each of them is the representative of its cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.clustering.clusters import Clusterer, Clusters, assigned, finished
from qpfs.groups import Groups, bounds_of
from qpfs.information import FeatureTable


@dataclass(frozen=True, eq=False)
class Anchored:
    """A clusterer in whose clusters some features must be representatives."""

    clusterer: Clusterer
    keep: IndexArray  # ascending

    @property
    def parallel(self) -> bool:
        """Whether groups may be clustered by several threads at the same time."""
        return getattr(self.clusterer, "parallel", False)

    def cluster(self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> Clusters:
        found = self.clusterer.cluster(table, groups, k, relevance)
        kept = np.isin(groups.members, self.keep)
        touched = np.unique(groups.labels[kept])
        if len(touched) == 0:
            return found
        centres = self._centres(found, kept)
        some, apart = groups.take(touched), centres.take(touched)
        labels, n_assigned = assigned(table, some, apart)
        anew = finished(table, some, labels, apart, n_assigned)
        return merged(found, centres, touched, anew)

    def _centres(self, found: Clusters, kept: BoolArray) -> Groups:
        """The centres of each group, ascending: features to keep replace their clusters' representatives."""
        replaced = np.zeros(len(found), bool)
        replaced[found.labels[kept]] = True
        centres = np.concatenate((found.representatives[~replaced], found.groups.members[kept]))
        owner = np.concatenate((found.owner()[~replaced], found.groups.labels[kept]))
        order = np.lexsort((centres, owner))
        return Groups(centres[order], bounds_of(np.bincount(owner, minlength=len(found.groups))))


def merged(found: Clusters, centres: Groups, touched: IndexArray, anew: Clusters) -> Clusters:
    """The clusters of all groups: those found, with some groups replaced by a new clustering."""
    members, again = found.groups.places(touched), centres.places(touched)
    others = np.setdiff1d(np.arange(len(found.groups)), touched)
    radii = np.empty(len(centres.members))
    shift = centres.bounds[:-1] - found.bounds[:-1]  # clusters are numbered consecutively over groups
    labels = found.labels + shift[found.groups.labels]
    begin = np.repeat(centres.bounds[touched] - anew.bounds[:-1], np.diff(anew.groups.bounds))
    labels[members] = anew.labels + begin
    radii[again] = anew.radii
    radii[centres.places(others)] = found.radii[np.isin(found.owner(), others)]
    return replace(
        found,
        labels=labels,
        bounds=centres.bounds,
        representatives=centres.members,
        radii=radii,
        n_distances=found.n_distances + anew.n_distances,
    )
