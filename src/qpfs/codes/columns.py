"""The columns of a user's table, whatever it came in: read a tile at a time, never copied whole."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import InvalidOperation
from typing import Any, Protocol, TypeGuard

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.values import NUMBERS, plain, plain_values, tabled
from qpfs.sparse import sound_sparse


class Columns(Protocol):
    """What discretising asks of a table."""

    n_samples: int
    n_features: int
    numeric: BoolArray  # (n_features,) numbers, as against labels
    integer: BoolArray  # (n_features,) kept as integers
    row_wise: bool  # whether some rows cost less than all

    def numbers(self, features: IndexArray) -> FloatArray:
        """The given columns as a C-ordered array of float64; missing values are NaN."""

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        """Some rows of the given columns as they are kept, in any order and of any numeric type."""

    def labels(self, feature: int) -> list[Any]:
        """The values of one column; missing values are None."""

    def name(self, feature: int) -> str:
        """The column, as a message to the user should call it."""


class ArrayColumns:
    """A two-dimensional numeric array, in any order and of any numeric type."""

    row_wise = True

    def __init__(self, array: AnyArray, first: int = 0) -> None:
        self.array = array
        self.first = first  # the number of its first column, where it is part of a table
        self.n_samples, self.n_features = array.shape
        self.numeric = np.ones(self.n_features, bool)
        self.integer = np.full(self.n_features, array.dtype.kind in "iu")

    def numbers(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.array[rows, run_or_list(features)]

    def labels(self, feature: int) -> list[Any]:
        return list(self.array[:, feature])

    def name(self, feature: int) -> str:
        return f"column {feature + self.first}"


class FrameColumns:
    """A data frame of pandas, polars or pyarrow, with numbers, booleans, categories and strings."""

    row_wise = True

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.frame = frame
        self.n_samples, self.n_features = frame.shape
        self.names = list(frame.columns)
        kinds = list(frame.schema.values())
        self.numeric = np.array([self._is_numeric(i, kind) for i, kind in enumerate(kinds)], bool)
        self.integer = np.array([kind.is_integer() for kind in kinds], bool)

    def _is_numeric(self, feature: int, kind: Any) -> bool:
        """Whether a column is numbers; raises TypeError if it is neither numbers nor labels."""
        if kind.is_numeric() or kind == nw.Boolean:
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

    def numbers(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

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
        return f"column {plain(self.names[feature])!r}"


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


def columns_of(table: Any) -> Columns:
    """The columns of an array, a sparse matrix or a data frame."""
    if is_sparse(table):
        return SparseColumns(sound_sparse(table))
    frame = frame_of(table)
    return ArrayColumns(table) if frame is None else FrameColumns(frame)


def is_sparse(table: Any) -> TypeGuard[Any]:
    """Whether this is a sparse matrix or array of SciPy."""
    return bool(issparse(table))


def is_dask_array(table: Any) -> TypeGuard[Any]:
    """Whether this is a Dask array; nothing is imported to find out."""
    return type(table).__module__.startswith("dask.array") and hasattr(table, "chunks")


def is_frame(table: Any) -> TypeGuard[Any]:
    """Whether this is a data frame that narwhals knows."""
    return frame_of(table) is not None


def frame_of(table: Any) -> nw.DataFrame[Any] | None:
    """The data frame that this is, if it is one; raises ValueError if its names repeat."""
    try:
        frame = nw.from_native(tabled(table), pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"Several columns of the data frame have the same name ({error}); rename them, so that the "
            "answer can say which one is meant."
        ) from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("A lazy frame holds no data yet; call its .collect() first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def run_or_list(features: IndexArray) -> Any:
    """Features as a slice where each is the one before plus 1, which need not be copied."""
    if len(features) > 0 and bool((np.diff(features) == 1).all()):
        return slice(int(features[0]), int(features[-1]) + 1)
    return [int(feature) for feature in features]
