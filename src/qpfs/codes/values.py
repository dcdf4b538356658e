"""Values for each sample (a target, groups, names) and labels of a column, from any container.

Data frames store text and missing values in many ways; the results here are Python values, or an array.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any, TypeGuard

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from scipy.sparse import issparse

from qpfs.arrays import AnyArray, IndexArray
from qpfs.checks import native
from qpfs.messages import Parameter, invalid
from qpfs.sparse import sound_sparse

NUMBERS = (Real, np.bool_, Decimal)  # Python objects that are numbers


def is_sparse(table: Any) -> TypeGuard[Any]:
    """Whether this is a sparse matrix or array of SciPy."""
    return bool(issparse(table))


def array_of(values: Any, what: str = "y") -> AnyArray:
    """Values for all samples as an array; one of objects where text or missing values may be among them."""
    values = without_frame(sound_sparse(values).toarray() if is_sparse(values) else values, what)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is not a value for each sample: {error}") from error
    # in a list with strings, NumPy would convert NaN to a string
    return (
        np.asarray(values, object) if array.dtype.kind == "U" and isinstance(values, (list, tuple)) else array
    )


def without_frame(values: Any, what: str) -> Any:
    """A series, or the column of a data frame with one, as an array; anything else unchanged."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "T":
        return values.astype(object)  # NumPy's StringDType, which few functions of other libraries accept
    values = tabled(values)
    if not isinstance(values, np.ndarray) and hasattr(values, "__arrow_c_array__"):
        values = pa.chunked_array([pa.array(values)])  # the only form that narwhals accepts as a series
    series = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(series, nw.LazyFrame):
        raise TypeError(f"{what} is a lazy frame, which holds no data yet; call its .collect() first.")
    if isinstance(series, nw.DataFrame) and series.shape[1] == 1:
        series = series[:, 0]
    if not isinstance(series, nw.Series):
        return values
    if series.dtype == nw.String or series.is_null().any():
        return np.fromiter(plain_values(series), object, len(series))
    return series.to_numpy()


def named_columns(values: Any) -> list[tuple[str, Any]] | None:
    """The named columns of values with several per sample; None if there is at most one."""
    if is_sparse(values):  # indicators of labels, as in scikit-learn
        by_columns = sound_sparse(values).tocsc()
        found = [(str(i), by_columns[:, [i]].toarray().ravel()) for i in range(values.shape[1])]
        return found if len(found) > 1 else None
    try:
        frame = nw.from_native(tabled(values), pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"Several columns of y have the same name ({error}); rename them.") from error
    if isinstance(frame, nw.DataFrame):
        names = [str(name) for name in frame.columns]
        found = [(name, frame[:, place].to_native()) for place, name in enumerate(names)]
        return found if len(found) > 1 else None
    array = values if isinstance(values, np.ndarray) else array_of(values)
    if array.ndim != 2 or array.shape[1] < 2:
        return None
    if isinstance(values, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in values):
        columns = [list(column) for column in zip(*values, strict=True)]  # columns may differ in type
    else:
        columns = list(np.asarray(array).T)  # np.matrix would stay two-dimensional
    return [(str(place), column) for place, column in enumerate(columns)]


def tabled(table: Any) -> Any:
    """A record batch, or another object with Arrow columns, as an Arrow table; anything else unchanged."""
    speaks_arrow = hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")
    try:
        if not speaks_arrow or nw.from_native(table, pass_through=True, allow_series=True) is not table:
            return table
        return pa.table(table)
    except (
        TypeError,
        ValueError,
        nw.exceptions.DuplicateError,
    ):  # one column; repeated names are reported later
        return table


def plain_values(series: Any) -> list[Any]:
    """The values of a series as Python values; missing ones are None."""
    missing = series.is_null().to_list()
    return [None if gone else native(value) for value, gone in zip(series.to_list(), missing, strict=True)]


def categories_of(labels: list[Any]) -> tuple[IndexArray, list[Any]]:
    """The number of each label, -1 for None, and the distinct labels in order of first occurrence."""
    place: dict[Any, int] = {None: -1}
    codes = np.array([place.setdefault(label, len(place) - 1) for label in labels], np.intp)
    return codes, list(place)[1:]


def arrow_categories(labels: pa.Array) -> tuple[IndexArray, list[Any]]:
    """The result of `categories_of` for Arrow labels, whose dictionary may hold a label twice or a null."""
    plain = labels.dictionary_decode() if pa.types.is_dictionary(labels.type) else labels
    encoded = plain.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.intp), encoded.dictionary.to_pylist()


def first_missing(values: Iterable[Any]) -> int | None:
    """The place of the first value that is missing."""
    return next((place for place, value in enumerate(values) if is_missing(value)), None)


def reject_missing(given: AnyArray, name: str) -> None:
    """Raises ValueError if a parameter with a value for each sample has none for some."""
    rows = [row for row, value in enumerate(given.tolist()) if is_missing(value)]
    if rows:
        what = f" is missing (None or NaN) for {len(rows)} of {len(given)} samples, first in row {rows[0]}"
        raise invalid(Parameter(name), f"{what}; give a value for each sample, or leave these samples out.")


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or the like."""
    if isinstance(value, Decimal):  # comparing a signalling NaN raises an error
        return value.is_nan()
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
