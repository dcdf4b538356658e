"""The trace of a clustered selection as plain data: the bars that a picture of it shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.report.cluster_tree import DRAWN_FATES, Bar, cluster_tree, without_slivers

LEVELS = 10  # drawn
SLIVERS = 240  # a bar narrower than one part in so many is put together with its neighbours


def cluster_record(selector: Any, names: list[str]) -> dict[str, Any] | None:
    """The clusters level by level, side by side; None for a selector that made none."""
    if not hasattr(selector, "labels_"):
        return None
    tree = cluster_tree(selector.rounds_)
    least = len(tree.features) / SLIVERS
    levels = [
        {"level": level, "bars": [bar_facts(bar, names) for bar in without_slivers(tree.row(level), least)]}
        for level in tree.levels[:LEVELS]
    ]
    chosen = selector.order_[selector.support_[selector.order_]][:LABELLED]
    return {
        "n_features": len(tree.features),
        "n_levels": len(tree.levels),
        "n_rounds": len(selector.rounds_),
        "radius": None if selector.radius_ is None else float(selector.radius_),
        "fates": {
            fate: {"clusters": tree.n_clusters(fate), "features": tree.n_features(fate)}
            for fate in DRAWN_FATES
        },
        "levels": levels,
        "selected": [int(np.flatnonzero(tree.features == feature)[0]) for feature in chosen],
    }


LABELLED = 12  # selected features whose place is marked


def bar_facts(bar: Bar, names: list[str]) -> dict[str, Any]:
    one = bar.representative is not None
    return {
        "left": bar.left,
        "width": bar.width,
        "fate": bar.fate,
        "n_clusters": bar.n_clusters,
        "representative": names[bar.representative or 0] if one else None,
        "radius": bar.radius,
        "weight": bar.weight,
    }
