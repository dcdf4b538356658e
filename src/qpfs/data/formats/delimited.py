"""Text with a separator: comma, tab, semicolon or bar, found by content.

Columns that are not numbers throughout are kept as text. One that shows itself only far below costs a second
pass, so that its earlier cells keep their spelling.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import FloatArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.cells import Cells, cells_in, chunks
from qpfs.data.formats.format import Format
from qpfs.data.formats.layout import Layout, best_separator, layout_of
from qpfs.data.formats.scratch import Scratch, Spill
from qpfs.data.reading import Reading, matched
from qpfs.data.sheet import EXACT, Sheet, places_named

LONGEST = 1 << 30  # characters of a cell in quotes


def is_text(head: bytes, path: Path) -> bool:
    """Whether the first bytes are text, be it in UTF-16, and no archive."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or not (
        b"\0" in head or head.startswith(b"PK\x03\x04")
    )


def has_tabs(head: bytes, path: Path) -> bool:
    lines = [line for line in head.decode("utf-8", "replace").split("\n") if not line.startswith(("!", "#"))]
    return is_text(head, path) and best_separator(lines[0] if lines else "", lines[1:3]) == "\t"


def read(path: Path, reading: Reading, separator: str | None = None) -> Sheet:
    """The sheet in a text file."""
    return read_with(list, path, reading, separator)


def stream(path: Path, reading: Reading, scratch: Scratch, separator: str | None = None) -> Sheet:
    """The same with its numbers in a scratch file."""
    return read_with(lambda: scratch.spill("numbers"), path, reading, separator)


def read_with(numbers: Callable[[], Any], path: Path, reading: Reading, separator: str | None) -> Sheet:
    """The sheet in a text file, its numbers gathered in what is given."""
    csv.field_size_limit(LONGEST)
    try:
        with path.open("rb") as file:
            layout = layout_of(file, reading, separator)
            asked = spelled(layout, reading)
            return replace(sheet_of(file, layout, asked | layout.text, numbers), spelled=frozenset(asked))
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not text in UTF-8; save it as UTF-8 first.") from error
    except csv.Error as error:
        raise UnreadableError(f"{error}; look for a quote that is not closed.") from error


def spelled(layout: Layout, reading: Reading) -> set[int]:
    """Columns whose cells are wanted as they are spelled, numbers or not."""
    found = {0} if reading.in_rows else set()
    for asked in (reading.target, reading.groups, reading.index, *reading.keep):
        if asked is not None:
            found |= set(places_named(asked, layout.names, numbered=layout.numbered))
    for pattern in reading.categorical:
        found |= {place for place, name in enumerate(layout.names) if matched(pattern, name)}
    return found


@dataclass
class Gathered:
    """What has been read of a text."""

    text: set[int]  # columns that are not numbers
    numbers: Any  # what takes in the numbers of some records after another
    labels: dict[int, list[pa.Array]] = field(default_factory=dict)
    found_late: bool = False  # a column was taken for numbers at first

    def places(self, width: int) -> IndexArray:
        numeric = np.ones(width, bool)
        numeric[list(self.text)] = False
        return np.flatnonzero(numeric)

    def add(self, cells: Cells, width: int) -> None:
        """Takes the cells of some records in."""
        numbers = cells.numbers(self.places(width))
        if numbers is None or numbers.max(initial=0) >= EXACT or numbers.min(initial=0) <= -EXACT:
            late = {int(place) for place in self.places(width) if not is_numeric(cells, int(place))}
            self.text |= late
            self.found_late |= bool(late and self.numbers)
            numbers = cells.numbers(self.places(width))
        assert numbers is not None
        self.numbers.append(numbers)
        for place in self.text:
            self.labels.setdefault(place, []).append(cells.text(place))


def is_numeric(cells: Cells, place: int) -> bool:
    """Whether a column is numbers that float64 can tell apart."""
    numbers = cells.numbers(np.array([place]))
    if numbers is None:
        return False
    large = np.abs(numbers[:, 0]) >= EXACT
    return not large.any() or not pc.any(pc.utf8_is_digit(cells.text(place).filter(pa.array(large)))).as_py()


def sheet_of(file: BinaryIO, layout: Layout, text: set[int], numbers: Callable[[], Any]) -> Sheet:
    """The sheet of all records."""
    gathered = gather(file, layout, text, numbers())
    if gathered.found_late:
        gathered = gather(file, layout, gathered.text, numbers())
    places = gathered.places(layout.width)
    labels = {place: joined(gathered.labels.get(place, [])) for place in sorted(gathered.text)}
    kept = gathered.numbers
    matrix = kept.matrix(len(places)) if isinstance(kept, Spill) else poured(kept, len(places))
    return Sheet(layout.names, matrix, places, labels, numbered=layout.numbered, notes=layout.notes)


def gather(file: BinaryIO, layout: Layout, text: set[int], numbers: Any) -> Gathered:
    gathered, line = Gathered(set(text), numbers), layout.line
    for chunk in chunks(file, layout):
        gathered.add(cells_in(chunk, layout, line), layout.width)
        line += chunk.count(b"\n")
    return gathered


def poured(parts: list[FloatArray], width: int) -> FloatArray:
    """Parts one below the other; each is let go once it has been copied."""
    row = sum(map(len, parts))
    whole = np.empty((row, width))
    while parts:
        part = parts.pop()
        row -= len(part)
        whole[row : row + len(part)] = part
    return whole


def joined(parts: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays(parts) if parts else pa.array([], pa.string())


CSV = Format("csv", "CSV", is_text, read, is_table=True, is_text=True, stream=stream)
TSV = Format(
    "tsv",
    "tab-separated text",
    has_tabs,
    partial(read, separator="\t"),
    is_table=True,
    is_text=True,
    stream=partial(stream, separator="\t"),
)
