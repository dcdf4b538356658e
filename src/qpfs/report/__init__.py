"""A fitted selector as plain data, and that as text, files and figures."""

from __future__ import annotations

from qpfs.report.cluster_tree_display import ClusterTreeDisplay
from qpfs.report.selection import as_csv, as_json, check_free, selection_record, write_selection
from qpfs.report.weights_display import WeightsDisplay

__all__ = [
    "ClusterTreeDisplay",
    "WeightsDisplay",
    "as_csv",
    "as_json",
    "check_free",
    "selection_record",
    "write_selection",
]
