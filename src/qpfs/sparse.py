"""Sparse matrices from callers and files: their indices are checked before compiled code uses them.

SciPy and our kernels trust the indices of a sparse matrix. With one that was made by hand, or read from a
damaged file, they would read and write memory outside its arrays. Every function that receives a sparse
matrix calls `sound_sparse` before anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.memory import memory_of_machine

# Bytes, about, that a fit keeps for each row and each column, however few entries there are.
SAMPLE, FEATURE = 16, 400


class UnsoundSparseError(ValueError):
    """A sparse matrix has inconsistent parts."""


def sound_sparse(X: Any) -> Any:
    """X itself, or, if it is sparse, a checked matrix that shares its numbers.

    Raises ValueError if indices are out of range, arrays do not match each other, or types are not those of a
    sparse matrix, and MemoryError if there is not enough memory for so many rows and columns. The matrix's
    own flag that its indices are sorted is dropped, since SciPy would trust it.
    """
    scipy = sys.modules.get("scipy.sparse")  # if it is not imported, there is no sparse matrix
    return checked(X) if scipy is not None and scipy.issparse(X) else X


def checked(X: Any) -> Any:
    need(X.format in CHECKS, f"has the unknown format {X.format!r}")
    need(X.ndim == 2, f"has {X.ndim} dimension(s); expected 2")
    check_size(X.shape)
    return CHECKS[X.format](X)


def need(holds: Any, what: str) -> None:
    if not holds:
        raise UnsoundSparseError(
            f"The sparse matrix {what}: it was made incorrectly, or its file is damaged. Make it again."
        )


def check_size(shape: tuple[int, int]) -> None:
    """Raises MemoryError for a matrix with more rows and columns than there is memory for."""
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
    """BSR: CSR of blocks."""
    need(is_array(X.data, 3, "biufc"), "has no blocks of numbers")
    height, width = X.data.shape[1:]
    fits = height > 0 and width > 0 and X.shape[0] % height == 0 and X.shape[1] % width == 0
    need(fits, f"of {X.shape} cannot be divided into blocks of {(height, width)}")
    check_lines(X, X.shape[0] // height, X.shape[1] // width)
    return forgetful(X, int(X.indptr[-1]))


def check_lines(X: Any, n_lines: int, n_places: int) -> None:
    """Raises ValueError unless the pointers are valid, and each entry is inside the matrix."""
    integers = is_array(X.indptr, 1, "i") and is_array(X.indices, 1, "i")
    need(integers, "has pointers or indices that are not integers")
    bounds = X.indptr
    need(len(bounds) == n_lines + 1, f"has {len(bounds)} pointers for {n_lines} lines")
    need(bounds[0] == 0 and not (bounds[1:] < bounds[:-1]).any(), "has pointers that do not ascend from 0")
    n = int(bounds[-1])
    need(n <= min(len(X.indices), len(X.data)), f"has pointers to {n} entries, but fewer entries")
    check_places(X.indices[:n], n_places)


def check_places(places: AnyArray, n: int) -> None:
    """Raises ValueError if an index is not from 0 to n - 1."""
    if len(places):
        low, high = int(places.min()), int(places.max())
        need(low >= 0 and high < n, f"has an entry at {low if low < 0 else high}, but there are {n} places")


def is_array(array: Any, ndim: int, kinds: str) -> bool:
    """Whether this is an array of numbers of some kinds; integers must be of a type that SciPy uses."""
    if not isinstance(array, np.ndarray) or array.ndim != ndim or array.dtype.kind not in kinds:
        return False
    return kinds != "i" or (array.dtype.itemsize in (4, 8) and array.dtype.isnative)


def forgetful(X: Any, n: int) -> Any:
    """The matrix without its flag that indices are sorted, and without entries after the first n."""
    fresh = copy(X)
    for name in ("_has_sorted_indices", "_has_canonical_format"):
        vars(fresh).pop(name, None)
    if len(X.data) > n or len(X.indices) > n:
        fresh.data, fresh.indices = X.data[:n], X.indices[:n]
    return fresh


def by_coordinates(X: Any) -> Any:
    """COO."""
    need(is_array(X.data, 1, "biufc"), "holds no numbers")
    need(is_array(X.row, 1, "i") and is_array(X.col, 1, "i"), "has coordinates that are not integers")
    need(len(X.row) == len(X.col) == len(X.data), "has different numbers of coordinates and entries")
    check_places(X.row, X.shape[0])
    check_places(X.col, X.shape[1])
    fresh = copy(X)
    fresh.has_canonical_format = False
    return fresh


def by_diagonals(X: Any) -> Any:
    """DIA."""
    need(is_array(X.data, 2, "biufc"), "holds no numbers")
    need(is_array(X.offsets, 1, "i"), "has diagonals that are not integers")
    need(len(X.offsets) == len(X.data), "has different numbers of diagonals and offsets")
    need(len(np.unique(X.offsets)) == len(X.offsets), "has a diagonal twice")
    inside = (X.offsets > -X.shape[0]) & (X.offsets < X.shape[1])
    need(inside.all(), f"has a diagonal outside of its shape {X.shape[0]} x {X.shape[1]}")
    return X


def by_lists(X: Any) -> Any:
    """LIL, as COO: its lists are Python's and can hold anything."""
    need(len(X.rows) == len(X.data) == X.shape[0], f"has {len(X.rows)} lists for {X.shape[0]} rows")
    need(all(isinstance(row, list) for row in (*X.rows, *X.data)), "has a row that is not a list")
    lengths = [len(row) for row in X.rows]
    need(lengths == [len(row) for row in X.data], "has different numbers of indices and entries in a row")
    columns = [place for row in X.rows for place in row]
    sound = all(is_index(place) and 0 <= place < X.shape[1] for place in columns)
    need(sound, f"has an entry that is in none of its {X.shape[1]} columns")
    values = numbers([value for row in X.data for value in row], X.dtype)
    rows = np.repeat(np.arange(X.shape[0]), lengths)
    return by_coordinates(like(X)((values, (rows, np.array(columns, np.intp))), X.shape))


def by_keys(X: Any) -> Any:
    """DOK, as COO: its keys are Python's and can be anything."""
    keys, values = list(X.keys()), list(X.values())
    sound = all(isinstance(key, tuple) and len(key) == 2 and all(map(is_index, key)) for key in keys)
    need(sound, "has a key that is not a pair of integers")
    places = np.array(keys, object).reshape(-1, 2)
    inside = all(0 <= i < X.shape[0] and 0 <= j < X.shape[1] for i, j in keys)
    need(inside, f"has a key outside of its shape {X.shape[0]} x {X.shape[1]}")
    rows, columns = places.astype(np.intp).T
    return by_coordinates(like(X)((numbers(values, X.dtype), (rows, columns)), X.shape))


def numbers(values: list[Any], kind: Any) -> AnyArray:
    try:
        return np.array(values, kind).reshape(len(values))
    except (TypeError, ValueError, OverflowError) as error:
        raise UnsoundSparseError(
            f"The sparse matrix holds something that is not a number: {error}."
        ) from error


def is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def like(X: Any) -> Any:
    """The constructor of a COO of the same kind: an array or a matrix."""
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
