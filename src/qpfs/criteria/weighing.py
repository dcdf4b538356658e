"""The interface of a criterion, and its result."""

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
    """The final value of each feature, and the value needed to be selected, or to have weight."""

    worth: FloatArray  # (n_features,) in the units of the criterion; NaN where a feature was not weighted
    needed: float  # the value that a feature had to exceed
    others: IndexArray  # those that a feature was compared with: selected before, or with weight
    pull: FloatArray  # the factor of what a feature shares with each of them
    linear: bool = False  # whether worth is relevance minus the sum of pull times what is shared
    nearest: IndexArray | None = None  # (n_features,) the one of them that determined the value; -1: none


@dataclass(frozen=True, eq=False)
class Weighing:
    """The weight of each feature of a table, and the order in which features would be selected."""

    scores: FloatArray  # (n_features,) 0 where a feature has no weight
    order: IndexArray  # ranked features, best first; never a constant one
    facts: Mapping[str, Any] = field(default_factory=dict)  # further fitted attributes, by name
    standing: Standing | None = None  # of the features left out; None: unknown


class Criterion(ABC):
    """Assigns weights to given features of a table, none of them constant."""

    says_zero = True  # whether it gives some features a weight of 0

    @abstractmethod
    def weigh(
        self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing: ...

    def taking(self, n: int | None) -> Criterion:
        """The criterion that selects n features, if it has such a number; None: as many as it finds best."""
        return self

    def weigh_each(self, table: FeatureTable, relevance: FloatArray, groups: Groups) -> FloatArray:
        """The weights of the members of each group, computed for each group separately."""
        weights = np.empty(len(groups.members))
        for i in range(len(groups)):
            some = slice(groups.bounds[i], groups.bounds[i + 1])
            members = groups.members[some]
            weights[some] = self.weigh(table, relevance, members, lambda: None).scores[members]
        return weights


@dataclass(frozen=True)
class BestOf(Criterion):
    """A criterion that keeps only the best n weights of another: the weight of all others is 0."""

    criterion: Criterion
    n: int

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        found = self.criterion.weigh(table, relevance, features, tick)
        best = found.order[: self.n]
        return Weighing(spread(np.maximum(found.scores[best], 0.0), best, table.n_features), found.order)


def spread(weights: FloatArray, features: IndexArray, n_features: int, others: float = 0.0) -> FloatArray:
    """The weights of given features as an array over all; the others are 0, or another number."""
    scores = np.full(n_features, others)
    scores[features] = weights
    return scores
