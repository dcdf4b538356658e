"""MATLAB's `.mat`: matrices by name, sparse ones too; numbers, text, and cells of text.

A file of versions 5 to 7 is a head of 128 bytes and a sequence of elements: a type, a number of bytes, as
many bytes. An array is an element made of elements: flags, dimensions, a name, and its contents. SciPy's
reader looks up types without checking that they exist; this one reads only what a table can be made from, and
skips structures, objects and functions.
"""

from __future__ import annotations

import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats import hdf5
from qpfs.data.formats.format import Format
from qpfs.data.formats.keyed import sheet_of_keys
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet
from qpfs.sparse import check_size, sound_sparse

HEAD, TAG = 128, 8  # bytes, as the format has them
MATRIX, PACKED = 14, 15  # types of elements
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
CELL, CHAR, SPARSE, NUMERIC = 1, 4, 5, range(6, 16)  # classes of arrays
COMPLEX = 0x08  # a flag
MOST_DIMENSIONS = 32  # NumPy's own limit before 2.0


def matches(head: bytes, path: Path) -> bool:
    """Whether the file states that MATLAB wrote it; version 4 is recognised by its name only."""
    return head.startswith(b"MATLAB ") or (path.suffix == ".mat" and b"\0" in head[:20])


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    with path.open("rb") as file:
        head = file.read(10)
    if head == b"MATLAB 7.3":
        return sheet_of_keys(hdf5.arrays_in(path), reading)
    arrays = oldest_arrays(path) if 0 in head[:4] else arrays_in(path)
    return sheet_of_keys(arrays, reading)


