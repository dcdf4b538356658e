"""Sparse matrices as they are given: what compiled code would follow is checked first.

SciPy and our kernels take the indices of a sparse matrix as they are. One that was put together by hand, or
read from a damaged file, would have them read and write memory that is not theirs. Every door through which
a sparse matrix comes in calls `sound_sparse`, and nothing is done with the matrix before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.memory import memory_of_machine

SAMPLE, FEATURE = 16, 400  # bytes, about, that a fit keeps for each, however few entries there are


class UnsoundSparseError(ValueError):
    """A sparse matrix is not what it says it is."""


def sound_sparse(X: Any) -> Any:
    """X itself, or, if it is sparse, the same matrix without a copy of its numbers, once it is checked.

    Raises ValueError if indices are out of range, arrays do not fit each other, or types are not those of a
    sparse matrix, and MemoryError if it has more rows and columns than anything could be kept for. What the
    matrix says of itself (that its indices are in order) is forgotten, for SciPy would believe it.
    """
    scipy = sys.modules.get("scipy.sparse")  # without which there is no sparse matrix
    return checked(X) if scipy is not None and scipy.issparse(X) else X


def checked(X: Any) -> Any:
    need(X.format in CHECKS, f"is of the format {X.format!r}, which is not known here")
    need(X.ndim == 2, f"has {X.ndim} dimension(s); expected 2")
    check_size(X.shape)
    return CHECKS[X.format](X)


def need(holds: Any, what: str) -> None:
    if not holds:
        raise UnsoundSparseError(
            f"The sparse matrix {what}: it was put together wrongly, or its file is damaged. Make it again."
        )


def check_size(shape: tuple[int, int]) -> None:
    """Raises MemoryError for a matrix of so many rows and columns that nothing can be kept for each."""
    n_samples, n_features = int(shape[0]), int(shape[1])
    needed, room = SAMPLE * n_samples + FEATURE * n_features, memory_of_machine()
    if needed > room:
        raise MemoryError(
            f"A sparse matrix of {n_samples} x {n_features} needs about {needed / 1e9:.1f} GB, however few "
            f"entries it has, and there are {room / 1e9:.1f} GB."
        )


def by_lines(X: Any) -> Any:
    """CSR and CSC."""
    n_lines, n_places = X.shape if X.format == "csr" else X.shape[::-1]
    need(is_array(X.data, 1, "biufc"), "holds no numbers")
    check_lines(X, n_lines, n_places)
    return forgetful(X, int(X.indptr[-1]))


def by_blocks(X: Any) -> Any:
    """BSR: as CSR, of blocks."""
    need(is_array(X.data, 3, "biufc"), "has no blocks of numbers")
    height, width = X.data.shape[1:]
    fits = height > 0 and width > 0 and X.shape[0] % height == 0 and X.shape[1] % width == 0
    need(fits, f"of {X.shape} cannot be divided into blocks of {(height, width)}")
    check_lines(X, X.shape[0] // height, X.shape[1] // width)
    return forgetful(X, int(X.indptr[-1]))


def check_lines(X: Any, n_lines: int, n_places: int) -> None:
    """Raises ValueError unless pointers go through the entries, and each entry is in a place."""
    integers = is_array(X.indptr, 1, "i") and is_array(X.indices, 1, "i")
    need(integers, "has pointers or indices that are no integers")
    bounds = X.indptr
    need(len(bounds) == n_lines + 1, f"has {len(bounds)} pointers for {n_lines} lines")
    need(bounds[0] == 0 and not (bounds[1:] < bounds[:-1]).any(), "has pointers that do not ascend from 0")
    n = int(bounds[-1])
    need(n <= min(len(X.indices), len(X.data)), f"has pointers to {n} entries, but fewer are there")
    check_places(X.indices[:n], n_places)


def check_places(places: AnyArray, n: int) -> None:
    """Raises ValueError if a place is not one of n."""
    if len(places):
        low, high = int(places.min()), int(places.max())
        need(low >= 0 and high < n, f"has an entry at {low if low < 0 else high}, where there are {n} places")


def is_array(array: Any, ndim: int, kinds: str) -> bool:
    """Whether this is an array of numbers of some kinds; integers must be such as SciPy has."""
    if not isinstance(array, np.ndarray) or array.ndim != ndim or array.dtype.kind not in kinds:
        return False
    return kinds != "i" or (array.dtype.itemsize in (4, 8) and array.dtype.isnative)


def forgetful(X: Any, n: int) -> Any:
    """The matrix without what it says of its order, and without entries behind the n that it has."""
    fresh = copy(X)
    for name in ("_has_sorted_indices", "_has_canonical_format"):
        vars(fresh).pop(name, None)
    if len(X.data) > n or len(X.indices) > n:
        fresh.data, fresh.indices = X.data[:n], X.indices[:n]
    return fresh


def by_coordinates(X: Any) -> Any:
    """COO."""
    need(is_array(X.data, 1, "biufc"), "holds no numbers")
    need(is_array(X.row, 1, "i") and is_array(X.col, 1, "i"), "has coordinates that are no integers")
    need(len(X.row) == len(X.col) == len(X.data), "has other numbers of coordinates than of entries")
    check_places(X.row, X.shape[0])
    check_places(X.col, X.shape[1])
    fresh = copy(X)
    fresh.has_canonical_format = False
    return fresh


def by_diagonals(X: Any) -> Any:
    """DIA."""
    need(is_array(X.data, 2, "biufc"), "holds no numbers")
    need(is_array(X.offsets, 1, "i"), "has diagonals that are no integers")
    need(len(X.offsets) == len(X.data), "has other numbers of diagonals than of their places")
    need(len(np.unique(X.offsets)) == len(X.offsets), "has a diagonal twice")
    inside = (X.offsets > -X.shape[0]) & (X.offsets < X.shape[1])
    need(inside.all(), f"has a diagonal outside of its {X.shape[0]} x {X.shape[1]} places")
    return X


def by_lists(X: Any) -> Any:
    """LIL, as COO: its lists are Python's, and may be of anything."""
    need(len(X.rows) == len(X.data) == X.shape[0], f"has {len(X.rows)} lists for {X.shape[0]} rows")
    need(all(isinstance(row, list) for row in (*X.rows, *X.data)), "has a row that is no list")
    lengths = [len(row) for row in X.rows]
    need(lengths == [len(row) for row in X.data], "has other numbers of places than of entries in a row")
    columns = [place for row in X.rows for place in row]
    sound = all(is_index(place) and 0 <= place < X.shape[1] for place in columns)
    need(sound, f"has an entry that is in none of its {X.shape[1]} columns")
    values = numbers([value for row in X.data for value in row], X.dtype)
    rows = np.repeat(np.arange(X.shape[0]), lengths)
    return by_coordinates(like(X)((values, (rows, np.array(columns, np.intp))), X.shape))


