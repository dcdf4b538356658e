"""Transposed tables: features in rows, samples in columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.reading import Reading, matched
from qpfs.data.sheet import Sheet, as_integers, floats_in, of_matrix, places_named, shortened, texts
from qpfs.messages import Parameter

DESCRIPTION = ("description", "desc")  # the column that a GCT file has beside the names of its features


def turned(sheet: Sheet, reading: Reading) -> Sheet:
    """The sheet with its features in columns: the first column names them, the header names the samples."""
    first = names_place(sheet, reading)
    out = {place for place in range(len(sheet.names)) if is_left_out(sheet, place, reading)} | {first}
    samples = [place for place in range(len(sheet.names)) if place not in out]
    names = texts(sheet.column(first))
    asked = {name: places_named(name, names) for name in reading.targets if not reading.labels}
    rows = [place for places in asked.values() for place in places]
    beside = {name: row(sheet, samples, places[0]) for name, places in asked.items() if len(places) == 1}
    numeric = np.isin(sheet.places, samples)
    matrix = sheet.numbers if numeric.all() else sheet.numbers[:, numeric]
    if matrix.shape[1] < len(samples):
        matrix = without_rows(sheet, samples, rows)
    elif rows:
        matrix = np.delete(matrix, rows, axis=0)
    names = [name for place, name in enumerate(names) if place not in rows]
    return of_matrix(
        matrix.T, names, beside=beside, samples=[sheet.unique[p] for p in samples], notes=sheet.notes
    )


def names_place(sheet: Sheet, reading: Reading) -> int:
    """The column that names the features: that of the index, or the first."""
    places = [0] if reading.index is None else places_named(reading.index, sheet.names)
    if len(places) != 1:
        raise UsageError(Parameter("index", reading.index), ": there is no such column to name the features.")
    return places[0]


def is_left_out(sheet: Sheet, place: int, reading: Reading) -> bool:
    """Whether a column is not a sample: dropped by the user, or the description in a GCT file."""
    name = sheet.names[place]
    return any(matched(pattern, name) for pattern in reading.drop) or (
        place in sheet.labels and name.lower() in DESCRIPTION
    )


def row(sheet: Sheet, samples: list[int], place: int) -> AnyArray:
    """One row of the table, of text or of numbers."""
    cells = [sheet.column(sample)[place] for sample in samples]
    values = [cell.as_py() if isinstance(cell, pa.Scalar) else cell for cell in cells]
    row = np.array(values, object if any(value is None for value in values) else None)
    return as_integers(row) if row.dtype.kind == "f" else row


def without_rows(sheet: Sheet, samples: list[int], rows: list[int]) -> AnyArray:
    """The samples as numbers, without some rows, which need not be numbers."""
    keep = np.setdiff1d(np.arange(sheet.n_samples), rows)
    columns = [as_floats(sheet.column(sample), keep, sheet.decimal_comma) for sample in samples]
    text = [sheet.names[sample] for sample, column in zip(samples, columns, strict=True) if column is None]
    if text:
        raise UnreadableError(
            f"with features in rows every column but the first is a sample, but {shortened(text)} "
            f"hold{'s' * (len(text) == 1)} text. Leave out columns that describe the features (",
            Parameter("drop"),
            ").",
        )
    return np.array(columns).T


def as_floats(column: Any, rows: AnyArray, decimal_comma: bool) -> AnyArray | None:
    """Some cells of a column as numbers, if they are."""
    if isinstance(column, np.ndarray):
        return column[rows].astype(np.float64)
    return floats_in(column.take(pa.array(rows)), decimal_comma)
