"""Packed features on other computers: a Dask array, encoded where its chunks are.

Every chunk holds whole columns and becomes a piece: the packed features of these columns. Pieces stay where
they were made. This process knows only which features are in which block of which piece, and how they were
discretised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self, TypeGuard

import numpy as np
from scipy.sparse import issparse

from qpfs.arrays import AnyArray, BoolArray, IndexArray
from qpfs.codes.columns import ArrayColumns, NumberColumns
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import Form
from qpfs.codes.store import MemoryStore, Store, joined
from qpfs.codes.weights import Weights
from qpfs.engines import Engine, Held, Serial
from qpfs.groups import bounds_of, by_label

FETCHED_BYTES = 1 << 28  # bytes of remote features that are fetched for the next steps
CHUNK_BYTES = 1 << 26  # bytes of numbers that a worker discretises at a time


@dataclass(frozen=True, eq=False)
class Piece:
    """The packed features of a chunk, numbered as those of the whole."""

    store: Store
    coding: Coding | None
    first: int  # column

    def blocks(self, features: IndexArray | None = None) -> list[Any]:
        """Its blocks, or those of some of its features, numbered as the whole is."""
        blocks = self.store.blocks if features is None else self.store.pick(features - self.first)
        return [block.numbered(block.features + self.first) for block in blocks]


@dataclass(frozen=True, eq=False)
class StandIn:
    """What this process knows about a remote block."""

    features: IndexArray
    n_levels: int


@dataclass(frozen=True, eq=False)
class Facts:
    """What this process knows about a remote piece."""

    blocks: list[StandIn]
    coding: Coding | None
    reflecting: IndexArray


def is_dask_array(table: Any) -> TypeGuard[Any]:
    """Whether this is a Dask array; nothing is imported to find out."""
    return type(table).__module__.startswith("dask.array") and hasattr(table, "chunks")


class DistantColumns(NumberColumns):
    """A Dask array, whose numbers are read only by the workers."""

    row_wise = False
    elsewhere = True

    def __init__(self, array: Any) -> None:
        rows, columns = array.shape
        width = int(np.clip(CHUNK_BYTES // (8 * max(rows, 1)), 1, max(columns, 1)))
        whole = len(array.chunks[0]) == 1 and max(array.chunks[1]) <= 4 * width
        self.table = array if whole else array.rechunk({0: -1, 1: width})
        self.n_samples, self.n_features = int(rows), int(columns)
        self.numeric: BoolArray = np.ones(self.n_features, bool)
        self.integer: BoolArray = np.full(self.n_features, array.dtype.kind in "iu")
        self.starts = bounds_of(np.array(self.table.chunks[1]))

    takes = staticmethod(is_dask_array)

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        """The columns of a Dask array that is a table of numbers with a known shape."""
        if table.ndim != 2:
            raise ValueError(f"Expected 2D array, got a Dask array with {table.ndim} dimension(s) instead.")
        if table.dtype.kind not in "fiub":
            raise TypeError(f"X holds {table.dtype}; expected numbers. Encode labels as numbers first.")
        if any(np.isnan(size) for size in table.shape):
            raise ValueError(
                "The shape of the Dask array is not known; call its compute_chunk_sizes() first."
            )
        if table.shape[0] < min_samples or table.shape[1] < 1:
            raise ValueError(
                f"Found a Dask array with shape {table.shape} while a minimum of {min_samples} sample(s) and "
                "1 feature(s) is required."
            )
        return super().checked(estimator, table, reset=reset, min_samples=min_samples)

    @staticmethod
    def by_rows(table: Any) -> AnyArray:
        return ArrayColumns.by_rows(table)

    @staticmethod
    def dense(table: Any) -> Any:
        return table.compute()

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.table[rows][:, features].compute()

    def one(self, feature: int) -> None:
        """None: a worker would have to compute the chunk again."""

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        """The features of each chunk, packed where the chunk is."""
        if not form.travels:
            raise TypeError(
                "X is a Dask array, but a measure that is a function is called in this process, with whole "
                "columns. Give X.compute(), if it fits in memory."
            )
        starts = self.starts.tolist()
        asked = {"n_samples": self.n_samples, "starts": starts, "rule": rule, "form": form}
        make = partial(piece_of, **asked, weights=self.weights)
        pieces = (engine or Serial()).computed(list(self.table.to_delayed().ravel()), make)
        facts = list(pieces.ask(facts_of, [(number, None) for number in range(len(starts) - 1)], None))
        bounds = bounds_of(np.array([len(one.blocks) for one in facts], np.intp))
        blocks = pieces.inside(Piece.blocks, [block for one in facts for block in one.blocks], bounds)
        reflecting = np.concatenate([one.reflecting for one in facts])
        store = DistantStore(self.n_samples, self.n_features, blocks, pieces, self.starts, reflecting)
        return store, whole_coding(facts, self.n_features)


@dataclass(eq=False)
class DistantStore(Store):
    """A store of pieces on other computers."""

    n_samples: int
    n_features: int
    blocks: Sequence[Any]  # stand-ins
    pieces: Held[Piece]
    starts: IndexArray  # the first column of each piece, and the number of all
    reflecting: IndexArray = field(default_factory=lambda: np.empty(0, np.intp))
    room: int | None = FETCHED_BYTES

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
        """A pickle contains the fetched features, since the cluster may be gone when it is read."""
        blocks = [block for some in self.pieces.ask(taken_from, self._each(), None) for block in some]
        return MemoryStore, (tuple(blocks), self.n_samples, self.n_features, self.reflecting)

    def _each(self) -> list[tuple[int, None]]:
        return [(number, None) for number in range(len(self.starts) - 1)]


def whole_coding(facts: list[Facts], n_features: int) -> Coding | None:
    """How all columns were discretised; None: they were not."""
    codings = [one.coding for one in facts if one.coding is not None]
    return Coding.joined(codings, n_features) if len(codings) == len(facts) else None


def piece_of(
    number: int,
    chunk: Any,
    n_samples: int,
    starts: list[int],
    rule: Rule,
    form: Form,
    weights: Weights | None = None,
) -> Piece:
    """The piece that a chunk is encoded to."""
    first = starts[number]
    check_chunk(chunk, (n_samples, starts[number + 1] - first))
    store, coding = ArrayColumns(np.asarray(chunk), first, weights).packed(form, rule, None)
    return Piece(store, None if coding is None else moved(coding, first), first)


def check_chunk(chunk: Any, shape: tuple[int, int]) -> None:
    """Raises an error if a chunk has another shape than the array states, or does not hold numbers."""
    if issparse(chunk):
        raise TypeError(
            f"The Dask array is made of {type(chunk).__name__}; expected NumPy arrays: make its chunks dense "
            "with map_blocks(lambda chunk: chunk.toarray()), or give the sparse matrix itself."
        )
    if np.shape(chunk) != shape:
        raise ValueError(
            f"A chunk of the Dask array has the shape {np.shape(chunk)}, but the array states {shape}; the "
            "operation that made it (map_blocks?) must declare how it changes the shape."
        )
    if np.asarray(chunk).dtype.kind not in "biuf":
        raise TypeError(
            f"A chunk of the Dask array holds {np.asarray(chunk).dtype}, where numbers were expected."
        )


def moved(coding: Coding, first: int) -> Coding:
    """The coding with all columns shifted by a number."""
    return replace(
        coding,
        features=coding.features + first,
        labels={feature + first: labels for feature, labels in coding.labels.items()},
        merged={feature + first: n for feature, n in coding.merged.items()},
    )


def facts_of(piece: Piece, common: None, args: None) -> Facts:
    """The facts about a piece that other processes need."""
    blocks = [StandIn(block.features, block.n_levels) for block in piece.blocks()]
    return Facts(blocks, piece.coding, piece.store.reflecting + piece.first)


def taken_from(piece: Piece, common: None, features: IndexArray | None) -> list[Any]:
    return piece.blocks(features)
