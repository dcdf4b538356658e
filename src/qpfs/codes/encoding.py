"""A table of columns -> packed features, tile by tile.

A tile is as many columns as fit a fixed budget of memory, so that memory beyond the input and the packed
features does not grow with the size of the table: whole columns of a wide table, or, read in pieces of rows,
columns of a tall one whose bit planes fit. Each tile is discretised into planes, levels that do not occur are
removed, and its features are joined with others of the same number of levels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np

from qpfs.arrays import BoolArray, CodeArray, CountArray, FloatArray, IndexArray, WordArray
from qpfs.codes.cutting import close_up, count_bits, cut, cut_planes, take_planes
from qpfs.codes.planes import WORD, PlaneBlock, pack
from qpfs.codes.readable import Readable, categories
from qpfs.codes.store import MemoryStore, one_block
from qpfs.codes.tiles import Tile, tile_of
from qpfs.codes.weights import Weights, counts_of
from qpfs.engines import Engine, Serial

# A tile stays in cache while kernels pass over it several times; with half of it two threads, which hand
# Python to each other between kernels, take 11.4 ms at 12,000 x 500 instead of 8.1 (one: 13.5).
TILE_BYTES = 1 << 23
PLANE_BYTES = 1 << 29  # of the planes of all tiles in work, where tiles are read in pieces
REMNANT = 8  # share of a tile that is not worth the calls of a block of its own
LEAST = 64  # features of a block: vector loops are long enough
NARROW = 64  # columns below which a tile is read in pieces: too few for vector loops, and for rows in a file
BLOCK_BYTES = 1 << 18  # of planes: a block stays in cache while all pivots are compared with it
WIDE, LARGEST_BYTES = 1024, 1 << 22  # features that a block should have, unless their planes are larger


WidthOf = Callable[[int, int], int]  # of a full block, by samples and levels


class Rule(Protocol):
    """The interface of a discretiser that encoding uses."""

    max_categories: int

    @property
    def bins(self) -> int:
        """The most levels that numbers are discretised into."""

    def cuts(self, tile: Tile) -> tuple[FloatArray, BoolArray]:
        """The edges of each column, and which columns have too many values for their codes."""

    def beside_a_point(self) -> Rule | None:
        """The rule for the other samples of a target where most have one value; None: one rule for all."""


@dataclass(frozen=True, eq=False)
class Coding:
    """How numbers and labels became levels, for some columns."""

    features: IndexArray
    edges: FloatArray  # (n_edges, k), NaN where there are fewer
    n_levels: IndexArray  # (k,) levels that occur, missing values included
    occurs: BoolArray  # (n_edges + 2, k) the codes that occur: one for each interval, then missing values
    labels: dict[int, tuple[Hashable, ...]] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)

    @classmethod
    def joined(cls, parts: Sequence[Coding], n_features: int) -> Coding:
        """The coding of all columns of a table, joined from those of parts."""
        n_edges = max((len(part.edges) for part in parts), default=0)
        edges, occurs = np.full((n_edges, n_features), np.nan), np.zeros((n_edges + 2, n_features), bool)
        whole = cls(np.arange(n_features), edges, np.zeros(n_features, np.intp), occurs)
        for part in parts:
            whole.edges[: len(part.edges), part.features] = part.edges
            whole.occurs[: len(part.occurs), part.features] = part.occurs
            whole.n_levels[part.features] = part.n_levels
            whole.labels.update(part.labels)
            whole.merged.update(part.merged)
        return whole

    def identifiers(self, n_samples: int) -> list[int]:
        """The columns whose labels hardly repeat: more different labels than half of the samples."""
        many = max(n_samples / 2, 8)
        return [feature for feature in self.labels if self.n_different(feature) > many]

    def has_gaps(self, features: IndexArray) -> BoolArray:
        """Which of some features have missing values, whose level is then the last."""
        n_edges = (~np.isnan(self.edges[:, features])).sum(axis=0)
        found: BoolArray = self.occurs[n_edges + 1, features]
        for place, feature in enumerate(features.tolist()):
            if feature in self.labels:
                n_known = len(self.labels[feature]) + (feature in self.merged)
                found[place] = self.n_levels[feature] > n_known
        return found

    def n_different(self, feature: int) -> int:
        """The number of labels of a feature before rare ones were merged, with missing values as one."""
        return int(self.n_levels[feature]) + max(self.merged.get(feature, 1) - 1, 0)


@dataclass(frozen=True, eq=False)
class CodedTile:
    """The codes of some features as bit planes, with their coding."""

    planes: WordArray  # (codes - 1, words, k), one for each code but 0
    counts: CountArray  # (codes, k) samples at each level that occurs
    codes: IndexArray  # (codes, k) the code of each level
    slots: IndexArray  # the column of each feature in these
    coding: Coding
    n_samples: int


Packed: TypeAlias = Iterator[tuple[list[PlaneBlock], list[Coding]]]


def encode(
    columns: Readable, rule: Rule, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> tuple[MemoryStore[PlaneBlock], Coding]:
    """The packed features of a table in about equal blocks, and how they were discretised."""
    engine = engine or Serial()
    blocks: list[PlaneBlock] = []
    codings: list[Coding] = []
    for full, parts in packed_tiles(
        columns, rule, engine, Division.shared(columns, rule, tile_bytes, engine)
    ):
        blocks += full
        codings += parts
    store = MemoryStore(blocks, columns.n_samples, columns.n_features)
    return store, Coding.joined(codings, columns.n_features)


def encoded(columns: Readable, rule: Rule, engine: Engine | None = None) -> Packed:
    """The packed features of a table for a file, in blocks that are the same for any number of workers."""
    return packed_tiles(columns, rule, engine or Serial(), Division.of(columns, rule, TILE_BYTES))


def packed_tiles(columns: Readable, rule: Rule, engine: Engine, division: Division) -> Packed:
    """The packed features of a table in full blocks, one by one, with the coding of tiles; the rest last."""

    def packed(features: IndexArray) -> tuple[list[PlaneBlock], list[Coding]]:
        blocks: list[PlaneBlock] = []
        codings: list[Coding] = []
        for part in coded_tiles(columns, rule, features, division):
            blocks += packed_by_levels(part)
            codings.append(part.coding)
        return blocks, codings

    gather = Gathering(columns.n_samples, division.full_width)
    for blocks, codings in engine.map(packed, feature_runs(columns, division.width)):
        yield [full for block in blocks for full in gather.add(block)], codings
    yield gather.rest(), []


@dataclass(frozen=True)
class Division:
    """How a table is divided: the columns of a tile, the rows of a piece, and the features of a block."""

    width: int
    n_rows: int
    full_width: WidthOf

    @classmethod
    def of(cls, columns: Readable, rule: Rule, tile_bytes: int, n_workers: int = 1) -> Division:
        """Whole columns if many fit a tile, or rows cannot be read separately; else pieces of rows."""
        n_samples = max(columns.n_samples, 1)
        width = max(1, tile_bytes // (8 * n_samples))
        if width >= min(NARROW, columns.n_features) or not columns.row_wise:
            # It ends with a block if only a little would be left over, which takes as many calls as a block.
            rest = width % block_width(n_samples, most_levels(rule))
            return cls(width - rest if rest < width // REMNANT else width, n_samples, block_width)
        # A tile of pieces has as many columns as have room for their planes.
        bytes_per_feature = 8 * most_levels(rule) * -(-columns.n_samples // WORD)
        most = max(1, PLANE_BYTES // n_workers // bytes_per_feature)
        width = min(
            even(columns.n_features, most), even(columns.n_features, -(-columns.n_features // n_workers))
        )
        return cls(width, max(1, tile_bytes // (8 * width * WORD)) * WORD, block_width)

    @classmethod
    def shared(cls, columns: Readable, rule: Rule, tile_bytes: int, engine: Engine) -> Division:
        """Tiles that are some whole blocks, or equal parts of one: blocks are about equal."""
        usual = cls.of(columns, rule, tile_bytes, engine.n_workers)

        def full_width(n_samples: int, n_levels: int) -> int:
            return shared_width(columns.n_features, n_samples, n_levels, engine.n_workers)

        full = full_width(max(columns.n_samples, 1), most_levels(rule))
        # A tile may become half as wide by that, which costs nothing at 72 to 1,000 samples.
        width = usual.width - usual.width % full if usual.width >= full else even(full, usual.width)
        return cls(width, usual.n_rows, full_width)


def most_levels(rule: Rule) -> int:
    """The most levels of numbers, as a Python integer: it may be one of NumPy, of one byte."""
    return max(int(rule.bins), 2)


def even(n: int, most: int) -> int:
    """The width of about equal parts of n, at most `most`."""
    return -(-n // -(-n // most))


def learn(columns: Readable, rule: Rule) -> Coding:
    """How a rule discretises a table."""
    division, codings = Division.of(columns, rule, TILE_BYTES), []
    for features in feature_runs(columns, division.width):
        codings += [part.coding for part in coded_tiles(columns, rule, features, division)]
    return Coding.joined(codings, columns.n_features)


def codes_of(columns: Readable, coding: Coding) -> CodeArray:
    """The codes of a table by a coding that was learned from another."""
    codes = np.empty((columns.n_samples, columns.n_features), np.uint8)
    labelled = np.fromiter(coding.labels, np.intp)
    for features in tiles(columns, TILE_BYTES):
        cuttable = features[~np.isin(features, labelled)]
        reject_labels(columns, cuttable)
        if len(cuttable):
            tile = finite_tile(columns, cuttable)
            codes[:, cuttable] = cut_tile(tile, coding.edges[:, cuttable])
    for feature, labels in coding.labels.items():
        table: dict[Hashable, int] = {label: code for code, label in enumerate(labels)}
        place, values = level_categories(columns, feature)
        missing = len(labels) + (feature in coding.merged)
        found = [table.get(value, len(labels)) for value in values] + [missing]
        codes[:, feature] = np.array(found, np.uint8)[place]
    return codes


def reject_labels(columns: Readable, features: IndexArray) -> None:
    """Raises ValueError if a column that was numbers in training holds labels now."""
    labelled = features[~columns.numeric[features]]
    if len(labelled):
        raise ValueError(
            f"{columns.name(int(labelled[0]))} holds labels, but held numbers in fit; "
            "give numbers, or fit again."
        )


def tiles(columns: Readable, tile_bytes: int) -> Iterator[IndexArray]:
    """Consecutive features, as many at a time as fit the budget."""
    return feature_runs(columns, max(1, tile_bytes // (8 * max(columns.n_samples, 1))))


def feature_runs(columns: Readable, width: int) -> Iterator[IndexArray]:
    """Consecutive features, `width` at a time."""
    for start in range(0, columns.n_features, width):
        yield np.arange(start, min(start + width, columns.n_features))


def coded_tiles(
    columns: Readable, rule: Rule, features: IndexArray, division: Division
) -> Iterator[CodedTile]:
    """The codes of consecutive features: numbers together, each column of labels separately."""
    numeric = features[columns.numeric[features]]
    labelled = list(features[~columns.numeric[features]])
    if len(numeric):
        tile = Tile(columns, numeric, division.n_rows)
        reject_infinite(columns, numeric, tile)
        edges, crowded = rule.cuts(tile)
        labelled += list(numeric[crowded])
        yield from cut_features(tile, edges, crowded, division.full_width)
    for feature in labelled:
        yield labelled_feature(columns, int(feature), rule.max_categories)


def finite_tile(columns: Readable, features: IndexArray) -> FloatArray:
    """The numbers of some features; raises ValueError naming the first with an infinite value."""
    numbers = columns.numbers(features)
    reject_infinite(columns, features, tile_of(numbers))
    return numbers


def reject_infinite(columns: Readable, features: IndexArray, tile: Tile) -> None:
    """Raises ValueError naming the first column with an infinite value, or with integers too long."""
    size = tile.survey.size
    long = features[columns.integer[features] & (size >= 2.0**53)]  # float64 cannot represent them exactly
    if len(long):
        raise ValueError(
            f"{columns.name(int(long[0]))} holds integers beyond 2^53, too large for float64. If they are "
            "names, convert them to strings (in a data frame); if they are quantities, to floats."
        )
    infinite = np.flatnonzero(np.isinf(size))  # more often a mistake than a value (decision 0005)
    if len(infinite):
        name = columns.name(int(features[infinite[0]]))
        row, value = first_infinite(tile, int(infinite[0]))
        raise ValueError(
            f"Input X contains infinity: {name} has {value} in row "
            f"{row}. Replace it by a finite value, or by NaN to treat it as missing."
        )


def first_infinite(tile: Tile, slot: int) -> tuple[int, float]:
    """The first row of a column that is infinite, and which infinity."""
    start = 0
    for piece in tile:
        for row in np.flatnonzero(np.isinf(piece[:, slot])):
            return start + int(row), float(piece[row, slot])
        start += len(piece)
    raise AssertionError("no value of the column is infinite")


def cut_features(
    tile: Tile, edges: FloatArray, crowded: BoolArray, full_width: WidthOf
) -> Iterator[CodedTile]:
    """The features of a tile that are not crowded, discretised at their edges, a block's width at a time."""
    used = (~np.isnan(edges[:, ~crowded])).any(axis=1)
    edges = np.ascontiguousarray(edges[: int(used.sum())])
    width = full_width(tile.n_samples, max(len(edges) + 1, 2))
    groups = [slice(start, start + width) for start in range(0, tile.n_features, width)]
    for some, planes in zip(groups, planes_of(tile, edges, groups), strict=True):
        yield closed_up(tile, planes, some, edges[:, some], np.flatnonzero(~crowded[some]))


