"""NumPy's files: `.npy` with one matrix, `.npz` with X, y and names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from qpfs import npy
from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.arrow import of_table, sheet_of
from qpfs.data.formats.format import Format
from qpfs.data.formats.keyed import checked_matrix, sheet_of_keys
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet, of_matrix
from qpfs.npy import sound
from qpfs.sparse import check_size, sound_sparse


def read_npy(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of an array that stays in its file."""
    with no_pickle():
        array = npy.array_in(path, mapped=True)
    if array.dtype.names:
        return of_fields(array, reading, scratch)
    matrix = checked_matrix(array, "the array")
    return of_matrix(matrix.T if reading.in_rows else matrix)


def read_npz(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    with no_pickle(), npy.opened(path) as archive:
        names = set(archive.declared)
        check_room(archive.n_bytes, f"what it holds ({len(names)} arrays)")
        if {"data", "shape", "format"} <= names:
            return of_matrix(sparse_matrix(archive))
        return sheet_of_keys({name: archive[name] for name in archive.declared}, reading)


def sparse_matrix(archive: npy.Archive) -> Any:
    """A matrix that `scipy.sparse.save_npz` wrote."""
    from scipy import sparse

    form = text_of(archive["format"])
    parts = PARTS.get(form)
    if parts is None:
        raise UnreadableError(
            f"it holds a sparse matrix of the format {form[:20]!r}; expected {', '.join(PARTS)}."
        )
    missing = [name for name in parts if name not in archive.declared]
    if missing:
        raise UnreadableError(f"it holds a sparse matrix of the format {form!r}, but no {missing[0]!r}.")
    shape = archive["shape"].ravel().tolist()
    if len(shape) != 2 or not all(type(n) is int and n >= 0 for n in shape):
        raise UnreadableError(
            f"it holds a sparse matrix of the shape {str(shape)[:40]}; expected two numbers."
        )
    check_size((shape[0], shape[1]))
    places = [archive[name] for name in parts]
    if any(array.dtype.kind not in "iu" or array.ndim != 1 for array in places):
        raise UnreadableError("it holds a sparse matrix whose indices are not integers.")
    made = getattr(sparse, f"{form}_matrix")  # which does not check them
    beside = (tuple(places),) if form == "coo" else places
    return sound_sparse(made((archive["data"], *beside), shape=tuple(shape))).tocsr()


# The arrays of each format beside its numbers.
PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}


def text_of(array: AnyArray) -> str:
    """One word, which SciPy keeps as bytes or as text."""
    word = array.item() if array.size == 1 and array.dtype.kind in "SU" else ""
    return word.decode("ascii", "replace") if isinstance(word, bytes) else word


def of_fields(array: AnyArray, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a structured array: a column for each field."""
    names = list(array.dtype.names or ())
    if array.ndim != 1:
        raise UnreadableError(
            f"its records have {array.ndim} dimensions; expected 1: a record for each sample."
        )
    columns = [pa.array(sound(np.ascontiguousarray(array[name]))) for name in names]
    return sheet_of(of_table(pa.table(columns, names=names)), reading, scratch)


@contextmanager
def no_pickle() -> Iterator[None]:
    """A context in which the error about Python objects explains why they are refused."""
    try:
        yield
    except ValueError as error:
        if "pickle" not in str(error) and "Python objects" not in str(error):
            raise
        raise UnreadableError(
            "it holds Python objects, and reading those can run any code. Save numbers and text as plain "
            "arrays instead (labels: np.asarray(labels, str))."
        ) from error


def is_npz(head: bytes, path: Path) -> bool:
    """Whether this is an archive whose first member is an array."""
    return head.startswith(b"PK\x03\x04") and b".npy" in head[:1024]


NPY = Format("npy", "a NumPy array", lambda head, path: head.startswith(b"\x93NUMPY"), read_npy)
NPZ = Format("npz", "an archive of NumPy arrays", is_npz, read_npz, times=3)
