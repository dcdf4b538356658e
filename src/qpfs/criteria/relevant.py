"""MaxRel: the weight of a feature is its relevance."""

from __future__ import annotations

from dataclasses import dataclass

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.weighing import Criterion, Tick, Weighing, spread
from qpfs.information import FeatureTable
from qpfs.sorting import sorted_places


@dataclass(frozen=True)
class RelevanceCriterion(Criterion):
    """MaxRel: the weight of a feature is its relevance; ties to the lowest index."""

    says_zero = False

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        weights = relevance[features]
        order = features[sorted_places(-weights)]
        return Weighing(spread(weights, features, table.n_features), order)