def planes_of(tile: Tile, edges: FloatArray, groups: list[slice]) -> list[WordArray]:
    """A plane for each code except 0 of groups of columns, the last for missing values if there are any."""
    if (edges[1:] < edges[:-1]).any():  # by rounding; codes do not depend on the order of edges
        edges = np.sort(edges, axis=0)
    n_words = -(-tile.n_samples // WORD)
    gaps = [tile.survey.seen[some] < tile.total for some in groups]
    planes = [np.zeros((len(edges) + bool(gap.any()), n_words, len(gap)), np.uint64) for gap in gaps]
    for number, piece in enumerate(tile):
        for some, part in zip(groups, planes, strict=True):
            cut_planes(piece, edges, part, number * tile.n_rows // WORD, some.start)
    return planes


def closed_up(tile: Tile, planes: WordArray, some: slice, edges: FloatArray, slots: IndexArray) -> CodedTile:
    """A group of discretised columns, with levels that do not occur removed."""
    counts = np.zeros((len(edges) + 2, planes.shape[2]), np.int32)
    count_bits(planes, counts[1 : len(planes) + 1])
    counts[0] = tile.n_samples - counts.sum(axis=0)
    occurs = counts > 0  # the code of missing values comes after the last of each column
    occurs[-1] = False
    occurs[(~np.isnan(edges)).sum(axis=0) + 1, np.arange(counts.shape[1])] |= counts[-1] > 0
    codes, n_levels = np.zeros(counts.shape, np.intp), np.zeros(counts.shape[1], np.intp)
    close_up(counts, codes, n_levels)
    coding = Coding(tile.features[some][slots], edges[:, slots], n_levels[slots], occurs[:, slots])
    return CodedTile(planes, counts, codes, slots, coding, tile.n_samples)


def cut_columns(array: FloatArray, rule: Rule, weights: Weights | None = None) -> Iterator[PlaneBlock]:
    """Columns of numbers, discretised and packed by their position; a constant one is in no block."""
    tile = tile_of(array, weights)
    edges, crowded = rule.cuts(tile)
    if crowded.any():
        raise ValueError("Columns with so many different values cannot be kept as codes; discretise them.")
    parts = cut_features(tile, edges, crowded, block_width)
    return (block for part in parts for block in packed_by_levels(part))


def cut_tile(array: FloatArray, edges: FloatArray) -> CodeArray:
    """The codes of some columns; missing values have the last code."""
    codes = np.empty(array.shape, np.uint8)
    cut(array, np.ascontiguousarray(edges), codes)
    return codes


def labelled_feature(columns: Readable, feature: int, max_categories: int) -> CodedTile:
    """A column of labels: levels by falling frequency, the rarest merged, missing values last."""
    place, values = level_categories(columns, feature)
    counts = counts_of(getattr(columns, "weights", None))
    known = place >= 0
    frequency = np.bincount(place[known], None if counts is None else counts[known], len(values)).tolist()
    ranked = sorted(range(len(values)), key=lambda i: (-frequency[i], str(values[i])))
    kept = [values[i] for i in (ranked if len(ranked) <= max_categories else ranked[: max_categories - 1])]
    code = np.empty(len(values) + 1, np.uint8)
    code[ranked] = np.minimum(np.arange(len(ranked)), len(kept))
    code[-1] = min(len(ranked), max_categories)
    codes = code[place][:, None]
    counts = np.bincount(codes[:, 0]).astype(np.int32)[:, None]
    coding = Coding(
        np.array([feature]),
        np.empty((0, 1)),
        np.array([len(counts)]),
        np.zeros((2, 1), bool),
        {feature: tuple(kept)},
        {feature: len(ranked) - len(kept)} if len(ranked) > len(kept) else {},
    )
    planes, first = pack(codes, counts, coding.features).planes, np.array([0])
    return CodedTile(planes, counts, np.arange(len(counts))[:, None], first, coding, len(codes))


def level_categories(columns: Readable, feature: int) -> tuple[IndexArray, list[Any]]:
    """The number of each sample's value among the distinct ones of a column, -1 if missing; these values."""
    if not columns.numeric[feature]:
        return categories(columns, feature)
    numbers = finite_tile(columns, np.array([feature]))[:, 0]
    codes, present = np.full(len(numbers), -1), ~np.isnan(numbers)
    values, codes[present] = np.unique(numbers[present] + 0.0, return_inverse=True)  # no -0.0
    return codes, values.tolist()


def packed_by_levels(part: CodedTile) -> Iterator[PlaneBlock]:
    """The features that vary, packed in blocks of equal numbers of levels."""
    n_levels, n_codes = part.coding.n_levels, len(part.planes) + 1
    if len(part.slots) == part.planes.shape[2] and n_codes > 1 and (n_levels == n_codes).all():
        # Every code occurs in every column: the planes are those of the levels.
        yield PlaneBlock(part.coding.features, part.planes, part.counts[:n_codes], part.n_samples)
        return
    # Features of one block have equally many levels, so that nothing is padded (decision 0002).
    for levels in np.unique(n_levels[n_levels > 1]).tolist():
        places = np.flatnonzero(n_levels == levels)
        width = block_width(part.n_samples, levels)
        for start in range(0, len(places), width):
            some = places[start : start + width]
            slots, features = part.slots[some], part.coding.features[some]
            planes = np.empty((levels - 1, part.planes.shape[1], len(slots)), np.uint64)
            take_planes(part.planes, part.codes, slots, planes)
            yield PlaneBlock(features, planes, part.counts[:levels].take(slots, axis=1), part.n_samples)


def block_width(n_samples: int, n_levels: int) -> int:
    """The number of features of a block: its planes stay in cache, and vector loops are long enough."""
    bytes_per_feature = plane_bytes(n_samples, n_levels)
    width = min(BLOCK_BYTES // bytes_per_feature, 8192)
    # Where that would be few, a block has up to four megabytes, of which counting reads some words at a time:
    # a call costs as much as 170 pairs of 12,000 samples (one column of 784 such features takes 70 us in one
    # block, 95 in three).
    return max(width, min(WIDE, LARGEST_BYTES // bytes_per_feature), LEAST)


def plane_bytes(n_samples: int, n_levels: int) -> int:
    """Bytes of the planes of a feature."""
    return 8 * (n_levels - 1) * -(-n_samples // WORD)


def shared_width(n_features: int, n_samples: int, n_levels: int, n_workers: int) -> int:
    """The width of about equal blocks, so that workers end together; large ones are shared by all workers."""
    width = block_width(n_samples, n_levels)
    n_blocks = max(1, -(-n_features // width))
    if width * plane_bytes(n_samples, n_levels) > BLOCK_BYTES:
        n_blocks = -(-n_blocks // n_workers) * n_workers
    return max(-(-n_features // n_blocks), LEAST)


@dataclass(eq=False)
class Gathering:
    """Joins narrow blocks of one kind with the same number of levels into full ones."""

    n_samples: int
    width: WidthOf
    waiting: dict[int, list[Any]] = field(default_factory=dict)

    def add(self, block: Any) -> list[Any]:
        """Adds a block; returns a joined block once it is wide enough."""
        group = self.waiting.setdefault(block.n_levels, [])
        group.append(block)
        if sum(len(one.features) for one in group) < self.width(self.n_samples, block.n_levels):
            return []
        return [one_block(self.waiting.pop(block.n_levels))]

    def rest(self) -> list[Any]:
        return [one_block(group) for group in self.waiting.values()]
