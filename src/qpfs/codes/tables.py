"""The kinds of tables that a user may give, and how the kind of a table is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from qpfs.arrays import IndexArray
from qpfs.codes.anndata_columns import AnnDataColumns
from qpfs.codes.columns import ArrayColumns, Columns, unmasked
from qpfs.codes.disk_table import EncodedTable
from qpfs.codes.frame_columns import FrameColumns
from qpfs.codes.remote import DistantColumns
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.values import tabled
from qpfs.registry import Registry

TABLES: Registry[type[Columns]] = Registry(
    "qpfs.tables",
    {
        "store": EncodedTable,
        "dask": DistantColumns,
        "sparse": SparseColumns,
        "frame": FrameColumns,
        "anndata": AnnDataColumns,
        "array": ArrayColumns,
    },
)


@cache
def kinds() -> tuple[type[Columns], ...]:
    """The kinds in the order they are tried: other packages' first, since our last one takes any table."""
    return *TABLES.others.values(), *TABLES.ours.values()


def table_kind(table: Any) -> type[Columns]:
    """The kind of a table: the first that takes it."""
    return next(kind for kind in kinds() if kind.takes(table))


def columns_of(table: Any) -> Columns:
    """The columns of a table."""
    return table_kind(table).of(table)


def some_rows(table: Any, rows: IndexArray) -> Any:
    """The table of some samples, of the same kind."""
    return table_kind(table).take_rows(table, rows)


def some_columns(table: Any, features: Sequence[int]) -> Any:
    """The table of some features, of the same kind."""
    return table_kind(table).take_columns(table, features)


def checked_columns(estimator: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Columns:
    """The columns of X, checked; the estimator stores or compares their names and number."""
    table = unmasked(tabled(X))
    return table_kind(table).checked(estimator, table, reset=reset, min_samples=min_samples)
