"""What a table given by a user must be before anything is done with it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils.validation import validate_data

from qpfs.codes.columns import Columns, columns_of, is_dask_array, is_frame
from qpfs.codes.remote import DistantColumns
from qpfs.codes.values import plain, tabled
from qpfs.sparse import sound_sparse


def checked_columns(estimator: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Columns:
    """The columns of X, whose names and number the estimator remembers or compares."""
    X = sound_sparse(unmasked(tabled(X)))
    if is_dask_array(X):
        check_dask_array(X, min_samples)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return DistantColumns(X)
    if is_frame(X):
        check_frame(X, min_samples)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return columns_of(X)
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=("csc", "csr"),
            dtype="numeric",
            ensure_all_finite=False,  # the tiles are looked at one by one, and name the column
            ensure_min_samples=min_samples,
        )
    except OverflowError as error:
        raise ValueError("X holds a number too large for float64.") from error
    return columns_of(X)


def unmasked(X: Any) -> Any:
    """X with NaN where a mask hides a value; raises TypeError for dates and text, which are no numbers."""
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in ("m", "M"):
        raise TypeError(f"X holds {X.dtype}; expected numbers. Convert dates to numbers, or drop them.")
    if kind == "T":
        raise TypeError(
            f"X holds {X.dtype}; expected numbers. Give text as a data frame, whose text is labels."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return X


def check_frame(frame: Any, min_samples: int) -> None:
    """Raises ValueError for a data frame with too few rows or no column."""
    n_samples, n_features = frame.shape
    if n_samples < min_samples:
        raise ValueError(
            f"Found a data frame with {n_samples} sample(s) while a minimum of {min_samples} is required."
        )
    if n_features == 0:
        raise ValueError("Found a data frame with 0 feature(s) while a minimum of 1 is required.")


def check_dask_array(array: Any, min_samples: int) -> None:
    """Raises an error for a Dask array that is not a table of numbers with a known shape."""
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got a Dask array with {array.ndim} dimension(s) instead.")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"X holds {array.dtype}; expected numbers. Encode labels as numbers first.")
    if any(np.isnan(size) for size in array.shape):
        raise ValueError("The shape of the Dask array is not known; call its compute_chunk_sizes() first.")
    if array.shape[0] < min_samples or array.shape[1] < 1:
        raise ValueError(
            f"Found a Dask array with shape {array.shape} while a minimum of {min_samples} sample(s) and 1 "
            "feature(s) is required."
        )


def check_integer(name: str, value: object, low: int, high: int) -> None:
    """Raises ValueError unless value is an integer from low to high."""
    if not is_integer(value) or not low <= value <= high:
        raise ValueError(f"{name}={plain(value)!r}, but it must be an integer from {low} to {high}.")


def count(name: str, value: object, low: int) -> int:
    """An integer of at least `low`."""
    if not is_integer(value) or value < low:
        raise ValueError(f"{name}={plain(value)!r}, but it must be an integer of at least {low}.")
    return int(value)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether value is an integer, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether value is a real number, and not a truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)
