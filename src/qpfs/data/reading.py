"""Files -> tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import csv


def read_csv(path: Path) -> pa.Table:
    """A CSV file with a header. Types are found column by column; empty cells are missing."""
    try:
        table = csv.read_csv(
            path,
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
    except pa.ArrowInvalid as error:
        raise ValueError(f"{str(path)!r} cannot be read as CSV: {error}") from error
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{str(path)!r} has several columns named {', '.join(map(repr, repeated[:5]))}; "
            "rename them, so that the answer can say which one is meant."
        )
    if table.num_columns < 2 or table.num_rows < 2:
        raise ValueError(
            f"{str(path)!r} has {table.num_rows} rows and {table.num_columns} columns; expected at least "
            "2 of each below a header line."
        )
    return table
