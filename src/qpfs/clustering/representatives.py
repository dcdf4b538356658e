"""Which member stands for a cluster.

Each rule is an object called with (table, members, centre); members are ascending. It returns one of them,
the lowest index on ties, and how many distances it computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.encoding import Rule
from qpfs.information import FeatureTable
from qpfs.sums import add_weighted

Representative: TypeAlias = Callable[[FeatureTable[Any], IndexArray, int], tuple[int, int]]

CHUNK = 1024  # members whose scores are held at a time


@dataclass(frozen=True, eq=False)
class NearestToMean:
    """The member nearest to the cluster's mean.

    The mean is of level scores, each member's turned round if it runs against the centre's, because the
    distance takes no notice of direction; it is cut by the rule that cut the features.
    """

    rule: Rule

    def __call__(self, table: FeatureTable[Any], members: IndexArray, centre: int) -> tuple[int, int]:
        if len(members) == 1:
            return int(members[0]), 0
        apart = table.distances_from(aligned_mean(table, members, centre), self.rule, members)
        return int(members[apart.argmin()]), len(members)


@dataclass(frozen=True)
class Medoid:
    """The member with the least sum of distances to the others."""

    def __call__(self, table: FeatureTable[Any], members: IndexArray, centre: int) -> tuple[int, int]:
        total = np.zeros(len(members))
        for member in members:
            total += table.nearest(members, np.array([member]))[1]
        return int(members[total.argmin()]), len(members) ** 2


def aligned_mean(table: FeatureTable[Any], members: IndexArray, centre: int) -> FloatArray:
    """The mean of the members' scores, turned to run with the centre's; added in the order of members."""
    direction = centred(table.scores(np.array([centre])))[0]
    total = np.zeros(len(direction))
    for start in range(0, len(members), CHUNK):
        scores = table.scores(members[start : start + CHUNK])
        signs = np.where(running_against(scores, direction), -1.0, 1.0)
        add_weighted(scores, np.arange(len(scores)), signs, total)
    return total / len(members)


def running_against(scores: FloatArray, direction: FloatArray) -> FloatArray:
    """Whether each row correlates negatively with the direction; not if it is only rounding."""
    products = (centred(scores) * direction).sum(axis=1)
    return products < -1e-9 * len(direction)


def centred(scores: FloatArray) -> FloatArray:
    return scores - scores.mean(axis=1, keepdims=True)
