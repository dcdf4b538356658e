"""The cluster of each feature and its representative."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray


class Members:
    """The cluster of each feature, the cluster's representative, and the distance to it."""

    def __init__(self, selector: Any) -> None:
        n = selector.n_features_in_
        self.cluster: IndexArray = np.full(n, -1, np.intp)
        self.representative: IndexArray = np.full(n, -1, np.intp)
        self.distance: FloatArray = np.full(n, np.nan)
        self.sizes: IndexArray = np.zeros(0, np.intp)
        if hasattr(selector, "labels_"):
            self._read_clusters(selector)
        elif hasattr(selector, "affiliated_features_"):
            self._read_affiliates(selector.affiliated_features_)

    def _read_clusters(self, selector: Any) -> None:
        self.cluster = selector.labels_
        kept = np.flatnonzero(self.cluster >= 0)
        labels = self.cluster[kept]
        self.sizes = np.bincount(labels, minlength=len(selector.representatives_))
        self.representative[kept] = selector.representatives_[labels]
        fitted = selector.fitted_
        own = fitted.asked.leads(kept)
        self.distance[kept] = fitted.table.distance_to(own, selector.representatives_, labels)

    def _read_affiliates(self, lists: dict[int, list[Any]]) -> None:
        self.sizes = np.array([1 + len(some) for some in lists.values()], np.intp)
        for cluster, (support, some) in enumerate(lists.items()):
            members = [support, *(one.feature for one in some)]
            self.cluster[members], self.representative[members] = cluster, support
            self.distance[members] = [0.0, *(1.0 - abs(one.correlation) for one in some)]
