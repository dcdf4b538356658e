"""A sparse table -> packed features, without making it dense.

Tiles of stored values are discretised as tiles of numbers are. A feature becomes lists of samples if zeros
are at its most frequent level and the lists are smaller than planes; otherwise planes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, CodeArray, CountArray, FloatArray, IndexArray
from qpfs.codes.encoding import (
    TILE_BYTES,
    CodedTile,
    Coding,
    Gathering,
    Rule,
    block_width,
    cut_tile,
    labelled_feature,
    packed_by_levels,
    reject_infinite,
)
from qpfs.codes.lists import ListBlock, move_bit, set_all
from qpfs.codes.planes import WORD, PlaneBlock
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.store import MemoryStore
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

LIST_BYTES = 4  # of a sample on a list
MixedBlock: TypeAlias = PlaneBlock | ListBlock


@dataclass(frozen=True, eq=False)
class CodedStored:
    """The codes of the stored values of some columns, with their coding."""

    tile: SparseTile
    codes: CodeArray  # (longest + 1, k)
    counts: CountArray  # (codes, k), of all samples
    coding: Coding

    @property
    def of_zero(self) -> AnyArray:
        """The code of the zeros that each column does not store; 0 if it stores all values."""
        after = self.codes[
            np.minimum(self.tile.stored, len(self.codes) - 1), np.arange(len(self.tile.stored))
        ]
        return np.where(self.tile.left_out > 0, after, np.uint8(0))


def encode_sparse(
    columns: SparseColumns, rule: Rule, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> tuple[MemoryStore, Coding]:
    """The packed features of a sparse table, and how they were discretised."""

    def packed(features: IndexArray) -> tuple[list[MixedBlock], list[Coding]]:
        cut, crowded = coded_columns(columns, rule, features)
        labelled = (block for one in crowded for block in packed_by_levels(one))
        blocks: list[MixedBlock] = [*plane_blocks(cut), *labelled, *list_blocks(cut)]
        return blocks, [cut.coding, *(one.coding for one in crowded)]

    planes, lists = Gathering(columns.n_samples, block_width), Gathering(columns.n_samples, list_width)
    full: list[MixedBlock] = []
    codings: list[Coding] = []
    for blocks, parts in (engine or Serial()).map(packed, columns.like(tile_bytes // 8)):
        codings += parts
        for block in blocks:
            full += (lists if isinstance(block, ListBlock) else planes).add(block)
    full += planes.rest() + lists.rest()
    store = MemoryStore(full, columns.n_samples, columns.n_features)
    return store, Coding.joined(codings, columns.n_features)


def learn_sparse(columns: SparseColumns, rule: Rule) -> Coding:
    """How a rule discretises a sparse table."""
    codings: list[Coding] = []
    for features in columns.like(TILE_BYTES // 8):
        cut, crowded = coded_columns(columns, rule, features)
        codings += [cut.coding, *(one.coding for one in crowded)]
    return Coding.joined(codings, columns.n_features)


def coded_columns(
    columns: SparseColumns, rule: Rule, features: IndexArray
) -> tuple[CodedStored, list[CodedTile]]:
    """Columns discretised together, and each column with too many values for its codes separately."""
    tile = SparseTile(columns, features)
    reject_infinite(columns, features, tile)
    edges, crowded = rule.cuts(tile)
    labelled = [labelled_feature(columns, int(feature), rule.max_categories) for feature in features[crowded]]
    if crowded.any():
        tile, edges = SparseTile(columns, features[~crowded]), edges[:, ~crowded]
    return cut_stored(tile, edges), labelled


def cut_stored(tile: SparseTile, edges: FloatArray) -> CodedStored:
    """The columns of a tile, discretised at their edges, with levels that do not occur removed."""
    edges = edges[: int((~np.isnan(edges)).any(axis=1).sum())]
    codes = cut_tile(tile.held, edges)
    counts, n_levels = (
        np.zeros((len(edges) + 2, tile.n_features), np.int32),
        np.zeros(tile.n_features, np.intp),
    )
    count_stored(codes, tile.stored, tile.n_samples, counts)
    coding = Coding(tile.features, edges, n_levels, counts > 0)
    close_up_stored(counts, codes, n_levels)
    return CodedStored(tile, codes, counts[: n_levels.max(initial=0)], coding)


def listed(part: CodedStored) -> BoolArray:
    """Which features are smaller as lists than as planes: those with few samples off the level of zero."""
    if len(part.counts) == 0:
        return np.zeros(0, bool)
    most = part.counts.max(axis=0)
    at_zero = part.counts[part.of_zero, np.arange(len(most))]
    first = part.counts.argmax(axis=0) == part.of_zero
    n_words = (part.coding.n_levels - 1) * -(-part.tile.n_samples // WORD)
    small = LIST_BYTES * (part.tile.n_samples - at_zero) < 8 * n_words
    return first & small & (part.tile.left_out > 0)


def by_levels(
    part: CodedStored, which: BoolArray, width: Callable[[int, int], int]
) -> Iterator[tuple[int, IndexArray]]:
    """Some of the features that vary, by their number of levels and at most so many at a time."""
    n_levels = np.where(which, part.coding.n_levels, 1)
    for levels in np.unique(n_levels[n_levels > 1]):
        slots = np.flatnonzero(n_levels == levels)
        step = width(part.tile.n_samples, int(levels))
        for start in range(0, len(slots), step):
            yield int(levels), slots[start : start + step]


def plane_blocks(part: CodedStored) -> Iterator[PlaneBlock]:
    """The features of a tile that are kept as planes."""
    n_samples, of_zero = part.tile.n_samples, part.of_zero
    for levels, slots in by_levels(part, ~listed(part), block_width):
        planes = np.zeros((levels - 1, -(-n_samples // WORD), len(slots)), np.uint64)
        set_stored(part.codes, part.tile.rows, part.tile.stored, of_zero, slots, n_samples, planes)
        counts = part.counts[:levels].take(slots, axis=1)
        yield PlaneBlock(part.tile.features[slots], planes, counts, n_samples)


def list_blocks(part: CodedStored) -> Iterator[ListBlock]:
    """The features of a tile that are kept as lists."""
    of_zero = part.of_zero
    for levels, slots in by_levels(part, listed(part), list_width):
        counts = part.counts[:levels].take(slots, axis=1)
        begin = np.zeros(len(slots) + 1, np.int32)
        np.cumsum(part.tile.n_samples - counts.max(axis=0), out=begin[1:])
        samples = np.empty(begin[-1], np.int32)
        list_stored(part.codes, part.tile.rows, part.tile.stored, of_zero, slots, levels, samples)
        yield ListBlock(part.tile.features[slots], begin, samples, counts, part.tile.n_samples)


def list_width(n_samples: int, n_levels: int) -> int:
    """The number of features of a block of lists, so that its planes, if needed, have a bounded size."""
    bytes_per_feature = 8 * (n_levels - 1) * -(-n_samples // WORD)
    return int(np.clip((1 << 24) // bytes_per_feature, 64, 4096))


@kernel
def count_stored(codes: CodeArray, stored: CountArray, n_samples: int, counts: CountArray) -> None:
    """Adds the samples of each code; values that are not stored have the code after the last stored."""
    for k in range(len(stored)):
        for i in range(stored[k]):
            counts[codes[i, k], k] += 1
        if stored[k] < n_samples:
            counts[codes[stored[k], k], k] += n_samples - stored[k]


@kernel
def close_up_stored(counts: CountArray, codes: CodeArray, n_levels: AnyArray) -> None:
    """Renumbers the codes that occur in each column as levels from 0, and moves their counts."""
    level = np.zeros(256, np.uint8)
    for k in range(len(n_levels)):
        for code in range(len(counts)):
            n = counts[code, k]
            if n > 0:
                counts[code, k] = 0
                counts[n_levels[k], k] = n
                level[code] = n_levels[k]
                n_levels[k] += 1
        for i in range(len(codes)):
            codes[i, k] = level[codes[i, k]]


@kernel
def set_stored(
    codes: CodeArray,
    rows: CountArray,
    stored: CountArray,
    of_zero: CodeArray,
    slots: IndexArray,
    n_samples: int,
    planes: AnyArray,
) -> None:
    """Sets the bits of some columns in planes of zeros: all samples as not stored, then the stored ones."""
    for i in range(len(slots)):
        k = slots[i]
        if of_zero[k] > 0:
            set_all(planes[of_zero[k] - 1, :, i], n_samples)
        for t in range(stored[k]):
            move_bit(planes, i, rows[t, k], of_zero[k], codes[t, k])


@kernel
def list_stored(
    codes: CodeArray,
    rows: CountArray,
    stored: CountArray,
    of_zero: CodeArray,
    slots: IndexArray,
    n_levels: int,
    samples: CountArray,
) -> None:
    """Lists the samples of some columns by their code, without those that have the code of zero."""
    place = 0
    for k in slots:
        for level in range(n_levels):
            if level != of_zero[k]:
                for t in range(stored[k]):
                    if codes[t, k] == level:
                        samples[place] = rows[t, k]
                        place += 1
