"""Features of a sparse table as standardised numbers, made dense a few at a time, on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qpfs.arrays import CountArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, reject_infinite
from qpfs.codes.numbers import NumberBlock, SpreadNumbers, plain_numbers
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import MemoryStore
from qpfs.codes.tiles import scaled_moments
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

WIDTH = 4096  # features of a block, and so of a result


@dataclass(frozen=True, eq=False)
class SparseNumberBlock(SpreadNumbers):
    """Features with mean 0 and norm 1, as columns of a sparse table and how they are standardised."""

    columns: SparseColumns
    source: IndexArray  # (k,) which columns they are
    scale: FloatArray  # (k,)
    mean: FloatArray  # (k,) times the scale
    rest: FloatArray  # (k,) of the mean, times the scale
    norm: FloatArray  # (k,) of the rest of the mean, times the scale

    def part(self, slots: IndexArray) -> SparseNumberBlock:
        """The features at the given slots, in the same kind of block."""
        features, source = self.features[slots], self.source[slots]
        moments = (one[slots] for one in (self.scale, self.mean, self.rest, self.norm))
        return SparseNumberBlock(features, self.columns, source, *moments)

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

    @property
    def n_samples(self) -> int:
        return self.columns.n_samples


def standardize_sparse(
    columns: SparseColumns, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> MemoryStore:
    """The standardised features of a sparse table."""

    def block(features: IndexArray) -> SparseNumberBlock:
        tile = whole_columns(columns, features)
        mean, rest, deviation, scale = scaled_moments(tile)
        norm = deviation * np.sqrt(tile.total)
        varying = np.flatnonzero(tile.survey.low < tile.survey.high)
        return SparseNumberBlock(features, columns, features, scale, mean, rest, norm).part(varying)

    parts = (engine or Serial()).map(block, columns.like(tile_bytes // 8))
    blocks: list[Any] = [some for part in parts for some in narrow(part)]
    return MemoryStore(blocks, columns.n_samples, columns.n_features)


def whole_columns(columns: SparseColumns, features: IndexArray) -> SparseTile:
    """Some columns; raises ValueError naming the first with a missing or an infinite value."""
    tile = SparseTile(columns, features)
    reject_infinite(columns, features, tile)
    missing = features[tile.survey.seen < tile.total]
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
    """Writes the transformed stored values of each column to their samples."""
    for k in range(len(stored)):
        for i in range(stored[k]):
            values[rows[i, k], k] = held[i, k]
