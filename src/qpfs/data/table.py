"""A table with its target, ready for a selector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from qpfs.arrays import AnyArray
from qpfs.data.catalogue import BUILT_IN, built_in
from qpfs.data.reading import read_csv


class UsageError(ValueError):
    """What was asked for cannot be found; nothing is wrong with the data."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Features as an Arrow table, and the target."""

    name: str
    features: pa.Table
    target: AnyArray
    target_name: str


def open_problem(source: str, target: str | None) -> Problem:
    """The problem in a CSV file or under the name of a built-in set."""
    if source in BUILT_IN and not Path(source).exists():
        table, default = built_in(source)
        return split(source, table, default if target is None else target)
    if not Path(source).is_file():
        raise UsageError(f"{source!r} is neither a file nor a built-in set ({', '.join(BUILT_IN)}).")
    table = read_csv(Path(source))
    if target is None:
        raise UsageError(f"Say which column of {source!r} is the target with --target COLUMN.")
    return split(source, table, target)


def split(name: str, table: pa.Table, target: str) -> Problem:
    """A table taken apart into features and target."""
    if target not in table.column_names:
        some = ", ".join(map(repr, table.column_names[:8]))
        more = ", ..." if table.num_columns > 8 else ""
        raise UsageError(f"There is no column {target!r} in {name!r}; it has {some}{more}.")
    missing = table[target].null_count
    if missing:
        raise ValueError(
            f"The target {target!r} is missing in {missing} of {table.num_rows} rows; "
            "drop or fill them first."
        )
    values = table[target].to_numpy(zero_copy_only=False)
    return Problem(name, table.drop_columns([target]), values, target)
