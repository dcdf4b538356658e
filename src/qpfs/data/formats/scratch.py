"""Matrices that need not fit into memory: in scratch files, and read some columns at a time.

Such a matrix has `shape`, gives some of its columns, `matrix[:, columns]`, as an array, and all of it,
`whole()`, as an array or a sparse matrix.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import cached_property
from glob import escape
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.sheet import Sheet, in_memory
from qpfs.files import locked
from qpfs.memory import memory_of_machine
from qpfs.sparse import sound_sparse

PIECE = 1 << 21  # entries of a sparse matrix moved at a time
LOCK = ".qpfs-scratch"


class Scratch:
    """Where numbers are kept while a file is read, and how much memory reading may take."""

    def __init__(
        self,
        beside: Path | None = None,  # None: numbers stay in memory
        memory: int | None = None,
        glance: Callable[[Sheet], None] = lambda sheet: None,  # given the names of columns once known
    ) -> None:
        self.memory = memory_of_machine() if memory is None else memory
        self.beside = None if beside is None else beside.absolute()
        self.glance = glance
        self.folder: Path | None = None
        self.stack = ExitStack()

    def file(self, name: str) -> Path:
        """A path in the folder, which is made on first use."""
        if self.folder is None:
            self.folder = self._made()
        return self.folder / name

    def array(self, name: str, kind: Any, shape: tuple[int, ...]) -> AnyArray:
        """An array in a file of its own."""
        size = math.prod(shape) * np.dtype(kind).itemsize
        if not size or self.beside is None:
            return np.empty(shape, kind)
        path = self.file(name)
        # Its space is allocated first: if the disk is full when a mapped file is written, the process ends.
        if hasattr(os, "posix_fallocate"):
            with path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        return np.memmap(path, kind, "r+" if path.exists() else "w+", shape=shape)

    def _made(self) -> Path:
        assert self.beside is not None
        # A folder of this run alone, removed at the end; folders of runs that were killed are removed, too,
        # and a lock protects those of runs that go on.
        there = next(one for one in self.beside.parents if one.exists())
        prefix = f"{self.beside.name}.scratch-"
        for left in there.glob(f"{escape(prefix)}*/{LOCK}"):
            remove_if_left(left)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=there))
        self.stack.callback(shutil.rmtree, folder, ignore_errors=True)
        self.stack.enter_context(lock(folder))
        return folder

    def spill(self, name: str, kind: Any = np.float64) -> Spill | Pile:
        """A collector of numbers of some type: a separate file, or memory."""
        if self.beside is None:
            return Pile(kind)
        spill = Spill(self.file(name), kind)
        self.stack.callback(spill.close)
        return spill

    def open(self, opened: Any) -> Any:
        """Registers something to be closed at the end."""
        return self.stack.enter_context(opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stack.close()


def lock(folder: Path) -> BinaryIO:
    """The lock file of a folder, locked as long as it is open; it gets its name once it is locked."""
    with ExitStack() as stack:
        file = stack.enter_context((folder / f"{LOCK}-").open("wb"))
        if locked(file):
            (folder / f"{LOCK}-").rename(folder / LOCK)
        stack.pop_all()
        return file


def remove_if_left(path: Path) -> None:
    """Removes the folder of a lock that no process holds."""
    with suppress(OSError), path.open("r+b") as file:
        if locked(file):
            shutil.rmtree(path.parent, ignore_errors=True)


class Slabs:
    """A matrix that is slow to access, read as many columns at a time as a budget allows."""

    def __init__(self, read: Callable[[IndexArray], AnyArray], shape: tuple[int, int], budget: int) -> None:
        self.read = read
        self.shape = shape
        self.width = max(1, budget // (8 * max(shape[0], 1)))
        self.first = 0
        self.held: AnyArray = np.empty((shape[0], 0))
        self.lock = Lock()

    def __getitem__(self, key: tuple[Any, Any]) -> AnyArray:
        columns = np.asarray(key[1], np.intp)
        if len(columns) == 0:
            return np.empty((self.shape[0], 0))
        with self.lock:
            low, high = int(columns.min()), int(columns.max())
            if high - low >= self.width:
                return np.concatenate([self._from_slab(one[None])[:, :1] for one in columns], axis=1)
            return self._from_slab(columns)

    def _from_slab(self, columns: IndexArray) -> AnyArray:
        low, high = int(columns.min()), int(columns.max())
        if low < self.first or high >= self.first + self.held.shape[1]:
            self.held = np.empty((self.shape[0], 0))  # freed before the next is read
            stop = min(low + self.width, self.shape[1])
            self.first, self.held = low, self.read(np.arange(low, stop))
        return self.held[:, columns - self.first]

    def whole(self) -> AnyArray:
        return self.read(np.arange(self.shape[1])) if self.shape[1] else np.empty(self.shape)


class Pile:
    """Rows of numbers, collected in memory."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.parts: list[AnyArray] = []

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def append(self, rows: AnyArray) -> None:
        self.parts.append(rows)

    def matrix(self, *width: int) -> AnyArray:
        """All rows, or numbers one after another; each part is freed once it has been copied."""
        row = len(self)
        if len(self.parts) == 1:
            return self.parts.pop()
        whole = np.empty((row, *width), self.kind)
        while self.parts:
            part = self.parts.pop()
            row -= len(part)
            whole[row : row + len(part)] = part
        return whole


