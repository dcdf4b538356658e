"""A fitted selector as plain data, and that as text, files, figures and a page."""

from __future__ import annotations

from qpfs.report.displays import ClusterTreeDisplay, ErrorCurveDisplay, StabilityDisplay, WeightsDisplay
from qpfs.report.members import csv_lines, feature_rows
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
    "Report",
    "StabilityDisplay",
    "WeightsDisplay",
    "as_json",
    "check_comparison",
    "check_selection",
    "chosen_table",
    "comparison_page",
    "csv_lines",
    "feature_rows",
    "finite",
    "selection_page",
    "selection_record",
]