def by_keys(X: Any) -> Any:
    """DOK, as COO: its keys are Python's, and may be anything."""
    keys, values = list(X.keys()), list(X.values())
    sound = all(isinstance(key, tuple) and len(key) == 2 and all(map(is_index, key)) for key in keys)
    need(sound, "has a key that is not a pair of integers")
    places = np.array(keys, object).reshape(-1, 2)
    inside = all(0 <= i < X.shape[0] and 0 <= j < X.shape[1] for i, j in keys)
    need(inside, f"has a key outside of its {X.shape[0]} x {X.shape[1]} places")
    rows, columns = places.astype(np.intp).T
    return by_coordinates(like(X)((numbers(values, X.dtype), (rows, columns)), X.shape))


def numbers(values: list[Any], kind: Any) -> AnyArray:
    try:
        return np.array(values, kind).reshape(len(values))
    except (TypeError, ValueError, OverflowError) as error:
        raise UnsoundSparseError(f"The sparse matrix holds what is no number: {error}.") from error


def is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def like(X: Any) -> Any:
    """What makes a COO of the same kind: an array or a matrix."""
    from scipy import sparse

    return sparse.coo_array if isinstance(X, sparse.sparray) else sparse.coo_matrix


CHECKS: dict[str, Callable[[Any], Any]] = {
    "csr": by_lines,
    "csc": by_lines,
    "bsr": by_blocks,
    "coo": by_coordinates,
    "dia": by_diagonals,
    "lil": by_lists,
    "dok": by_keys,
}
