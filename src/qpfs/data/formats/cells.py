"""The cells of some records of a text, as numbers and as labels.

Arrow parses a chunk column by column. All numbers of a wide table are given to the parser as one long column,
row after row, and become a matrix again afterwards: at 500 x 50,000 that takes a quarter of the time and half
of the memory of parsing 50,000 columns.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.layout import Layout
from qpfs.data.formats.records import RecordReader
from qpfs.data.sheet import EXACT, stacked
from qpfs.formulas import MARK, restored

CHUNK = 1 << 23  # bytes of text parsed at a time, if memory allows
WIDE = 2000  # columns from which on a table is parsed as one long column
NOTHING = "\x1f"  # a separator that does not occur
ZERO, NEWLINE, COMMA, POINT, QUOTE = b'0\n,."'
TextColumns = dict[int, pa.Array]  # of text, by place
PLUS = re.compile(rb"(?<![^\n])\+(?=[\d.])")


class Cells(Protocol):
    """Some whole records."""

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, TextColumns]:
        """Some columns as numbers, missing values NaN, and others as text; None if some are not numbers."""

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        """Some columns as text, unchanged; missing values are null."""


def parts(file: BinaryIO, layout: Layout, stop: int, size: int) -> Iterator[Cells]:
    """The records of a text up to a byte, about so many bytes of them at a time."""
    here = layout.start
    while here < stop:
        chunk = whole_records(file, layout, here, min(size, stop - here))
        line = partial(line_at, file, layout, here)
        yield cells_of(chunk if chunk.endswith(b"\n") else chunk + b"\n", layout, line)
        here += len(chunk)


def line_at(file: BinaryIO, layout: Layout, here: int) -> int:
    """The line in which a record begins: counted for errors only, since for all it takes a twentieth."""
    file.seek(layout.start)
    return layout.line + file.read(here - layout.start).count(b"\n")


def whole_records(file: BinaryIO, layout: Layout, here: int, size: int) -> bytes:
    """Some bytes, and what follows them up to the end of a record."""
    file.seek(here)
    chunk = file.read(size)
    if not chunk.endswith(b"\n"):
        chunk += file.readline(layout.longest + 1)
    if b'"' in chunk:
        chunk += rest_of_record(chunk, file, layout)
    if len(chunk) > size + layout.longest:
        line = line_at(file, layout, here)
        for _ in RecordReader(file, here, line, layout.separator, layout.longest):
            pass  # the reader raises at the record that is too long
    return chunk


def rest_of_record(chunk: bytes, file: BinaryIO, layout: Layout) -> bytes:
    """What follows whole lines up to the end of a record, if they end within quotes."""
    from qpfs.data.formats import scanning

    at, rest = scanning.beginning(line=0), bytearray()
    for more in chain([chunk], iter(partial(file.readline, layout.longest + 1), b"")):
        rest += more
        scanning.scan(np.frombuffer(more, np.uint8), ord(layout.separator), False, at)
        if at[scanning.MODE] != scanning.QUOTED or len(rest) > len(chunk) + layout.longest:
            break
    return bytes(rest[len(chunk) :])


def cells_of(chunk: bytes, layout: Layout, line: Callable[[], int]) -> Cells:
    """The cells of whole records; `line` returns the line in which they begin."""
    ends = cell_ends(chunk, layout) if layout.width > WIDE else None
    return NarrowCells(chunk, layout, line) if ends is None else WideCells(chunk, layout, ends)


class NarrowCells:
    """The cells of a chunk, parsed by Arrow, which treats quotes as Python's csv does."""

    def __init__(self, chunk: bytes, layout: Layout, line: Callable[[], int]) -> None:
        self.chunk, self.layout, self.line = chunk, layout, line

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, TextColumns]:
        kinds = {**dict.fromkeys(places.tolist(), pa.float64()), **dict.fromkeys(text, pa.string())}
        try:
            table = self._parsed(kinds)
        except pa.ArrowInvalid:  # not all are numbers; or an error that the one-by-one reading reports
            return None, {}
        numbers = [column.to_numpy() for column in table.columns[: len(places)]]
        return stacked(numbers, table.num_rows), dict(self._labels(list(kinds)[len(places) :], table))

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        kinds = dict.fromkeys(places, pa.string())
        try:
            table = self._parsed(kinds)
        except pa.ArrowInvalid:
            self.chunk.decode("utf-8")  # raises the error if it is not UTF-8
            raise
        return self._labels(list(kinds), table)

    def _labels(self, places: list[int], table: pa.Table) -> Iterator[tuple[int, pa.Array]]:
        for place, column in zip(places, table.columns[table.num_columns - len(places) :], strict=True):
            yield place, restored_cells(column.combine_chunks())

    def _parsed(self, kinds: dict[int, pa.DataType]) -> pa.Table:
        """Some columns as values of some type; raises pa.ArrowInvalid if one has others."""
        lost = False

        def lose(row: Any) -> str:
            nonlocal lost
            lost = True
            return "skip"

        quoted = b'"' in self.chunk
        names = list(map(str, range(self.layout.width)))
        missing, mark = self.layout.missing, "," if self.layout.decimal_comma else "."
        table = arrow_csv.read_csv(
            pa.BufferReader(self.chunk),
            # One block: with blocks of a megabyte, columns come in pieces, which cost a tenth to join.
            arrow_csv.ReadOptions(column_names=names, block_size=len(self.chunk) + 1, use_threads=False),
            arrow_csv.ParseOptions(
                delimiter=self.layout.separator,
                quote_char=quoted and '"',
                newlines_in_values=quoted,
                invalid_row_handler=lose,
            ),
            arrow_csv.ConvertOptions(
                include_columns=list(map(str, kinds)),
                column_types={str(place): kind for place, kind in kinds.items()},
                null_values=missing,
                strings_can_be_null=True,
                decimal_point=mark,
            ),
        )
        if lost:
            raise first_ragged(self.chunk, self.layout, self.line())
        return table


