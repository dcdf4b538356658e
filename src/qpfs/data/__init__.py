"""Where tables come from: files and named sets."""

from __future__ import annotations

from qpfs.data.catalogue import BUILT_IN, built_in
from qpfs.data.reading import read_csv
from qpfs.data.table import Problem, UsageError, open_problem

__all__ = ["BUILT_IN", "Problem", "UsageError", "built_in", "open_problem", "read_csv"]