def oldest_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file of version 4, which SciPy reads in plain Python."""
    from scipy.io import loadmat, whosmat

    known = [math.prod(shape) for _, shape, kind in whosmat(path) if kind != "sparse"]
    check_room(8 * sum(known), "what it holds")
    with warnings.catch_warnings():  # matrices become arrays in SciPy 1.20; both are read here
        warnings.filterwarnings("ignore", "The default value for `spmatrix`", DeprecationWarning)
        found = loadmat(path, chars_as_strings=True)
    return {name: sound_sparse(array) for name, array in found.items() if not name.startswith("__")}


class Element(NamedTuple):
    """A piece of a file: its type, and its bytes."""

    kind: int
    data: memoryview


class Elements:
    """The sequence of elements in some bytes."""

    def __init__(self, data: memoryview, order: str) -> None:
        self.data = data
        self.order = order  # of bytes: < or >
        self.place = 0

    def __bool__(self) -> bool:
        return self.place < len(self.data)

    def take(self) -> Element:
        """The next element; a short one has its bytes within its tag."""
        kind, size = tag(self._bytes(self.place, TAG), self.order)
        if kind >> 16:
            kind, size = kind & 0xFFFF, kind >> 16
            found = self._bytes(self.place + 4, size if size <= 4 else TAG)
            self.place += TAG
        else:
            found = self._bytes(self.place + TAG, size)
            self.place += TAG + size + -size % TAG
        return Element(kind, found)

    def _bytes(self, start: int, size: int) -> memoryview:
        if start + size > len(self.data):
            raise UnreadableError("it is cut short or damaged: it ends in the middle of an array.")
        return self.data[start : start + size]

    def numbers(self) -> AnyArray:
        """The numbers of the next element."""
        kind, data = self.take()
        if kind not in NUMBERS:
            raise UnreadableError(f"it holds numbers of the unknown type {kind}.")
        dtype = np.dtype(self.order + NUMBERS[kind])
        if len(data) % dtype.itemsize:
            raise UnreadableError("it holds an incomplete number.")
        return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="), copy=False)


def tag(data: Any, order: str) -> tuple[int, int]:
    kind, size = struct.unpack(f"{order}II", data)
    return kind, size


def arrays_in(path: Path) -> dict[str, Any]:
    """The arrays of a file by name; of several with a name the last."""
    found = {}
    with path.open("rb") as file:
        order = byte_order(file.read(HEAD))
        for data in matrices(file, order, path.stat().st_size):
            name, array = named_array(Elements(data, order))
            if array is not None and name and not name.startswith("__"):
                found[name] = array
    return found


def byte_order(head: bytes) -> str:
    if head[126:128] not in (b"IM", b"MI"):
        raise UnreadableError("its head is not that of MATLAB.")
    return "<" if head[126:128] == b"IM" else ">"


def matrices(file: BinaryIO, order: str, size: int) -> Iterator[memoryview]:
    """The bytes of each array, unpacked."""
    while head := file.read(TAG):
        if len(head) < TAG:
            raise UnreadableError("it is cut short or damaged: it ends in the middle of an array.")
        kind, length = tag(head, order)
        if length > size - file.tell():
            raise UnreadableError("it is cut short or damaged: it ends in the middle of an array.")
        data = bytearray(length)
        file.readinto(data)  # type: ignore[attr-defined]
        if kind == PACKED:
            yield unpacked(data, order)
        elif kind == MATRIX:
            yield memoryview(data)


def unpacked(data: bytearray, order: str) -> memoryview:
    """The element in a packed element, whose size is known once its tag is unpacked."""
    unpacking = zlib.decompressobj()
    kind, size = tag(unpacking.decompress(data, TAG).ljust(TAG, b"\0"), order)
    check_room(size, "an array")
    if kind != MATRIX:
        raise UnreadableError("it has packed something that is not an array.")
    found = unpacking.decompress(unpacking.unconsumed_tail, size) if size else b""
    if len(found) < size:
        raise UnreadableError("it is cut short or damaged: it ends in the middle of a packed array.")
    return memoryview(bytearray(found))


def named_array(elements: Elements) -> tuple[str, Any]:
    """The name of an array, and its values; None for anything but numbers and text."""
    flags, shape = elements.numbers(), tuple(elements.numbers().tolist())
    if len(flags) != 2 or not 2 <= len(shape) <= MOST_DIMENSIONS or min(shape) < 0:
        raise UnreadableError("it holds an invalid array.")
    name = bytes(elements.take().data).decode("latin-1")
    kind, marks = int(flags[0]) & 0xFF, int(flags[0]) >> 8
    if kind == CELL:
        return name, cells(elements, shape)
    if kind == CHAR:
        return name, letters(elements, shape)
    if kind == SPARSE and not marks & COMPLEX:
        return name, sparse_matrix(elements, shape)
    if kind in NUMERIC and not marks & COMPLEX:
        return name, shaped(elements.numbers(), shape)
    return name, None


def shaped(numbers: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    if math.prod(shape) != len(numbers):
        raise UnreadableError(
            f"it holds {len(numbers)} numbers for an array of {' x '.join(map(str, shape))}."
        )
    return numbers.reshape(shape, order="F")


def letters(elements: Elements, shape: tuple[int, ...]) -> AnyArray:
    """Text, a line for each row."""
    kind, data = elements.take() if elements else Element(1, memoryview(b""))
    if kind not in TEXTS:
        raise UnreadableError(f"it holds text of the unknown type {kind}.")
    wide = {"utf-16": "-le", "utf-32": "-le"} if elements.order == "<" else {"utf-16": "-be", "utf-32": "-be"}
    text = bytes(data).decode(TEXTS[kind] + wide.get(TEXTS[kind], ""), "replace")
    if math.prod(shape) != len(text):  # a character of several units counts as several
        return np.array([text]) if shape[0] == 1 else np.array([], str)
    if not text:
        return np.array([], str)
    rows = np.array(list(text), dtype="U1").reshape(shape, order="F").reshape(-1, shape[-1])
    return np.array(["".join(row) for row in rows], str)


def cells(elements: Elements, shape: tuple[int, ...]) -> AnyArray:
    """The first value of each cell as text; empty for a cell without one."""
    found: list[str] = []
    for _ in range(math.prod(shape)):
        kind, data = elements.take()
        if kind != MATRIX:
            raise UnreadableError("it holds a cell that is not an array.")
        found.append(first_value(Elements(data, elements.order)))
    return np.array(found, object).reshape(shape, order="F").ravel().astype(str)


def first_value(elements: Elements) -> str:
    """The value of a cell, if it is text or a number; None for a cell of cells."""
    if not elements:
        return ""
    kind = int(Elements(elements.data, elements.order).numbers()[:1].sum()) & 0xFF
    if kind != CHAR and kind not in NUMERIC:
        return ""
    _, array = named_array(elements)
    return "" if array is None or array.size == 0 else str(array.ravel()[0])


def sparse_matrix(elements: Elements, shape: tuple[int, ...]) -> Any:
    """A sparse matrix, checked."""
    from scipy import sparse

    if len(shape) != 2:
        raise UnreadableError(f"it holds a sparse matrix of {len(shape)} dimensions.")
    check_size((shape[0], shape[1]))
    rows, bounds, values = elements.numbers(), elements.numbers(), elements.numbers()
    if rows.dtype.kind not in "iu" or bounds.dtype.kind not in "iu" or len(bounds) != shape[1] + 1:
        raise UnreadableError("it holds a sparse matrix whose indices are not integers.")
    n = min(len(rows), len(values))  # space for more may have been reserved
    places = rows[:n].astype(np.int64), bounds.astype(np.int64)
    return sound_sparse(sparse.csc_matrix((values[:n], *places), shape=shape))


MAT = Format("mat", "a MATLAB file", matches, read, times=3)
