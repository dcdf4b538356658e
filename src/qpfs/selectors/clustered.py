"""What the clustered methods share: like features are clustered, and those standing for a cluster weighed."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from qpfs.arrays import FloatArray
from qpfs.clustering import (
    AtRandom,
    FirstCentres,
    Leaders,
    MacQueenVariant,
    NearestToMean,
    farthest,
    first,
    most_relevant,
)
from qpfs.codes import ThreeSegments
from qpfs.criteria import QuadraticCriterion, TradeOff, Weighing, trade_off
from qpfs.criteria.weighing import Tick
from qpfs.information import FeatureTable
from qpfs.selectors.alternatives import AlternativesMixin
from qpfs.selectors.parameters import checked_theta, chosen
from qpfs.selectors.selector import FeatureSelector
from qpfs.strategies import Outcome

INITS = ("leaders", "relevance", "first", "random", "farthest")


class ClusteredSelector(AlternativesMixin, FeatureSelector):
    """Clusters like features, and weighs those that stand for a cluster."""

    theta: float | str
    init: str
    random_state: Any

    @abstractmethod
    def _run(
        self,
        table: FeatureTable[Any],
        relevance: FloatArray,
        theta: float,
        clusterer: MacQueenVariant,
        tick: Tick,
    ) -> Outcome:
        """The clusters to be weighed at the end."""

    @abstractmethod
    def _leader_radius(self) -> float:
        """How near to a leader another may not be."""

    def _check_parameters(self) -> None:
        checked_theta(self.theta)
        chosen("init", self.init, dict.fromkeys(INITS))

    def _weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, n_select: int | None, tick: Tick
    ) -> Weighing:
        random_state = check_random_state(self.random_state)
        given = checked_theta(self.theta)
        balance = TradeOff(given) if given is not None else trade_off(table, relevance, random_state)
        clusterer = MacQueenVariant(NearestToMean(ThreeSegments()), self._first_centres(random_state))
        found = self._run(table, relevance, balance.theta, clusterer, tick)
        criterion = QuadraticCriterion(balance.theta)
        weighing = criterion.weigh(table, relevance, found.representatives, tick)
        self.theta_, self.theta_standard_error_ = balance.theta, balance.standard_error
        self.gap_, self.objective_ = weighing.solution.gap, weighing.solution.objective
        self.labels_, self.representatives_ = found.labels, found.representatives
        self.radii_, self.radius_ = found.radii, found.radius
        self.rounds_, self.n_distances_ = list(found.rounds), found.n_distances
        self._table = FeatureTable(table.store, table.measure)
        return weighing

    def _first_centres(self, random_state: np.random.RandomState) -> FirstCentres:
        rules: dict[str, FirstCentres] = {
            "leaders": Leaders(self._leader_radius()),
            "relevance": most_relevant,
            "first": first,
            "random": AtRandom(random_state),
            "farthest": farthest,
        }
        return chosen("init", self.init, rules)

    def _shortage(self, n: int) -> str:
        return f"{n} stand for a cluster; those are selected. {self._advice()}"

    @abstractmethod
    def _advice(self) -> str:
        """Which parameter to move for more features."""
