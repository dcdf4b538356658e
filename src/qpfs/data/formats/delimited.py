"""Text with a separator: comma, tab, semicolon or bar, found by content.

Columns that are not numbers throughout are kept as text. If the first such cell is far below, the file is
read a second time, so that earlier cells keep their spelling.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from qpfs.arrays import FloatArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats import cells as parsing
from qpfs.data.formats.cells import Cells, TextColumns, are_large, joined_cells
from qpfs.data.formats.format import Format
from qpfs.data.formats.layout import SEPARATORS, Layout, best_look, first_lines, layout_of
from qpfs.data.formats.records import LONGEST, RecordSurvey, survey
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading, matched
from qpfs.data.sheet import Sheet, are_long, floats_in, long_integers, places_named, shortened, stacked
from qpfs.messages import Parameter
from qpfs.wording import bytes_words

ROOM = 16  # bytes of memory for a byte of text while it is parsed
LEAST = 1 << 16  # bytes of text parsed at a time, however little memory is allowed


def is_text(head: bytes, path: Path) -> bool:
    """Whether the first bytes are text (also in UTF-16), and not an archive."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or not (
        b"\0" in head or head.startswith(b"PK\x03\x04")
    )


def has_tabs(head: bytes, path: Path) -> bool:
    lines = [line for line in head.split(b"\n") if not line.startswith((b"!", b"#"))]
    text = io.BytesIO(b"\n".join(lines).decode("utf-8", "replace").encode())
    with suppress(UnreadableError):
        return is_text(head, path) and best_look(text, 0, 1, SEPARATORS).separator == "\t"
    return False


