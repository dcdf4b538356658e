"""Any scikit-learn clusterer as a clusterer of features.

It is fitted to the features of a group as rows (or to the distances between them, if it takes those) and
gives labels; representatives and radii are computed as for our own clusterers. A feature that it labels as
noise is a cluster of one; too few features for it are one cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import is_integer
from qpfs.clustering.clusters import Clusters, finished, moved
from qpfs.clustering.representatives import Representative
from qpfs.codes.numbers import plain_numbers, standardized
from qpfs.codes.readable import Readable
from qpfs.groups import Groups, bounds_of
from qpfs.information import FeatureTable

Rows: TypeAlias = Callable[[FeatureTable, IndexArray], tuple[FloatArray, int]]


def distance_matrix(table: FeatureTable, members: IndexArray) -> tuple[FloatArray, int]:
    """The distances between features, and their number."""
    apart = table.distances_within(Groups.one(members))
    return apart.reshape(len(members), len(members)), len(apart)


def similarity_matrix(table: FeatureTable, members: IndexArray) -> tuple[FloatArray, int]:
    """1 minus the distances between features, and their number."""
    apart, n_distances = distance_matrix(table, members)
    return np.subtract(1.0, apart, out=apart), n_distances


def standardized_rows(columns: Readable) -> Rows:
    """The features as rows with mean 0 and variance 1."""

    def rows(table: FeatureTable, members: IndexArray) -> tuple[FloatArray, int]:
        if table.measure.weights is not None:
            raise TypeError(
                "A clusterer of scikit-learn does not use sample weights here. Leave out "
                "sample_weight and class_weight, use FeatureKMeans, or a clusterer that takes distances "
                "(metric='precomputed')."
            )
        tile = plain_numbers(columns, members, "A clusterer of numbers")
        return standardized(tile, members).values.T * np.sqrt(columns.n_samples), 0

    return rows


@dataclass(frozen=True, eq=False)
class Foreign:
    """Clusters by an estimator's labels; `sized`: k replaces its own number of clusters."""

    estimator: Any
    rows: Rows
    representative: Representative
    sized: bool

    def cluster(self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> Clusters:
        """The clusters of each group, one group after another."""
        labels = np.empty(len(groups.members), np.intp)
        n_clusters, n_distances = np.zeros(len(groups), np.intp), 0
        for i in range(len(groups)):
            found, n = self._labels(table, groups.of(i), int(k[i]))
            labels[groups.bounds[i] : groups.bounds[i + 1]] = found + n_clusters[:i].sum()
            n_clusters[i] = found.max() + 1
            n_distances += n
        bounds = bounds_of(n_clusters)
        parts = Groups.labelled(groups.members, labels, int(bounds[-1]))
        leading = parts.members[parts.best(-relevance[parts.members])]
        centres, labels, n = moved(table, groups, labels, bounds, self.representative, leading)
        return finished(table, groups, labels, centres, n_distances + n)

    def _labels(self, table: FeatureTable, members: IndexArray, k: int) -> tuple[IndexArray, int]:
        """The cluster of each member, from 0, and the number of distances computed."""
        parameters = self.estimator.get_params()
        if len(members) < self._fewest(parameters):
            return np.zeros(len(members), np.intp), 0
        estimator = clone(self.estimator)
        if is_integer(own := parameters.get("n_clusters")):
            estimator.set_params(n_clusters=min(k if self.sized else own, len(members)))
        rows, n_distances = self.rows(table, members)
        return without_noise(np.asarray(estimator.fit_predict(rows))), n_distances

    @staticmethod
    def _fewest(parameters: dict[str, Any]) -> int:
        """The fewest features that the estimator accepts; density-based ones reject fewer."""
        if "min_cluster_size" not in parameters:
            return 2
        sizes = [parameters.get(name) for name in ("min_cluster_size", "min_samples")]
        return max(2, *(size for size in sizes if is_integer(size)))


def without_noise(labels: IndexArray) -> IndexArray:
    """Labels from 0, with a new one for each feature that had a negative one."""
    labels = labels.astype(np.intp)
    noise = labels < 0
    labels[noise] = labels.max(initial=-1) + 1 + np.arange(noise.sum())
    return np.unique(labels, return_inverse=True)[1]
