"""Standardised features of a sparse table: spread out a few at a time, when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, reject_infinite
from qpfs.codes.numbers import NumberBlock, plain_numbers
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import MemoryStore, memory_store
from qpfs.codes.tiles import scaled_moments
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial
from qpfs.groups import bounds_of

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

WIDTH = 4096  # features of a block, and so of an answer


@dataclass(frozen=True, eq=False)
class SparseNumberBlock:
    """Features with mean 0 and norm 1, as columns of a sparse table and how they are standardised."""

    features: IndexArray
    columns: SparseColumns
    source: IndexArray  # (k,) which columns they are
    scale: FloatArray  # (k,)
    mean: FloatArray  # (k,) times the scale
    rest: FloatArray  # (k,) of the mean, times the scale
    norm: FloatArray  # (k,) of what is left of the mean, times the scale

    @property
    def n_levels(self) -> int:
        return 0  # numbers are not cut

    def products(self, pivots: NumberBlock, rows: slice, out: FloatArray) -> None:
        """The correlation of each pivot with each feature: (rows, k)."""
        for some, block, _ in self.pieces(np.arange(len(self.features))):
            part = np.empty((len(out), len(block.features)))
            block.products(pivots, rows, part)
            out[:, some] = part

    def products_along(
        self, slots: IndexArray, lo: IndexArray, hi: IndexArray, others: FloatArray, out: FloatArray
    ) -> None:
        """The correlation of each of some features with those of its run of a list, one run after another."""
        bounds = bounds_of(hi - lo)
        for some, block, at in self.pieces(slots):
            place = slice(bounds[some.start], bounds[some.stop])
            block.products_along(at, lo[some], hi[some], others, out[place])

    def add_scores(
        self, slots: IndexArray, centres: FloatArray, centre: IndexArray, row: IndexArray, total: AnyArray
    ) -> None:
        """Adds some features to rows of the total: their standardised values."""
        for some, block, at in self.pieces(slots):
            block.add_scores(at, centres, centre[some], row[some], total)

    def part(self, slots: IndexArray) -> SparseNumberBlock:
        """The features at the given places, as they are here."""
        features, source = self.features[slots], self.source[slots]
        moments = (one[slots] for one in (self.scale, self.mean, self.rest, self.norm))
        return SparseNumberBlock(features, self.columns, source, *moments)

    def turned(self) -> SparseNumberBlock:
        """The same: columns are spread out one by one."""
        return self

    @staticmethod
    def joined(blocks: list[SparseNumberBlock]) -> SparseNumberBlock:
        """One block of all features, which are columns of one table."""
        fields = ((one.features, one.source, one.scale, one.mean, one.rest, one.norm) for one in blocks)
        features, *others = map(np.concatenate, zip(*fields, strict=True))
        return SparseNumberBlock(features, blocks[0].columns, *others)

    def take(self, slots: IndexArray) -> NumberBlock:
        """The features at the given places of this block, as numbers."""
        tile = SparseTile(self.columns, self.source[slots])
        scale, mean, rest, norm = (one[slots] for one in (self.scale, self.mean, self.rest, self.norm))
        values = np.empty((tile.n_samples, len(slots)))
        values[:] = (0.0 * scale - mean - rest) / norm
        put_stored((tile.held * scale - mean - rest) / norm, tile.rows, tile.stored, values)
        return NumberBlock(self.features[slots], values)

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, NumberBlock, IndexArray]]:
        """Some features as numbers, few at a time: which of them, a block, and where in it they are."""
        width = max(1, TILE_BYTES // (8 * self.columns.n_samples))
        for start in range(0, len(slots), width):
            some = slots[start : start + width]
            yield slice(start, start + len(some)), self.take(some), np.arange(len(some))

    def numbered(self, features: IndexArray) -> SparseNumberBlock:
        """The same block under other numbers."""
        return replace(self, features=features)


def standardize_sparse(
    columns: SparseColumns, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> MemoryStore[Any]:
    """The standardised features of a sparse table."""

    def block(features: IndexArray) -> SparseNumberBlock:
        tile = whole_columns(columns, features)
        mean, rest, deviation, scale = scaled_moments(tile)
        norm = deviation * np.sqrt(tile.n_samples)
        varying = np.flatnonzero(tile.survey.low < tile.survey.high)
        return SparseNumberBlock(features, columns, features, scale, mean, rest, norm).part(varying)

    parts = (engine or Serial()).map(block, columns.like(tile_bytes // 8))
    blocks: list[Any] = [some for part in parts for some in narrow(part)]
    return memory_store(blocks, columns.n_samples, columns.n_features)


def whole_columns(columns: SparseColumns, features: IndexArray) -> SparseTile:
    """Some columns; raises ValueError naming the first with a missing or an infinite value."""
    tile = SparseTile(columns, features)
    reject_infinite(columns, features, tile)
    missing = features[tile.survey.seen < tile.n_samples]
    if len(missing):
        remedy = ", or use measure='mi'"
        plain_numbers(columns, missing[:1], "measure='correlation'", remedy)
    return tile


def narrow(block: SparseNumberBlock) -> Iterator[SparseNumberBlock]:
    """A block in parts of a bounded width."""
    slots = np.arange(len(block.features))
    for start in range(0, len(slots), WIDTH):
        yield block.part(slots[start : start + WIDTH])


@kernel
def put_stored(held: FloatArray, rows: CountArray, stored: CountArray, values: FloatArray) -> None:
    """Puts what became of the stored values of each column into their places."""
    for k in range(len(stored)):
        for i in range(stored[k]):
            values[rows[i, k], k] = held[i, k]
