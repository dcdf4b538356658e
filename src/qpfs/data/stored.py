"""The bytes of a source: of a file, of standard input, or inside of a compressed file."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import math
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.files import FileWatch
from qpfs.wording import bytes_words

STORE, STORE_SUFFIX = b"\x93QPFS\r\n\x1a", ".qpfs"  # how a store begins, and its name ends
HEAD = 1 << 16  # bytes by which a format is recognised
CHUNK = 1 << 20  # bytes that are unpacked at a time
RESERVE = 10**9  # bytes of a disk that stay free, or a tenth of a smaller one
ANY_RATIO = 10**9  # bytes that any file may unpack to; a larger one, to so many times its size:
RATIO = 1000  # very repetitive text reaches that; deflate reaches at most 1032
DICTIONARY = 1 << 28  # bytes that unpacking xz may take, four times what its highest level does


@dataclass(frozen=True)
class Stored:
    """A file to be read."""

    name: str  # as the user gave it
    path: Path  # of its unpacked bytes
    checksum: str  # of its bytes as they were stored
    watch: FileWatch | None = None  # of a file that others may write to

    def check(self) -> None:
        """Raises UnreadableError if the file has changed since it was opened."""
        if self.watch is not None and self.watch.changed():
            raise UnreadableError(
                f"{self.name!r} was changed while it was read; run again once it is complete."
            )

    def head(self, size: int = HEAD) -> bytes:
        with self.path.open("rb") as file:
            return file.read(size)


@contextmanager
def stored_at_hand(source: str) -> Iterator[Stored]:
    """The bytes of a file, or of standard input for "-"; unpacked files are removed at the end."""
    with temporary() as folder:
        try:
            stored = opened(source, folder)
        except (OSError, TooLargeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreadableError(f"{source!r} cannot be opened: {reason}.") from error
        try:
            yield stored
        except Exception:
            stored.check()  # raises UnreadableError in place of this error if the file changed meanwhile
            raise
        stored.check()


@contextmanager
def temporary() -> Iterator[Path]:
    """A temporary folder; raises UnreadableError if none can be made."""
    try:
        made = tempfile.TemporaryDirectory(prefix="qpfs-")
    except OSError as error:
        raise UnreadableError(
            f"The folder for temporary files cannot be written to ({error.strerror or error}); name another "
            "with TMPDIR."
        ) from error
    with made as folder:
        yield Path(folder)


def opened(source: str, folder: Path) -> Stored:
    """A file to be read; unpacked files and copies of pipes are in a folder."""
    path = standard_input(folder) if source == "-" else existing(source, folder)
    watch, checksum = FileWatch(path, lambda: sha256(path) == checksum), sha256(path)
    stored = Stored(source, path, checksum, watch)
    try:
        plain = unpacked(path, source, folder)
    finally:
        stored.check()
    return stored if plain == path else replace(stored, path=plain, watch=None)


def standard_input(folder: Path) -> Path:
    """Standard input, copied to a file so that it can be read twice."""
    return copied(sys.stdin.buffer, folder / "standard input")


def existing(source: str, folder: Path) -> Path:
    """An existing file; a pipe is copied to one, since it can be read only once."""
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
    """The bytes of a stream, in a file."""
    written(in_blocks(stream), path)
    return path


def written(blocks: Iterable[bytes], path: Path, most: float = math.inf) -> None:
    """Writes blocks to a file; raises TooLargeError before the disk is full, or after so many bytes."""
    size, where = 0, path.parent.parent
    with said_of(where):
        file = path.open("wb")
    with file:
        for block in blocks:
            size += len(block)
            if size > most:
                raise TooLargeError(f"it holds more than {bytes_words(int(most))}, {RATIO:,} times its size")
            if no_room(path):
                raise TooLargeError(f"there is no room left in {where} for its first {bytes_words(size)}")
            with said_of(where):
                file.write(block)
        with said_of(where):
            file.flush()


@contextmanager
def said_of(folder: Path) -> Iterator[None]:
    """A context in which errors of writing are not mistaken for errors of reading."""
    try:
        yield
    except OSError as error:
        raise TooLargeError(f"nothing can be written to {folder} ({error.strerror})") from error


def no_room(path: Path) -> bool:
    """Whether a disk is almost full."""
    disk = shutil.disk_usage(path.parent)
    return disk.free < min(RESERVE, disk.total // 10) + CHUNK


class TooLargeError(ValueError):
    """The data to be written need more space than there is."""


def unpacked(path: Path, name: str, folder: Path) -> Path:
    """A file with the same content that is not compressed."""
    with path.open("rb") as file:
        head = file.read(8)
    unpack = next((unpack for magic, unpack in PACKED.items() if head.startswith(magic)), None)
    if unpack is None:
        return path
    plain = folder / f"in{Path(Path(name).stem).suffix}"  # the suffix of the file inside, whatever its name
    try:
        written(unpack(path), plain, max(ANY_RATIO, RATIO * path.stat().st_size))
    except TooLargeError as error:
        raise UnreadableError(
            f"{name!r} is compressed, and was not unpacked completely: {error}. If the file is correct, free "
            "space (TMPDIR names another folder), or unpack it first."
        ) from error
    except (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
        raise UnreadableError(
            f"{name!r} is compressed, but cannot be unpacked: {error}. It may be cut short; fetch it again."
        ) from error
    return plain


def gzip_blocks(path: Path) -> Iterator[bytes]:
    """The contents of a gzip file, some at a time."""
    with gzip.open(path, "rb") as file:
        yield from in_blocks(file)


def stream_blocks(path: Path, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """The contents of a file of several compressed streams, some at a time."""
    # `bz2.open` and `lzma.open` ignore data after a stream if they are damaged, and take as much memory as
    # the file requests.
    with path.open("rb") as file:
        packed = file.read(CHUNK)
        while packed:
            stream = decompressor()
            while not stream.eof:
                if stream.needs_input and not (packed := packed or file.read(CHUNK)):
                    raise EOFError("it ends in the middle of a stream")
                yield stream.decompress(packed, CHUNK)
                packed = b""
            rest = chain([stream.unused_data], in_blocks(file))
            packed = next((some for block in rest if (some := block.lstrip(b"\0"))), b"")  # zeros may follow


def in_blocks(file: Any) -> Iterator[bytes]:
    return iter(lambda: file.read(CHUNK), b"")


PACKED: dict[bytes, Callable[[Path], Iterator[bytes]]] = {
    b"\x1f\x8b": gzip_blocks,
    b"BZh": partial(stream_blocks, decompressor=bz2.BZ2Decompressor),
    b"\xfd7zXZ\x00": partial(stream_blocks, decompressor=partial(lzma.LZMADecompressor, memlimit=DICTIONARY)),
}


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
