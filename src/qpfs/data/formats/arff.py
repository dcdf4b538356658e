"""ARFF, the files of Weka and OpenML: attributes with their types, then rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.cells import are_large, joined_cells, parsed
from qpfs.data.formats.format import Format
from qpfs.data.formats.records import RecordSurvey
from qpfs.data.formats.scratch import Pile, Scratch
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, are_long, long_integers

MISSING = ("?", "")
QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""  # possessive: no backtracking
ATTRIBUTE = re.compile(rf"@attribute\s++({QUOTED}|[^\s{{]++)\s*+(.*+)", re.I | re.S)
CELL = re.compile(rf"\s*+(?:({QUOTED})\s*+(?=,|\Z)|([^,]*+))(?:,|\Z)", re.S)
BATCH = 1 << 18  # cells
NUMERIC = ("numeric", "real", "integer")


def matches(head: bytes, path: Path) -> bool:
    """Whether the first line that is not a comment begins with @relation or @attribute."""
    lines = (line.strip().lower() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return first.startswith((b"@relation", b"@attribute"))


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    try:
        return sheet_of(path, (*MISSING, *reading.missing), scratch)
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not text in UTF-8; save it as UTF-8 first.") from error


def sheet_of(
    path: Path, missing: tuple[str, ...], scratch: Scratch, long: frozenset[int] = frozenset()
) -> Sheet:
    """The attributes and the rows; some numeric attributes are known to be integers too long for float64."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        names, numeric, line = attributes(file)
        numeric[list(long)] = False
        scratch.glance(Sheet(names, np.empty((0, 0)), np.empty(0, int)))
        places = np.flatnonzero(numeric)
        labels: dict[int, list[pa.Array]] = {int(place): [] for place in np.flatnonzero(~numeric)}
        parts, found = Pile(np.float64), set()
        for rows in some_rows(file, len(names), line):
            numbers = number_matrix(rows, places, names, missing)
            parts.append(numbers)
            for place, column in labels.items():
                column.append(as_text([row[place] for row in rows], missing))
            found |= too_long(rows, numbers, places, missing)
    if found:
        return sheet_of(path, missing, scratch, frozenset(found | long))
    numbers = parts.matrix(len(places))
    survey(path, line).check(len(numbers))
    notes = long_integers([names[place] for place in sorted(long)])
    return Sheet(
        names, numbers, places, {place: joined_cells(column) for place, column in labels.items()}, notes=notes
    )


def survey(path: Path, line: int) -> RecordSurvey:
    """How many rows there are from a line on, counted without reading them."""
    with path.open("rb") as file:
        data = islice(file, line - 1, None)
        return RecordSurvey(sum(1 for text in data if text.strip() and not text.startswith(b"%")), 0)


def too_long(
    rows: list[list[str]], numbers: FloatArray, places: IndexArray, missing: tuple[str, ...]
) -> set[int]:
    """The numeric attributes that are integers beyond the precision of float64."""
    large = np.flatnonzero(are_large(numbers))
    columns = {int(places[j]): numbers[:, j] for j in large}
    spelled = {place: as_text([row[place] for row in rows], missing) for place in columns}
    return {place for place, column in columns.items() if are_long(spelled[place], column)}


def attributes(file: Iterable[str]) -> tuple[list[str], BoolArray, int]:
    """The names of the attributes, which of them are numbers, and the line where the data begin."""
    names: list[str] = []
    numeric: list[bool] = []
    for number, line in enumerate(file, start=1):
        keyword = line.strip().lower()
        if keyword.startswith("@data"):
            return names, np.array(numeric, np.bool_), number + 1
        if keyword.startswith("@attribute"):
            name, kind = attribute(line.strip(), number)
            names.append(name)
            numeric.append(kind in NUMERIC)
    raise UnreadableError("there is no line @data.")


def attribute(line: str, number: int) -> tuple[str, str]:
    """The name and the type of an attribute."""
    found = ATTRIBUTE.fullmatch(line)
    kind = "" if found is None else found[2].strip().lower()
    if found is None or not (kind.startswith(("{", "string", "date")) or kind in NUMERIC):
        raise UnreadableError(
            f"line {number} is {line[:80]!r}; expected an attribute with a name and a type: numeric, string, "
            "date or {labels}."
        )
    return bare(found[1]), kind


def some_rows(file: Iterable[str], width: int, line: int) -> Iterator[list[list[str]]]:
    """The rows of cells, as many as fit a batch at a time."""
    rows: list[list[str]] = []
    for number, text in enumerate(file, start=line):
        if text.strip() and not text.startswith("%"):
            rows.append(cells_of(text.strip(), width, number))
        if len(rows) * width >= BATCH:
            yield rows
            rows = []
    if rows:
        yield rows


def cells_of(text: str, width: int, number: int) -> list[str]:
    """The cells of a row."""
    if text.startswith("{"):
        raise UnreadableError(
            f"line {number} is a sparse row, which is not supported; save the data as dense ARFF or svmlight."
        )
    if "'" in text or '"' in text:
        found = CELL.findall(text)[: None if text.endswith(",") else -1]
        cells = [bare(quoted) if quoted else plain.rstrip() for quoted, plain in found]
    else:
        cells = [cell.strip() for cell in text.split(",")]
    if len(cells) == width:
        return cells
    raise UnreadableError(f"line {number} has {len(cells)} cells, but there are {width} attributes.")


def bare(text: str) -> str:
    """Text without the quotes around it."""
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def number_matrix(
    rows: list[list[str]], places: IndexArray, names: list[str], missing: tuple[str, ...]
) -> FloatArray:
    """The numeric attributes of some rows; missing values are NaN."""
    if len(places) == 0:
        return np.empty((len(rows), 0))
    text = "\n".join(row[place] for row in rows for place in places) + "\n"
    numbers = parsed(text.encode(), missing, len(rows) * len(places))
    if numbers is not None:
        return numbers.reshape(len(rows), len(places))
    for place in places:
        column = "".join(f"{row[place]}\n" for row in rows).encode()
        if parsed(column, missing, len(rows)) is None:
            raise UnreadableError(
                f"the attribute {names[place]!r} is numeric, but not all of its values are."
            )
    raise UnreadableError("not all values of numeric attributes are numbers.")


def as_text(cells: list[str], missing: tuple[str, ...]) -> pa.Array:
    return pa.array([None if cell in missing else cell for cell in cells], pa.string())


ARFF = Format("arff", "ARFF", matches, read, is_table=True, times=6)
