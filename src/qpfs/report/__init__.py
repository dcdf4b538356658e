"""A fitted selector as plain data, and that as text, files, figures and a page."""

from __future__ import annotations

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
from qpfs.report.page import SCHEMAS, comparison_page, selection_page
from qpfs.report.record import as_json, selection_record
from qpfs.report.schema import RecordError, check_comparison, check_selection
from qpfs.wording import finite

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