class WideCells:
    """The cells of a chunk as one long column, with the known end of each."""

    def __init__(self, chunk: bytes, layout: Layout, ends: IndexArray) -> None:
        self.chunk, self.layout, self.ends = chunk, layout, ends

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, TextColumns]:
        return self._numbers(places), dict(self.texts(text))

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        for place in places:
            yield place, labels(self._cells(place), self.layout.missing)

    def _numbers(self, places: IndexArray) -> FloatArray | None:
        letters = np.frombuffer(bytearray(self.chunk), np.uint8)
        other = np.ones(self.layout.width, bool)
        other[places] = False
        for place in np.flatnonzero(other).tolist():
            for start, end in self._spans(place):
                letters[start:end] = ZERO
        letters[self.ends] = NEWLINE
        if self.layout.decimal_comma:
            letters[letters == COMMA] = POINT
        numbers = parsed(letters, self.layout.missing, self.ends.size, quoted=b'"' in self.chunk)
        if numbers is None:
            return None
        matrix = numbers.reshape(self.ends.shape)
        return matrix[:, places] if other.any() else matrix

    def _spans(self, place: int) -> Iterator[tuple[int, int]]:
        """Where each cell of a column begins and ends."""
        starts = self.ends[:, place - 1] if place else np.append(-1, self.ends[:-1, -1])
        return zip((starts + 1).tolist(), self.ends[:, place].tolist(), strict=True)

    def _cells(self, place: int) -> list[str]:
        cells = [self.chunk[start:end].decode("utf-8") for start, end in self._spans(place)]
        return [
            unquoted(cell.removesuffix("\r") if place == self.layout.width - 1 else cell) for cell in cells
        ]


def unquoted(cell: str) -> str:
    """A cell without the quotes around it; text after the closing quote belongs to it."""
    if not cell.startswith('"'):
        return cell
    within, _, behind = cell[1:].rpartition('"')
    return within.replace('""', '"') + behind


def cell_ends(chunk: bytes, layout: Layout) -> IndexArray | None:
    """Where the cells end, a row for each record; None if that needs the full parser."""
    letters = np.frombuffer(chunk, np.uint8)
    is_end = (letters == ord(layout.separator)) | (letters == NEWLINE)
    ends, quotes = np.flatnonzero(is_end), np.flatnonzero(letters == QUOTE)
    opening = quotes[::2]
    if not (is_end[opening - 1] | (letters[opening - 1] == QUOTE)).all():  # the last byte is a line end
        return None  # a quote is an ordinary character
    # Quotes open and close alternately, doubled ones included; so text after an odd number is quoted.
    ends = ends[np.searchsorted(quotes, ends) % 2 == 0] if len(quotes) else ends
    row_ends = np.flatnonzero(letters[ends] == NEWLINE)
    if (np.diff(row_ends, prepend=-1) != layout.width).any():
        return None  # lines have different numbers of cells
    return ends.reshape(len(row_ends), layout.width)


def first_ragged(chunk: bytes, layout: Layout, line: int) -> UnreadableError:
    """The error that names the first row of a chunk with too few or too many cells."""
    records = RecordReader(io.BytesIO(chunk), 0, line, layout.separator, layout.longest)
    for row in records:
        if row and len(row) != layout.width:
            return ragged(row, layout, line)
        line = records.here[1]
    return UnreadableError(f"the lines up to {line} do not all have {layout.width} cells.")


def ragged(row: list[str], layout: Layout, line: int) -> UnreadableError:
    return UnreadableError(
        f"line {line} has {len(row)} cell{'s' * (len(row) != 1)}, but there are {layout.width} columns; "
        "correct that line, or put cells that hold the separator in quotes."
    )


def parsed(text: Any, missing: tuple[str, ...], n_cells: int, *, quoted: bool = False) -> FloatArray | None:
    """The numbers of a text with one on each line, which may be in quotes; None if one is not a number."""
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(text)),
            arrow_csv.ReadOptions(column_names=["x"], block_size=len(text) + 1, use_threads=False),
            arrow_csv.ParseOptions(delimiter=NOTHING, quote_char=quoted and '"', ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types={"x": pa.float64()}, null_values=missing),
        )
    except pa.ArrowInvalid:
        without_plus = PLUS.sub(b"", text)
        return (
            None if len(without_plus) == len(text) else parsed(without_plus, missing, n_cells, quoted=quoted)
        )
    return table.column(0).to_numpy() if table.num_rows == n_cells else None


def labels(cells: list[str], missing: tuple[str, ...]) -> pa.Array:
    """Cells as text, null where they mark a missing value."""
    array = pa.array(cells, pa.string())
    gone = pc.is_in(array, pa.array(missing, pa.string()))
    return restored_cells(pc.if_else(gone, pa.scalar(None, pa.string()), array))


def restored_cells(array: pa.Array) -> pa.Array:
    """Text without the apostrophes that protect formulas from spreadsheets."""
    if not pc.any(pc.starts_with(array, MARK)).as_py():
        return array
    return pa.array([cell and restored(cell) for cell in array.to_pylist()], pa.string())


def are_large(numbers: FloatArray) -> BoolArray:
    """The mask of columns with numbers beyond the range in which float64 has all integers."""
    high = np.fmax.reduce(numbers, axis=0, initial=0.0)
    low = np.fmin.reduce(numbers, axis=0, initial=0.0)
    return np.maximum(high, -low) >= EXACT


def joined_cells(parts: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays(parts) if parts else pa.array([], pa.string())
