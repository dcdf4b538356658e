"""The format of a store on disk: a head, blocks of packed features, sections about them, a directory.

    head        64 bytes: magic, version, size of the file, where the directory is, checksums
    blocks      each: three arrays (`disk_layout.py`), every one at a multiple of 64 bytes
    sections    of all features: names, levels, edges; of all samples: targets, names, groups
    directory   JSON: the type, place and checksum of each section, and all that is not an array

Everything is little-endian. The head is written last, so that a file without a head is known to be
unfinished. Nothing in a store depends on when, where or in how many runs it was written.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.stored import STORE, STORE_SUFFIX

MAGIC = STORE  # identifies a store
VERSION = 2  # of the format; a store of another version is rejected
HEAD = struct.Struct("<8sIIQQQII")  # magic, version, 0, size, directory (place, length, checksum), checksum
ALIGNED = 64  # bytes: whole cache lines
SUFFIX = STORE_SUFFIX
INDEX = np.dtype("<i8")  # of features


class StoreError(ValueError):
    """A file is not a store, or is damaged or incomplete."""


def next_aligned(offset: int) -> int:
    """The next place at which an array may begin."""
    return -(-offset // ALIGNED) * ALIGNED


def crc_of(data: Any, start: int = 0) -> int:
    """CRC-32: 128 MB take 0.04 s, a fifth of the time of BLAKE2."""
    return zlib.crc32(data, start)


@dataclass(frozen=True)
class Head:
    """The first bytes of a store."""

    size: int
    directory: int
    length: int
    checksum: int

    def packed(self) -> bytes:
        facts = (MAGIC, VERSION, 0, self.size, self.directory, self.length, self.checksum)
        own = crc_of(HEAD.pack(*facts, 0)[:-4])
        return HEAD.pack(*facts, own).ljust(ALIGNED, b"\0")

    @classmethod
    def read(cls, data: bytes, path: Path) -> Head:
        """The head of a file; raises StoreError if the file is not a store, or is damaged."""
        cut = len(data) < ALIGNED and data[: len(MAGIC)] == MAGIC[: len(data)]
        if not data.startswith(MAGIC) and not cut:
            raise StoreError(
                f"{path} is not a store, or is damaged or unfinished; "
                f"`qpfs encode DATA --out {path}` or qpfs.write_store makes one."
            )
        if cut:
            raise StoreError(f"{path} is truncated after {len(data)} bytes; copy or encode it again.")
        _, version, _, size, directory, length, crc, own = HEAD.unpack_from(data)
        if version > VERSION:
            raise StoreError(
                f"{path} was written by a newer version of qpfs (store format {version}, and this one reads "
                f"up to {VERSION}); upgrade: pip install -U qpfs."
            )
        if version < VERSION:
            raise StoreError(
                f"{path} was written by another version of qpfs (store format {version}, and this one reads "
                f"{VERSION}); encode the data again."
            )
        head = cls(size, directory, length, crc)
        if data[:ALIGNED] != head.packed():
            raise StoreError(f"{path} is damaged: its head does not agree with its checksum ({own:08x}).")
        return head


class Sections:
    """Writes arrays and texts one after another, and records where they are."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.table: dict[str, dict[str, Any]] = {}

    def array(self, name: str, array: AnyArray) -> None:
        """Writes an array of numbers or truth values."""
        self.pieces(name, array.dtype, array.shape, lambda: iter([array]))

    def pieces(self, name: str, dtype: Any, shape: tuple[int, ...], pieces: Callable[[], Any]) -> None:
        """Writes an array that is given in pieces."""
        start, crc = pad(self.file), 0
        kind = np.dtype(dtype).newbyteorder("<")
        for piece in pieces():
            data = np.ascontiguousarray(piece, kind).data.cast("B") if np.size(piece) else b""
            self.file.write(data)
            crc = crc_of(data, crc)
        self.table[name] = {"offset": start, "dtype": kind.str, "shape": list(shape), "crc": crc}

    def texts(self, name: str, texts: list[str]) -> None:
        """Writes texts of any characters: all bytes, and where each text ends."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        self.array(f"{name}.ends", ends)
        self.array(f"{name}.bytes", np.frombuffer(b"".join(encoded), np.uint8))

    def values(self, name: str, values: AnyArray) -> None:
        """Writes one value for each sample: numbers as numbers, anything else as text."""
        if values.dtype.kind in "biuf":
            self.array(name, values)
        else:
            self.texts(name, [str(value) for value in values.tolist()])


def pad(file: BinaryIO) -> int:
    """Writes zeros up to the next place at which an array may begin; returns it."""
    place = file.tell()
    file.write(b"\0" * (next_aligned(place) - place))
    return next_aligned(place)


def finish_file(file: BinaryIO, sections: Sections, facts: dict[str, Any]) -> None:
    """Writes the directory, and then the head: a file without one was never finished."""
    text = json.dumps(facts | {"sections": sections.table}, ensure_ascii=True, allow_nan=False)
    data, place = text.encode(), pad(file)
    file.write(data)
    file.seek(0)
    file.write(Head(place + len(data), place, len(data), crc_of(data)).packed())
