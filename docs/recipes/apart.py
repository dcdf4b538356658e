"""A criterion with its selector: relevant features that are far from each other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import number_between
from qpfs.criteria import Criterion, Weighing
from qpfs.information import FeatureTable, Measure
from qpfs.methods import Method
from qpfs.selectors import FeatureSelector
from qpfs.selectors.account import Account, candidates, measure_words
from qpfs.selectors.problem import FitProblem


@dataclass(frozen=True)
class ApartCriterion(Criterion):
    """Takes features one by one, each the best by relevance times distance to the nearest one taken."""

    n_features: int | None
    power: float = 1.0

    def taking(self, n: int | None) -> ApartCriterion:
        return replace(self, n_features=n)

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Any
    ) -> Weighing:
        value, order, scores = relevance[features].copy(), [], np.zeros(table.n_features)
        while len(order) < (self.n_features or len(features)) and value.max() > 0:
            best = int(np.argmax(value))
            order.append(features[best])
            scores[features[best]] = value[best]
            far = table.distances(features[[best]])[0, features]
            value = np.minimum(value, relevance[features] * far**self.power)
            value[best] = -1.0  # taken: never again
            tick()
        return Weighing(scores, np.array(order, np.intp))


class Apart(FeatureSelector):
    """Features that are relevant and far from each other.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to take; None for all that have any value.
    power : float, default=1.0
        How much the distance to the nearest feature taken counts: its exponent.
    measure, discretizer, target_discretizer, n_jobs
        As :class:`qpfs.QPFS` has them.
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        power: float = 1.0,
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.power = power
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        number_between("power", self.power, 0, 10)

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        return ApartCriterion(problem.n_select, self.power)

    def account(self, chosen: Collection[str] = ()) -> Account:
        """What a report, and a methods section, say."""
        text = (
            f"Features were taken one by one from {candidates(self)}, each the best by relevance times its "
            f"distance to the nearest one taken, both measured by {measure_words(self)}."
        )
        return Account(text, (), self._certainty(self))

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        return ("The order is exact for this rule; it proves nothing of the set as a whole.",)

    def _pairs(self, m: int, n_samples: float) -> float:
        """Pairs of features that a fit looks at, for the forecast of its time."""
        return float(m * m)


METHOD = Method("apart", "Apart", __name__, "Apart", "relevant features far from each other")  # registered
