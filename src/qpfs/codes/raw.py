"""Features as raw columns, for a measure that is a function of two columns.

Numbers are kept as float64; labels become the numbers 0, 1, ... of their categories in sorted order. A
feature may be renumbered in a part of a table, so a block also keeps its column in the user's table, which
identifies pairs and names them in messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, tiles
from qpfs.codes.numbers import add_values, plain_numbers, standardized
from qpfs.codes.readable import Readable, categories
from qpfs.codes.store import SCORE_UNIT, Block, MemoryStore
from qpfs.codes.weights import Weights
from qpfs.engines import Engine, Serial

TARGET, POINT, CONSTANT = -1, -2, -3  # instead of a column's number
OTHERS = {TARGET: "the target", POINT: "the mean of a cluster"}
WHO = "a measure that is a function"


@dataclass(frozen=True, eq=False)
class RawBlock(Block):
    """Some columns, the values of each together in memory."""

    rows: FloatArray  # (k, n_samples)
    columns: IndexArray  # (k,) the user's column, or a negative number for a column of another origin
    names: tuple[str, ...] = ()  # of all of the user's columns

    @cached_property
    def standard(self) -> FloatArray:
        """The columns with mean 0 and norm 1; 0 where constant."""
        block = standardized(self.rows.T, np.arange(len(self.rows)))
        out = np.zeros(self.rows.shape)
        out[block.features] = block.rows
        return out

    def name(self, slot: int) -> str:
        """How a message to the user refers to the column."""
        column = int(self.columns[slot])
        return OTHERS[column] if column < 0 else self.names[column]

    def divided(self, strata: Sequence[IndexArray]) -> list[RawBlock]:
        """The columns at the samples of each stratum; one that is constant there is marked as constant."""
        return [self._at(np.ascontiguousarray(self.rows[:, rows])) for rows in strata]

    def _at(self, rows: FloatArray) -> RawBlock:
        varies = (rows != rows[:, :1]).any(axis=1)
        return replace(self, rows=rows, columns=np.where(varies, self.columns, CONSTANT))

    def varies(self) -> BoolArray:
        """Which columns have several values; within a stratum some may be constant."""
        return self.columns != CONSTANT

    def add_scores(
        self,
        slots: IndexArray,
        centres: RawBlock,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds some features to rows of the total: their standardised values."""
        add_values(self.standard, slots, centres.standard, centre, None, row, float(SCORE_UNIT), total)

    def take(self, slots: IndexArray) -> RawBlock:
        return RawBlock(self.features[slots], self.rows[slots], self.columns[slots], self.names)

    @staticmethod
    def joined(blocks: list[RawBlock]) -> RawBlock:
        """One block of all features."""
        features, rows, columns = (
            np.concatenate([getattr(block, name) for block in blocks])
            for name in ("features", "rows", "columns")
        )
        return RawBlock(features, rows, columns, blocks[0].names)


def raw(columns: Readable, engine: Engine | None = None) -> MemoryStore[RawBlock]:
    """The columns of a table that vary; raises ValueError where a value is missing."""
    names = tuple(map(columns.name, range(columns.n_features)))

    def block(features: IndexArray) -> RawBlock:
        rows = np.empty((len(features), columns.n_samples))
        numeric = columns.numeric[features]
        if numeric.any():
            rows[numeric] = plain_numbers(columns, features[numeric], WHO, " first").T
        for slot in np.flatnonzero(~numeric).tolist():
            rows[slot] = sorted_codes(columns, int(features[slot]))
        varying = (rows != rows[:, :1]).any(axis=1)
        return RawBlock(features[varying], rows[varying], features[varying], names)

    found = (engine or Serial()).map(block, tiles(columns, TILE_BYTES))
    return MemoryStore([one for one in found if len(one.features)], columns.n_samples, columns.n_features)


def sorted_codes(columns: Readable, feature: int) -> AnyArray:
    """The labels of a column as their places among its categories in sorted order."""
    codes, labels = categories(columns, feature)
    if (codes < 0).any():
        raise ValueError(
            f"Input X contains NaN: {columns.name(feature)} has missing values, which {WHO} does not "
            "allow. Make them a separate category, or drop these samples, first."
        )
    place = np.empty(len(labels))
    place[sorted(range(len(labels)), key=lambda i: str(labels[i]))] = np.arange(len(labels))
    return place[codes]


def raw_points(tile: FloatArray) -> list[RawBlock]:
    """Computed columns as a block, with mean 0 and variance 1; a constant one is in no block."""
    block = standardized(tile, np.arange(tile.shape[1]))
    none = np.full(len(block.features), POINT)
    return [RawBlock(block.features, block.rows * np.sqrt(len(tile)), none)] if len(none) else []


def raw_list(parts: list[tuple[IndexArray, RawBlock, IndexArray]], size: int, n_samples: int) -> RawBlock:
    """Features of several blocks as one block; places that are left out are constant."""
    rows, columns = np.zeros((size, n_samples)), np.full(size, CONSTANT)
    names: tuple[str, ...] = ()
    for places, block, slots in parts:
        rows[places], columns[places], names = block.rows[slots], block.columns[slots], block.names
    return RawBlock(np.arange(size), rows, columns, names)
