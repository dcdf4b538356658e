"""Features selected one by one, each for its information about the target given one selected feature.

Letters: s_i = I(X_i; Y); c_ij = I(X_i; Y | X_j), the information of i about Y given j. By the chain rule that
is I(X_i; (X_j, Y)) - I(X_i; X_j): the relevance of i to a target combined of j and Y, minus what i and j
share. So the feature table computes it like any relevance, wherever the features are stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes import Target
from qpfs.criteria.terms import Terms
from qpfs.criteria.weighing import Criterion, Standing, Tick, Weighing, spread
from qpfs.information import FeatureTable
from qpfs.messages import Message, Parameter


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

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing:
        if table.measure.measure.name != "mi":
            raise ValueError(
                Message(
                    "Conditional information needs mutual information as the measure, but this is ",
                    Parameter("measure", table.measure.measure.name),
                    "; set ",
                    Parameter("measure", "mi"),
                    ", or use another criterion.",
                )
            )
        s = relevance[features]
        terms = self.terms and self.terms.among(features)
        first = terms.keep.tolist() if terms else []
        best = first[0] if first else int(np.argmax(s))
        taken, scores = [best], [float(s[best])]
        open_ = np.ones(len(features), bool)
        said, chance = (s.copy() if self.least else np.zeros(len(features))), np.zeros(len(features))
        worth, needed, n_before = s, scores[0], 0
        nearest = np.full(table.n_features, -1)  # the selected one that lowers its value most
        while len(taken) < (len(features) if self.n_features is None else self.n_features):
            open_[best] = False
            if terms:
                terms.close(taken, open_)
            beyond, by_chance = self._beyond(table, int(features[best]), features)
            if self.least:
                chance = np.where(beyond < said, by_chance, chance)
                nearest[features[beyond < said]] = features[best]
                said = np.minimum(said, beyond)
            else:
                said, chance = said + beyond, chance + by_chance
            n = 1 if self.least else len(taken)
            worth, n_before = said / n, len(taken)
            value = np.where(open_, worth, -np.inf)
            wanted = len(taken) < len(first)
            best = first[len(taken)] if wanted else int(np.argmax(value))
            enough = self.n_features is None and value[best] <= chance[best] / n
            if not wanted and (enough or not open_[best]):
                needed = float(chance[best] / n)
                break
            taken.append(best)
            needed = float(worth[best])
            scores.append(needed)
            tick()
        order = features[taken]
        before = order[:n_before]
        standing = Standing(
            spread(worth, features, table.n_features, np.nan),
            needed,
            before,
            np.full(len(before), 1.0 / max(len(before), 1)),
            nearest=nearest if self.least else None,
        )
        return Weighing(spread(np.array(scores), order, table.n_features), order, standing=standing)

    def _beyond(
        self, table: FeatureTable[Any], feature: int, features: IndexArray
    ) -> tuple[FloatArray, FloatArray]:
        """The information of some features given one, and how much of it is expected by chance."""
        together = table.relevance(table.with_feature(self.target, feature))
        beyond = np.maximum(together - table.rows(np.array([feature]))[0], 0.0)
        apart, n_samples = table.measure.measure.apart(self.target), self.target.size
        of_target = sum(share * (len(one.counts) - 1) for one, share in apart)  # degrees of freedom
        degrees = (table.levels - 1) * of_target * table.levels[feature]
        return beyond[features], degrees[features] / (2 * n_samples)
