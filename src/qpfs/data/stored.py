"""Bytes at hand: a file as it lies there, standard input, and what is inside of a compressed file."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.files import NO_ROOM, Watch

HEAD = 1 << 16
CHUNK = 1 << 20
PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}


@dataclass(frozen=True)
class Stored:
    """A file to be read."""

    name: str  # as it was called
    path: Path  # where its bytes lie, unpacked
    checksum: str  # of its bytes as they were stored
    watch: Watch | None = None  # of a file that others may write to

    def check(self) -> None:
        """Raises UnreadableError if others wrote to the file since it was first looked at."""
        if self.watch is not None and self.watch.changed():
            raise UnreadableError(
                f"{self.name!r} was changed while it was read; run again once it is complete."
            )

    def head(self, size: int = HEAD) -> bytes:
        with self.path.open("rb") as file:
            return file.read(size)


@contextmanager
def at_hand(source: str) -> Iterator[Stored]:
    """The bytes of a file, or of standard input if the source is "-"; what was unpacked goes again.

    Raises UnreadableError, also in place of what went wrong meanwhile, if the file was changed until the end.
    """
    with temporary() as folder:
        try:
            stored = opened(source, folder)
        except OSError as error:
            raise UnreadableError(f"{source!r} cannot be opened: {why(error, folder)}.") from error
        try:
            yield stored
        except Exception:
            stored.check()
            raise
        stored.check()


@contextmanager
def temporary() -> Iterator[Path]:
    """A folder that goes again; raises UnreadableError if there is no room for one."""
    try:
        made = tempfile.TemporaryDirectory(prefix="qpfs-")
    except OSError as error:
        raise UnreadableError(
            f"The folder for temporary files cannot be written to ({error.strerror or error}); name another "
            "by TMPDIR."
        ) from error
    with made as folder:
        yield Path(folder)


def opened(source: str, folder: Path) -> Stored:
    """A file to be read, what is unpacked or comes through a pipe in a folder."""
    path = standard_input(folder) if source == "-" else existing(source, folder)
    watch, checksum = Watch(path, lambda: sha256(path) == checksum), sha256(path)
    stored = Stored(source, unpacked(path, source, folder), checksum, watch)
    if stored.path == path:
        return stored
    stored.check()
    return replace(stored, watch=None)


def why(error: OSError, folder: Path) -> str:
    """What went wrong; no room for what is unpacked is said of where that is."""
    reason = error.strerror or str(error)
    if error.errno not in NO_ROOM:
        return reason
    return f"there is no room to unpack it in {folder.parent} ({reason}); name another folder by TMPDIR"


def standard_input(folder: Path) -> Path:
    """Standard input, copied to a file so that it can be looked at twice."""
    return copied(sys.stdin.buffer, folder / "standard input")


def existing(source: str, folder: Path) -> Path:
    """A file that is there; what comes through a pipe is copied to one, for it comes only once."""
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source!r} is a folder; name a file in it.")
    if not path.exists():
        raise UsageError(f"There is no file {source!r}.")
    if path.is_fifo():
        with path.open("rb") as pipe:
            return copied(pipe, folder / "pipe")
    if not path.is_file():
        raise UsageError(f"{source!r} is a device or socket; name a file, or - for standard input.")
    return path


def copied(stream: BinaryIO, path: Path) -> Path:
    """What a stream holds, in a file."""
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file, CHUNK)
    return path


def unpacked(path: Path, name: str, folder: Path) -> Path:
    """A file with the same content that is not compressed."""
    with path.open("rb") as file:
        head = file.read(8)
    opener = next((opener for magic, opener in PACKED.items() if head.startswith(magic)), None)
    if opener is None:
        return path
    plain = folder / Path(name).stem
    try:
        with opener(path, "rb") as file, plain.open("wb") as copy:
            shutil.copyfileobj(file, copy, CHUNK)
    except (EOFError, OSError, lzma.LZMAError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system, and not of what is in it
            raise
        raise UnreadableError(
            f"{name!r} is compressed, but cannot be unpacked: {error}. It may be cut short; fetch it again."
        ) from error
    return plain


def sha256(path: Path) -> str:
    """The checksum of a file, read piece by piece."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def sha256_of_values(*arrays: Any) -> str:
    """The checksum of arrays, of their values in C order."""
    total = hashlib.sha256()
    for array in arrays:
        total.update(np.ascontiguousarray(array).tobytes())
    return f"sha256:{total.hexdigest()}"
