"""The layout of a text with separators: read from its first records, decimal commas from all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO

from qpfs.data.errors import UnreadableError
from qpfs.data.formats.records import BLOCK, LONGEST, RecordReader
from qpfs.data.reading import Reading
from qpfs.formulas import defused, restored

SEPARATORS = ",\t;|"
LOOK = 6  # records below the header that are examined
TRIED = 2  # of these, records whose cells are tried one by one; the rest is found while reading
SPELLED = 1000  # characters of a number on either side of its decimal mark
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
# Possessive (++, *+): no backtracking, so a long run of digits is scanned once.
DIGITS = r"\s*+[-+]?\d++{point}\d++(?:[eE][-+]?\d++)?+\s*+"
NUMBER = re.compile(r"\s*+[-+]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+\s*+", re.ASCII)
DECIMAL_COMMA = re.compile(DIGITS.format(point=","), re.ASCII)
DECIMAL_POINT = re.compile(DIGITS.format(point=r"\."), re.ASCII)
# A cell that is a number with decimals, and the separator or line end before it.
MARKED = (
    rb'[%(separator)s\n]"*+[^\S\n%(separator)s]*+(?P<number>[-+]?\d++%(mark)s\d++(?:[eE][-+]?\d++)?+)'
    rb'[^\S\n%(separator)s]*+"*+\r?+(?=[%(separator)s\n]|\Z)'
)


@dataclass(frozen=True)
class Layout:
    """Where the records of a text begin, what separates their cells, and the names of the columns."""

    names: list[str]
    separator: str
    top: tuple[int, int]  # the byte and the line, from 1, at which the first record begins, be it a header
    start: int  # the byte at which the first record of data begins
    line: int  # and its line
    longest: int = LONGEST  # bytes that a record may have
    text: frozenset[int] = frozenset()  # columns seen to hold text
    missing: tuple[str, ...] = MISSING
    decimal_comma: bool = False
    ends: bool = False  # a line that begins with ! ends the table
    numbered: bool = False  # there is no header; the names were made up
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return len(self.names)


def layout_of(file: BinaryIO, reading: Reading, separator: str | None, longest: int = LONGEST) -> Layout:
    """The layout of a text: separator, header, what the first records show, and decimal commas."""
    layout, rows = first_lines(file, reading, separator, longest)
    return looked_at(with_decimal_commas(file, layout), rows)


def first_lines(
    file: BinaryIO, reading: Reading, separator: str | None, longest: int = LONGEST
) -> tuple[Layout, list[list[str]]]:
    """The layout that the first lines of a text show, and the records among them; the rest is not read."""
    top = beginning(file)
    if reading.in_rows:
        top = below_comments(file, *top, longest)
    seen = best_look(file, *top, SEPARATORS if separator is None else separator, longest)
    if not seen.head:
        raise UnreadableError("its first line is empty; expected a header line and rows below it.")
    missing = (*MISSING, *reading.missing, *map(defused, reading.missing))
    names = list(map(restored, seen.head))
    layout = Layout(names, seen.separator, top, *seen.start, longest, missing=missing)
    if reading.in_rows:
        layout = replace(layout, ends=True)
    elif is_data(layout.names, layout.separator):
        layout = without_header(layout)
    elif are_counted(layout.names):
        layout = with_counted_names(layout)
    return with_row_names(layout, seen.rows), seen.rows


def beginning(file: BinaryIO) -> tuple[int, int]:
    """The byte and the line at which a text begins; raises UnreadableError if it cannot be read."""
    file.seek(0)
    head = file.read(1 << 16)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        bits = 32 if head.startswith(b"\xff\xfe\0\0") else 16
        raise UnreadableError(f"it is text in UTF-{bits}, not in UTF-8; save it as UTF-8 first.")
    if b"\r" in head and b"\n" not in head:
        raise UnreadableError("its lines end in carriage returns alone; save it with line feeds.")
    return 3 if head.startswith(b"\xef\xbb\xbf") else 0, 1


def below_comments(file: BinaryIO, start: int, line: int, longest: int) -> tuple[int, int]:
    """Where a text begins below lines with ! or #, empty ones, and the sizes that a GCT file gives."""
    records = RecordReader(file, start, line, "\t", longest)
    here = records.here
    for record in records:
        first = record[0] if record else ""
        if first.startswith("#1."):
            next(records, None)
        elif record and not first.startswith(("!", "#")):
            break
        here = records.here
    return here


@dataclass(frozen=True)
class Look:
    """The first records of a text, split by a separator."""

    separator: str
    head: list[str]
    rows: list[list[str]]
    start: tuple[int, int]  # the byte and the line at which the records below the header begin

    @property
    def quality(self) -> tuple[bool, int]:
        """Whether header and records have equally many cells, and how many."""
        width = len(self.head)
        return width > 1 and all(len(row) - width in (0, 1) for row in self.rows), width


def look(file: BinaryIO, start: int, line: int, separator: str, longest: int) -> Look:
    records = RecordReader(file, start, line, separator, longest)
    head, below = next(records, []), records.here
    rows: list[list[str]] = []
    with suppress(UnreadableError):  # raised again, with its line, when the whole text is read
        rows.extend(row for row in islice(records, LOOK) if row)
    return Look(separator, head, rows, below)


