"""The cells of some records of a text, as numbers and as labels.

Arrow parses a chunk without quotes column by column. Of a wide table all numbers are one long column to the
parser, row after row, and a matrix again afterwards: at 500 x 50,000 that takes a quarter of the time and
half of the memory of parsing 50,000 columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.layout import Layout
from qpfs.data.formats.records import RecordReader, too_long
from qpfs.data.sheet import stacked
from qpfs.formulas import MARK, restored

CHUNK = 1 << 23  # bytes of text that are parsed at a time, where there is room
BLOCK = 1 << 20  # bytes that Arrow parses at a time: what stays in the cache of a processor
WIDE = 2000  # columns from which on a table is parsed as one long column
OBJECTS = 4  # a cell in quotes is an object, which takes so many times what another one takes
NOTHING = "\x1f"  # a separator that separates nothing
ZERO, NEWLINE, COMMA, POINT = b"0\n,."
Columns = dict[int, pa.Array]  # of text, by place
PLUS = re.compile(rb"(?<![^\n])\+(?=[\d.])")


class Cells(Protocol):
    """Some whole records."""

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, Columns]:
        """Some columns as numbers, missing values NaN, and others as text; None if some are no numbers."""

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        """Some columns as they are spelled; missing values are null."""


def parts(file: BinaryIO, layout: Layout, stop: int, size: int) -> Iterator[Cells]:
    """The records of a text up to a byte, about so many bytes of them at a time."""
    here, line = layout.start, layout.line
    plain = WideCells if layout.width > WIDE else NarrowCells
    while here < stop:
        file.seek(here)
        chunk = file.read(min(size, stop - here))
        if not chunk.endswith(b"\n"):
            chunk += file.readline(layout.longest + 1)
        if len(chunk) > size + layout.longest:
            raise too_long(line + chunk.count(b"\n"), layout.longest)
        if b'"' in chunk:
            cells, here, line = quoted(file, layout, here, line, min(-(-size // OBJECTS), stop - here))
            yield cells
        else:
            yield plain(chunk if chunk.endswith(b"\n") else chunk + b"\n", layout, line)
            here, line = here + len(chunk), line + chunk.count(b"\n")


def quoted(file: BinaryIO, layout: Layout, here: int, line: int, size: int) -> tuple[Cells, int, int]:
    """The cells of records of about so many bytes, and where the next record begins."""
    records = RecordReader(file, here, line, layout.separator, layout.longest)
    rows, before = [], line
    for row in records:
        if row and len(row) != layout.width:
            raise ragged(row, layout, before)
        if row:
            rows.append(row)
        before = records.here[1]
        if records.here[0] - here >= size:
            break
    return QuotedCells(rows, layout), *records.here


class NarrowCells:
    """The cells of a chunk without quotes, parsed by Arrow."""

    def __init__(self, chunk: bytes, layout: Layout, line: int) -> None:
        self.chunk, self.layout, self.line = chunk, layout, line

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, Columns]:
        kinds = {**dict.fromkeys(places.tolist(), pa.float64()), **dict.fromkeys(text, pa.string())}
        try:
            table = self._parsed(kinds)
        except pa.ArrowInvalid:  # not all are numbers; or what is told when they are looked at one by one
            return None, {}
        numbers = [column.to_numpy() for column in table.columns[: len(places)]]
        return stacked(numbers, table.num_rows), dict(self._labels(list(kinds)[len(places) :], table))

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        kinds = dict.fromkeys(places, pa.string())
        try:
            table = self._parsed(kinds)
        except pa.ArrowInvalid:
            self.chunk.decode("utf-8")  # which says what is wrong, if it is no UTF-8
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

        names = list(map(str, range(self.layout.width)))
        missing, mark = self.layout.missing, "," if self.layout.decimal_comma else "."
        table = arrow_csv.read_csv(
            pa.BufferReader(self.chunk),
            arrow_csv.ReadOptions(column_names=names, block_size=self._block(), use_threads=False),
            arrow_csv.ParseOptions(
                delimiter=self.layout.separator, quote_char=False, invalid_row_handler=lose
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
            raise first_ragged(self.chunk, self.layout, self.line)
        return table

    def _block(self) -> int:
        """Bytes that Arrow parses at a time; a record must not be longer than that."""
        half = BLOCK // 2
        short = all(b"\n" in self.chunk[i : i + half] for i in range(0, len(self.chunk), half))
        return BLOCK if short else len(self.chunk) + 1


class WideCells:
    """The cells of a chunk without quotes: wherever a separator stands, a cell ends."""

    def __init__(self, chunk: bytes, layout: Layout, line: int) -> None:
        self.layout = layout
        ends = cell_ends(chunk, layout)
        self.chunk = chunk if ends is not None else without_empty_lines(chunk)
        ends = ends if ends is not None else cell_ends(self.chunk, layout)
        if ends is None:
            raise first_ragged(chunk, layout, line)
        self.ends = ends

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, Columns]:
        return self._numbers(places), dict(self.texts(text))

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        for place in places:
            yield place, labels([cell.decode("utf-8") for cell in self._cells(place)], self.layout.missing)

    def _numbers(self, places: IndexArray) -> FloatArray | None:
        letters = np.frombuffer(bytearray(self.chunk), np.uint8)
        other = np.ones(self.layout.width, bool)
        other[places] = False
        if other.any():
            letters[self.within(other)] = ZERO
        letters[self.ends] = NEWLINE
        if self.layout.decimal_comma:
            letters[letters == COMMA] = POINT
        numbers = parsed(letters, self.layout.missing, self.ends.size)
        if numbers is None:
            return None
        matrix = numbers.reshape(self.ends.shape)
        return matrix[:, places] if other.any() else matrix

    def within(self, columns: BoolArray) -> BoolArray:
        """Which letters belong to cells of the given columns."""
        lengths = np.diff(self.ends.ravel(), prepend=-1)
        return np.repeat(np.tile(columns, len(self.ends)), lengths)

    def _cells(self, place: int) -> list[bytes]:
        ends = self.ends[:, place]
        starts = self.ends[:, place - 1] if place else np.append(-1, self.ends[:-1, -1])
        spans = zip((starts + 1).tolist(), ends.tolist(), strict=True)
        cells = [self.chunk[start:end] for start, end in spans]
        return [cell.removesuffix(b"\r") for cell in cells] if place == self.layout.width - 1 else cells


def cell_ends(chunk: bytes, layout: Layout) -> IndexArray | None:
    """Where the cells end, a row for each record; None if not all records have as many."""
    letters = np.frombuffer(chunk, np.uint8)
    ends = np.flatnonzero((letters == ord(layout.separator)) | (letters == NEWLINE))
    row_ends = np.flatnonzero(letters[ends] == NEWLINE)
    if (np.diff(row_ends, prepend=-1) != layout.width).any():
        return None
    return ends.reshape(len(row_ends), layout.width)


class QuotedCells:
    """The cells of records some of which are in quotes, and may hold separators and line ends."""

    def __init__(self, rows: list[list[str]], layout: Layout) -> None:
        self.layout = layout
        self.rows = rows

    def taken(self, places: IndexArray, text: Iterable[int]) -> tuple[FloatArray | None, Columns]:
        return self._numbers(places), dict(self.texts(text))

    def texts(self, places: Iterable[int]) -> Iterator[tuple[int, pa.Array]]:
        for place in places:
            yield place, labels([row[place] for row in self.rows], self.layout.missing)

    def _numbers(self, places: IndexArray) -> FloatArray | None:
        if len(places) == 0:
            return np.empty((len(self.rows), 0))
        chosen = itemgetter(*places, places[0])  # one more, so that it is a tuple of at least two
        text = "\n".join(cell for row in self.rows for cell in chosen(row)[:-1]) + "\n"
        if self.layout.decimal_comma:
            text = text.replace(",", ".")
        numbers = parsed(text.encode("utf-8"), self.layout.missing, len(self.rows) * len(places))
        return None if numbers is None else numbers.reshape(len(self.rows), len(places))


def first_ragged(chunk: bytes, layout: Layout, line: int) -> UnreadableError:
    """The error that names the first row of a chunk without quotes with too few or too many cells."""
    for number, text in enumerate(chunk.decode("utf-8").split("\n"), start=line):
        row = text.split(layout.separator)
        if text.strip("\r") and len(row) != layout.width:
            return ragged(row, layout, number)
    return UnreadableError(f"the lines from {line} on do not all have {layout.width} cells.")


def ragged(row: list[str], layout: Layout, line: int) -> UnreadableError:
    return UnreadableError(
        f"line {line} has {len(row)} cell{'s' * (len(row) != 1)}, but there are {layout.width} columns; mend "
        "that line, or put cells that hold the separator in quotes."
    )


def without_empty_lines(chunk: bytes) -> bytes:
    return b"".join(line + b"\n" for line in chunk.split(b"\n") if line.strip(b"\r"))


def parsed(text: Any, missing: tuple[str, ...], n_cells: int) -> FloatArray | None:
    """The numbers of a text with one on each line; None if one is no number."""
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(text)),
            arrow_csv.ReadOptions(column_names=["x"], block_size=len(text) + 1, use_threads=False),
            arrow_csv.ParseOptions(delimiter=NOTHING, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types={"x": pa.float64()}, null_values=missing),
        )
    except pa.ArrowInvalid:
        without_plus = PLUS.sub(b"", text)
        return None if len(without_plus) == len(text) else parsed(without_plus, missing, n_cells)
    return table.column(0).to_numpy() if table.num_rows == n_cells else None


def labels(cells: list[str], missing: tuple[str, ...]) -> pa.Array:
    """Cells as text, null where they say that a value is missing."""
    array = pa.array(cells, pa.string())
    gone = pc.is_in(array, pa.array(missing, pa.string()))
    return restored_cells(pc.if_else(gone, pa.scalar(None, pa.string()), array))


def restored_cells(array: pa.Array) -> pa.Array:
    """Text as it was before apostrophes were put before what a spreadsheet would run."""
    if not pc.any(pc.starts_with(array, MARK)).as_py():
        return array
    return pa.array([cell and restored(cell) for cell in array.to_pylist()], pa.string())


def largest_size(numbers: FloatArray) -> float:
    """The largest size of a number, missing values aside."""
    high = np.fmax.reduce(numbers, axis=None, initial=0.0)
    low = np.fmin.reduce(numbers, axis=None, initial=0.0)
    return float(max(high, -low))


def joined_cells(parts: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays(parts) if parts else pa.array([], pa.string())
