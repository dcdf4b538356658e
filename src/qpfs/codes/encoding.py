"""A table of columns -> packed features, tile by tile.

A tile is as many columns as fit a fixed budget of memory, so that what is needed beyond the input and the
packed features does not grow with the width of the table. Each tile is cut, its levels that do not occur
are closed up, and its features are packed with others of the same number of levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from qpfs.arrays import BoolArray, CodeArray, CountArray, FloatArray, IndexArray
from qpfs.codes.columns import Columns
from qpfs.codes.cutting import close_up, cut, largest, relabel
from qpfs.codes.planes import WORD, PlaneBlock, join, pack
from qpfs.codes.store import MemoryStore, memory_store
from qpfs.engines import Engine, Serial

TILE_BYTES = 1 << 22
BLOCK_BYTES = 1 << 18
MOST_LEVELS = 254  # codes are bytes, and one is kept for missing values


class Rule(Protocol):
    """What encoding asks of a discretiser."""

    max_levels: int

    def cuts(self, tile: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The edges of each column, and which columns have too many values to be cut."""


@dataclass(frozen=True, eq=False)
class Coding:
    """How numbers and labels became levels, for some columns."""

    features: IndexArray
    edges: FloatArray  # (n_edges, k), NaN where there are fewer
    n_levels: IndexArray  # (k,) levels that occur, missing values included
    occurs: BoolArray  # (n_edges + 2, k) which codes they were: one for each interval, then missing values
    labels: dict[int, tuple[Hashable, ...]] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)

    @classmethod
    def nothing(cls, n_features: int) -> Coding:
        """No column coded yet."""
        return cls(
            np.arange(n_features),
            np.empty((0, n_features)),
            np.zeros(n_features, np.intp),
            np.zeros((2, n_features), bool),
        )

    def with_part(self, part: Coding) -> Coding:
        """A coding of all columns with that of some taken in, in place where there is room."""
        edges = with_rows(self.edges, len(part.edges), np.nan)
        occurs = with_rows(self.occurs, len(part.occurs), False)
        edges[: len(part.edges), part.features] = part.edges
        occurs[: len(part.occurs), part.features] = part.occurs
        self.n_levels[part.features] = part.n_levels
        labels, merged = self.labels | part.labels, self.merged | part.merged
        return replace(self, edges=edges, occurs=occurs, labels=labels, merged=merged)


def with_rows(array: Any, n: int, filling: Any) -> Any:
    """The array, with rows added if it has fewer than n."""
    if len(array) >= n:
        return array
    more = np.full((n - len(array), array.shape[1]), filling, array.dtype)
    return np.concatenate([array, more])


@dataclass(frozen=True, eq=False)
class CodedTile:
    """The codes of some features, with how they came about."""

    codes: CodeArray  # (n_samples, k)
    counts: CountArray  # (codes, k)
    coding: Coding


