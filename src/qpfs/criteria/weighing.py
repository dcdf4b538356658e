"""What a criterion is asked, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.groups import Groups
from qpfs.information import FeatureTable

Tick: TypeAlias = Callable[[], None]  # called after each step of a long job


@dataclass(frozen=True, eq=False)
class Standing:
    """What each feature came to at the end, and what it took to be taken, or to have weight."""

    worth: FloatArray  # (n_features,) in the criterion's own terms; NaN where a feature was not weighed
    needed: float  # what a feature had to be worth more than
    others: IndexArray  # those that a feature was judged beside: taken before, or with weight
    pull: FloatArray  # how much it counts what a feature shares with each of them
    linear: bool = False  # whether worth is relevance less the sum of pull times what is shared
    nearest: IndexArray | None = None  # (n_features,) the one of them that decided, where one does; -1: none


@dataclass(frozen=True, eq=False)
class Weighing:
    """The weight of each feature of a table, and the order in which features would be taken."""

    scores: FloatArray  # (n_features,) 0 where a feature has no weight
    order: IndexArray  # ranked features, best first; never a constant one
    facts: Mapping[str, Any] = field(default_factory=dict)  # what else a user may want to know, by name
    standing: Standing | None = None  # of the features left out; None: the criterion has nothing to say


class Criterion(ABC):
    """Weighs given features of a table, none of them constant."""

    says_zero = True  # whether it finds some features not worth any weight

    @abstractmethod
    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing: ...

    def taking(self, n: int | None) -> Criterion:
        """The same for n features, where it takes as many as it is told; None: as it decides itself."""
        return self

    def weigh_each(self, table: FeatureTable[Any], relevance: FloatArray, groups: Groups) -> FloatArray:
        """The weights of the members of each group, weighed by itself."""
        weights = np.empty(len(groups.members))
        for i in range(len(groups)):
            some = slice(groups.bounds[i], groups.bounds[i + 1])
            members = groups.members[some]
            weights[some] = self.weigh(table, relevance, members, lambda: None).scores[members]
        return weights


@dataclass(frozen=True)
class BestOf(Criterion):
    """A criterion that rarely says zero, made to keep its best n: the weight of all others is 0."""

    criterion: Criterion
    n: int

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing:
        found = self.criterion.weigh(table, relevance, features, tick)
        best = found.order[: self.n]
        return Weighing(spread(np.maximum(found.scores[best], 0.0), best, table.n_features), found.order)


def spread(weights: FloatArray, features: IndexArray, n_features: int, others: float = 0.0) -> FloatArray:
    """The weights of given features among all, the others 0, or another number."""
    scores = np.full(n_features, others)
    scores[features] = weights
    return scores
