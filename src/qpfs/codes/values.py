"""A value for each sample - a target, groups, names - and the labels of a column, whatever they came in.

Data frames keep text and missing values in many ways; what comes out is Python's own values, or an array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from qpfs.arrays import AnyArray


def array_of(values: Any, what: str = "y") -> AnyArray:
    """Values for all samples as an array; where text or missing values may be among them, one of objects."""
    values = without_frame(values, what)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is not a value for each sample: {error}") from error
    # of a list with strings NumPy would turn NaN into a string
    return (
        np.asarray(values, object) if array.dtype.kind == "U" and isinstance(values, (list, tuple)) else array
    )


def without_frame(values: Any, what: str) -> Any:
    """A series, or the column of a data frame with one, as an array; anything else as it is."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "T":
        return values.astype(object)  # NumPy's own strings: few functions of other libraries take them
    if type(values).__module__ == "pyarrow.lib" and hasattr(values, "dictionary_encode"):
        values = chunked(values)
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


def chunked(array: Any) -> Any:
    """An array of pyarrow in the one form that narwhals takes for a series."""
    import pyarrow as pa

    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def plain_values(series: Any) -> list[Any]:
    """The values of a series as Python has them; missing ones are None."""
    missing = series.is_null().to_list()
    return [None if gone else plain(value) for value, gone in zip(series.to_list(), missing, strict=True)]


def plain(value: Any) -> Any:
    """A scalar of NumPy as Python's: it is written as a person would."""
    return value.item() if isinstance(value, np.generic) else value


def first_missing(values: Iterable[Any]) -> int | None:
    """The place of the first value that is missing."""
    return next((place for place, value in enumerate(values) if is_missing(value)), None)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or the like."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA does not say whether it differs from itself
        return True