def encode(
    columns: Columns, rule: Rule, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> tuple[MemoryStore[PlaneBlock], Coding]:
    """The packed features of a table, and how they were cut."""
    blocks: list[PlaneBlock] = []
    coding = Coding.nothing(columns.n_features)
    for full, codings in encoded(columns, rule, engine, tile_bytes):
        blocks += full
        for part in codings:
            coding = coding.with_part(part)
    return memory_store(blocks, columns.n_samples, columns.n_features, join), coding


def encoded(
    columns: Columns, rule: Rule, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> Iterator[tuple[list[PlaneBlock], list[Coding]]]:
    """The packed features of a table in full blocks as they come, how each tile was cut; the rest last."""

    def packed(features: IndexArray) -> tuple[list[PlaneBlock], list[Coding]]:
        parts = list(coded_tiles(columns, rule, features))
        return [block for part in parts for block in packed_by_levels(part)], [part.coding for part in parts]

    gather = Gathering(columns.n_samples)
    for blocks, codings in (engine or Serial()).map(packed, tiles(columns, tile_bytes)):
        yield [full for block in blocks for full in gather.add(block)], codings
    yield gather.rest(), []


def learn(columns: Columns, rule: Rule) -> Coding:
    """How a rule cuts a table."""
    coding = Coding.nothing(columns.n_features)
    for features in tiles(columns, TILE_BYTES):
        for part in coded_tiles(columns, rule, features):
            coding = coding.with_part(part.coding)
    return coding


def codes_of(columns: Columns, coding: Coding) -> CodeArray:
    """The codes of a table under what was learned from another."""
    codes = np.empty((columns.n_samples, columns.n_features), np.uint8)
    labelled = np.fromiter(coding.labels, np.intp)
    for features in tiles(columns, TILE_BYTES):
        cuttable = features[~np.isin(features, labelled)]
        reject_labels(columns, cuttable)
        if len(cuttable):
            tile = finite_tile(columns, cuttable)
            codes[:, cuttable] = cut_tile(tile, coding.edges[:, cuttable])[0]
    for feature, labels in coding.labels.items():
        table: dict[Hashable, int] = {label: code for code, label in enumerate(labels)}
        table[None] = len(labels) + (feature in coding.merged)
        values = level_values(columns, feature)
        codes[:, feature] = [table.get(value, len(labels)) for value in values]
    return codes


def reject_labels(columns: Columns, features: IndexArray) -> None:
    """Raises ValueError if a column that was numbers in training holds labels now."""
    labelled = features[~columns.numeric[features]]
    if len(labelled):
        raise ValueError(
            f"{columns.name(int(labelled[0]))} holds labels, but held numbers in fit; "
            "give numbers, or fit again."
        )


def tiles(columns: Columns, tile_bytes: int) -> Iterator[IndexArray]:
    """The features in runs whose numbers fit the budget."""
    width = max(1, tile_bytes // (8 * max(columns.n_samples, 1)))
    for start in range(0, columns.n_features, width):
        yield np.arange(start, min(start + width, columns.n_features))


def coded_tiles(columns: Columns, rule: Rule, features: IndexArray) -> Iterator[CodedTile]:
    """The codes of a run of features: those that can be cut together, each column of labels alone."""
    numeric = features[columns.numeric[features]]
    labelled = list(features[~columns.numeric[features]])
    if len(numeric):
        tile = finite_tile(columns, numeric)
        edges, crowded = rule.cuts(tile)
        labelled += list(numeric[crowded])
        fits = np.flatnonzero(~crowded)
        if len(fits) < len(numeric):
            tile, edges = np.ascontiguousarray(tile[:, fits]), edges[:, fits]
        if len(fits):
            yield cut_features(tile, np.ascontiguousarray(edges), numeric[fits])
    for feature in labelled:
        yield labelled_feature(columns, int(feature), rule.max_levels)


def finite_tile(columns: Columns, features: IndexArray) -> FloatArray:
    """The numbers of some features; raises ValueError naming the first with an infinite value."""
    tile = columns.numbers(features)
    size = np.empty(len(features))
    largest(tile, size)
    reject_long_integers(columns, features, size)
    infinite = np.flatnonzero(np.isinf(size))
    if len(infinite):
        feature = int(features[infinite[0]])
        row = int(np.flatnonzero(np.isinf(tile[:, infinite[0]]))[0])
        raise ValueError(
            f"Input X contains infinity: {columns.name(feature)} has {tile[row, infinite[0]]} in row "
            f"{row}. Replace it by a finite value, or by NaN to treat it as missing."
        )
    return tile


def reject_long_integers(columns: Columns, features: IndexArray, size: FloatArray) -> None:
    """Raises ValueError if integers are so large that float64 cannot tell them apart."""
    long = features[columns.integer[features] & (size >= 2.0**53)]
    if len(long):
        raise ValueError(
            f"{columns.name(int(long[0]))} holds integers beyond 2^53, too long to be numbers. If they are "
            "names, turn them into strings (in a data frame); if they are quantities, into floats."
        )


def cut_features(tile: FloatArray, edges: FloatArray, features: IndexArray) -> CodedTile:
    """The features of a tile, cut at their edges, with levels that do not occur closed up."""
    codes, counts = cut_tile(tile, edges)
    occurs = counts > 0
    labels, n_levels = np.empty(counts.shape, np.uint8), np.zeros(len(features), np.intp)
    close_up(counts, labels, n_levels)
    relabel(codes, labels)
    used = int((~np.isnan(edges)).any(axis=1).sum())
    coding = Coding(features, edges[:used], n_levels, occurs[: used + 2])
    return CodedTile(codes, counts[: n_levels.max()], coding)


def cut_columns(tile: FloatArray, rule: Rule) -> Iterator[PlaneBlock]:
    """Columns of numbers, cut and packed under their place in the tile; a constant one is in no block."""
    edges, crowded = rule.cuts(tile)
    if crowded.any():
        raise ValueError("Columns with so many different values cannot be kept as codes; they must be cut.")
    return packed_by_levels(cut_features(tile, np.ascontiguousarray(edges), np.arange(tile.shape[1])))


def cut_tile(tile: FloatArray, edges: FloatArray) -> tuple[CodeArray, CountArray]:
    """Codes and their counts; missing values have the last code."""
    codes = np.empty(tile.shape, np.uint8)
    counts = np.empty((len(edges) + 2, tile.shape[1]), np.int32)
    cut(tile, np.ascontiguousarray(edges), codes, counts)
    return codes, counts


def labelled_feature(columns: Columns, feature: int, max_levels: int) -> CodedTile:
    """A column of labels: levels by falling frequency, the rarest merged, missing values last."""
    values = level_values(columns, feature)
    frequency = Counter(value for value in values if value is not None)
    ranked = sorted(frequency, key=lambda value: (-frequency[value], str(value)))
    kept = ranked if len(ranked) <= max_levels else ranked[: max_levels - 1]
    code = {value: min(place, len(kept)) for place, value in enumerate(ranked)}
    n_labels = min(len(ranked), max_levels)
    codes = np.array([code.get(value, n_labels) for value in values], np.uint8)[:, None]
    counts = np.bincount(codes[:, 0]).astype(np.int32)[:, None]
    coding = Coding(
        np.array([feature]),
        np.empty((0, 1)),
        np.array([len(counts)]),
        np.zeros((2, 1), bool),
        {feature: tuple(kept)},
        {feature: len(ranked) - len(kept)} if len(ranked) > len(kept) else {},
    )
    return CodedTile(codes, counts, coding)


def level_values(columns: Columns, feature: int) -> list[Any]:
    """The values of a column as labels; missing values are None."""
    if columns.numeric[feature]:
        numbers = finite_tile(columns, np.array([feature]))[:, 0]
        return [None if number != number else number for number in numbers.tolist()]
    return columns.labels(feature)


def packed_by_levels(part: CodedTile) -> Iterator[PlaneBlock]:
    """The features that vary, packed in blocks of equal numbers of levels."""
    n_levels = part.coding.n_levels
    for levels in np.unique(n_levels[n_levels > 1]):
        slots = np.flatnonzero(n_levels == levels)
        width = block_width(len(part.codes), int(levels))
        for start in range(0, len(slots), width):
            some = slots[start : start + width]
            codes, counts = part.codes.take(some, axis=1), part.counts[:levels].take(some, axis=1)
            yield pack(codes, counts, part.coding.features[some])


def block_width(n_samples: int, n_levels: int) -> int:
    """Features of a block: its planes stay in cache, and vector loops have something to run over."""
    bytes_per_feature = 8 * (n_levels - 1) * -(-n_samples // WORD)
    return int(np.clip(BLOCK_BYTES // bytes_per_feature, 64, 8192))


class Gathering:
    """Joins narrow blocks with the same number of levels into full ones, as they come."""

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self.waiting: dict[int, list[PlaneBlock]] = {}

    def add(self, block: PlaneBlock) -> list[PlaneBlock]:
        """Takes a block; returns what has become wide enough."""
        group = self.waiting.setdefault(block.n_levels, [])
        group.append(block)
        if sum(len(one.features) for one in group) < block_width(self.n_samples, block.n_levels):
            return []
        return [join(self.waiting.pop(block.n_levels))]

    def rest(self) -> list[PlaneBlock]:
        return [join(group) for group in self.waiting.values()]
