"""The trace of a clustered selection as plain data: the bars that a picture of it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qpfs.report.cluster_tree import Bar, ClusterTree, cluster_tree, without_slivers
from qpfs.report.names import checked_names
from qpfs.report.schema import BarRecord, ClustersRecord, FateRecord
from qpfs.selectors.reporting import ReportMixin
from qpfs.strategies.rounds import Fate, Trace
from qpfs.wording import counted

LEVELS = 10  # drawn
LABELLED = 12  # selected features whose place is marked
SLIVERS = 240  # a bar narrower than one part in so many is merged with its neighbours


def cluster_record(selector: ReportMixin, names: Sequence[str]) -> ClustersRecord | None:
    """The clusters level by level, side by side; None for a selector that made none."""
    if not (hasattr(selector, "rounds_") and hasattr(selector, "radius_")):
        return None
    order = selector.fitted_.asked.units(selector.order_)
    chosen = order[selector.support_[order]][:LABELLED]
    radius = None if selector.radius_ is None else float(selector.radius_)
    return clusters_of(selector.rounds_, names, chosen.tolist(), radius)[0]


def clusters_of(
    rounds: Trace,
    names: Sequence[str] | None,
    chosen: Sequence[int],
    radius: float | None,
    n_levels: int = LEVELS,
) -> tuple[ClustersRecord, str]:
    """The clusters of a trace, and a summary of the levels that are not drawn."""
    tree = cluster_tree(rounds)
    known = checked_names(names, int(tree.features.max()) + 1)
    least, levels = len(tree.features) / SLIVERS, tree.levels[:n_levels]

    def met(fate: Fate) -> FateRecord:
        return {"clusters": tree.n_clusters(fate), "features": tree.n_features(fate)}

    found: ClustersRecord = {
        "n_features": len(tree.features),
        "n_levels": len(tree.levels),
        "n_rounds": len(rounds),
        "radius": radius,
        "fates": {"split": met("split"), "kept": met("kept"), "discarded": met("discarded")},
        "levels": [
            {"level": level, "bars": [bar_facts(b, known) for b in without_slivers(tree.row(level), least)]}
            for level in levels
        ],
        "selected": [int(np.flatnonzero(tree.features == feature)[0]) for feature in chosen],
    }
    return found, left_out(tree, len(levels))


def left_out(tree: ClusterTree, n_drawn: int) -> str:
    """A summary of the levels that are not drawn; empty if there are none."""
    deeper = tree.levels[n_drawn:]
    if not deeper:
        return ""
    n_clusters = sum(len(tree.row(level)) for level in deeper)
    n_features = sum(bar.width for bar in tree.row(deeper[0]))
    which = f"level {deeper[0]} is" if len(deeper) == 1 else f"levels {deeper[0]} to {deeper[-1]} are"
    return f"{which} not drawn: {counted(n_clusters, 'cluster')} of {counted(n_features, 'feature')}"


def bar_facts(bar: Bar, names: Sequence[str]) -> BarRecord:
    return {
        "left": bar.left,
        "width": bar.width,
        "fate": bar.fate,
        "n_clusters": bar.n_clusters,
        "representative": None if bar.representative is None else names[bar.representative],
        "radius": bar.radius,
        "weight": bar.weight,
    }
