"""Stores of packed features: the interface that the feature table uses.

A store is a sequence of blocks that together hold every feature that varies (a constant feature is in no
block), and can copy given features into separate blocks. A storage is a kind of block with a store around it:
bit planes in memory here; lists of samples, memory maps and remote blocks have the same two interfaces. Each
question is put to one block at a time, with the picked features as its only other input, so blocks can be on
other computers.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IndexArray, PlaceArray, WordArray
from qpfs.codes.weights import Weights
from qpfs.compiled import LINEAR, kernel, prompt
from qpfs.groups import bounds_of

WIDTH = 4096  # features that are copied together into a new block
MANY = 1 << 16  # features whose places are cached
# Features as numbers are added up in units of 1 / SCORE_UNIT, in which the steps of up to 17 levels are
# whole; 190 million scores add up within 64 bits.
SCORE_UNIT = 720_720 << 16
Found: TypeAlias = tuple[IndexArray, IndexArray, IndexArray]  # order, bounds of blocks, slots


@dataclass(frozen=True, eq=False)
class Block:
    """Features packed in the same way; a subclass defines at least `take`, `joined` and `add_scores`."""

    features: IndexArray  # (k,) the number of each feature

    @property
    def n_levels(self) -> int:
        return 0  # for features that are not discretised

    def take(self, slots: IndexArray) -> Any:
        """The features at some slots, in a block that others can be compared with."""
        raise NotImplementedError

    def part(self, slots: IndexArray) -> Any:
        """The features at some slots, in a block of this kind."""
        return self.take(slots)

    def turned(self) -> Any:
        """The block in the layout of kernels that compare single pairs (transposed)."""
        return self

    def by_words(self) -> Any:
        """The block in the layout of kernels that compare few features with all."""
        return self

    @staticmethod
    def joined(blocks: list[Any]) -> Any:
        """One block of blocks of this kind that have the same number of levels."""
        raise NotImplementedError

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, Any, IndexArray]]:
        """Some features in parts: which of them, a block, and their slots in it; here in one part."""
        yield slice(0, len(slots)), self, slots

    def numbered(self, features: IndexArray) -> Any:
        """The block with its features renumbered."""
        return replace(self, features=features)

    def in_order(self, has_gaps: BoolArray) -> FloatArray | None:
        """Numbers in the order of each feature's values, NaN where known to be missing: (n_samples, k).

        None where it is not known which features are labels.
        """
        return None

    def categories(self, slot: int, has_gaps: bool) -> AnyArray:
        """The category of each sample in a feature of labels, -1 if missing."""
        raise NotImplementedError

    @property
    def margins(self) -> Any:
        """The number, or weight, of samples at each level of each feature, if it has levels."""
        return self.counts  # type: ignore[attr-defined]

    @property
    def code_rows(self) -> CodeArray | None:
        """The level of each sample, feature by feature: (k, n_samples); None: not available."""
        return None

    @property
    def plane_rows(self) -> WordArray | None:
        """The planes in the layout of loops over features: (b - 1, W, k); None: not available."""
        return None

    def weighted(self, weights: Weights) -> Any:
        """The block with weighted `margins`."""
        return self

    def add_scores(
        self,
        slots: IndexArray,
        centres: Any,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds features as numbers, each with its sign matched to a centre of a list, to rows of the total.

        The total (rows, n_samples) is in integers, in units of 1 / SCORE_UNIT, so the order does not matter.
        """
        raise NotImplementedError


class Derived:
    """Features of another block, transformed a few at a time on demand."""

    features: IndexArray
    base: Any
    slots: IndexArray  # (k,) their slots in it

    def part(self, slots: IndexArray) -> Any:
        """The features at the given slots, in the same kind of block."""
        return replace(self, features=self.features[slots], slots=self.slots[slots])  # type: ignore[type-var]

    @staticmethod
    def joined(blocks: list[Any]) -> Any:
        """One block of all features."""
        bases = [one.base.part(one.slots) for one in blocks]
        features = np.concatenate([one.features for one in blocks])
        base, slots = one_block(bases), np.arange(len(features))
        return replace(blocks[0], features=features, base=base, slots=slots)


