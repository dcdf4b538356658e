"""Packed features that live on other machines: a Dask array, encoded where its chunks are.

Every chunk holds whole columns and becomes a piece: the packed features of these columns. Pieces stay where
they were made. What is known here is who is in which block of which piece, and how they were cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.columns import ArrayColumns
from qpfs.codes.encoding import Coding
from qpfs.codes.store import MemoryStore, Placed, joined, memory_store
from qpfs.engines import Engine, Held
from qpfs.groups import bounds_of, by_label

FETCHED_BYTES = 1 << 28  # of features elsewhere that are fetched to go on with
CHUNK_BYTES = 1 << 26  # of numbers that a worker turns into levels at a time

Pack: TypeAlias = Callable[[Any], tuple[MemoryStore[Any], Coding | None]]


@dataclass(frozen=True, eq=False)
class Piece:
    """The packed features of a chunk, numbered as those of the whole."""

    store: MemoryStore[Any]
    coding: Coding | None
    first: int  # column

    def taken(self, features: IndexArray) -> list[Any]:
        """Some of its features, in blocks."""
        blocks = self.store.pick(features - self.first)
        return [block.numbered(block.features + self.first) for block in blocks]


@dataclass(frozen=True, eq=False)
class StandIn:
    """What is known here of a block that is elsewhere."""

    features: IndexArray
    n_levels: int

    def take(self, slots: IndexArray) -> Any:
        raise TypeError("This block is on another machine.")

    def numbered(self, features: IndexArray) -> Any:
        raise TypeError("This block is on another machine.")


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known here of a piece."""

    blocks: list[StandIn]
    coding: Coding | None


class DistantColumns:
    """A Dask array; its numbers are looked at where they are, and never here."""

    row_wise = False

    def __init__(self, array: Any) -> None:
        rows, columns = array.shape
        width = int(np.clip(CHUNK_BYTES // (8 * max(rows, 1)), 1, max(columns, 1)))
        whole = len(array.chunks[0]) == 1 and max(array.chunks[1]) <= 4 * width
        self.array = array if whole else array.rechunk({0: -1, 1: width})
        self.n_samples, self.n_features = int(rows), int(columns)
        self.numeric: BoolArray = np.ones(self.n_features, bool)
        self.integer: BoolArray = np.full(self.n_features, array.dtype.kind in "iu")
        self.starts = bounds_of(np.array(self.array.chunks[1]))

    def parts(self) -> list[Any]:
        """The chunks, to be computed."""
        return list(self.array.to_delayed().ravel())

    def numbers(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.array[rows][:, features].compute()

    def labels(self, feature: int) -> list[Any]:
        return list(self.numbers(np.array([feature]))[:, 0])

    def name(self, feature: int) -> str:
        return f"column {feature}"


@dataclass(frozen=True, eq=False)
class DistantStore(Placed):
    """Pieces on other machines."""

    n_samples: int
    n_features: int
    blocks: Sequence[Any]  # stand-ins
    pieces: Held[Piece]
    starts: IndexArray  # the first column of each piece, and the number of all
    room: int = FETCHED_BYTES

    @property
    def varying(self) -> IndexArray:
        features = [block.features for block in self.blocks]
        return np.sort(np.concatenate(features)) if features else np.zeros(0, np.intp)

    def pick(self, features: IndexArray) -> list[Any]:
        """The given features as blocks, fetched."""
        piece = np.searchsorted(self.starts, features, side="right") - 1
        order, bounds = by_label(piece, len(self.starts) - 1)
        asked = [
            (number, features[order[bounds[number] : bounds[number + 1]]])
            for number in np.flatnonzero(np.diff(bounds)).tolist()
        ]
        found = self.pieces.ask(taken_from, asked, None)
        return joined(block for some in found for block in some)

    def part(self, features: IndexArray) -> list[Any]:
        return self.pick(features)

    def __reduce__(self) -> Any:
        """Kept, it is fetched: the cluster may be gone when it is read again."""
        blocks = [block for some in self.pieces.ask(all_of, self._each(), None) for block in some]
        return memory_store, (tuple(blocks), self.n_samples, self.n_features)

    def _each(self) -> list[tuple[int, None]]:
        return [(number, None) for number in range(len(self.starts) - 1)]


def encode_distant(columns: DistantColumns, engine: Engine, pack: Pack) -> tuple[Any, Coding | None]:
    """The packed features of a Dask array, each chunk's where the chunk is, and how they were cut."""
    make = partial(piece_of, n_samples=columns.n_samples, starts=columns.starts.tolist(), pack=pack)
    pieces = engine.computed(columns.parts(), make)
    each = [(number, None) for number in range(len(columns.starts) - 1)]
    facts = list(pieces.ask(facts_of, each, None))
    bounds = bounds_of(np.array([len(one.blocks) for one in facts], np.intp))
    blocks = pieces.inside(blocks_of, [block for one in facts for block in one.blocks], bounds)
    store = DistantStore(columns.n_samples, columns.n_features, blocks, pieces, columns.starts)
    return store, whole_coding(facts, columns.n_features)


def whole_coding(facts: list[Facts], n_features: int) -> Coding | None:
    """How all columns were cut; None: not at all."""
    coding = Coding.nothing(n_features)
    for one in facts:
        if one.coding is None:
            return None
        coding = coding.with_part(one.coding)
    return coding


def piece_of(number: int, chunk: Any, n_samples: int, starts: list[int], pack: Pack) -> Piece:
    """A chunk encoded."""
    first = starts[number]
    check_chunk(chunk, (n_samples, starts[number + 1] - first))
    store, coding = pack(ArrayColumns(np.asarray(chunk), first))
    return Piece(store, None if coding is None else moved(coding, first), first)


def check_chunk(chunk: Any, shape: tuple[int, int]) -> None:
    """Raises an error if a chunk turns out to be other than the array says: of columns, or of no numbers."""
    if issparse(chunk):
        raise TypeError(
            f"The Dask array is made of {type(chunk).__name__}; expected NumPy arrays: spread its chunks out "
            "with map_blocks(lambda chunk: chunk.toarray()), or give the sparse matrix itself."
        )
    if np.shape(chunk) != shape:
        raise ValueError(
            f"A chunk of the Dask array has the shape {np.shape(chunk)}, where the array says {shape}; what "
            "made it (map_blocks?) must say how it changes the shape."
        )
    if np.asarray(chunk).dtype.kind not in "biuf":
        raise TypeError(
            f"A chunk of the Dask array holds {np.asarray(chunk).dtype}, where numbers were expected."
        )


def moved(coding: Coding, first: int) -> Coding:
    """The coding of columns that begin at another number."""
    return replace(
        coding,
        features=coding.features + first,
        labels={feature + first: labels for feature, labels in coding.labels.items()},
        merged={feature + first: n for feature, n in coding.merged.items()},
    )


def facts_of(piece: Piece, common: None, args: None) -> Facts:
    """What is to be known of a piece elsewhere."""
    blocks = [StandIn(block.features, block.n_levels) for block in blocks_of(piece)]
    return Facts(blocks, piece.coding)


def blocks_of(piece: Piece) -> list[Any]:
    """The blocks of a piece, numbered as the whole is."""
    return [block.numbered(block.features + piece.first) for block in piece.store.blocks]


def taken_from(piece: Piece, common: None, features: IndexArray) -> list[Any]:
    return piece.taken(features)


def all_of(piece: Piece, common: None, args: None) -> list[Any]:
    return blocks_of(piece)
