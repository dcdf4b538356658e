"""The columns of a data frame: numbers, booleans, categories and strings."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import InvalidOperation
from typing import Any, Self, TypeGuard

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import validate_data

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import native
from qpfs.codes.columns import NumberColumns
from qpfs.codes.readable import run_or_list
from qpfs.codes.values import NUMBERS, arrow_categories, categories_of, plain_values, tabled
from qpfs.wording import listed


def is_frame(table: Any) -> TypeGuard[Any]:
    """Whether this is a data frame that narwhals knows; raises ValueError if its names repeat."""
    try:
        frame = nw.from_native(tabled(table), pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"Several columns of the data frame have the same name ({error}); rename them, so that "
            "each feature can be identified."
        ) from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("A lazy frame holds no data yet; call its .collect() first.")
    return isinstance(frame, nw.DataFrame)


class FrameColumns(NumberColumns):
    """A data frame of pandas, polars or pyarrow, with numbers, booleans, categories and strings."""

    row_wise = True
    takes = staticmethod(is_frame)

    def __init__(self, table: Any) -> None:
        frame = nw.from_native(tabled(table), eager_only=True)
        self.frame, self.table = frame, frame.to_native()
        self.n_samples, self.n_features = frame.shape
        self.names: list[Any] = list(frame.columns)
        self.kinds = list(frame.schema.values())
        held = {kind: holds(kind) for kind in set(self.kinds)}  # once per type
        found = [held[kind] if held[kind] != "?" else self._holds(i) for i, kind in enumerate(self.kinds)]
        if unusable := [i for i, what in enumerate(found) if what not in USABLE]:
            raise TypeError(self._unusable(unusable, found))
        self.numeric = np.array([one in ("numbers", "integers") for one in found], bool)
        self.integer = np.array([one == "integers" for one in found], bool)
        self._kept: dict[int, Any] = {}
        # pandas keeps columns of one type together; for other frames the order does not matter.
        dtypes = self.table.dtypes if frame.implementation.is_pandas() else [np.dtype(float)] * len(found)
        self._dtypes = np.fromiter(dtypes, object, len(found))

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        n_samples, n_features = table.shape
        if n_samples < min_samples:
            raise ValueError(
                f"Found a data frame with {n_samples} sample(s) while a minimum of {min_samples} is required."
            )
        if n_features == 0:
            raise ValueError("Found a data frame with 0 feature(s) while a minimum of 1 is required.")
        validate_data(estimator, table, reset=reset, skip_check_array=True)
        return cls(table)

    @staticmethod
    def take_rows(table: Any, rows: IndexArray) -> Any:
        return nw.from_native(table, eager_only=True)[rows.tolist()].to_native()

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> Any:
        return nw.from_native(table, eager_only=True)[:, list(features)].to_native()

    def _holds(self, feature: int) -> str:
        """What a column of a generic type holds, by its values."""
        if self.kinds[feature] == nw.Unknown:
            empty = bool(self.frame[:, feature].is_null().all())
            return "numbers" if empty else str(self.kinds[feature])
        labels = self.labels(feature)
        if not all(isinstance(label, Hashable) for label in labels):
            return "lists or the like"
        return "numbers" if all(one is None or isinstance(one, NUMBERS) for one in labels) else "labels"

    def _unusable(self, features: list[int], held: list[str]) -> str:
        """A message that names all columns that are neither numbers nor labels."""
        them = "it" if len(features) == 1 else "them"
        return (
            f"{listed([f'{self.name(i)} holds {held[i]}' for i in features])}; expected numbers, booleans, "
            f"categories or strings. Convert {them} (for example a date to a number) or drop {them}."
        )

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        dtypes = set(self._dtypes[features])
        if len(dtypes) > 1 or not dtypes.issubset(PLAIN):
            # Column by column: pandas takes five times as long for some rows of all columns of a mixed frame.
            return np.stack([self._piece(feature, rows) for feature in features.tolist()]).T
        part = self.frame[rows, run_or_list(features)]
        if nw.Boolean in part.schema.values():
            part = part.with_columns(nw.selectors.boolean().cast(nw.Float64))
        array = part.to_numpy()
        if array.dtype == object:
            array = np.stack([nullable_numbers(series) for series in part.iter_columns()], axis=1)
        return array

    def _piece(self, feature: int, rows: slice) -> AnyArray:
        """Some rows of a pandas column as numbers; NaN where missing."""
        if feature not in self._kept:  # a NumPy or pandas array, without a copy
            column = self.table.iloc[:, feature]
            self._kept[feature] = column.to_numpy() if column.dtype in PLAIN else column.array
        column = self._kept[feature]
        if isinstance(column, np.ndarray):
            return column[rows]
        try:
            found: AnyArray = column[rows].to_numpy(np.float64, na_value=np.nan)
        except OverflowError:
            raise ValueError(f"{self.name(feature)} holds a number too large for float64.") from None
        return found

    def categories(self, feature: int) -> tuple[IndexArray, list[Any]]:
        if self.kinds[feature] not in LABEL_KINDS:
            return categories_of(self.labels(feature))
        series = self.frame[:, feature]
        if self.frame.implementation.is_pandas():
            codes, values = series.to_native().factorize()
            return codes, [native(value) for value in values.tolist()]
        return arrow_categories(series.to_arrow())

    def labels(self, feature: int) -> list[Any]:
        try:
            return plain_values(self.frame[:, feature])
        except InvalidOperation:  # raised by any use of Decimal("sNaN")
            raise ValueError(
                f"{self.name(feature)} holds a signalling NaN (Decimal('sNaN')); replace it by NaN or None."
            ) from None


USABLE = ("integers", "numbers", "labels")
LABEL_KINDS = (nw.String, nw.Categorical, nw.Enum)
PLAIN = frozenset(map(np.dtype, np.typecodes["AllInteger"] + np.typecodes["Float"]))  # no conversion


def holds(kind: Any) -> str:
    """What a column of a type holds: integers, numbers, labels, ? (depends on its values), or its name."""
    if kind.is_integer():
        return "integers"
    if kind.is_numeric() or kind == nw.Boolean:
        return "numbers"
    if kind in LABEL_KINDS:
        return "labels"
    return "?" if kind in (nw.Object, nw.Unknown) else str(kind)


def nullable_numbers(series: Any) -> FloatArray:
    """A column of numbers as float64, with NaN for null."""
    present = ~series.is_null().to_numpy().astype(bool)
    numbers = np.full(len(series), np.nan)
    try:
        numbers[present] = series.to_numpy()[present].astype(np.float64)
    except OverflowError:
        raise ValueError(f"column {series.name!r} holds a number too large for float64.") from None
    return numbers
