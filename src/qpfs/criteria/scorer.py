"""Any scorer of scikit-learn, such as `f_classif`: a function of (X, y) that gives each column a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.numbers import plain_numbers
from qpfs.codes.readable import Readable
from qpfs.criteria.weighing import Criterion, Tick, Weighing, spread
from qpfs.information import FeatureTable
from qpfs.sorting import sorted_places


@dataclass(frozen=True, eq=False)
class ScorerCriterion(Criterion):
    """The scores that a function gives to columns and target; ties to the lowest index."""

    says_zero = False

    scorer: Callable[[FloatArray, AnyArray], Any]
    columns: Readable
    y: AnyArray

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        if table.measure.weights is not None:
            raise TypeError(
                "A scorer of scikit-learn does not use sample weights here. Leave out "
                "sample_weight and class_weight, or use MaxRel() as the criterion."
            )
        found = self.scorer(plain_numbers(self.columns, features, "A scorer"), self.y)
        weights = np.asarray(found[0] if isinstance(found, tuple) else found, np.float64)
        if weights.shape != (len(features),):
            raise ValueError(
                f"criterion={self.scorer!r} gave scores of shape {weights.shape} for {len(features)} "
                "features; it must be a function of (X, y) that returns one score for each column of X, or "
                "a tuple of such scores and p-values."
            )
        weights = np.nan_to_num(weights, nan=0.0)
        order = features[sorted_places(-weights)]
        return Weighing(spread(weights, features, table.n_features), order)
