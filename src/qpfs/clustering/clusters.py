"""Clusters of features, and the variant of MacQueen's k-means that makes them.

Letters. d the distance 1 - I / max(H, H'), k the number of parts, r the radius of a cluster: the largest
distance of a member to its representative.

Two passes. In each, every feature is assigned to the nearest centre (the lowest index on ties; a centre stays
in its own cluster), then each cluster's representative becomes its centre. Many groups are clustered
together, independently of each other, so that thousands of small ones cost little more than one large one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.clustering.first_centres import FirstCentres, most_relevant
from qpfs.clustering.representatives import Representative
from qpfs.compiled import LINEAR, kernel, prompt
from qpfs.groups import Groups, n_pairs
from qpfs.information import FeatureTable
from qpfs.sorting import sorted_places

PASSES = 2  # as published


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of several groups; those of a group are consecutive, ordered by representative."""

    groups: Groups  # the groups that were clustered
    labels: IndexArray  # (members of all groups,) the cluster of each
    bounds: IndexArray  # the clusters of group i are bounds[i] to bounds[i + 1] - 1
    representatives: IndexArray  # (clusters,)
    radii: FloatArray  # (clusters,)
    n_distances: int

    def __len__(self) -> int:
        return len(self.representatives)

    def lean(self) -> Clusters:
        """The clusters in integers of 32 bits, if they fit."""
        members, labels, representatives = map(
            short, (self.groups.members, self.labels, self.representatives)
        )
        groups = Groups(members, self.groups.bounds)
        return replace(self, groups=groups, labels=labels, representatives=representatives)

    def parts(self) -> Groups:
        """The clusters as groups."""
        return Groups.labelled(self.groups.members, self.labels, len(self))

    def owner(self) -> IndexArray:
        """The group of each cluster."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.bounds))


class Clusterer(Protocol):
    """Clusters features; the members of a group ascend, none is constant."""

    def cluster(self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> Clusters:
        """The clusters of each group, about k of it; k may differ between groups."""


@dataclass(frozen=True, eq=False)
class MacQueenVariant:
    """The variant of MacQueen's k-means: clusters features around representatives in two passes."""

    representative: Representative
    first_centres: FirstCentres = most_relevant
    parallel: ClassVar[bool] = True  # groups may be clustered by several threads at the same time

    def cluster(self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> Clusters:
        """At most k clusters of each group."""
        centres, n_distances = self.first_centres(table, groups, np.minimum(k, groups.sizes), relevance)
        for _ in range(PASSES):
            labels, n_assigned = assigned(table, groups, centres)
            centres, labels, n_moved = moved(
                table, groups, labels, centres.bounds, self.representative, centres.members
            )
            n_distances += n_assigned + n_moved
        return finished(table, groups, labels, centres, n_distances)


def short(numbers: AnyArray) -> AnyArray:
    """Non-negative integers in 32 bits, if they fit."""
    return numbers.astype(np.int32) if numbers.max(initial=0) < 1 << 31 else numbers


def assigned(table: FeatureTable, groups: Groups, centres: Groups) -> tuple[IndexArray, int]:
    """The nearest centre of each member, and the number of distances computed: none for the centres."""
    lo, hi = centres.bounds[:-1][groups.labels], centres.bounds[1:][groups.labels]
    leave_out(groups.members, groups.bounds, centres.members, centres.bounds, lo, hi)
    return table.nearest(groups.members, lo, hi, centres.members)[0], n_pairs(lo, hi)


@prompt(LINEAR)
@kernel
def leave_out(
    members: IndexArray,
    bounds: IndexArray,
    centres: IndexArray,
    centre_bounds: IndexArray,
    lo: IndexArray,
    hi: IndexArray,
) -> None:
    """Makes the run of every centre empty, since it is not compared with others. All arrays ascend."""
    for g in range(len(bounds) - 1):
        i = bounds[g]
        for j in range(centre_bounds[g], centre_bounds[g + 1]):
            while members[i] < centres[j]:
                i += 1
            lo[i] = hi[i] = j


def moved(
    table: FeatureTable,
    groups: Groups,
    labels: IndexArray,
    bounds: IndexArray,
    representative: Representative,
    centres: IndexArray,
) -> tuple[Groups, IndexArray, int]:
    """The representatives as new centres, ascending in each group, labels to match, distances computed."""
    clusters = Groups.labelled(groups.members, labels, len(centres))
    new, n_distances = representative(table, clusters, centres)
    owner = np.repeat(np.arange(len(groups)), np.diff(bounds))
    order = sorted_places(owner * table.n_features + new)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Groups(new[order], bounds), rank[labels], n_distances


def finished(
    table: FeatureTable, groups: Groups, labels: IndexArray, centres: Groups, n_distances: int
) -> Clusters:
    """The clusters with their radii; a representative's distance to itself is not computed."""
    others = np.flatnonzero(centres.members[labels] != groups.members)
    apart = np.zeros(len(labels))
    apart[others] = table.distance_to(groups.members[others], centres.members, labels[others])
    radii = np.zeros(len(centres.members))
    np.maximum.at(radii, labels, apart)
    return Clusters(groups, labels, centres.bounds, centres.members, radii, n_distances + len(others))
