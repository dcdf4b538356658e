"""Files -> tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
from pyarrow import csv


def read_csv(path: Path) -> pa.Table:
    """A CSV file with a header. Types are found column by column; empty cells, NA and NaN are missing."""
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(block_size=block_size(path)),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
        names = table.column_names
    except pa.ArrowInvalid as error:
        raise ValueError(f"{str(path)!r} cannot be read as CSV: {error}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is not text in UTF-8; save it as UTF-8 first.") from error
    check_columns(table, names, str(path))
    return table


def block_size(path: Path) -> int:
    """Bytes read at a time: a header must fit, however long."""
    with path.open("rb") as file:
        return max(1 << 20, 4 * len(file.readline()))


def check_columns(table: pa.Table, names: list[str], path: str) -> None:
    """Raises ValueError if the table is too small, has a name twice, or is no text."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(
            f"{path!r} has several columns named {', '.join(map(repr, repeated[:5]))}; "
            "rename them, so that the answer can say which one is meant."
        )
    if table.num_columns < 2 or table.num_rows < 2:
        separated = (
            " It seems to be separated otherwise than by commas." if set(names[0]) & set(";\t|") else ""
        )
        raise ValueError(
            f"{path!r} has {table.num_rows} rows and {table.num_columns} columns; expected at least "
            f"2 of each below a header line.{separated}"
        )
    for field in table.schema:
        if pa.types.is_binary(field.type):
            raise ValueError(
                f"column {field.name!r} of {path!r} is not text in UTF-8; save it as UTF-8 first."
            )
