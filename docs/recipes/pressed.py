"""A storage: features in memory, compressed, and unpacked whenever they are asked about."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CountArray, IndexArray
from qpfs.codes import Block, NumberColumns, PlaneBlock
from qpfs.codes.forms import LEVELS
from qpfs.codes.readable import ReadableArray
from qpfs.codes.store import MemoryStore
from qpfs.codes.weights import Weights


@dataclass(frozen=True, eq=False)
class PressedBlock(Block):
    """Some features with the same number of levels; what travels, and what counts, are their planes."""

    counts: CountArray  # (levels, features)
    n_samples: int
    pressed: bytes

    @property
    def n_levels(self) -> int:
        return len(self.counts)

    def unpacked(self) -> PlaneBlock:
        words = np.frombuffer(zlib.decompress(self.pressed), np.uint64)
        planes = words.reshape(len(self.counts) - 1, -1, len(self.features))
        return PlaneBlock(self.features, planes, self.counts, self.n_samples)

    def take(self, slots: IndexArray) -> PlaneBlock:
        return self.unpacked().take(slots)

    def part(self, slots: IndexArray) -> PressedBlock:
        return pressed(self.take(slots))

    def weighted(self, weights: Weights) -> PressedBlock:
        return pressed(self.unpacked().weighted(weights))

    def turned(self) -> PlaneBlock:
        return self.unpacked().turned()

    @staticmethod
    def joined(blocks: list[PressedBlock]) -> PressedBlock:
        return pressed(PlaneBlock.joined([block.unpacked() for block in blocks]))

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, PlaneBlock, IndexArray]]:
        yield slice(0, len(slots)), self.unpacked(), slots

    def joint(self, *asked: Any) -> CountArray:
        return self.unpacked().joint(*asked)

    def shared_along(self, *asked: Any) -> None:
        self.unpacked().shared_along(*asked)

    def add_scores(self, *asked: Any) -> None:
        self.unpacked().add_scores(*asked)


def pressed(block: PlaneBlock) -> PressedBlock:
    data = zlib.compress(np.ascontiguousarray(block.planes).tobytes(), 1)
    return PressedBlock(block.features, block.counts, block.n_samples, data)


class Pressed:
    """The table that a user gives: an array, whose features are to be kept compressed."""

    def __init__(self, array: AnyArray) -> None:
        self.array = np.asarray(array)
        if self.array.ndim != 2 or self.array.dtype.kind not in "biuf":
            raise ValueError(
                f"Pressed takes a two-dimensional array of numbers, and got {self.array.ndim} dimensions of "
                f"{self.array.dtype}; convert it first."
            )
        self.shape = self.array.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> AnyArray:
        """For who takes arrays: `transform`, linear machines, classifiers."""
        return self.array if dtype is None else self.array.astype(dtype)


class PressedColumns(ReadableArray, NumberColumns):
    """The table as a fit accesses it. It is discretised like any array; only the storage differs."""

    def __init__(self, table: Pressed) -> None:
        super().__init__(table.array)

    def at(self, rows: IndexArray) -> PressedColumns:
        return PressedColumns(Pressed(self.table[rows]))

    @staticmethod
    def takes(table: Any) -> bool:
        return isinstance(table, Pressed)

    @staticmethod
    def take_rows(table: Pressed, rows: IndexArray) -> Pressed:
        return Pressed(table.array[rows])

    @staticmethod
    def take_columns(table: Pressed, features: Any) -> Pressed:
        return Pressed(table.array[:, list(features)])

    @staticmethod
    def dense(table: Pressed) -> AnyArray:
        return table.array

    def packed(self, form: Any, rule: Any, engine: Any) -> Any:
        store, coding = super().packed(form, rule, engine)
        if form != LEVELS:  # features as numbers or scores stay unchanged
            return store, coding
        return MemoryStore(list(map(pressed, store.blocks)), store.n_samples, store.n_features), coding


def example(array: AnyArray) -> Pressed:
    """A table of this kind with given values, for the laws."""
    return Pressed(array)
