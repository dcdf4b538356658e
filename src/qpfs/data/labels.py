"""A target in a separate file: a name and a label on each line, or labels in the order of the samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from qpfs import npy
from qpfs.arrays import AnyArray, IndexArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.features import as_labels
from qpfs.data.formats import FORMATS, Format, told_as
from qpfs.data.formats.arff import ARFF
from qpfs.data.formats.arrow import pandas_index
from qpfs.data.formats.delimited import CSV, TSV
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
from qpfs.data.formats.scratch import Scratch
from qpfs.data.formats.svmlight import SVMLIGHT
from qpfs.data.naming import Naming, Pair, best_pair, columns_that_name, first_difference, naming_in, rivals
from qpfs.data.reading import Reading
from qpfs.data.roles import as_numbers, no_column
from qpfs.data.sheet import Sheet, numbers_among, places_named, plain_column, shortened, texts, unmarked
from qpfs.data.stored import STORE, Stored, stored_at_hand
from qpfs.formulas import restored
from qpfs.messages import Message, Parameter
from qpfs.wording import counted, some_of

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
BINARY = tuple(form for form in FORMATS if form not in (ARFF, SVMLIGHT, CSV, TSV))  # the others are text


@dataclass(frozen=True, eq=False)
class Joined:
    """What a file of labels holds for the samples of a table."""

    y: AnyArray  # of the samples that are kept; missing ones are None or NaN
    name: str  # of the labels
    rows: IndexArray | None  # which samples have a label; None: all of them
    groups: AnyArray | None
    notes: tuple[str, ...]
    weights: AnyArray | None = None
    covariates: Mapping[str, AnyArray] = field(default_factory=dict)


class LabelFile:
    """A file of labels: a name and a label on each line, further columns beside them, or labels in order."""

    def __init__(self, reading: Reading) -> None:
        assert reading.labels is not None
        self.source, self.reading = reading.labels, reading
        self.no_names = {*reading.targets, reading.weights, *reading.adjust}  # columns that name no samples
        self.array: AnyArray | None = None
        with stored_at_hand(self.source) as stored:
            if stored.head(6) == NPY:
                self.array = array_of(stored)
            else:
                self.rows, self.decimal_comma = rows_of(stored)
                self._check_columns()

    def _check_columns(self) -> None:
        """Raises UsageError, before the table is read, if it is not clear which column holds the labels."""
        if not self.says_more:
            self.check_targets()

    def check_targets(self) -> None:
        """Raises UsageError if it is not clear, for a file that has them, which columns hold the labels."""
        if self.array is None and (len(self.rows[0]) > 2 or self.says_more):
            for asked in self.reading.targets or (None,):
                self._place("target", asked, self.rows[0])

    @property
    def says_more(self) -> bool:
        """Whether the file has groups, weights or covariates that were named."""
        return any(self.has(name) for _, name in self.reading.beside)

    def has(self, asked: str) -> bool:
        """Whether the file has a column of this name."""
        return self.array is None and asked in self.rows[0]

    def has_target(self, *, in_table: bool) -> bool:
        """Whether the target is in the file; if the file has other columns, it may be that of the table."""
        return not (in_table and self.says_more and self.reading.target not in self.rows[0])

    def target_in(self, sheet: Sheet) -> set[int]:
        """The columns of a table that have the name of a target in this file."""
        named = {self.reading.target, *self.reading.further} - {None}
        if not named and self.array is None and len(self.rows[0]) == 2:
            named = {self.rows[0][1]}
        return {place for place, name in enumerate(sheet.names) if name in named}

    def of(self, target: str) -> LabelFile:
        """A copy with another column of the file as the target."""
        if self.array is not None or (len(self.rows[0]) == 1 and self.rows[0][0] != target):
            raise UsageError(
                Parameter("target", target), f": {self.source!r} has one column of labels; name one target."
            )
        other = copy(self)
        other.reading = replace(self.reading, target=target, further=())
        return other

    def index_in(self, sheet: Sheet) -> str | None:
        """The column of a table that holds the names in the file; None if samples are matched by order."""
        if self.array is not None or len(self.rows[0]) == 1:
            return None
        columns = self._namings()
        here = columns_that_name(sheet, {one.header for one in columns})
        pairs = [Pair(one, other) for one in here for other in columns]
        sure = self._first_of_two([pair for pair in pairs if pair.is_sure])
        if (best := best_pair(sure)) is not None:
            self._check_single([one for one in rivals(best, sure) if one.there is best.there])
            return best.here.header
        if (doubtful := best_pair(pair for pair in pairs if pair.is_doubtful)) is not None:
            raise self._doubt(doubtful)
        self._check_order(sheet)
        return None

    @cached_property
    def _unasked(self) -> list[Naming]:
        """The columns of the file without those that have other roles."""
        return [
            naming_in(place, header, Counter(row[place] for row in self.rows))
            for place, header in enumerate(self.rows[0])
            if header not in self.no_names
        ]

    def _namings(self) -> list[Naming]:
        """The columns of the file that may name samples."""
        of_two = self.reading.target is None and len(self.rows[0]) == 2  # the second holds labels, mostly
        return [one for one in self._unasked if one.place == 0 or one.differs or not of_two]

    def _first_of_two(self, pairs: list[Pair]) -> list[Pair]:
        """Pairs without those of the second of two columns, which holds labels if the first holds names."""
        of_two = self.reading.target is None and len(self.rows[0]) == 2
        first = [one for one in pairs if one.there.place == 0 and one.is_common]
        return first if of_two and first else pairs

    def _check_single(self, pairs: list[Pair]) -> None:
        """Raises UsageError if several columns of the table hold the names of the file."""
        if len(pairs) > 1:
            raise UsageError(
                f"The columns {shortened([one.here.header for one in pairs])} hold the names of "
                f"{self.source!r}; choose one with ",
                Parameter("index", "COLUMN"),
                ".",
            )

    def _doubt(self, pair: Pair) -> UsageError:
        here, there = pair.here, pair.there
        n = len(there.names - {there.header})
        return UsageError(
            f"The column {here.header!r} of the table holds {pair.shared} of the {n} values in "
            f"{there.header!r} of {self.source!r}, so both may name the samples. If they do, add ",
            Parameter("index", here.header),
            "; if labels are in the order of the samples, leave only the labels in the file.",
        )

    def _check_order(self, sheet: Sheet) -> None:
        """Raises UnreadableError if a column of both files shows that their lines are in another order."""
        for place, header in enumerate(self.rows[0]):
            if header in self.reading.targets:
                continue
            cells = [row[place] for row in self.rows[1:]]
            if (found := first_difference(sheet, header, cells)) is not None:
                line, own, other = found
                raise UnreadableError(
                    f"The labels cannot be matched by the order of lines: in line {line + 2} of "
                    f"{self.source!r} {header!r} is {other!r}, but the table has {own!r} there. Name the "
                    "samples in both files and give ",
                    Parameter("index", "COLUMN"),
                    f", or leave {header!r} out of one of them.",
                )

    def _place_of_names(self, samples: list[str], index: str | None) -> int:
        """The column of the file that names given samples: the first, if no other has more of the names."""
        is_text = not all(map(str.isdecimal, samples))
        here = naming_in(-1, index or "", Counter(samples), is_text=is_text)
        pairs = [Pair(here, there) for there in self._namings()]
        likely = self._first_of_two(
            [
                one
                for one in pairs
                if one.shared and (one.there.place == 0 or one.there.differs or one.is_common)
            ]
        )
        own = [one for one in likely if one.is_equal or not one.there.is_count]  # not mere numbers of lines
        likely = own if any(one.is_equal or one.is_common for one in own) else likely
        named = [one for one in likely if index is not None and one.is_alike]
        if len(named) == 1:
            likely = named
        if (best := best_pair(likely)) is None:
            return 0
        if len(several := rivals(best, likely)) > 1:
            raise UsageError(
                f"The columns {shortened([one.there.header for one in several])} of {self.source!r} hold "
                "names of samples; leave only one of them in the file, or call it like the column of the "
                "table that names the samples (",
                Parameter("index"),
                ").",
            )
        if self.reading.target is None and best.there.place == len(self.rows[0]) - 1 == 1:
            header, names = self.rows[0]
            raise UsageError(
                f"{self.source!r} names samples in its second column, {names!r}; name the one that holds "
                "the labels with ",
                Parameter("target", header),
                ".",
            )
        return best.there.place

    def joined(
        self, samples: list[str] | None, n: int, features: list[str], index: str | None = None
    ) -> Joined:
        """The label of each of n samples; matched by name if both have names, else in order.

        The names of samples are those of a column `index`, if the table has them in one.
        """
        if self.array is not None:
            y = self._unmarked(self._in_order(self.array, n, features))
            return Joined(y, self.reading.target or "label", None, None, ())
        first = self.rows[0]
        if len(first) == 1:
            return self._one_column(n, features)
        if samples is None:
            return self._by_line(self._place("target", self.reading.target, first), n, features)
        names = self._place_of_names(samples, index)
        is_data = first[names].strip() in {one.strip() for one in samples}
        place = self._place("target", self.reading.target, None if is_data else first)
        if self.reading.target is None:
            is_data = is_data or is_named_alike(first[names], [row[names] for row in self.rows[1:]])
        if is_data or not self._is_headed(place):
            return self._by_name(self.rows, samples, names, place, "label", features)
        return self._by_name(self.rows[1:], samples, names, place, first[place], features)

    def _one_column(self, n: int, features: list[str]) -> Joined:
        """Labels one below the other, in the order of the samples."""
        target = self.reading.target
        cells, name = self._below_header([row[0] for row in self.rows], n)
        if target is not None and len(cells) < len(self.rows) and name != target:
            raise no_column("target", target, self.source, self.rows[0])
        y = self._in_order(self._typed(cells), n, features)
        return Joined(y, name, None, *self._beside([[cell] for cell in cells], ()))

    def _by_line(self, place: int, n: int, features: list[str]) -> Joined:
        """A column of labels in the order of the samples, which have no names."""
        self._check_unnamed(features)
        cells = [row[place] for row in self.rows]
        some, name = (cells[1:], cells[0]) if self._is_headed(place) else self._below_header(cells, n)
        y = self._in_order(self._typed(some), n, features)
        below = self.rows[len(self.rows) - len(some) :]
        return Joined(y, name, None, *self._beside(below, (self._order_note(),)))

    def _check_unnamed(self, features: list[str]) -> None:
        """Raises UnreadableError if the file names features, or under `strict` anything else."""
        columns = self._namings()
        for one in (one for one in columns if one.is_varied):
            if meant := self._meant(features, [*(one.names - {one.header})]):
                raise UnreadableError(
                    f"{self.source!r} names its lines in {one.header!r}, not samples.", *meant
                )
        named = [one.header or f"column {one.place + 1}" for one in columns if one.differs]
        if self.reading.strict and named:
            raise UnreadableError(
                Parameter("strict"),
                f": {self.source!r} names its lines in {named[0]!r}, but no column of the table has "
                "these names. Name the samples of the table with ",
                Parameter("index", "COLUMN"),
                ", or leave only labels in the file if they are in the order of the samples.",
            )

    def _is_headed(self, place: int) -> bool:
        """Whether the first line names the columns: the target was named, or it looks like a name."""
        cells = [row[place] for row in self.rows]
        return self.reading.target is not None or is_header(cells[0], cells[1:], self.decimal_comma)

    def _by_name(
        self,
        rows: list[list[str]],
        samples: list[str],
        names: int,
        place: int,
        name: str,
        features: list[str],
    ) -> Joined:
        """The labels of the samples that a column names; samples without one are left out, with a note."""
        samples = [one.strip() for one in samples]
        rows = [row for row in rows if row[names].strip()]  # no name is no sample's
        found, known = {row[names].strip(): row for row in rows}, set(samples)
        self._check_lines([row[names].strip() for row in rows])
        absent = [one for one in samples if one not in found]
        unknown = [one for one in found if one not in known]
        if len(absent) == len(samples):
            raise UnreadableError(
                f"{self.source!r} has no label for any of the {len(samples)} samples: it names "
                f"{shortened(unknown, 3)}, but the table has {shortened(samples, 3)}.",
                *self._meant(features, [*found]),
            )
        if self.reading.strict:
            self._check_all_matched(absent, unknown)
        n, k = len(samples), len(found)
        notes = [
            *unmatched(absent, f"{some_of(n - len(absent), n, 'sample', 'has', 'have')} a label"),
            *unmatched(unknown, f"{some_of(k - len(unknown), k, 'label', 'is', 'are')} of a sample"),
        ]
        kept = [row for row, one in enumerate(samples) if one in found]
        matched = [found[samples[row]] for row in kept]
        y = self._typed([row[place] for row in matched])
        rows_kept = np.array(kept) if absent else None
        return Joined(y, name, rows_kept, *self._beside(matched, tuple(notes)))

    def _check_lines(self, names: list[str]) -> None:
        """Raises UnreadableError if samples have several lines."""
        twice = [one for one, times in Counter(names).items() if times > 1]
        if twice:
            raise UnreadableError(
                f"{self.source!r} has several lines for {counted(len(twice), 'sample')}: {shortened(twice)}; "
                "expected one line for each."
            )

    def _check_all_matched(self, absent: list[str], unknown: list[str]) -> None:
        """Raises UnreadableError if there are samples without a label, or labels of no sample."""
        without = f"{counted(len(absent), 'sample')} without a label: {shortened(absent)}"
        of_none = f"{counted(len(unknown), 'label')} of no sample: {shortened(unknown)}"
        if wrong := "; ".join([without] * bool(absent) + [of_none] * bool(unknown)):
            raise UnreadableError(
                f"{self.source!r} does not match the table (", Parameter("strict"), f"): {wrong}."
            )

    def _beside(self, rows: list[list[str]], notes: tuple[str, ...]) -> tuple[Any, ...]:
        """What else the file has for samples: groups, notes, weights, and covariates by name."""
        groups, weights = (
            None if asked is None else self._column(role, asked, rows)
            for role, asked in (("groups", self.reading.groups), ("weights", self.reading.weights))
        )
        found = {name: self._column("adjust", name, rows) for name in self.reading.adjust}
        return groups, notes, weights, {name: values for name, values in found.items() if values is not None}

    def _column(self, parameter: str, asked: str, rows: list[list[str]]) -> AnyArray | None:
        """A column of the file by its name, if it is there."""
        if asked not in self.rows[0]:
            return None
        cells = [row[self._place(parameter, asked, self.rows[0])] for row in rows]
        return self._typed(cells)

    def _place(self, parameter: str, asked: str | None, header: list[str] | None) -> int:
        """The column of the labels: the one that was named, or the second of two."""
        if asked is not None and header is not None:
            places = places_named(asked, header)
            if len(places) == 1:
                return places[0]
            raise no_column(parameter, asked, self.source, header)
        width = len(self.rows[0])
        if width == 2 and self.rows[0][1] not in [name for _, name in self.reading.beside]:
            return 1
        raise UsageError(
            f"{self.source!r} has {width} columns ({shortened(self.rows[0])}); name the one that holds "
            "the labels with ",
            Parameter(parameter, "COLUMN"),
            ".",
        )

    def _below_header(self, cells: list[str], n: int) -> tuple[list[str], str]:
        """Labels one below the other; one line more than samples is a header, or one label too many."""
        if len(cells) != n + 1:
            return cells, "label"
        if cells[0] == self.reading.target or is_header(cells[0], cells[1:], self.decimal_comma):
            return cells[1:], cells[0]
        raise UnreadableError(
            f"{self.source!r} has {n + 1} labels, but there are {n} samples. Delete one label; or, if the "
            f"first line, {cells[0]!r}, is a header, replace it by a word that is not a label."
        )

    def _typed(self, cells: list[str]) -> AnyArray:
        """Labels as numbers, if all of them are."""
        gone = {*MISSING, *self.reading.missing}
        array = pa.array([None if cell in gone else cell for cell in cells], pa.string())
        return self._unmarked(as_numbers(array, self.decimal_comma))

    def _unmarked(self, labels: AnyArray) -> AnyArray:
        """Labels without those that mean "not known"."""
        marks = self.reading.missing
        if labels.dtype.kind in "iuf":
            return unmarked(labels, numbers_among(marks))
        if labels.dtype.kind != "U" or not (gone := np.isin(labels, marks)).any():
            return labels
        known = labels.astype(object)
        known[gone] = None
        return known

    def _order_note(self) -> str:
        return Message(
            f"labels were matched by the order of lines of {self.source!r}, as samples have no names; ",
            Parameter("index", "COLUMN"),
            " names them",
        )

    def _in_order(self, labels: AnyArray, n: int, features: list[str]) -> AnyArray:
        if labels.shape != (n,):
            there = " x ".join(map(str, labels.shape)) or "no list of"
            names = [] if self.array is not None else [row[0] for row in self.rows]
            raise UnreadableError(
                f"{self.source!r} has {there} labels, but there are {n} samples.",
                *self._meant(features, names),
            )
        if labels.dtype.kind == "V":
            raise UnreadableError(f"{self.source!r} holds records; expected a label for each sample.")
        return labels

    def _meant(self, features: list[str], names: list[str]) -> list[str | Parameter]:
        """A hint if the names of samples are those of the features."""
        if len(set(features).intersection(names)) < max(1, len(names) // 2):
            return []
        there = " Its samples are named like the features of the table: did you mean "
        return [there, Parameter("features_in", "columns" if self.reading.in_rows else "rows"), "?"]


def unmatched(names: list[str], what: str) -> list[str]:
    return [f"{what}; {len(names)} left out: {shortened(names)}"] if names else []


def array_of(stored: Stored) -> AnyArray:
    """The labels in an array; raises UnreadableError if it is truncated, or one of Python objects."""
    try:
        return npy.sound(npy.array_in(stored.path))
    except ValueError as error:
        raise UnreadableError(f"{stored.name!r} cannot be read as a NumPy array: {error}.") from error


def rows_of(stored: Stored) -> tuple[list[list[str]], bool]:
    """The cells of a table, and whether their numbers have decimal commas."""
    head = stored.head()
    form = next((form for form in BINARY if form.matches(head, stored.path)), None)
    if form is not None and form.as_arrow is not None:
        return typed_cells(stored, form), False
    kinds = {STORE: "a store", ZIP: "a spreadsheet or another archive"}
    what = next((kind for magic, kind in kinds.items() if head.startswith(magic)), None)
    if form is not None or what is not None:
        raise UnreadableError(
            f"{stored.name!r} is {what if form is None else form.title}; expected labels as delimited text, "
            "Parquet, Feather or .npy; save a spreadsheet as CSV."
        )
    return text_cells(stored)


def typed_cells(stored: Stored, form: Format) -> list[list[str]]:
    """The cells of a table with types as text, below their header: an index of pandas first."""
    assert form.as_arrow is not None
    with told_as(stored, form), Scratch() as scratch:
        table = form.as_arrow(stored.path, scratch)
        index = pandas_index(table.schema)
        columns: list[list[str]] = []
        unread: list[UnreadableError] = []
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_binary(column.type):  # as some programs write text
                with suppress(pa.ArrowInvalid):
                    column = column.cast(pa.string())
            try:
                columns.append([name, *texts(as_labels(plain_column(column, name)))])
            except UnreadableError as error:  # lists and the like cannot be labels
                unread.append(error)
        if unread and len(columns) < 2:  # what is left would be taken for the labels
            raise unread[0]
    columns.sort(key=lambda column: column[0] != index)
    return [list(row) for row in zip(*columns, strict=True)]


def text_cells(stored: Stored) -> tuple[list[list[str]], bool]:
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
            f"line {found.gap} is empty; write NA there for a missing label, or delete the line."
        )


def has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether there are numbers with a comma, and none with a point."""
    cells = [cell for row in rows for cell in row]
    return any(map(DECIMAL_COMMA.fullmatch, cells)) and not any(map(DECIMAL_POINT.fullmatch, cells))


def is_named_alike(first: str, names: list[str]) -> bool:
    """Whether a first name differs from one of the others only by a number in it."""
    shapes = {re.sub(r"[0-9]+", "0", name) for name in names}
    return first not in MISSING and re.sub(r"[0-9]+", "0", first) in shapes and any(map(str.isdigit, first))


def is_header(first: str, labels: list[str], decimal_comma: bool) -> bool:
    """Whether a first cell can be the name of the labels below it, and not one more of them."""
    if first in MISSING or first in labels:
        return False
    numbers = all(looks_numeric(label, decimal_comma) or label in MISSING for label in labels)
    return not (numbers and looks_numeric(first, decimal_comma))
