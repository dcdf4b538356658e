"""Where packed features are kept, as the feature table sees it.

A store is a sequence of blocks that together hold every feature that varies (a constant feature says
nothing and is in no block), and can pick out given features as blocks of their own. A storage is a kind
of block with a store around it: bit planes in memory here; index lists, memory maps and remote blocks fit
the same two protocols. Blocks are what travels: a question is asked of each block by itself, with the
picked features as its only other input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.groups import by_label


class Block(Protocol):
    """Some features, packed alike."""

    @property
    def features(self) -> IndexArray: ...

    @property
    def n_levels(self) -> int: ...

    def take(self, slots: IndexArray) -> Any: ...

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, Any, IndexArray]]: ...

    def numbered(self, features: IndexArray) -> Self: ...


BlockT = TypeVar("BlockT", bound=Block)
BlockT_co = TypeVar("BlockT_co", bound=Block, covariant=True)


class Store(Protocol[BlockT_co]):
    """All features of a table."""

    @property
    def n_samples(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def varying(self) -> IndexArray: ...

    @property
    def blocks(self) -> Sequence[BlockT_co]: ...

    def pick(self, features: IndexArray) -> Sequence[BlockT_co]: ...

    def part(self, features: IndexArray) -> Sequence[BlockT_co]:
        """The given features in blocks of the store's own kinds, to be asked rather than to ask with."""


@dataclass(frozen=True, eq=False)
class MemoryStore(Generic[BlockT]):
    """Blocks held in memory."""

    n_samples: int
    n_features: int
    blocks: tuple[BlockT, ...]
    home: IndexArray  # (n_features,) the block of each feature, -1: constant
    slot: IndexArray  # (n_features,) its place there
    join: Callable[[list[BlockT]], BlockT]

    @property
    def varying(self) -> IndexArray:
        """The features that take more than one value, ascending."""
        return np.flatnonzero(self.home >= 0)

    def pick(self, features: IndexArray) -> list[BlockT]:
        """The given features as blocks, one for each number of levels; constant ones are in none."""
        return picked(self.blocks, self.home, self.slot, features, self.join)

    def part(self, features: IndexArray) -> list[BlockT]:
        return self.pick(features)


@dataclass(frozen=True, eq=False)
class PartStore(Generic[BlockT]):
    """Some features of another store, none of them constant, numbered anew from 0 in their order."""

    whole: Store[BlockT]
    features: IndexArray

    @property
    def n_samples(self) -> int:
        return self.whole.n_samples

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def varying(self) -> IndexArray:
        return np.arange(len(self.features))

    @cached_property
    def blocks(self) -> Sequence[BlockT]:
        return self.part(self.varying)

    def pick(self, features: IndexArray) -> Sequence[BlockT]:
        return self._numbered(self.whole.pick(self.features[features]))

    def part(self, features: IndexArray) -> Sequence[BlockT]:
        return self._numbered(self.whole.part(self.features[features]))

    def _numbered(self, blocks: Sequence[BlockT]) -> Sequence[BlockT]:
        """Blocks of the whole under the numbers their features have here."""
        number = np.zeros(self.whole.n_features, np.intp)
        number[self.features] = self.varying
        return [block.numbered(number[block.features]) for block in blocks]


def picked(
    blocks: Sequence[Any],
    home: AnyArray,
    slot: AnyArray,
    features: IndexArray,
    join: Callable[[list[Any]], Any],
) -> list[Any]:
    """The given features, each in its home block at its slot, as one block for each number of levels."""
    order, bounds = by_label(home[features].astype(np.intp, copy=False), len(blocks))
    slots = slot[features[order]].astype(np.intp, copy=False)
    homes = np.flatnonzero(np.diff(bounds)).tolist()
    return by_levels((blocks[i].take(slots[bounds[i] : bounds[i + 1]]) for i in homes), join)


def by_levels(blocks: Iterable[Any], join: Callable[[list[Any]], Any]) -> list[Any]:
    """One block for each number of levels, fewest first."""
    alike: dict[int, list[Any]] = {}
    for block in blocks:
        alike.setdefault(block.n_levels, []).append(block)
    return [join(alike[n_levels]) for n_levels in sorted(alike)]


def memory_store(
    blocks: Iterable[BlockT],
    n_samples: int,
    n_features: int,
    join: Callable[[list[BlockT]], BlockT],
) -> MemoryStore[BlockT]:
    """A store of these blocks, which knows where each feature is."""
    blocks = tuple(blocks)
    home = np.full(n_features, -1, np.intp)
    slot = np.zeros(n_features, np.intp)
    for number, block in enumerate(blocks):
        home[block.features] = number
        slot[block.features] = np.arange(len(block.features))
    return MemoryStore(n_samples, n_features, blocks, home, slot, join)
