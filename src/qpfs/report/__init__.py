"""A fitted selector as plain data, and that as text and files."""

from __future__ import annotations

from qpfs.report.selection import as_csv, as_json, check_free, selection_record, write_selection

__all__ = ["as_csv", "as_json", "check_free", "selection_record", "write_selection"]
