"""The sources of tables: files, named data sets, and generated problems with a known answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.data.catalogue import BUILT_IN, Entry, entries, entry
    from qpfs.data.cohorts import open_cohorts
    from qpfs.data.errors import UnreadableError, UsageError
    from qpfs.data.named_sets import fetch, stored_names
    from qpfs.data.opening import (
        Streamed,
        check_at_a_glance,
        is_stored,
        open_columns,
        open_problem,
        open_stream,
        open_table,
    )
    from qpfs.data.problem import CohortSource, Problem, Table
    from qpfs.data.reading import Reading
    from qpfs.data.sources import files_read
    from qpfs.data.synthetic import Planted, planted_groups
    from qpfs.data.writing import write_table, writer_for, writes_text

__all__ = [
    "BUILT_IN",
    "CohortSource",
    "Entry",
    "Planted",
    "Problem",
    "Reading",
    "Streamed",
    "Table",
    "UnreadableError",
    "UsageError",
    "check_at_a_glance",
    "entries",
    "entry",
    "fetch",
    "files_read",
    "is_stored",
    "open_cohorts",
    "open_columns",
    "open_problem",
    "open_stream",
    "open_table",
    "planted_groups",
    "stored_names",
    "write_table",
    "writer_for",
    "writes_text",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "catalogue": ("BUILT_IN", "Entry", "entries", "entry"),
        "cohorts": ("open_cohorts",),
        "errors": ("UnreadableError", "UsageError"),
        "named_sets": ("fetch", "stored_names"),
        "opening": (
            "Streamed",
            "check_at_a_glance",
            "is_stored",
            "open_columns",
            "open_problem",
            "open_stream",
            "open_table",
        ),
        "problem": ("CohortSource", "Problem", "Table"),
        "reading": ("Reading",),
        "sources": ("files_read",),
        "synthetic": ("Planted", "planted_groups"),
        "writing": ("write_table", "writer_for", "writes_text"),
    },
)
