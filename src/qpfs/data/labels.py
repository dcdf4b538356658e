"""A target in a file of its own: a name and a label on each line, or labels in the order of the samples."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from qpfs import npy
from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.layout import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    MISSING,
    SEPARATORS,
    beginning,
    best_look,
    looks_numeric,
)
from qpfs.data.formats.records import LONGEST, RecordReader, RecordSurvey, survey
from qpfs.data.roles import as_numbers
from qpfs.data.sheet import places_named, shortened
from qpfs.data.stored import Stored, stored_at_hand
from qpfs.formulas import restored

NPY = b"\x93NUMPY"


def labels_in(source: str, samples: list[str] | None, n: int, target: str | None) -> tuple[AnyArray, str]:
    """The label of each of n samples, and what the labels are called; missing ones are None or NaN."""
    with stored_at_hand(source) as stored:
        if stored.head(6) == NPY:
            return checked_length(array_of(stored), n, source), target or "label"
        rows, decimal_comma = rows_of(stored)
    if len(rows[0]) == 1:
        cells, name = by_order([row[0] for row in rows], n, target, source, decimal_comma)
    else:
        cells, name = by_name(rows, samples, n, target, source, decimal_comma)
    return checked_length(typed(cells, decimal_comma), n, source), name


def array_of(stored: Stored) -> AnyArray:
    """The labels in an array; raises UnreadableError if it is cut short, or one of Python objects."""
    try:
        return npy.sound(npy.array_in(stored.path))
    except ValueError as error:
        raise UnreadableError(f"{stored.name!r} cannot be read as a NumPy array: {error}.") from error


def rows_of(stored: Stored) -> tuple[list[list[str]], bool]:
    """The cells of a text, and whether their numbers have decimal commas."""
    try:
        with stored.path.open("rb") as file:
            top = beginning(file)
            separator = best_look(file, *top, SEPARATORS).separator
            found = survey(file, *top, separator)
            rows = [list(map(restored, row)) for row in RecordReader(file, *top, separator, LONGEST) if row]
        check_rows(rows, found)
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"{stored.name!r} is not text in UTF-8; expected a file of labels, saved as UTF-8."
        ) from error
    except UnreadableError as error:
        raise UnreadableError(f"{stored.name!r} cannot be read as labels: {error}") from error
    if not rows:
        raise UnreadableError(f"{stored.name!r} is empty; expected a label for each sample.")
    return rows, separator != "," and has_decimal_commas(rows)


def check_rows(rows: list[list[str]], found: RecordSurvey) -> None:
    """Raises UnreadableError if rows were lost, differ in length, or may have been left out."""
    found.check(len(rows))
    if any(len(row) != len(rows[0]) for row in rows):
        raise UnreadableError("it has lines with different numbers of cells.")
    if found.gap and rows and len(rows[0]) == 1:
        raise UnreadableError(
            f"line {found.gap} is empty, and may be a missing label or nothing; write NA there, or delete it."
        )


def has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether there are numbers with a comma, and none with a point."""
    cells = [cell for row in rows for cell in row]
    return any(map(DECIMAL_COMMA.fullmatch, cells)) and not any(map(DECIMAL_POINT.fullmatch, cells))


def by_order(
    cells: list[str], n: int, target: str | None, source: str, decimal_comma: bool
) -> tuple[list[str], str]:
    """Labels one below the other; a line more than there are samples is a header, or a label too many."""
    if len(cells) != n + 1:
        return cells, "label"
    if cells[0] == target or is_header(cells[0], cells[1:], decimal_comma):
        return cells[1:], cells[0]
    raise UnreadableError(
        f"{source!r} has {n + 1} labels, but there are {n} samples. Delete the label too many; or, if the "
        f"first, {cells[0]!r}, is meant as a header, name the column in a first line of its own, by a word "
        "that is no label."
    )


def by_name(
    rows: list[list[str]],
    samples: list[str] | None,
    n: int,
    target: str | None,
    source: str,
    decimal_comma: bool,
) -> tuple[list[str], str]:
    """Labels beside the names of samples: in the first column, or in any if the target is another one."""
    unknown = samples is None or rows[0][0] not in set(samples)
    place = label_place(rows[0] if unknown else None, len(rows[0]), target, source)
    cells, names = [row[place] for row in rows], [row[0] for row in rows]
    if samples is None and target is None and len(rows) == n + 1:
        return by_order(cells, n, target, source, decimal_comma)
    if samples is None:
        return cells[1:], cells[0]
    if unknown and (target is not None or is_header(cells[0], cells[1:], decimal_comma)):
        return matched_cells(names[1:], cells[1:], samples, source), cells[0]
    return matched_cells(names, cells, samples, source), "label"


def is_header(first: str, labels: list[str], decimal_comma: bool) -> bool:
    """Whether a first cell can be the name of the labels below it, and not one more of them."""
    if first in MISSING or first in labels:
        return False
    numbers = all(looks_numeric(label, decimal_comma) or label in MISSING for label in labels)
    return not (numbers and looks_numeric(first, decimal_comma))


def label_place(header: list[str] | None, width: int, target: str | None, source: str) -> int:
    """The column of the labels: the one asked for, or the second of two."""
    if target is not None and header is not None:
        places = places_named(target, header)
        if len(places) == 1:
            return places[0]
        raise UsageError(f"There is no column {target!r} in {source!r}; it has {shortened(header)}.")
    if width == 2:
        return 1
    raise UsageError(
        f"{source!r} has {width} columns; say which of them holds the labels with --target COLUMN."
    )


def matched_cells(names: list[str], cells: list[str], samples: list[str], source: str) -> list[str]:
    """The cells in the order of the samples; raises UnreadableError unless each is named once."""
    found, known, times = dict(zip(names, cells, strict=True)), set(samples), Counter(names)
    problems = {
        "has no label for": [name for name in samples if name not in found],
        "has labels for unknown samples": [name for name in found if name not in known],
        "names several times": [name for name in found if times[name] > 1],
    }
    for what, some in problems.items():
        if some:
            raise UnreadableError(
                f"{source!r} {what} {shortened(some)} ({len(some)} in all); it must name each sample once."
            )
    return [found[name] for name in samples]


def typed(cells: list[str], decimal_comma: bool) -> AnyArray:
    """Labels as numbers, if all of them are."""
    array = pa.array([None if cell in MISSING else cell for cell in cells], pa.string())
    return as_numbers(array, decimal_comma)


def checked_length(labels: AnyArray, n: int, source: str) -> AnyArray:
    if labels.shape != (n,):
        there = " x ".join(map(str, labels.shape)) or "no list of"
        raise UnreadableError(f"{source!r} has {there} labels, but there are {n} samples.")
    if labels.dtype.kind == "V":
        raise UnreadableError(f"{source!r} holds records; expected a label for each sample.")
    return labels
