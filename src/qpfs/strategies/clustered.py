"""A strategy, and what weighs the features that it leaves, as one criterion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria import Criterion, Weighing
from qpfs.criteria.weighing import Tick
from qpfs.information import FeatureTable
from qpfs.strategies.rounds import Outcome


class Strategy(Protocol):
    """What is clustered and weighed, and when."""

    @property
    def keep(self) -> IndexArray:
        """Features that must be in, ascending."""

    def run(self, table: FeatureTable[Any], relevance: FloatArray, tick: Tick) -> Outcome:
        """The clusters to be weighed at the end."""


@dataclass(frozen=True, eq=False)
class Clustered(Criterion):
    """Weighs, of all features, those that stand for the clusters of a strategy."""

    strategy: Strategy
    criterion: Criterion

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing:
        found = self.strategy.run(table, relevance, tick)
        if len(found.representatives) == 0:
            raise ValueError(
                "Every cluster was discarded: the criterion gave no weight to any representative, as where "
                "no feature says anything about the target by itself. Use another criterion, or "
                "discard='never'."
            )
        weighing = self.criterion.weigh(table, relevance, found.representatives, tick)
        facts = {
            "labels": found.labels,
            "representatives": found.representatives,
            "radii": found.radii,
            "radius": found.radius,
            "rounds": found.rounds,
            "n_distances": found.n_distances,
        }
        return replace(weighing, facts={**weighing.facts, **facts})
