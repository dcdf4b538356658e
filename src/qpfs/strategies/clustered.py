"""A strategy, and the criterion for its cluster representatives, combined into one criterion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria import Criterion, Weighing
from qpfs.criteria.weighing import Tick
from qpfs.information import FeatureTable
from qpfs.strategies.rounds import Outcome


class Strategy(Protocol):
    """Decides what is clustered and weighted, and when."""

    @property
    def keep(self) -> IndexArray:
        """Features to keep, ascending."""

    def run(self, table: FeatureTable, relevance: FloatArray, tick: Tick) -> Outcome:
        """The final clusters, and the rounds before them."""


@dataclass(frozen=True, eq=False)
class Clustered(Criterion):
    """Assigns weights to the representatives of a strategy's clusters; other features have none."""

    strategy: Strategy
    criterion: Criterion

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        found = self.strategy.run(table, relevance, tick)
        if len(found.representatives) == 0:
            raise ValueError(
                "Every cluster was discarded: the criterion gave no weight to any representative, as "
                "happens if no single feature is relevant to the target. Use another criterion, or "
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
