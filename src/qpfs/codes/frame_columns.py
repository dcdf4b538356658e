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
from qpfs.codes.values import NUMBERS, plain_values, tabled


def is_frame(table: Any) -> TypeGuard[Any]:
    """Whether this is a data frame that narwhals knows; raises ValueError if its names repeat."""
    try:
        frame = nw.from_native(tabled(table), pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"Several columns of the data frame have the same name ({error}); rename them, so that the "
            "answer can say which one is meant."
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
        self.names = list(frame.columns)
        kinds = list(frame.schema.values())
        self.numeric = np.array(
            [kind.is_numeric() or self._is_numeric(i, kind) for i, kind in enumerate(kinds)], bool
        )
        self.integer = np.array([kind.is_integer() for kind in kinds], bool)

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

    def _is_numeric(self, feature: int, kind: Any) -> bool:
        """Whether a column of no number type is numbers; raises TypeError if it is not labels either."""
        if kind == nw.Boolean:
            return True
        if kind == nw.Object:
            return only_numbers(self.labels(feature), self.name(feature))
        if kind in LABEL_KINDS:
            return False
        if kind == nw.Unknown and self.frame[:, feature].is_null().all():
            return True
        raise TypeError(
            f"{self.name(feature)} holds {kind}; expected numbers, booleans, categories or strings. "
            "Convert it (a date to a number, say) or drop it."
        )

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        part = self.frame[rows, run_or_list(features)]
        if nw.Boolean in part.schema.values():
            part = part.with_columns(nw.selectors.boolean().cast(nw.Float64))
        array = part.to_numpy()
        if array.dtype == object:
            array = np.stack([nullable_numbers(series) for series in part.iter_columns()], axis=1)
        return array

    def labels(self, feature: int) -> list[Any]:
        try:
            return plain_values(self.frame[:, feature])
        except InvalidOperation:  # which is all that Decimal("sNaN") answers
            raise ValueError(
                f"{self.name(feature)} holds a signalling NaN (Decimal('sNaN')); replace it by NaN or None."
            ) from None

    def name(self, feature: int) -> str:
        return f"column {native(self.names[feature])!r}"


LABEL_KINDS = (nw.String, nw.Categorical, nw.Enum)


def only_numbers(values: list[Any], name: str) -> bool:
    """Whether a column of Python objects is numbers throughout; raises TypeError if it is not labels."""
    if not all(isinstance(value, Hashable) for value in values):
        raise TypeError(f"{name} holds lists or the like; expected numbers or labels.")
    return all(value is None or isinstance(value, NUMBERS) for value in values)


def nullable_numbers(series: Any) -> FloatArray:
    """A column of numbers some of which may be null."""
    present = ~series.is_null().to_numpy().astype(bool)
    numbers = np.full(len(series), np.nan)
    try:
        numbers[present] = series.to_numpy()[present].astype(np.float64)
    except OverflowError:
        raise ValueError(f"column {series.name!r} holds a number too large for float64.") from None
    return numbers
