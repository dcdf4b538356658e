"""Parts for two readings of the publication's text that its methods here do not follow.

`InterleavedSelector(LiteralFeatureKMeans(), LocalQPFS())` is IKM-QPFS with both: the mean of a cluster is
that of the numbers, and an automatic theta that of each program by itself. No table is made with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs import QPFS, FeatureKMeans
from qpfs.arrays import FloatArray, IndexArray
from qpfs.clustering import NearestToMean
from qpfs.codes.numbers import plain_numbers, reject_labels
from qpfs.codes.readable import Readable
from qpfs.criteria import ORDERS, QuadraticCriterion, TradeOff
from qpfs.groups import Groups

MEANS_BYTES = 1 << 22  # of numbers held at a time
WHO = "The mean of a cluster's numbers"


class LocalQPFS(QPFS):
    """QPFS whose automatic theta is that of each program by itself."""

    def _criterion(self, problem: Any, random_state: np.random.RandomState) -> QuadraticCriterion:
        balance = None if self.theta == "auto" else TradeOff(float(self.theta))
        return QuadraticCriterion(balance, cache_bytes=problem.columns.cache_bytes, order=ORDERS[self.order])


class LiteralFeatureKMeans(FeatureKMeans):
    """k-means of features in which the member nearest to the mean of the numbers stands for a cluster."""

    def clusterer(self, problem: Any, radius: float | None, random_state: np.random.RandomState) -> Any:
        found: Any = super().clusterer(problem, radius, random_state)
        columns = problem.columns.with_numbers()
        reject_labels(columns, problem.table.varying, WHO)
        nearest = NearestToMean(problem.rule.for_means(), LiteralMeans(columns))
        return replace(found, representative=nearest)


@dataclass(frozen=True, eq=False)
class LiteralMeans:
    """The mean of the numbers themselves, each column scaled to [-1, 1]: nothing is turned."""

    columns: Readable

    def __call__(self, table: Any, clusters: Groups, centres: IndexArray) -> FloatArray:
        total = np.zeros((self.columns.n_samples, len(clusters)))
        width = max(1, MEANS_BYTES // (8 * self.columns.n_samples))
        for start in range(0, len(clusters.members), width):
            some = slice(start, start + width)
            tile = scaled(plain_numbers(self.columns, clusters.members[some], WHO))
            np.add.at(total.T, clusters.labels[some], tile.T)
        return total / clusters.sizes


def scaled(tile: FloatArray) -> FloatArray:
    """Each column moved and stretched to [-1, 1]; none is constant."""
    low, high = tile.min(axis=0), tile.max(axis=0)
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    return (tile - middle) / np.where(half > 0, half, 1.0)  # half of the least number is none
