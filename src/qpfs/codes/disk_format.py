"""How a store lies on disk: a head, blocks of packed features, what is known of them, a directory.

    head        64 bytes: magic, version, size of the file, where the directory is, checksums
    blocks      each: features, counts, planes; every array begins at a multiple of 64 bytes
    sections    of all features: names, levels, edges; of all samples: targets, names, groups
    directory   JSON: what each section is and where, with its checksum, and all that is no array

Everything is little-endian. The head is written last, so that a file without one was never finished. Nothing
in a store depends on when, where or in how many runs it was written.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.files import Watch

MAGIC = b"\x93QPFS\r\n\x1a"
VERSION = 1
HEAD = struct.Struct("<8sIIQQQII")  # magic, version, 0, size, directory: where, length, checksum; head's own
ALIGNED = 64
SUFFIX = ".qpfs"


class StoreError(ValueError):
    """A file is no store, or not a whole one."""


def aligned(offset: int) -> int:
    """The next place at which an array may begin."""
    return -(-offset // ALIGNED) * ALIGNED


def checksum(data: Any, start: int = 0) -> int:
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
        own = checksum(HEAD.pack(*facts, 0)[:-4])
        return HEAD.pack(*facts, own).ljust(ALIGNED, b"\0")

    @classmethod
    def read(cls, data: bytes, path: Path) -> Head:
        """The head of a file; raises StoreError if this is none of a store, or damaged."""
        cut = len(data) < ALIGNED and data[: len(MAGIC)] == MAGIC[: len(data)]
        if not is_store(data) and not cut:
            raise StoreError(
                f"{path} is no store, or a damaged one, or one that was never finished; "
                f"`qpfs encode DATA --out {path}` or qpfs.write_store makes one."
            )
        if cut:
            raise StoreError(f"{path} is cut short after {len(data)} bytes; copy or encode it again.")
        _, version, _, size, directory, length, crc, own = HEAD.unpack_from(data)
        if version > VERSION:
            raise StoreError(
                f"{path} was written by a newer version of qpfs (store format {version}, and this one reads "
                f"up to {VERSION}); upgrade: pip install -U qpfs."
            )
        head = cls(size, directory, length, crc)
        if data[:ALIGNED] != head.packed():
            raise StoreError(f"{path} is damaged: its head does not agree with its checksum ({own:08x}).")
        return head


def is_store(head: bytes) -> bool:
    """Whether a file that begins so is a store."""
    return head.startswith(MAGIC)


class Sections:
    """Writes arrays and texts one after another, and remembers where they are."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.table: dict[str, dict[str, Any]] = {}

    def array(self, name: str, array: AnyArray) -> None:
        """An array of numbers or truth values."""
        self.pieces(name, array.dtype, array.shape, lambda: iter([array]))

    def pieces(self, name: str, dtype: Any, shape: tuple[int, ...], pieces: Callable[[], Any]) -> None:
        """An array that comes in pieces."""
        start, crc = pad(self.file), 0
        kind = np.dtype(dtype).newbyteorder("<")
        for piece in pieces():
            data = np.ascontiguousarray(piece, kind).data.cast("B") if np.size(piece) else b""
            self.file.write(data)
            crc = checksum(data, crc)
        self.table[name] = {"offset": start, "dtype": kind.str, "shape": list(shape), "crc": crc}

    def texts(self, name: str, texts: list[str]) -> None:
        """Texts of any characters: all bytes, and where each ends."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        self.array(f"{name}.ends", ends)
        self.array(f"{name}.bytes", np.frombuffer(b"".join(encoded), np.uint8))

    def values(self, name: str, values: AnyArray) -> None:
        """One value for each sample: numbers as they are, anything else as text."""
        if values.dtype.kind in "biuf":
            self.array(name, values)
        else:
            self.texts(name, [str(value) for value in values.tolist()])


def pad(file: BinaryIO) -> int:
    """Writes zeros up to the next place at which an array may begin; returns it."""
    place = file.tell()
    file.write(b"\0" * (aligned(place) - place))
    return aligned(place)


def finish(file: BinaryIO, sections: Sections, facts: dict[str, Any]) -> None:
    """Writes the directory, and then the head."""
    text = json.dumps(facts | {"sections": sections.table}, ensure_ascii=True, allow_nan=False)
    data, place = text.encode(), pad(file)
    file.write(data)
    file.seek(0)
    file.write(Head(place + len(data), place, len(data), checksum(data)).packed())


class Mapped:
    """A store's file in memory as the system pages it in: checked head, directory, sections."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with opened(path) as file:
            head = Head.read(file.read(ALIGNED), path)
            size = file.seek(0, 2)
            if size != head.size:
                what = "is cut short" if size < head.size else "has bytes behind its end"
                raise StoreError(
                    f"{path} {what}: {size} bytes where {head.size} were written; copy or encode it again."
                )
            self.watch = Watch(path, self.is_sound)
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        text = self.data[head.directory : head.directory + head.length]
        if checksum(text) != head.checksum:
            raise self.damaged("its directory")
        self.head = head
        self.mark = f"{head.size:x}-{head.checksum:08x}"
        self.facts: dict[str, Any] = json.loads(text)
        self.table: dict[str, dict[str, Any]] = self.facts.pop("sections")
        for name in self.table:
            if checksum(self.section(name)) != self.table[name]["crc"]:
                raise self.damaged(f"the section {name!r}")

    def check_unchanged(self) -> None:
        """Raises StoreError if others wrote to the file since it was opened."""
        if self.watch.changed():
            raise StoreError(
                f"{self.path} was changed while it was in use. Copy it again, or encode the data again; then "
                "open it anew."
            )

    def is_sound(self) -> bool:
        """Whether the file is as long as it was, and all of it agrees with the checksums of then.

        The length comes first: to look at what is mapped beyond the end of a file ends the process.
        """
        if self.data.size() != self.head.size:
            return False
        text = self.data[self.head.directory : self.head.directory + self.head.length]
        sections = (checksum(self.section(name)) == self.table[name]["crc"] for name in self.table)
        return checksum(text) == self.head.checksum and all(sections) and not any(self.damaged_blocks())

    def damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged: {what} does not agree with the checksum that was written with it. "
            "Copy it again, or encode the data again."
        )

    def array(self, offset: int, dtype: Any, *shape: int) -> AnyArray:
        """An array in the file, without a copy; it cannot be written to."""
        return np.ndarray(shape, dtype, self.data, offset)

    def section(self, name: str) -> AnyArray:
        where = self.table[name]
        if 0 in where["shape"]:
            return np.empty(where["shape"], where["dtype"])
        return self.array(where["offset"], where["dtype"], *where["shape"])

    def texts(self, name: str) -> list[str]:
        ends = self.section(f"{name}.ends").tolist()
        data = self.section(f"{name}.bytes").tobytes()
        starts = [0, *ends[:-1]]
        return [data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True)]

    def values(self, name: str) -> AnyArray:
        """One value for each sample."""
        return self.section(name).copy() if name in self.table else np.array(self.texts(name), str)

    def has(self, name: str) -> bool:
        return name in self.table or f"{name}.ends" in self.table

    @cached_property
    def blocks(self) -> AnyArray:
        """(n_blocks, 5): where each is, its features, its levels, its length and its checksum."""
        return self.section("blocks")

    def damaged_blocks(self) -> Iterator[bool]:
        """Whether each block is other than it was written."""
        for offset, _, _, length, crc in self.blocks.tolist():
            yield checksum(memoryview(self.data)[offset : offset + length]) != crc


def opened(path: Path) -> BinaryIO:
    """A file to be read; raises StoreError if there is none."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name the file of a store.")
    if not path.exists():
        raise FileNotFoundError(2, "there is no such store", str(path))
    return path.open("rb")
