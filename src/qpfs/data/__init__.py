"""Where tables come from: files, named sets, and problems made by code whose answer is known."""

from __future__ import annotations

from qpfs.data.catalogue import BUILT_IN, built_in
from qpfs.data.reading import read_csv
from qpfs.data.synthetic import Planted, planted_groups
from qpfs.data.table import Problem, UsageError, open_problem

__all__ = [
    "BUILT_IN",
    "Planted",
    "Problem",
    "UsageError",
    "built_in",
    "open_problem",
    "planted_groups",
    "read_csv",
]
