"""Where clustering begins: the first centres.

Each rule is an object called with (table, members, k, relevance); members are ascending. It returns at most k
of them, ascending, and how many distances it computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.information import FeatureTable

FirstCentres: TypeAlias = Callable[[FeatureTable[Any], IndexArray, int, FloatArray], tuple[IndexArray, int]]


def first(
    table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
) -> tuple[IndexArray, int]:
    """The first k columns, as published; the answer then depends on their order."""
    return members[:k], 0


def most_relevant(
    table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
) -> tuple[IndexArray, int]:
    """The k most relevant, ties to the lowest index."""
    return np.sort(by_relevance(members, relevance)[:k]), 0


@dataclass(frozen=True, eq=False)
class AtRandom:
    """k members, each as likely as another."""

    random_state: np.random.RandomState

    def __call__(
        self, table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
    ) -> tuple[IndexArray, int]:
        return np.sort(self.random_state.permutation(members)[:k]), 0


@dataclass(frozen=True)
class Leaders:
    """Members in order of relevance, without any within `radius` of one already taken.

    Where that leaves fewer than two, the most relevant of the others joins: a split must have two parts.
    """

    radius: float

    def __call__(
        self, table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
    ) -> tuple[IndexArray, int]:
        waiting = by_relevance(members, relevance)
        taken: list[int] = []
        n_distances = 0
        passed: list[int] = []
        while len(waiting) and len(taken) < k:
            leader, waiting = int(waiting[0]), waiting[1:]
            taken.append(leader)
            if len(waiting) == 0 or len(taken) == k:
                break
            near = table.nearest(waiting, np.array([leader]))[1] <= self.radius
            n_distances += len(waiting)
            passed += waiting[near].tolist()
            waiting = waiting[~near]
        if len(taken) < 2 <= min(k, len(members)):
            taken.append(int(by_relevance(np.sort(np.array(passed, np.intp)), relevance)[0]))
        return np.sort(np.array(taken, np.intp)), n_distances


def farthest(
    table: FeatureTable[Any], members: IndexArray, k: int, relevance: FloatArray
) -> tuple[IndexArray, int]:
    """The most relevant, then again and again the member farthest from those taken."""
    taken = [int(by_relevance(members, relevance)[0])]
    least = np.full(len(members), np.inf)
    n_distances = 0
    while len(taken) < min(k, len(members)):
        least = np.minimum(least, table.nearest(members, np.array(taken[-1:]))[1])
        n_distances += len(members)
        least[np.isin(members, taken)] = -1.0
        taken.append(int(members[least.argmax()]))
    return np.sort(np.array(taken, np.intp)), n_distances


def by_relevance(members: IndexArray, relevance: FloatArray) -> IndexArray:
    """Ascending members, most relevant first, ties by index."""
    return members[np.argsort(-relevance[members], kind="stable")]