def read(path: Path, reading: Reading, scratch: Scratch, separator: str | None = None) -> Sheet:
    """The sheet in a text file, its numbers in memory or in a scratch file."""
    longest = LONGEST if scratch.beside is None else max(LEAST, scratch.memory // ROOM)
    try:
        with path.open("rb") as file:
            layout = layout_of(file, reading, separator, longest)
            check_quotes(file, layout)
            scratch.glance(without_rows(layout))
            asked = spelled(layout, reading)
            text = Text(file, layout, found_in(file, layout), scratch)
            return replace(text.sheet(asked | layout.text), spelled=frozenset(asked))
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not text in UTF-8; save it as UTF-8 first.") from error


def header(path: Path, reading: Reading, separator: str | None = None) -> Sheet:
    """The columns of a text file, from its first lines."""
    with path.open("rb") as file:
        layout, _ = first_lines(file, reading, separator)
        check_quotes(file, layout)
        return without_rows(layout)


def check_quotes(file: BinaryIO, layout: Layout) -> None:
    """Raises UnreadableError if a quote of the header is never closed."""
    if any("\n" in name for name in layout.names):
        found_in(file, layout)


def without_rows(layout: Layout) -> Sheet:
    return Sheet(layout.names, np.empty((0, 0)), np.empty(0, int), numbered=layout.numbered)


def found_in(file: BinaryIO, layout: Layout) -> RecordSurvey:
    """The number of rows of a text by an independent count."""
    found = survey(file, *layout.top, layout.separator, ends=layout.ends)
    if found.gap and layout.width == 1:
        raise UnreadableError(
            f"line {found.gap} is empty, which in a table of one column is ambiguous; write NA there for a "
            "missing value, or delete the line."
        )
    return found if layout.numbered else replace(found, n_records=max(found.n_records - 1, 0))


def spelled(layout: Layout, reading: Reading) -> set[int]:
    """Columns whose cells are needed as text, whether they are numbers or not."""
    found = {0} if reading.in_rows else set()
    roles = (*reading.targets, reading.groups, reading.weights, reading.index, *reading.adjust, *reading.keep)
    for asked in roles:
        if asked is not None:
            found |= set(places_named(asked, layout.names, numbered=layout.numbered))
    for pattern in reading.categorical:
        found |= {place for place, name in enumerate(layout.names) if matched(pattern, name)}
    return found


@dataclass
class Gathered:
    """The parts of a text that have been read."""

    text: set[int]  # columns that are not numbers
    numbers: Any  # collects the numbers, some records at a time
    decimal_comma: bool = False
    labels: dict[int, list[pa.Array]] = field(default_factory=dict)
    long: set[int] = field(default_factory=set)  # columns of integers beyond the precision of float64
    n_parts: int = 0
    late: int = 0  # the part in which the last column was found that seemed to be numbers before; 0: none
    label_bytes: int = 0

    def places(self, width: int) -> IndexArray:
        numeric = np.ones(width, bool)
        numeric[list(self.text)] = False
        return np.flatnonzero(numeric)

    def add(self, cells: Cells, width: int) -> None:
        """Adds the cells of some records."""
        places = self.places(width)
        numbers, columns = cells.taken(places, self.text)
        doubted = range(width) if numbers is None else places[are_large(numbers)]
        if len(doubted):
            values, text = self._by_spelling(cells.texts(map(int, doubted)))
            columns |= text
            if numbers is None:
                numbers = stacked(list(values.values()), len(next(iter([*values.values(), *text.values()]))))
            else:
                numbers = numbers[:, ~np.isin(places, list(text))]
        self.numbers.append(numbers)
        self.n_parts += 1
        for place, column in columns.items():
            self._add_text(place, [column])

    def _by_spelling(
        self, texts: Iterable[tuple[int, pa.Array]]
    ) -> tuple[dict[int, FloatArray], TextColumns]:
        """Columns of numbers, and those of text or of integers beyond the precision of float64."""
        values: dict[int, FloatArray] = {}
        text: TextColumns = {}
        for place, spelled in texts:
            numbers = None if place in self.text else floats_in(spelled, self.decimal_comma)
            if numbers is None:
                text[place] = spelled
            elif are_long(spelled, numbers):
                text[place] = spelled
                self.long.add(place)
            else:
                values[place] = numbers
        if text.keys() - self.text:
            self.late = self.n_parts
        self.text |= text.keys()
        return values, text

    def add_rest(self, earlier: Gathered) -> None:
        """Adds the parts of an earlier pass in which no column was taken for numbers that is text."""
        for numbers in earlier.numbers.parts[earlier.late :]:
            self.numbers.append(numbers)
        for place, columns in earlier.labels.items():
            self._add_text(place, columns[earlier.late - earlier.n_parts :])

    def _add_text(self, place: int, columns: list[pa.Array]) -> None:
        self.labels.setdefault(place, []).extend(columns)
        self.label_bytes += sum(column.nbytes for column in columns)


def too_much_text(names: list[str], memory: int) -> UnreadableError:
    return UnreadableError(
        f"its columns of text, such as {shortened(names, 3)}, need more than {bytes_words(memory)}; "
        "allow more (",
        Parameter("memory"),
        "), or delete them from the file.",
    )


@dataclass(frozen=True)
class Text:
    """A text that is read row by row, and checked against a count of its records."""

    file: BinaryIO
    layout: Layout
    survey: RecordSurvey
    scratch: Scratch

    def sheet(self, text: set[int]) -> Sheet:
        """The sheet of all records; some columns are known to be text."""
        gathered = self._gathered(text)
        long = gathered.long
        if gathered.late:
            gathered = self._gathered(gathered.text, gathered)
        layout, places = self.layout, gathered.places(self.layout.width)
        labels = {place: joined_cells(gathered.labels.get(place, [])) for place in sorted(gathered.text)}
        matrix = gathered.numbers.matrix(len(places))
        for n_rows in {len(matrix), *map(len, labels.values())}:
            self.survey.check(n_rows)
        return Sheet(
            layout.names,
            matrix,
            places,
            labels,
            numbered=layout.numbered,
            decimal_comma=layout.decimal_comma,
            notes=(*layout.notes, *long_integers(self._names(long))),
        )

    def _gathered(self, text: set[int], earlier: Gathered | None = None) -> Gathered:
        """The parts of the text; what an earlier pass has in memory of those that it read well is kept."""
        size = parsing.CHUNK
        gathered = Gathered(set(text), self.scratch.spill("numbers"), self.layout.decimal_comma)
        if self.scratch.beside is not None:
            size = max(LEAST, min(size, self.scratch.memory // ROOM))
        for part in parsing.parts(self.file, self.layout, self.survey.stop, size):
            if earlier is not None and gathered.n_parts == earlier.late and self.scratch.beside is None:
                gathered.add_rest(earlier)
                self._check_text(gathered)
                break
            gathered.add(part, self.layout.width)
            self._check_text(gathered)
        return gathered

    def _check_text(self, gathered: Gathered) -> None:
        """Raises UnreadableError if the columns of text take more memory than is allowed."""
        if gathered.label_bytes > self.scratch.memory:
            raise too_much_text(self._names(gathered.text), self.scratch.memory)

    def _names(self, places: set[int]) -> list[str]:
        return [self.layout.names[place] for place in sorted(places)]


CSV = Format("csv", "CSV", is_text, read, is_table=True, is_text=True, header=header)
TSV = Format(
    "tsv",
    "tab-separated text",
    has_tabs,
    partial(read, separator="\t"),
    is_table=True,
    is_text=True,
    header=partial(header, separator="\t"),
)
