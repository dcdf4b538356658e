"""A clusterer: features that stand next to each other, as wavelengths or positions do."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.clustering import Clusters, NearestToMean
from qpfs.clustering.clusters import finished, moved
from qpfs.codes import ThreeSegments
from qpfs.groups import Groups, bounds_of


class Windows:
    """Each group is divided, in the order of its columns, into windows of about `size` features."""

    def __init__(self, size: int = 10) -> None:
        self.size = size

    def cluster(self, table: Any, groups: Groups, k: Any, relevance: FloatArray) -> Clusters:
        windows = np.minimum(groups.sizes, np.maximum(groups.sizes // self.size, 2))
        bounds = bounds_of(windows)
        place = np.arange(len(groups.members)) - groups.bounds[groups.labels]
        within = place * windows[groups.labels] // groups.sizes[groups.labels]
        labels = bounds[groups.labels] + within
        first = Groups.labelled(groups.members, labels, int(bounds[-1]))
        centres, labels, n_distances = moved(
            table, groups, labels, bounds, NearestToMean(ThreeSegments()), first.members[first.bounds[:-1]]
        )
        return finished(table, groups, labels, centres, n_distances)

    def __repr__(self) -> str:
        return f"Windows({self.size})"
