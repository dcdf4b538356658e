"""Packed features in a file, mapped into memory on demand.

Nothing of a file is used before it has been checked. A store on disk has the interface of any store. Its
arrays are memory-mapped pages of its file, whose memory the operating system can reclaim; arrays made from
them (blocks transposed feature by feature, levels of samples) are cached within a budget.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, TypeAlias, TypeVar, overload

import numpy as np

from qpfs.arrays import AnyArray, CodeArray, IndexArray, WordArray
from qpfs.codes import disk_check
from qpfs.codes.disk_format import ALIGNED, Head, StoreError, crc_of, next_aligned
from qpfs.codes.disk_layout import Arrays, BlockLayout, layout_in
from qpfs.codes.planes import PlaneBlock, code_rows_of
from qpfs.codes.scores import ScoreBlock
from qpfs.codes.store import Store

MEMORY = 1 << 30  # bytes, the default


class Mapped:
    """The memory-mapped file of a store, its head, directory and sections checked; if `verify`, all."""

    def __init__(self, path: Path, *, verify: bool = False) -> None:
        self.path = path
        with opened(path) as file:
            head = Head.read(file.read(ALIGNED), path)
            size = file.seek(0, 2)
            if size != head.size:
                what = "is truncated" if size < head.size else "has bytes after its end"
                raise StoreError(
                    f"{path} {what}: {size} bytes where {head.size} were written; copy or encode it again."
                )
            # A writable mapping would count as memory of the process under a hard limit (decision 0011).
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self.descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.descriptor)
        self.state = self._state()
        text = self.data[head.directory : head.directory + head.length]
        if crc_of(text) != head.checksum:
            raise self.damaged("its directory")
        self.mark = f"{head.size:x}-{head.checksum:08x}"
        try:
            self._check(text, head, verify)
        except disk_check.UnsoundError as error:
            raise self.unsound(error) from error

    def _check(self, text: bytes, head: Head, verify: bool) -> None:
        """Raises StoreError for anything that violates the format."""
        disk_check.need(head.directory + head.length == head.size, "its directory is not at its end")
        self.facts = disk_check.checked_facts(text)
        disk_check.check_sections(self.facts, head.directory)
        self.table: dict[str, dict[str, Any]] = self.facts.pop("sections")
        self.layout: BlockLayout = layout_in(self.facts["form"])
        for name in self.table:
            section = self.section(name)
            if crc_of(section) != self.table[name]["crc"]:
                raise self.damaged(f"the section {name!r}")
            disk_check.check_truths(section, name)
            if name.endswith(".ends"):
                data = self.section(name.replace(".ends", ".bytes"))
                disk_check.check_texts(section, data, name.removesuffix(".ends"))
        n_samples, labels, merged = self.facts["n_samples"], self.facts["labels"], self.facts["merged"]
        known = {name: self.section(name) for name in disk_check.SCORED if name in self.table}
        disk_check.check_features(known["levels"], known["edges"], known["occurs"], labels, merged, 0)
        self.layout.check_features(known, labels, merged, 0)
        begin = disk_check.begin_of(self.table)
        rows = map(tuple, self.blocks.tolist())
        end = disk_check.check_blocks(rows, self.layout, n_samples, ALIGNED, begin)
        disk_check.need(next_aligned(end) == begin, "there are bytes between its blocks and its sections")
        if verify:
            self._verify()
        members = (self.block(number)[:2] for number in range(len(self.blocks)))
        disk_check.check_members(members, self.layout, known, n_samples, 0)

    def _verify(self) -> None:
        """Raises StoreError that names the first block whose checksum is wrong."""
        for number, (offset, _, _, length, crc) in enumerate(self.blocks.tolist()):
            if crc_of(memoryview(self.data)[offset : offset + length]) != crc:
                raise self.damaged(f"block {number} of {len(self.blocks)}{self._whose(number)}")

    def _whose(self, number: int) -> str:
        """The features of a damaged block in words, as far as they can be read."""
        features = self.block(number)[0]
        if features.min() < 0 or features.max() >= self.facts["n_features"]:
            return ""
        return f" (features {features[0]} to {features[-1]})"

    def _state(self) -> tuple[int, int]:
        found = os.fstat(self.descriptor)
        return found.st_size, found.st_mtime_ns

    def check_same(self) -> None:
        """Raises StoreError if the file was written to or truncated after it was opened."""
        # The checks may then no longer hold, and reading a page that is gone ends the process.
        if self._state() != self.state:
            raise StoreError(f"{self.path} was changed while it was in use; open it again.")

    def damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged: {what} does not agree with the checksum that was written with it. "
            "Copy it again, or encode the data again."
        )

    def unsound(self, why: Exception) -> StoreError:
        return StoreError(
            f"{self.path} is not a valid store: {why}. It is damaged, or something else made it; "
            "encode the data again."
        )

    def array(self, offset: int, dtype: Any, *shape: int) -> AnyArray:
        """An array in the file, without a copy; it cannot be written to."""
        return np.ndarray(shape, dtype, self.data, offset)

    def section(self, name: str) -> AnyArray:
        where = self.table[name]
        if 0 in where["shape"]:
            return np.empty(where["shape"], where["dtype"])
        return self.array(where["offset"], where["dtype"], *where["shape"])

    def texts(self, name: str) -> MappedTexts:
        return MappedTexts(self, name)

    def values(self, name: str) -> AnyArray:
        """One value for each sample."""
        return self.section(name).copy() if name in self.table else np.array(list(self.texts(name)), str)

    def has(self, name: str) -> bool:
        return name in self.table or f"{name}.ends" in self.table

    @cached_property
    def blocks(self) -> AnyArray:
        """(n_blocks, 5): where each is, its features, its size, its length and its checksum."""
        return self.section("blocks")

    def block(self, number: int) -> Arrays:
        """The arrays of a block, of which the last is not yet checked."""
        offset, k, size, _, _ = self.blocks[number].tolist()
        return self.layout.views(self.data, offset, k, size, self.facts["n_samples"])

    def sound_block(self, number: int) -> Arrays:
        """The arrays of a block, of which the last is checked at first use."""
        self.check_same()
        found = self.block(number)
        if number not in self._sound:
            try:
                self.layout.check_third(found, self.facts["n_samples"], number)
            except disk_check.UnsoundError as error:
                raise self.unsound(error) from error
            self._sound.add(number)
        return found

    @cached_property
    def _sound(self) -> set[int]:
        return set()


def opened(path: Path) -> BinaryIO:
    """A file opened for reading; raises StoreError if there is none."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name the file of a store.")
    if not path.exists():
        raise FileNotFoundError(2, "there is no such store", str(path))
    if not path.is_file():
        raise StoreError(f"{path} is a device or a pipe; name the file of a store.")
    return path.open("rb")


