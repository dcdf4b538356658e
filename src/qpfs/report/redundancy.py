"""The redundancy of selected features, and their possible substitutes."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.information import Correlation
from qpfs.report.distributions import part_of
from qpfs.report.schema import NearRecord, RedundancyRecord
from qpfs.selectors.reporting import ReportMixin
from qpfs.sorting import first_places

NEAREST = 5  # alternatives of a feature that are listed


def redundancy(
    selector: ReportMixin, names: list[str], features: IndexArray, X: Any = None
) -> RedundancyRecord | None:
    """What some features share with each other, divided by the larger of their own information: 0 to 1."""
    table = selector.fitted_.table
    if table is not None:
        values, measure = shared_of_larger(table, features), table.measure.measure
    elif X is not None:
        values, measure = correlations(part_of(X, features.tolist())), Correlation()
    else:
        return None
    return {
        "indices": features.tolist(),
        "names": [names[i] for i in features],
        "values": np.round(values, 4).tolist(),
        "measure": measure.name,
        "shared": measure.words.shared,
    }


def shared_of_larger(table: Any, features: IndexArray) -> FloatArray:
    """1 minus the distance of each feature to each other."""
    own = table.self_information[features]
    largest = np.maximum(own[:, None], own[None, :])
    shared = table.between(features, features)
    return np.clip(np.divide(shared, largest, out=np.zeros_like(shared), where=largest > 0), 0.0, 1.0)


def correlations(columns: Any) -> FloatArray:
    """The absolute correlation of each column with each other; 0 with a constant one."""
    numbers = np.asarray(columns, float)
    centred = numbers - numbers.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    standard = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    return np.clip(np.abs(standard.T @ standard), 0.0, 1.0)


def alternatives(selector: ReportMixin, names: list[str], features: IndexArray) -> list[list[NearRecord]]:
    """For each of some features the nearest possible substitutes, each with its rank."""
    ranks = np.zeros(selector.n_features_in_, np.intp)
    order = selector.fitted_.asked.units(selector.order_)
    ranks[order] = np.arange(1, len(order) + 1)
    radius = near_radius(selector)
    return [
        [
            {
                "feature": names[i],
                "index": i,
                "distance": distance,
                "near": distance <= radius,
                "selected": bool(selector.support_[i]),
                "rank": int(ranks[i]) or None,
            }
            for i, distance in some
        ]
        for some in neighbours(selector, features)
    ]


def near_radius(selector: ReportMixin) -> float:
    """The distance up to which features are near each other; at least that of all that a method lists."""
    table = selector.fitted_.table
    return 1.0 if table is None else float(table.measure.measure.radius)


def neighbours(selector: ReportMixin, features: IndexArray) -> list[list[tuple[int, float]]]:
    """For each of some features the nearest others, with their distances."""
    table = selector.fitted_.table
    if table is None:
        return [affiliated(selector, int(feature)) for feature in features]
    others = standing_in(selector)
    return [nearest(others[others != feature], row) for feature, row in table.each(features, distances=True)]


def standing_in(selector: ReportMixin) -> IndexArray:
    """The possible substitutes: features that vary, may be selected, and are not identifiers."""
    fitted = selector.fitted_
    varying: IndexArray = np.setdiff1d(fitted.packed.varying, fitted.asked.exclude)
    if fitted.coding is None:
        return varying
    # Identifiers seem near to any feature.
    return np.setdiff1d(varying, fitted.coding.identifiers(len(fitted.target.codes)))


def nearest(others: IndexArray, distances: FloatArray) -> list[tuple[int, float]]:
    """The nearest of some features, ties to the lowest index."""
    n = min(NEAREST, len(others))
    if n == 0:
        return []
    limit = np.partition(distances[others], n - 1)[n - 1]
    close = others[distances[others] <= limit]
    best = close[first_places(distances[close], n)]
    return [(int(i), float(distances[i])) for i in best]


def affiliated(selector: ReportMixin, feature: int) -> list[tuple[int, float]]:
    """The features that a support feature of GDM represents; empty for other selectors without a table."""
    known = getattr(selector, "affiliated_features_", {}).get(feature, [])
    return [(int(one.feature), 1.0 - abs(one.correlation)) for one in known[:NEAREST]]
