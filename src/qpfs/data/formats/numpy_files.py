"""NumPy's files: `.npy` with one matrix, `.npz` with X, y and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.format import Format
from qpfs.data.formats.keyed import checked_matrix, sheet_of_keys
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, of_arrow, of_matrix


def read_npy(path: Path, reading: Reading) -> Sheet:
    with no_pickle():
        array = np.load(path, allow_pickle=False)
    if array.dtype.names:
        return of_fields(array)
    matrix = checked_matrix(array, "the array")
    return of_matrix(matrix.T if reading.in_rows else matrix)


def stream_npy(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of an array that stays in its file."""
    with no_pickle():
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.dtype.names:
        return of_fields(array)
    matrix = checked_matrix(array, "the array")
    return of_matrix(matrix.T if reading.in_rows else matrix)


def read_npz(path: Path, reading: Reading) -> Sheet:
    with no_pickle(), path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        if {"data", "shape", "format"} <= set(archive.files):
            return of_matrix(sparse_matrix(path))
        return sheet_of_keys({name: archive[name] for name in archive.files}, reading)


def sparse_matrix(path: Path) -> Any:
    """A matrix that `scipy.sparse.save_npz` wrote."""
    from scipy import sparse

    matrix: Any = sparse.load_npz(path)
    return matrix.tocsr()


def of_fields(array: AnyArray) -> Sheet:
    """The sheet of a structured array: a column for each field."""
    names = list(array.dtype.names or ())
    return of_arrow(pa.table([pa.array(array[name]) for name in names], names=names))


@contextmanager
def no_pickle() -> Iterator[None]:
    """Says why arrays of Python objects are refused."""
    try:
        yield
    except ValueError as error:
        if "pickle" not in str(error) and "Python objects" not in str(error):
            raise
        raise UnreadableError(
            "it holds Python objects, and reading those may run code of whoever wrote it. Save numbers and "
            "text as plain arrays instead (labels: np.asarray(labels, str))."
        ) from error


def is_npz(head: bytes, path: Path) -> bool:
    """Whether this is an archive whose first member is an array."""
    return head.startswith(b"PK\x03\x04") and b".npy" in head[:1024]


NPY = Format(
    "npy",
    "a NumPy array",
    lambda head, path: head.startswith(b"\x93NUMPY"),
    read_npy,
    stream=stream_npy,
)
NPZ = Format("npz", "an archive of NumPy arrays", is_npz, read_npz)
