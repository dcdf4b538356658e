"""Tables as data frames: of all features, or of all methods, in the user's own library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from qpfs.report.members import feature_rows
from qpfs.selectors.reporting import ReportMixin

LIBRARIES_OF_FRAMES = ("pandas", "polars")


def feature_columns(selector: ReportMixin, X: Any = None) -> dict[str, list[object]]:
    """The columns of a table of all features, as lists: the selected by rank, then the others.

    The columns are those of selection.csv; empty columns are left out.
    """
    rows = feature_rows(selector, X=X)
    order = rows.best_first()
    columns: dict[str, list[object]] = {name: [] for name in rows.columns}
    for some in rows.tuples(order):
        for column, part in zip(columns.values(), zip(*some, strict=True), strict=True):
            column.extend(part)
    return {name: column for name, column in columns.items() if any(one is not None for one in column)}


def frame_of(columns: Mapping[str, Sequence[object]], library: str | None = None) -> Any:
    """The columns as a data frame of pandas or polars; None for the first that is installed."""
    frames = frame_library(library)
    if frames.__name__ == "polars":
        return frames.DataFrame(columns, strict=False)
    whole = {name: with_gaps(column, frames) for name, column in columns.items()}
    return frames.DataFrame(whole)


def frame_library(library: str | None) -> Any:
    """The module of a library by its name, or of the first that is installed."""
    for name in LIBRARIES_OF_FRAMES if library is None else (library,):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError(
        f"A data frame needs {library or 'pandas or polars'}: pip install {library or 'pandas'}. Plain data "
        "need neither: rows of a comparison, qpfs.report.feature_rows(selector)."
    )


def with_gaps(column: Sequence[object], pandas: Any) -> Any:
    """Keeps integers as integers if some are missing, where pandas would make floats."""
    kinds = {type(one) for one in column}
    return pandas.array(column, dtype="Int64") if kinds == {int, type(None)} else column
