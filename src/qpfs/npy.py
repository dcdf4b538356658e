"""Arrays in NumPy's files: the header is compared with the size of the file before memory is allocated."""

from __future__ import annotations

import math
import sys
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from qpfs.arrays import AnyArray

SUFFIX = ".npy"


@dataclass(frozen=True)
class Declared:
    """The header of an array."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers; an item of size 0 counts as a byte, since there may be any number of them."""
        return math.prod(self.shape) * max(self.dtype.itemsize, 1)


def declared(file: BinaryIO, size: int) -> Declared:
    """The header of an array in a file of so many bytes; raises ValueError if the array does not fit."""
    version = np.lib.format.read_magic(file)
    # From version 3 on, names of fields have another encoding; everything else is as in version 2.
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = read(file)
    except (tokenize.TokenError, SyntaxError, TypeError, RecursionError) as error:  # NumPy accepts them
        raise ValueError(f"its header is damaged ({error})") from error
    found = Declared(dtype, shape)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    if any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"its header has the shape {shape}")
    if found.n_bytes > size - file.tell():
        raise ValueError(
            f"its header promises {' x '.join(map(str, shape))} numbers of {dtype}, but it ends before"
        )
    return found


class Archive:
    """An `.npz` file: its arrays by name, each with its header, read on access."""

    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive
        members = [one for one in archive.infolist() if one.filename.endswith(SUFFIX)]
        self.declared: dict[str, Declared] = {}
        for member in members:
            name = member.filename.removesuffix(SUFFIX)
            if name in self.declared:
                raise ValueError(f"it holds two arrays named {name!r}")
            with archive.open(member) as file:
                self.declared[name] = declared(file, member.file_size)  # type: ignore[arg-type]

    @property
    def n_bytes(self) -> int:
        return sum(one.n_bytes for one in self.declared.values())

    def __getitem__(self, name: str) -> AnyArray:
        with self.archive.open(name + SUFFIX) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
        return sound(array)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """An `.npz` file; raises ValueError if a member is not as its header states."""
    with ZipFile(path) as archive:
        yield Archive(archive)


def array_in(path: Path, *, mapped: bool = False) -> AnyArray:
    """The array of an `.npy` file, or the file mapped into memory; raises ValueError if it is truncated."""
    with path.open("rb") as file:
        found = declared(file, path.stat().st_size)
        empty = found.n_bytes == 0
    return np.load(path, mmap_mode="r" if mapped and not empty else None, allow_pickle=False)


def sound(array: AnyArray) -> AnyArray:
    """The array; boolean bytes other than 0 and 1, which NumPy does not expect, become True."""
    if array.dtype.kind == "b":
        return array.view(np.uint8) != 0
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        letters = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(-1).view(np.uint32)
        if letters.max() > sys.maxunicode:
            # NumPy passes it on, and it would crash Python.
            raise ValueError("it holds text with invalid characters")
    return array