class Spread(Block):
    """A block of features that are made dense, a few at a time, on demand."""

    @property
    def piece_width(self) -> int:
        """The number of features that are made dense at a time."""
        raise NotImplementedError

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, Any, IndexArray]]:
        """Some features made dense, few at a time: which of them, a block, and their slots in it."""
        for start in range(0, len(slots), self.piece_width):
            some = slots[start : start + self.piece_width]
            yield slice(start, start + len(some)), self.take(some), np.arange(len(some))

    def all_pieces(self) -> Iterator[tuple[slice, Any, IndexArray]]:
        return self.pieces(np.arange(len(self.features)))

    def along(
        self, slots: IndexArray, lo: IndexArray, hi: IndexArray, out: FloatArray
    ) -> Iterator[tuple[Any, IndexArray, IndexArray, IndexArray, FloatArray]]:
        """For each piece of some features: a block, slots, the bounds of their runs, and where results go."""
        bounds = bounds_of(hi - lo)
        for some, block, at in self.pieces(slots):
            yield block, at, lo[some], hi[some], out[bounds[some.start] : bounds[some.stop]]

    def add_scores(
        self,
        slots: IndexArray,
        centres: Any,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        for some, block, at in self.pieces(slots):
            block.add_scores(at, centres, centre[some], row[some], total, weights)


if TYPE_CHECKING:  # with a default, so that [Any] is left out; Python's own can have one from 3.13 on
    from typing_extensions import TypeVar as WithDefault

    BlockT = WithDefault("BlockT", bound=Block, default=Any)
else:
    BlockT = TypeVar("BlockT", bound=Block)


class Store(Generic[BlockT]):
    """All features of a table; the places of features are computed at first use."""

    n_samples: int
    n_features: int
    blocks: Sequence[BlockT]
    room: int | None = None  # bytes that a copy of its features may take; None: no limit
    reflecting: IndexArray = np.empty(0, np.intp)  # vary, but only with the covariates

    @cached_property
    def place_of(self) -> PlaceArray:
        """The number of the block of each feature, from 1 on (0: constant), and its slot: (n_features, 2)."""
        # Side by side: where features are millions, looking a place up misses the cache only once. And 0 for
        # those without a place: tables of few features have that many, too, and the system clears memory.
        found = np.zeros((self.n_features, 2), np.int32)
        for number, block in enumerate(self.blocks, 1):
            found[block.features, 0] = number
            found[block.features, 1] = np.arange(len(block.features))
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: all but the places, which are computed again."""
        return {name: value for name, value in vars(self).items() if name != "place_of"}

    @property
    def plain(self) -> Store:
        """The features before adjustment for covariates, if these are kept."""
        return self

    @cached_property
    def varying(self) -> IndexArray:
        """The features that take more than one value, ascending."""
        return np.sort(np.concatenate([np.empty(0, np.intp), *(block.features for block in self.blocks)]))

    def pick(self, features: IndexArray) -> Sequence[BlockT]:
        """The given features as blocks, one for each number of levels; constant ones are in none."""
        return joined(block.take(slots) for block, slots in parts_of(self, features))

    def part(self, features: IndexArray) -> Sequence[BlockT]:
        """A store of the given features, in blocks of the store's own kinds."""
        return joined(block.part(slots) for block, slots in parts_of(self, features))


@dataclass(eq=False)
class MemoryStore(Store[BlockT]):
    """A store whose blocks are in memory."""

    blocks: Sequence[BlockT]
    n_samples: int
    n_features: int
    reflecting: IndexArray = field(default_factory=lambda: np.empty(0, np.intp))
    room: int | None = None
    before: Store | None = None  # the features before adjustment, if these are kept

    @classmethod
    def adjusted(cls, blocks: Sequence[Any], plain: Store, varying: IndexArray) -> MemoryStore:
        """A store of the adjusted features of a plain store whose features `varying` varied."""
        before = plain if plain.blocks else None
        found = cls(blocks, plain.n_samples, plain.n_features, room=plain.room, before=before)
        found.reflecting = np.setdiff1d(varying, found.varying)
        return found

    @property
    def plain(self) -> Store:
        return self if self.before is None else self.before


class PartStore(Store[BlockT]):
    """Some features of another store, none of them constant, renumbered from 0 in their order."""

    def __init__(self, whole: Store[BlockT], features: IndexArray) -> None:
        self.whole, self.features = whole, features
        self.n_samples, self.n_features, self.room = whole.n_samples, len(features), whole.room
        self.varying = np.arange(len(features))

    @cached_property
    def blocks(self) -> Sequence[BlockT]:  # type: ignore[override]
        some = (self.varying[start : start + WIDTH] for start in range(0, len(self.features), WIDTH))
        return [block for features in some for block in self.part(features)]

    def pick(self, features: IndexArray) -> Sequence[BlockT]:
        return self._numbered(self.whole.pick(self.features[features]))

    def part(self, features: IndexArray) -> Sequence[BlockT]:
        return self._numbered(self.whole.part(self.features[features]))

    @cached_property
    def _number(self) -> PlaceArray:
        """(features of the whole store,) the number of each feature in this one."""
        number = np.zeros(self.whole.n_features, np.int32)
        number[self.features] = self.varying
        return number

    def _numbered(self, blocks: Sequence[BlockT]) -> Sequence[BlockT]:
        """Blocks of the whole store, with their features renumbered."""
        return [block.numbered(self._number[block.features].astype(np.intp)) for block in blocks]


def parts_of(store: Store[BlockT], features: IndexArray) -> Iterator[tuple[BlockT, IndexArray]]:
    """The blocks that hold given features, and their slots there."""
    _, bounds, slots = by_block(store, features)
    for i in np.flatnonzero(bounds[1:] > bounds[:-1]).tolist():
        yield store.blocks[i], slots[bounds[i] : bounds[i + 1]]


class Lookup:
    """Where features are in a store, block by block; cached for large arrays as long as they exist."""

    def __init__(self, store: Store) -> None:
        self.store = store
        # An array of features must not be changed after it has been looked up.
        self.known: dict[int, tuple[weakref.ref[IndexArray], Found]] = {}

    def __call__(self, features: IndexArray) -> Found:
        if len(features) < MANY:
            return by_block(self.store, features)
        if id(features) not in self.known:
            self._note(features, by_block(self.store, features))
        return self.known[id(features)][1]

    def note_all(self, features: IndexArray) -> None:
        """Caches the places of all features, if the store holds them in exactly this order."""
        held = [block.features for block in self.store.blocks]
        if len(features) >= MANY and np.array_equal(np.concatenate(held), features):
            bounds = np.cumsum([0, *map(len, held)])
            slots = np.concatenate([np.arange(len(some)) for some in held])
            self._note(features, (np.arange(len(features)), bounds, slots))

    def _note(self, features: IndexArray, found: Found) -> None:
        name, known = id(features), self.known
        known[name] = weakref.ref(features, lambda _: known.pop(name, None)), found


def by_block(store: Store, features: IndexArray) -> Found:
    """The given features sorted by block: their places among those given, the bounds of blocks, slots."""
    bounds = np.zeros(len(store.blocks) + 2, np.intp)
    order, slots = np.empty(len(features), np.intp), np.empty(len(features), np.intp)
    places = np.empty((len(features), 2), np.int32)
    sort_by_block(store.place_of, features, places, bounds, order, slots)
    return order, bounds[:-1], slots  # constant features come before the first block


@prompt(LINEAR)
@kernel
def sort_by_block(
    known: PlaceArray,
    features: IndexArray,
    places: PlaceArray,
    bounds: IndexArray,
    order: IndexArray,
    slots: IndexArray,
) -> None:
    """Fills the last four arguments; meanwhile bounds[i] is the next free place of block number i."""
    # Each feature is looked up only once, since every look-up of millions misses the cache.
    for i in range(len(features)):
        places[i, 0], places[i, 1] = known[features[i], 0], known[features[i], 1]
        bounds[places[i, 0] + 1] += 1
    for i in range(2, len(bounds)):
        bounds[i] += bounds[i - 1]
    for i in range(len(features)):
        place = bounds[places[i, 0]]
        bounds[places[i, 0]] += 1
        order[place] = i
        slots[place] = places[i, 1]


def joined(blocks: Iterable[Any]) -> list[Any]:
    """One block for each kind and number of levels, fewest first."""
    alike: dict[tuple[int, str], list[Any]] = {}
    for block in blocks:
        alike.setdefault((block.n_levels, type(block).__name__), []).append(block)
    return [one_block(alike[key]) for key in sorted(alike)]


def one_block(blocks: list[Any]) -> Any:
    """All features of blocks of one kind with the same number of levels; a single one is not copied."""
    return blocks[0] if len(blocks) == 1 else blocks[0].joined(blocks)
