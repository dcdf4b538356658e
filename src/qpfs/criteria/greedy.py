"""Features taken one by one, each the best given those already taken.

Letters: s relevance, r mean redundancy of a feature with those taken. The first feature is the most relevant;
each next one has the highest s - r (difference) or s / r (quotient). Ties go to the lowest index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.weighing import Criterion, Tick, Weighing, spread
from qpfs.information import FeatureTable

Scheme: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

SMALLEST = 1e-12  # in place of no redundancy at all, so that relevance decides among such features


def difference(s: FloatArray, r: FloatArray) -> FloatArray:
    """Relevance less redundancy."""
    return s - r


def quotient(s: FloatArray, r: FloatArray) -> FloatArray:
    """Relevance in proportion to redundancy."""
    return s / np.maximum(r, SMALLEST)


@dataclass(frozen=True)
class GreedyCriterion(Criterion):
    """Takes `n_features`; None: as long as the best one left is more relevant than redundant."""

    scheme: Scheme
    n_features: int | None

    def taking(self, n: int | None) -> GreedyCriterion:
        return replace(self, n_features=n)

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing:
        s = relevance[features]
        redundancy = np.zeros(len(features))
        best = int(np.argmax(s))
        taken, scores = [best], [float(s[best])]
        open_ = np.ones(len(features), bool)
        while len(taken) < (len(features) if self.n_features is None else self.n_features):
            open_[best] = False
            redundancy += shared(table, features[best], features)
            r = redundancy / len(taken)
            value = np.where(open_, self.scheme(s, r), -np.inf)
            best = int(np.argmax(value))
            if not open_[best] or (self.n_features is None and s[best] <= r[best]):
                break
            taken.append(best)
            scores.append(float(value[best]))
            tick()
        order = features[taken]
        return Weighing(spread(np.array(scores), order, table.n_features), order)


def shared(table: FeatureTable[Any], feature: int, features: IndexArray) -> FloatArray:
    """What one feature shares with each of some."""
    given = np.array([feature])
    if len(features) < len(table.varying):
        return table.between(given, features)[0]
    return table.rows(given)[0, features]