class Spill:
    """Rows of numbers, written to a file one after another."""

    def __init__(self, path: Path, kind: Any = np.float64) -> None:
        self.path = path
        self.kind = kind
        self.file: BinaryIO = path.open("wb")
        self.n_rows = 0

    def __len__(self) -> int:
        return self.n_rows

    def append(self, rows: AnyArray) -> None:
        self.file.write(np.ascontiguousarray(rows, self.kind).data.cast("B") if rows.size else b"")
        self.n_rows += len(rows)

    def close(self) -> None:
        """Closes the file; data that could not be written before are not written now."""
        with suppress(OSError):
            self.file.close()

    def matrix(self, *width: int) -> AnyArray:
        """All rows, or numbers one after another, in the file mapped into memory."""
        self.file.close()
        if self.n_rows == 0 or 0 in width:
            return np.empty((self.n_rows, *width), self.kind)
        return np.memmap(self.path, self.kind, "r", shape=(self.n_rows, *width))


def poured(matrix: Any, scratch: Scratch) -> AnyArray:
    """A matrix in a separate file, row after row, so that its rows can be read too."""
    if scratch.beside is None:
        return in_memory(matrix)
    n_rows, n_columns = matrix.shape
    out = scratch.array("turned", np.float64, (n_rows, n_columns))
    width = max(1, scratch.memory // (16 * max(n_rows, 1)))
    for start in range(0, n_columns, width):
        some = np.arange(start, min(start + width, n_columns))
        out[:, some] = matrix[:, some]
    return out


Entries = tuple[AnyArray, AnyArray, AnyArray]  # rows, which ascend, columns and values


class ScratchColumns:
    """A sparse matrix whose entries are in files, column after column; columns are returned dense."""

    is_sparse = True

    def __init__(self, bounds: AnyArray, rows: Any, values: Any, shape: tuple[int, int]) -> None:
        self.bounds = bounds
        self.rows = rows
        self.values = values
        self.shape = shape

    def __getitem__(self, key: tuple[Any, Any]) -> AnyArray:
        columns = np.asarray(key[1], np.intp)
        out = np.zeros((len(columns), self.shape[0]), self.values.dtype)
        for place, column in enumerate(columns):
            some = slice(self.bounds[column], self.bounds[column + 1])
            rows = self.rows[some]
            check_places(rows, self.shape[0])
            np.add.at(out[place], rows.astype(np.intp), self.values[some])  # a row may repeat
        return out.T

    def whole(self) -> Any:
        from scipy import sparse

        n = int(self.bounds[-1])
        return sound_sparse(
            sparse.csc_matrix((self.values[:n], self.rows[:n], self.bounds), shape=self.shape)
        )


class SparseRows:
    """A sparse matrix whose entries come row after row, and are sorted by column on first access."""

    is_sparse = True

    def __init__(
        self,
        pieces: Callable[[], Iterable[Entries]],
        counts: AnyArray,
        n_rows: int,
        scratch: Scratch,
        kind: Any = np.float64,
    ) -> None:
        self.pieces = pieces
        self.counts = counts
        self.shape = n_rows, len(counts)
        self.scratch = scratch
        self.kind = kind

    def __getitem__(self, key: tuple[Any, Any]) -> AnyArray:
        return self.columns[key]

    @cached_property
    def columns(self) -> ScratchColumns:
        return by_columns(self.pieces, self.counts, self.shape[0], self.scratch, self.kind)

    def whole(self) -> Any:
        from scipy import sparse

        rows, columns, values = (
            np.concatenate([np.empty(0, kind), *parts])
            for kind, parts in zip(
                (np.intp, np.int32, self.kind), zip(*self.pieces(), strict=True), strict=False
            )
        )
        bounds = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.shape[0]))])
        return sound_sparse(sparse.csr_matrix((values, columns, bounds), shape=self.shape))


def check_places(places: AnyArray, n: int) -> None:
    """Raises UnreadableError if an entry of a sparse matrix is outside of its n rows or columns."""
    if len(places) and (places.min() < 0 or places.max() >= n):
        raise UnreadableError(
            f"an entry of the sparse matrix is outside of its {n} rows or columns; it is damaged."
        )


def by_columns(
    pieces: Callable[[], Iterable[Entries]],
    counts: AnyArray,
    n_rows: int,
    scratch: Scratch,
    kind: Any = np.float64,
) -> ScratchColumns:
    """Entries that come row after row, some at a time, sorted by column in scratch files."""
    bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    size = max(int(bounds[-1]), 1)
    rows = scratch.array("rows", np.int32, (size,))
    values = scratch.array("values", kind, (size,))
    following = bounds[:-1].copy()
    for some_rows, columns, some in pieces():
        order = np.argsort(columns, kind="stable")
        ordered = columns[order]
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(order) else order
        lengths = np.diff(np.append(begins, len(order)))
        within = np.arange(len(order)) - np.repeat(begins, lengths)
        places = following[ordered] + within
        rows[places], values[places] = some_rows[order], some[order]
        following[ordered[begins]] += lengths
    return ScratchColumns(bounds, rows, values, (n_rows, len(counts)))


def runs(columns: IndexArray) -> Iterator[slice]:
    """Columns as slices, where they follow each other."""
    ends = np.flatnonzero(np.append(np.diff(columns) != 1, True))
    start = 0
    for end in ends.tolist():
        yield slice(int(columns[start]), int(columns[end]) + 1)
        start = end + 1
