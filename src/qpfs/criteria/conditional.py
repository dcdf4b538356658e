"""Features selected one by one, each for its information about the target given one selected feature.

Letters: s_i = I(X_i; Y); c_ij = I(X_i; Y | X_j), the information of i about Y given j. By the chain rule that
is I(X_i; (X_j, Y)) - I(X_i; X_j): the relevance of i to a target combined of j and Y, minus what i and j
share. So the feature table computes it like any relevance, wherever the features are stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes import Target
from qpfs.criteria.greedy import one_by_one
from qpfs.criteria.terms import Terms
from qpfs.criteria.weighing import Criterion, Tick, Weighing
from qpfs.information import FeatureTable
from qpfs.messages import Parameter, invalid


@dataclass(frozen=True)
class ConditionalCriterion(Criterion):
    """JMI and CMIM: `n_features` one by one; None: while the best adds more than expected by chance.

    With `least`, the value of a feature is its least information given any one selected feature, or none
    (CMIM); without, the mean over the selected features (JMI).
    """

    target: Target
    least: bool
    n_features: int | None
    terms: Terms | None = None

    def taking(self, n: int | None) -> ConditionalCriterion:
        return replace(self, n_features=n)

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        if table.measure.measure.name != "mi":
            raise invalid(
                "Conditional information needs mutual information as the measure, but this is ",
                Parameter("measure", table.measure.measure.name),
                "; set ",
                Parameter("measure", "mi"),
                ", or use another criterion.",
            )
        s, n, terms = relevance[features], self.n_features, self.terms and self.terms.among(features)
        given = partial(self._given, table, features)
        least = LeastGiven(given, s, np.zeros(len(s)), np.full(len(s), -1)) if self.least else None
        rating = least or MeanGiven(given)
        found = one_by_one(s, rating.after, n, stop=n is None, terms=terms, tick=tick)
        if least is None:
            return found.weighing(features, table.n_features)
        nearest = np.full(table.n_features, -1)
        nearest[features] = np.where(least.nearest < 0, -1, features[least.nearest])
        return found.weighing(features, table.n_features, nearest=nearest)

    def _given(self, table: FeatureTable, features: IndexArray, place: int) -> tuple[FloatArray, FloatArray]:
        """The information of some features given one of them, and how much of it is expected by chance."""
        feature = int(features[place])
        together = table.relevance(table.with_feature(self.target, feature))
        beyond = np.maximum(together - table.rows(np.array([feature]))[0], 0.0)
        apart, n_samples = table.measure.measure.apart(self.target), self.target.size
        of_target = sum(share * (len(one.counts) - 1) for one, share in apart)  # degrees of freedom
        degrees = (table.levels - 1) * of_target * table.levels[feature]
        return beyond[features], degrees[features] / (2 * n_samples)


@dataclass(eq=False)
class LeastGiven:
    """The least information given any one selected feature, or none: a rating of features."""

    given: Callable[[int], tuple[FloatArray, FloatArray]]
    worth: FloatArray
    chance: FloatArray
    nearest: IndexArray  # the selected one that determined each value; -1: none

    def after(self, best: int, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The information, twice, and how much of it is expected by chance."""
        beyond, by_chance = self.given(best)
        lower = beyond < self.worth
        self.worth, self.chance = np.minimum(self.worth, beyond), np.where(lower, by_chance, self.chance)
        self.nearest = np.where(lower, best, self.nearest)
        return self.worth, self.worth, self.chance


@dataclass(eq=False)
class MeanGiven:
    """The mean information given each selected feature: a rating of features."""

    given: Callable[[int], tuple[FloatArray, FloatArray]]
    sums: Any = 0.0  # of the information, and of what is expected by chance

    def after(self, best: int, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The information, twice, and how much of it is expected by chance."""
        self.sums = self.sums + np.array(self.given(best))
        worth, chance = self.sums / n
        return worth, worth, chance
