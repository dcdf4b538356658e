"""The features of a sheet: its columns without those of other roles, some at a time or all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.data.dates import NEARLY, days_in, not_days, spelling
from qpfs.data.sheet import EXACT, Sheet, shortened, stacked, turned_dates
from qpfs.wording import some_of

MOST_NOTES = 5  # on columns that are nearly dates
Told = Callable[[], AbstractContextManager[None]]  # a context in which errors name the file


class SheetColumns:
    """The features of a sheet whose numbers may stay in files: some columns at a time, or all."""

    def __init__(
        self, sheet: Sheet, keep: list[int], labelled: set[int], told: Told, check: Callable[[], None]
    ) -> None:
        self.sheet = sheet
        self.told = told
        self.check = check  # before each read: reading a mapped file that was truncated ends the process
        self.names = [sheet.unique[place] for place in keep]
        self.keep = np.array(keep, np.intp)
        self.rows: IndexArray | None = None  # the samples that are not left out
        self.n_samples, self.n_features = sheet.n_samples, len(keep)
        self.where = np.full(len(sheet.names), -1, np.intp)
        self.where[sheet.places] = np.arange(len(sheet.places))
        self.text: BoolArray = np.isin(self.keep, list(sheet.labels))
        self.numeric: BoolArray = ~np.isin(self.keep, list(labelled))
        # Text that is true or false throughout, and dates, are numbers, too.
        dates, nearly = [], []
        for feature in np.flatnonzero(self.text & self.numeric).tolist():
            column = sheet.labels[keep[feature]]
            self.numeric[feature] = truth_values(column) is not None
            if self.numeric[feature] or (form := spelling(column, NEARLY)) is None:
                continue
            if days_in(column) is not None:
                self.numeric[feature] = True
                dates.append(self.names[feature])
            else:
                nearly.append(not_days(column, form, self.names[feature]))
        nearly[MOST_NOTES:] = [f"{len(nearly) - MOST_NOTES} more columns are nearly dates"] * (
            len(nearly) > MOST_NOTES
        )
        integer = getattr(getattr(sheet.numbers, "dtype", None), "kind", "f") in "iu"
        self.integer = np.full(self.n_features, integer) & ~self.text
        self.row_wise = isinstance(sheet.numbers, np.ndarray)
        self.notes = (*turned_dates(dates), *nearly, *self._notes_on_labels())

    def _notes_on_labels(self) -> tuple[str, ...]:
        labelled = [self.names[i] for i in np.flatnonzero(~self.numeric)]
        those = some_of(len(labelled), self.n_features, "feature", "holds", "hold")
        return (f"{those} text or categories: {shortened(labelled)}",) if labelled else ()

    def keep_rows(self, rows: IndexArray | None) -> None:
        """Keeps only some samples, or all."""
        self.rows = rows
        self.n_samples = self.sheet.n_samples if rows is None else len(rows)

    def numbers(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        """Some rows of the given columns."""
        self.check()
        with self.told():
            return self._part(features, rows if self.rows is None else self.rows[rows])

    def _part(self, features: IndexArray, rows: Any) -> AnyArray:
        text = np.flatnonzero(self.text[features])
        if len(text) == 0:
            return self._read(self.keep[features], rows)
        tile = np.empty((len(np.arange(self.sheet.n_samples)[rows]), len(features)))
        plain = np.flatnonzero(~self.text[features])
        tile[:, plain] = self._read(self.keep[features[plain]], rows)
        for slot in text:
            tile[:, slot] = text_numbers(self.sheet.labels[int(self.keep[features[slot]])])[rows]
        return tile

    def _read(self, places: IndexArray, rows: Any) -> AnyArray:
        where, numbers = self.where[places], self.sheet.numbers
        if not isinstance(numbers, np.ndarray):
            some = numbers[:, where]
            return (some.toarray() if hasattr(some, "toarray") else some)[rows]
        follow = len(where) > 0 and bool((np.diff(where) == 1).all())
        return numbers[rows, where[0] : where[-1] + 1] if follow else numbers[rows][:, where]

    def labels(self, feature: int) -> list[Any]:
        with self.told():
            found: list[Any] = self._label_column(int(self.keep[feature])).to_pylist()
        return found

    def _label_column(self, place: int) -> pa.Array:
        column = as_labels(self.sheet.column(place))
        return column if self.rows is None else column.take(pa.array(self.rows))

    def name(self, feature: int) -> str:
        return f"column {self.names[feature]!r}"

    def whole(self) -> Any:
        """All features: an array or sparse matrix of numbers, or an Arrow table if some are labels."""
        self.check()
        with self.told():
            self.sheet = self.sheet.taken()
        if not self.numeric.all():
            return pa.table([self._arrow_column(i) for i in range(self.n_features)], names=self.names)
        if self.text.any():
            every = range(self.n_features)
            return stacked([self.part(np.array([i]), slice(None))[:, 0] for i in every], self.n_samples)
        numbers = self.sheet.numbers
        if self.n_features < numbers.shape[1]:
            numbers = numbers[:, self.where[self.keep]]
        return numbers if self.rows is None else numbers[self.rows]

    def _arrow_column(self, feature: int) -> pa.Array:
        if not self.numeric[feature]:
            return self._label_column(int(self.keep[feature]))
        return pa.array(np.ascontiguousarray(self.part(np.array([feature]), slice(None))[:, 0]))


def text_numbers(column: pa.Array) -> FloatArray:
    """Text that is truth values or dates, as numbers."""
    truths = truth_values(column)
    days = days_in(column) if truths is None else None
    return np.asarray(truths if days is None else days)


def truth_values(column: pa.Array) -> pa.Array | None:
    """A column of text as numbers 0 and 1, if it is true or false throughout."""
    lower = pc.utf8_lower(column)
    truths = pc.is_in(lower, pa.array(["true", "false"]))
    if column.null_count == len(column) or not pc.all(pc.or_(truths, pc.is_null(column))).as_py():
        return None
    return pc.equal(lower, "true").cast(pa.float64()).fill_null(np.nan)


def as_labels(column: Any) -> pa.Array:
    """A column as text."""
    if not isinstance(column, np.ndarray):
        return column
    array = pa.array(column, from_pandas=True)
    exact = (column == np.rint(column)) & (np.abs(column) < EXACT) if column.dtype.kind == "f" else False
    whole = column.dtype.kind == "f" and (np.isnan(column) | exact).all()
    return (array.cast(pa.int64()) if whole else array).cast(pa.string())
