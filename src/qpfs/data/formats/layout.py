"""How a text with separators is laid out, told from its first records."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from typing import BinaryIO

from qpfs.data.errors import UnreadableError
from qpfs.data.reading import Reading

SEPARATORS = ",\t;|"
LOOK = 6  # records below the header that are looked at
TRIED = 2  # and whose cells are tried one by one; what they do not show is found on the way
MISSING = (
    "",
    "NA",
    "N/A",
    "#N/A",
    "#NA",
    "NaN",
    "nan",
    "-NaN",
    "-nan",
    "NULL",
    "null",
    "n/a",
    "<NA>",
    "None",
)
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+(e[-+]?\d+)?\s*", re.ASCII | re.IGNORECASE)
DECIMAL_POINT = re.compile(r"\s*[-+]?\d+\.\d+(e[-+]?\d+)?\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """Where the records of a text begin, what separates their cells, and what the columns are called."""

    names: list[str]
    separator: str
    start: int  # the byte at which the first record of data begins
    line: int  # and its line, from 1
    text: frozenset[int] = frozenset()  # columns seen to hold text
    missing: tuple[str, ...] = MISSING
    decimal_comma: bool = False
    end: bytes | None = None  # a line that begins so ends the table
    numbered: bool = False  # there is no header; the names were made up
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return len(self.names)


def layout_of(file: BinaryIO, reading: Reading, separator: str | None) -> Layout:
    """The layout of a text: separator, header and what the first records show."""
    lines = Lines(file)
    if reading.in_rows:
        lines.skip_comments()
    before, head = lines.here, lines.record()
    if not head.strip():
        raise UnreadableError("it is empty; expected a header line and rows below it.")
    start, line = lines.here
    records = [record for record in (lines.record() for _ in range(LOOK)) if record.strip("\r\n")]
    mark = separator or best_separator(head, records)
    rows = [cells_of(record, mark) for record in records]
    layout = Layout(cells_of(head, mark), mark, start, line, missing=(*MISSING, *reading.missing))
    if reading.in_rows:
        layout = replace(layout, end=b"!")
    elif is_data(layout.names):
        layout = without_header(layout, *before)
    return looked_at(with_row_names(layout, rows), rows)


class Lines:
    """The records of a text one by one, and where the next one begins."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        mark = file.read(1 << 16)
        if mark.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise UnreadableError("it is text in UTF-16, not in UTF-8; save it as UTF-8 first.")
        if b"\r" in mark and b"\n" not in mark:
            raise UnreadableError("its lines end in carriage returns alone; save it with line feeds.")
        self.here = (3 if mark.startswith(b"\xef\xbb\xbf") else 0, 1)  # byte, line

    def record(self) -> str:
        """The next record, which may have line ends within quotes; empty at the end of the text."""
        position, line = self.here
        self.file.seek(position)
        record = self.file.readline()
        while record.count(b'"') % 2 and (more := self.file.readline()):
            record += more
        self.here = (position + len(record), line + record.count(b"\n"))
        return record.decode("utf-8")

    def skip_comments(self) -> None:
        """Goes past lines that begin with ! or #, empty ones, and the sizes that a GCT file gives."""
        while True:
            before, line = self.here, self.record()
            if line.startswith("#1."):
                self.record()
            elif not line or not line.startswith(("!", "#", "\n", "\r")):
                self.here = before
                return


def cells_of(record: str, separator: str) -> list[str]:
    """The cells of a record."""
    return next(csv.reader(io.StringIO(record, newline=""), delimiter=separator), [])


def best_separator(head: str, records: list[str]) -> str:
    """The separator that cuts header and records into equally many cells, and into the most."""

    def quality(separator: str) -> tuple[bool, int]:
        width = len(cells_of(head, separator))
        alike = all(len(cells_of(record, separator)) - width in (0, 1) for record in records)
        return alike and width > 1, width

    return max(SEPARATORS, key=quality)


def is_data(names: list[str]) -> bool:
    """Whether a first line is numbers, and not those by which columns are counted."""
    counted = [[str(first + j) for j in range(len(names))] for first in (0, 1)]
    return names not in counted and all(NUMBER.fullmatch(name) for name in names)


def without_header(layout: Layout, start: int, line: int) -> Layout:
    """The layout of a text whose first line is data already."""
    names = [f"x{j}" for j in range(layout.width)]
    note = f"the first line is numbers, so it was read as data; the columns are called x0 to {names[-1]}"
    return replace(layout, names=names, start=start, line=line, numbered=True, notes=(*layout.notes, note))


def with_row_names(layout: Layout, rows: list[list[str]]) -> Layout:
    """The layout with a column more, where every row has one before those that the header names."""
    wider = bool(rows) and all(len(row) == layout.width + 1 for row in rows)
    return replace(layout, names=["", *layout.names]) if wider else layout


def looked_at(layout: Layout, rows: list[list[str]]) -> Layout:
    """The layout with what some rows show: decimal commas, and which columns are text."""
    if layout.separator != "," and has_decimal_commas(rows):
        note = "numbers are written with decimal commas"
        layout = replace(layout, decimal_comma=True, notes=(*layout.notes, note))
    text = {
        place
        for row in rows[:TRIED]
        for place, cell in enumerate(row[: layout.width])
        if not is_number(cell, layout.decimal_comma) and cell not in layout.missing
    }
    return replace(layout, text=frozenset(text))


def has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether there are numbers with a comma, and none with a point."""
    cells = [cell for row in rows for cell in row]
    return any(map(DECIMAL_COMMA.fullmatch, cells)) and not any(map(DECIMAL_POINT.fullmatch, cells))


def is_number(cell: str, decimal_comma: bool) -> bool:
    """Whether a cell reads as a number, infinity included."""
    if decimal_comma:
        cell = cell.replace(",", ".")
    return bool(NUMBER.fullmatch(cell)) or cell.strip().lower().lstrip("+-") in ("inf", "infinity")