T = TypeVar("T")


class Lazy(Sequence[T]):
    """A sequence whose members are read from a file on demand."""

    def one(self, place: int) -> T:
        raise NotImplementedError

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self.one(i) for i in range(*place.indices(len(self)))]
        return self.one(range(len(self))[place])

    def __iter__(self) -> Iterator[T]:
        return (self.one(place) for place in range(len(self)))


class MappedTexts(Lazy[str]):
    """Texts in a file."""

    def __init__(self, file: Mapped, name: str) -> None:
        self.ends = file.section(f"{name}.ends")
        self.bytes = file.section(f"{name}.bytes")

    def __len__(self) -> int:
        return len(self.ends)

    def one(self, place: int) -> str:
        start = self.ends[place - 1] if place else 0
        return self.bytes[start : self.ends[place]].tobytes().decode("utf-8", "surrogatepass")


class Shelf:
    """A cache of arrays made from blocks: the last used ones that fit a budget."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.held: OrderedDict[tuple[str, int], AnyArray] = OrderedDict()
        self.bytes = 0
        self.lock = Lock()

    def get(self, what: str, number: int, make: Callable[[], AnyArray]) -> AnyArray:
        """A cached array, made from a block if it is not in the cache."""
        key = what, number
        with self.lock:
            if key in self.held:
                self.held.move_to_end(key)
                return self.held[key]
        made = make()
        with self.lock:
            if key not in self.held:
                self.held[key] = made
                self.bytes += made.nbytes
            while self.bytes > self.budget:
                self.bytes -= self.held.popitem(last=False)[1].nbytes
        return made


@dataclass(frozen=True, eq=False)
class MappedBlock(PlaneBlock):
    """A block whose arrays are in a file."""

    store: MappedStore = field(repr=False)
    number: int

    @property
    def columns(self) -> WordArray:
        """The planes feature by feature, cached."""
        return self.store.shelf.get(
            "columns", self.number, lambda: np.ascontiguousarray(self.planes.transpose(2, 0, 1))
        )

    @property
    def code_rows(self) -> CodeArray:
        """The level of each sample, cached."""
        return self.store.shelf.get("codes", self.number, lambda: code_rows_of(self))

    def numbered(self, features: IndexArray) -> PlaneBlock:
        return PlaneBlock(features, self.planes, self.counts, self.n_samples)

    def __reduce__(self) -> Any:
        return block_of, (self.store, self.number)


@dataclass(frozen=True, eq=False)
class MappedScores(ScoreBlock):
    """A block of scores that are in a file."""

    store: MappedStore = field(repr=False)
    number: int

    def numbered(self, features: IndexArray) -> ScoreBlock:
        return ScoreBlock(features, self.scores, self.shift)

    def __reduce__(self) -> Any:
        return block_of, (self.store, self.number)


AnyBlock: TypeAlias = MappedBlock | MappedScores


def block_of(store: MappedStore, number: int) -> AnyBlock:
    return store.blocks[number]


class MappedBlocks(Lazy[AnyBlock]):
    """The blocks of a file, each mapped on demand."""

    def __init__(self, store: MappedStore) -> None:
        self.store = store

    def __len__(self) -> int:
        return len(self.store.file.blocks)

    def one(self, place: int) -> AnyBlock:
        features, second, third = self.store.file.sound_block(place)
        if self.store.file.layout.form.name == "scores":
            return MappedScores(features, third, second, self.store, place)
        return MappedBlock(features, third, second, self.store.n_samples, self.store, place)


class MappedStore(Store[AnyBlock]):
    """A store whose features are in a file."""

    def __init__(self, file: Mapped, budget: int) -> None:
        self.file = file
        self.shelf = Shelf(budget)
        self.n_samples: int = file.facts["n_samples"]
        self.n_features: int = file.facts["n_features"]
        self.room = budget

    @property
    def blocks(self) -> MappedBlocks:  # type: ignore[override]
        return MappedBlocks(self)

    def __reduce__(self) -> Any:
        return reopened, (str(self.file.path.resolve()), self.file.mark, self.shelf.budget)


def mapped(path: str | os.PathLike[str], budget: int, *, verify: bool = False) -> MappedStore:
    """The store in a file."""
    return MappedStore(Mapped(Path(path), verify=verify), budget)


@lru_cache(maxsize=8)
def reopened(path: str, mark: str, budget: int) -> MappedStore:
    """The store of a pickle, opened from its file once in each process."""
    store = mapped(path, budget)
    if store.file.mark != mark:
        raise StoreError(
            f"{path} holds another store than when this object was pickled; restore the old file, or fit "
            f"again."
        )
    return store
