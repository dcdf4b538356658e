"""The columns of an array, or of whatever NumPy makes an array of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import validate_data

from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes.columns import NumberColumns
from qpfs.codes.readable import ReadableArray


class ArrayColumns(ReadableArray, NumberColumns):
    """A two-dimensional numeric array, in any order and of any numeric type."""

    @staticmethod
    def takes(table: Any) -> bool:
        """Anything; what is no table of numbers is told so when it is checked."""
        return True

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        return cls(validated(estimator, table, reset=reset, min_samples=min_samples))

    @staticmethod
    def take_rows(table: Any, rows: IndexArray) -> AnyArray:
        return np.asarray(table)[rows]

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> AnyArray:
        return np.asarray(table)[:, list(features)]

    @staticmethod
    def by_rows(table: Any) -> AnyArray:
        array = np.asarray(unmasked(table))
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise ValueError(
                f"X is an array of shape {array.shape} and type {array.dtype}; expected numbers of shape "
                "(n_samples, n_features), a data frame, or a sparse matrix."
            )
        return array


def validated(estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Any:
    """A table of numbers, dense or sparse, as scikit-learn checks it."""
    try:
        return validate_data(
            estimator,
            table,
            reset=reset,
            accept_sparse=("csc", "csr"),
            dtype="numeric",
            ensure_all_finite=False,  # the tiles are looked at one by one, and name the column
            ensure_min_samples=min_samples,
        )
    except OverflowError as error:
        raise ValueError("X holds a number too large for float64.") from error


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
