"""The features that are affiliated with each support feature.

A feature whose absolute correlation with a support feature exceeds rho is affiliated with the one that it
correlates with most. One pass over the data for each support feature gives its correlation with all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.embedded.features import Features
from qpfs.embedded.searches import ROUNDING, unit_columns


class Affiliation(NamedTuple):
    """A feature, the support feature it is affiliated with, and their correlation."""

    feature: int
    support: int
    correlation: float


def affiliations(features: Features, support: IndexArray, highest: float) -> list[Affiliation]:
    """Affiliations above rho = `highest`, the strongest first; ties to the earlier support, then index."""
    nearest, owner = np.zeros(features.n_features), np.full(features.n_features, -1)
    spread = np.where(features.varying, features.spread, np.inf)
    for feature in support:
        unit = unit_columns(features.gathered(np.array([feature])))[:, 0]
        r = features.products(unit) / spread
        closer = np.abs(r) > np.abs(nearest) + ROUNDING
        nearest[closer], owner[closer] = np.clip(r[closer], -1.0, 1.0), feature
    nearest[support] = 0.0
    found = np.flatnonzero(np.abs(nearest) > highest + ROUNDING)
    ranked = found[np.argsort(-np.abs(nearest[found]), kind="stable")]
    return [Affiliation(int(one), int(owner[one]), float(nearest[one])) for one in ranked]
