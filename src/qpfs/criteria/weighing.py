"""What a criterion is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.information import FeatureTable

Tick: TypeAlias = Callable[[], None]  # called after each step of a long job


@dataclass(frozen=True, eq=False)
class Weighing:
    """The weight of each feature of a table, and the order in which features would be taken."""

    scores: FloatArray  # (n_features,) 0 where a feature has no weight
    order: IndexArray  # ranked features, best first; never a constant one


class Criterion(Protocol):
    """Weighs given features of a table, none of them constant."""

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing: ...


def spread(weights: FloatArray, features: IndexArray, n_features: int) -> FloatArray:
    """The weights of given features among all, the others 0."""
    scores = np.zeros(n_features)
    scores[features] = weights
    return scores
