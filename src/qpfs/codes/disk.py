"""Packed features in a file, mapped into memory as they are asked for.

A store on disk answers what any store answers. Its arrays are the pages of its file, so that they take no
memory that the system could not take back; what is made from them (blocks turned feature by feature) is kept
on a shelf within a budget.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias, overload

import numpy as np

from qpfs.arrays import IndexArray, WordArray
from qpfs.codes.disk_format import StoreError
from qpfs.codes.disk_mapping import Mapped
from qpfs.codes.planes import PlaneBlock
from qpfs.codes.scores import ScoreBlock
from qpfs.codes.store import Placed, joined, parts_of

MEMORY = 1 << 30  # bytes, unless asked otherwise


class Shelf:
    """Arrays made from blocks, the last used kept while they fit a budget."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.held: OrderedDict[int, WordArray] = OrderedDict()
        self.bytes = 0
        self.lock = Lock()

    def get(self, number: int, make: Callable[[], WordArray]) -> WordArray:
        with self.lock:
            if number in self.held:
                self.held.move_to_end(number)
                return self.held[number]
        made = make()
        with self.lock:
            if number not in self.held:
                self.held[number] = made
                self.bytes += made.nbytes
            while self.bytes > self.budget:
                self.bytes -= self.held.popitem(last=False)[1].nbytes
        return made


@dataclass(frozen=True, eq=False)
class MappedBlock(PlaneBlock):
    """A block whose arrays lie in a file."""

    store: MappedStore = field(repr=False)
    number: int

    @property
    def columns(self) -> WordArray:
        """The planes feature by feature, kept as long as there is room."""
        return self.store.shelf.get(self.number, lambda: np.ascontiguousarray(self.planes.transpose(2, 0, 1)))

    def numbered(self, features: IndexArray) -> PlaneBlock:
        return PlaneBlock(features, self.planes, self.counts, self.n_samples)

    def __reduce__(self) -> Any:
        return block_of, (self.store, self.number)


@dataclass(frozen=True, eq=False)
class MappedScores(ScoreBlock):
    """A block of scores that lie in a file."""

    store: MappedStore = field(repr=False)
    number: int

    def numbered(self, features: IndexArray) -> ScoreBlock:
        return ScoreBlock(features, self.scores, self.shift)

    def __reduce__(self) -> Any:
        return block_of, (self.store, self.number)


AnyBlock: TypeAlias = MappedBlock | MappedScores


def block_of(store: MappedStore, number: int) -> AnyBlock:
    return store.blocks[number]


class MappedBlocks(Sequence[AnyBlock]):
    """The blocks of a file, each mapped when it is asked for."""

    def __init__(self, store: MappedStore) -> None:
        self.store = store

    def __len__(self) -> int:
        return len(self.store.file.blocks)

    @overload
    def __getitem__(self, number: int) -> AnyBlock: ...

    @overload
    def __getitem__(self, number: slice) -> list[AnyBlock]: ...

    def __getitem__(self, number: int | slice) -> AnyBlock | list[AnyBlock]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        features, second, third = self.store.file.sound_block(number)
        if self.store.file.layout.form.name == "scores":
            return MappedScores(features, third, second, self.store, number)
        return MappedBlock(features, third, second, self.store.n_samples, self.store, number)

    def __iter__(self) -> Iterator[AnyBlock]:
        return (self[number] for number in range(len(self)))


class MappedStore(Placed):
    """All features of a store's file."""

    def __init__(self, file: Mapped, budget: int) -> None:
        self.file = file
        self.shelf = Shelf(budget)
        self.n_samples: int = file.facts["n_samples"]
        self.n_features: int = file.facts["n_features"]

    @property
    def blocks(self) -> MappedBlocks:
        return MappedBlocks(self)

    @property
    def room(self) -> int:
        return self.shelf.budget

    @property
    def varying(self) -> IndexArray:
        """The features that take more than one value, ascending."""
        return np.flatnonzero(self.home >= 0)

    def pick(self, features: IndexArray) -> list[Any]:
        """The given features as blocks in memory, one for each number of levels; constant ones in none."""
        return joined(block.take(slots) for block, slots in parts_of(self, features))

    def part(self, features: IndexArray) -> list[Any]:
        return self.pick(features)

    def __reduce__(self) -> Any:
        return reopened, (str(self.file.path.resolve()), self.file.mark, self.shelf.budget)


def mapped(path: str | os.PathLike[str], budget: int, *, verify: bool = False) -> MappedStore:
    """The store in a file."""
    return MappedStore(Mapped(Path(path), verify=verify), budget)


@lru_cache(maxsize=8)
def reopened(path: str, mark: str, budget: int) -> MappedStore:
    """The store that was in a file when it was pickled, once for each process."""
    store = mapped(path, budget)
    if store.file.mark != mark:
        raise StoreError(
            f"{path} holds another store than when this was pickled; put the old one back, or fit again."
        )
    return store