def best_look(file: BinaryIO, start: int, line: int, separators: str, longest: int = LONGEST) -> Look:
    """The look whose separator gives header and records equally many cells, and the most of them."""
    looks, wrong = [], []
    # One by one: the separator decides where cells begin, and so which quotes open one.
    for separator in separators:
        try:
            looks.append(look(file, start, line, separator, longest))
        except UnreadableError as error:
            wrong.append(error)
    best = max(looks, key=lambda one: one.quality, default=None)
    if best is None or (wrong and len(best.head) < 2):  # the wrong separator may be the cause
        raise wrong[0]
    return best


def is_data(names: list[str], separator: str) -> bool:
    """Whether a first line is numbers other than the numbers of the columns."""
    return not are_counted(names) and all(is_plain_number(name, separator) for name in names)


def are_counted(names: list[str]) -> bool:
    """Whether names are 0, 1, 2, ... or 1, 2, 3, ..., as a data frame without names is written."""
    return names in [[str(first + j) for j in range(len(names))] for first in (0, 1)]


def with_counted_names(layout: Layout) -> Layout:
    """The layout with a note that the first line may have been data."""
    names = [*layout.names[:2], *["..."] * (layout.width > 2)]
    note = f"the first line, {', '.join(names)}, was read as the names of the columns"
    return replace(layout, notes=(*layout.notes, note))


def is_plain_number(cell: str, separator: str) -> bool:
    return bool(NUMBER.fullmatch(cell) or (separator != "," and DECIMAL_COMMA.fullmatch(cell)))


def without_header(layout: Layout) -> Layout:
    """The layout of a text whose first line is data."""
    names = [f"x{j}" for j in range(layout.width)]
    start, line = layout.top
    note = f"the first line is numbers, so it was read as data; the columns are called x0 to {names[-1]}"
    return replace(layout, names=names, start=start, line=line, numbered=True, notes=(*layout.notes, note))


def with_row_names(layout: Layout, rows: list[list[str]]) -> Layout:
    """The layout with one more column, if every row has one cell more than the header."""
    if not rows or any(len(row) != layout.width + 1 for row in rows):
        return layout
    if not any(row[-1] for row in rows):
        raise UnreadableError(
            f"its rows have {layout.width + 1} cells, the last one empty, but the header has {layout.width}: "
            "delete the separator at the end of the rows, or add one after the header."
        )
    note = "rows have one cell more than the header: the first one was read as the name of the row"
    return replace(layout, names=["", *layout.names], notes=(*layout.notes, note))


def with_decimal_commas(file: BinaryIO, layout: Layout) -> Layout:
    """The layout with decimal commas, if numbers in the whole text have commas and none has a point."""
    if layout.separator == ",":
        return layout
    commas, points = decimal_marks(file, layout)
    if not commas:
        return layout
    if points:
        note = (
            f"both decimal commas ({commas}) and points ({points}) occur: those with commas were read as text"
        )
    else:
        note = "numbers are written with decimal commas"
    return replace(layout, decimal_comma=not points, notes=(*layout.notes, note))


def decimal_marks(file: BinaryIO, layout: Layout) -> tuple[str, str]:
    """A number of the text with a comma and one with a point; empty if there is none."""
    separator = layout.separator.encode()
    comma = point = ""
    for text in whole_cells(file, layout.start, separator):
        comma = comma or number_with(b",", text, separator)
        point = point or number_with(b".", text, separator)
        if comma and point:
            break
    return comma, point


def number_with(mark: bytes, text: bytes, separator: bytes) -> str:
    """The first cell that is a number with a mark before its decimals; empty if there is none."""
    if mark not in text:
        return ""
    # A separator or a line end precedes the first cell, too: the search goes from one to the next.
    found = re.search(MARKED % {b"separator": re.escape(separator), b"mark": re.escape(mark)}, text)
    return found["number"].decode()[:SPELLED] if found else ""


def whole_cells(file: BinaryIO, start: int, separator: bytes) -> Iterator[bytes]:
    """A text in pieces that split no cell; cells too long for numbers may be truncated."""
    file.seek(start)
    rest = b"\n"
    while block := file.read(BLOCK):
        text = rest + block
        end = max(text.rfind(separator), text.rfind(b"\n"))
        yield text[: end + 1]
        rest = text[end:]
        if len(rest) > 2 * SPELLED:
            rest = separator + b"?"  # not a number, whatever follows
    yield rest


def looked_at(layout: Layout, rows: list[list[str]]) -> Layout:
    """The layout with the columns that are text in some rows."""
    text = {
        place
        for row in rows[:TRIED]
        for place, cell in enumerate(row[: layout.width])
        if not looks_numeric(cell, layout.decimal_comma) and cell not in layout.missing
    }
    return replace(layout, text=frozenset(text))


def looks_numeric(cell: str, decimal_comma: bool) -> bool:
    """Whether a cell reads as a number, infinity included."""
    if decimal_comma:
        cell = cell.replace(",", ".")
    return bool(NUMBER.fullmatch(cell)) or cell.strip().lower().lstrip("+-") in ("inf", "infinity")
