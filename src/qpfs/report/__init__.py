"""A fitted selector as plain data, and that as text, files, figures and a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use
from qpfs.wording import finite

if TYPE_CHECKING:
    from qpfs.report.displays import (
        ClusterTreeDisplay,
        ErrorCurveDisplay,
        RedundancyDisplay,
        StabilityDisplay,
        ThetaPathDisplay,
        WeightsDisplay,
    )
    from qpfs.report.frames import feature_columns, frame_of
    from qpfs.report.members import csv_lines, feature_rows
    from qpfs.report.metrics import metrics_of
    from qpfs.report.notebook import Report, chosen_table
    from qpfs.report.page import comparison_page, selection_page
    from qpfs.report.record import as_json, selection_record
    from qpfs.report.schema import SCHEMAS, RecordError, check_comparison, check_selection

__all__ = [
    "SCHEMAS",
    "ClusterTreeDisplay",
    "ErrorCurveDisplay",
    "RecordError",
    "RedundancyDisplay",
    "Report",
    "StabilityDisplay",
    "ThetaPathDisplay",
    "WeightsDisplay",
    "as_json",
    "check_comparison",
    "check_selection",
    "chosen_table",
    "comparison_page",
    "csv_lines",
    "feature_columns",
    "feature_rows",
    "finite",
    "frame_of",
    "metrics_of",
    "selection_page",
    "selection_record",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "displays": (
            "ClusterTreeDisplay",
            "ErrorCurveDisplay",
            "RedundancyDisplay",
            "StabilityDisplay",
            "ThetaPathDisplay",
            "WeightsDisplay",
        ),
        "frames": ("feature_columns", "frame_of"),
        "members": ("csv_lines", "feature_rows"),
        "metrics": ("metrics_of",),
        "notebook": ("Report", "chosen_table"),
        "page": ("comparison_page", "selection_page"),
        "record": ("as_json", "selection_record"),
        "schema": ("SCHEMAS", "RecordError", "check_comparison", "check_selection"),
    },
)
