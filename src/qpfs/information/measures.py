"""Measures: what the counts of two features, or of a feature and the target, amount to.

A measure is symmetric and not negative. A feature shares with itself (its entropy, for mutual information) at
least what it shares with any other, and nothing with a constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, CountArray, FloatArray, IndexArray
from qpfs.codes.encoding import Rule, cut_columns
from qpfs.codes.lists import ListBlock
from qpfs.codes.numbers import NumberBlock, add_values, products_along, standardized
from qpfs.codes.planes import WORD, PlaneBlock, add_scores, plane_list
from qpfs.codes.store import Block
from qpfs.codes.target import Target
from qpfs.groups import bounds_of
from qpfs.information.few_samples import (
    MOST,
    information_in_a_word,
    information_in_two_words,
    row_table,
)
from qpfs.information.kernels import (
    chi_square,
    information,
    information_by_rows,
    information_of_threes,
)
from qpfs.information.list_runs import add_scores_of_lists, chi_square_of_lists, information_of_lists
from qpfs.information.runs import chi_square_along, information_along
from qpfs.scratch import scratch
from qpfs.sums import add_weighted

# Levels are scored in units of 1 / SCORE_UNIT, which is whole for any step of up to 17 levels; 190 million
# scores add up within 64 bits.
SCORE_UNIT = 720_720 << 16

BlockT = TypeVar("BlockT", bound=Block)


@dataclass(frozen=True, eq=False)
class Prepared(Generic[BlockT]):
    """A block with what a measure wants to know of each of its features beforehand."""

    block: BlockT
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,) what each feature shares with itself

    def take(self, slots: IndexArray) -> Prepared[BlockT]:
        return Prepared(self.block.take(slots), self.sums[slots], self.own[slots])

    def pieces(self, slots: IndexArray) -> Iterator[tuple[slice, Prepared[Any], IndexArray]]:
        """Some features as kernels that pair them one by one read them, few at a time where room is dear.

        Which of them, a block, and where in it they are.
        """
        for some, block, at in self.block.pieces(slots):
            whole = block is self.block
            yield some, self if whole else Prepared(block, self.sums[slots[some]], self.own[slots[some]]), at


@dataclass(frozen=True, eq=False)
class Listed:
    """Features one after another, to be paired one by one, with what a measure wants to know of each."""

    features: Any  # as the kind of block lists them
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,)


@dataclass(frozen=True, eq=False)
class Part(Generic[BlockT]):
    """Some of the features of a list, all of one block: which of them, and where they are."""

    places: IndexArray
    block: Prepared[BlockT]
    slots: IndexArray


@dataclass(frozen=True, eq=False)
class Runs(Generic[BlockT]):
    """Some features of a block, each to be paired with a run of a list: from lo to hi - 1."""

    block: Prepared[BlockT]
    slots: IndexArray
    lo: IndexArray
    hi: IndexArray

    @property
    def n_pairs(self) -> int:
        return int((self.hi - self.lo).sum())

    def pieces(self) -> Iterator[tuple[slice, Runs[Any]]]:
        """The same in parts, few features at a time where room is dear, and where the answer of each goes."""
        bounds = bounds_of(self.hi - self.lo)
        for some, block, at in self.block.pieces(self.slots):
            yield slice(bounds[some.start], bounds[some.stop]), Runs(block, at, self.lo[some], self.hi[some])


class Measure(Protocol[BlockT]):
    """How much is shared, for blocks of one kind."""

    n_samples: int
    convex: bool  # whether the matrix of any features is positive semi-definite by construction
    counts: bool  # whether it is made of the counts of levels, or of numbers

    def prepare(self, block: BlockT) -> Prepared[BlockT]: ...

    def between(
        self, pivots: Prepared[BlockT], rows: slice, other: Prepared[BlockT], out: FloatArray
    ) -> None:
        """What each of some pivots shares with each feature: (rows, k)."""

    def relevance(self, target: Target, block: Prepared[BlockT]) -> FloatArray:
        """What each feature of a block shares with the target."""

    def listed(self, parts: list[Part[BlockT]], size: int) -> Listed:
        """Features of blocks at given places of a list; what is at no place is constant."""

    def along(self, runs: Runs[BlockT], others: Listed) -> FloatArray:
        """What each feature shares with those of its run, one run after another."""

    def add_scores(
        self,
        block: Prepared[BlockT],
        slots: IndexArray,
        centres: Listed,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
    ) -> None:
        """Adds each feature as numbers, turned to run with a centre, to a row of the total.

        In units of 1 / SCORE_UNIT, as integers: (rows, n_samples).
        """

    def pack(self, tile: FloatArray, rule: Rule) -> list[Prepared[BlockT]]:
        """Columns that are not in the table, cut by the rule if need be; a constant one is in no block."""


class Counted(ABC):
    """What measures made of joint counts share."""

    counts = True

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples

    @property
    @abstractmethod
    def constant_sum(self) -> Any:
        """What is kept of a constant feature beforehand."""

    @abstractmethod
    def prepare(self, block: PlaneBlock) -> Prepared[PlaneBlock]: ...

    @abstractmethod
    def between(
        self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock], out: FloatArray
    ) -> None: ...

    def joint(
        self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock], n_rows: int
    ) -> CountArray:
        """The joint counts of some pivots with all features; good until the thread asks again."""
        n_cells = (pivots.block.n_levels - 1) * (other.block.n_levels - 1)
        room = scratch("joint counts", (n_rows, n_cells, len(other.own)), np.int32)
        return other.block.joint(pivots.block, rows, room)

    def relevance(self, target: Target, block: Prepared[PlaneBlock]) -> FloatArray:
        out = np.empty((1, len(block.own)))
        self.between(self.prepare(target.packed), slice(None), block, out)
        return out[0]

    def listed(self, parts: list[Part[PlaneBlock]], size: int) -> Listed:
        features = plane_list(
            [(one.places, one.block.block, one.slots) for one in parts], size, self.n_samples
        )
        sums, own = np.full(size, self.constant_sum), np.zeros(size)
        for one in parts:
            sums[one.places], own[one.places] = one.block.sums[one.slots], one.block.own[one.slots]
        return Listed(features, sums, own)

    def add_scores(
        self,
        block: Prepared[PlaneBlock],
        slots: IndexArray,
        centres: Listed,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
    ) -> None:
        """Levels as equal steps from -1 to 1."""
        packed: Any = block.block
        added = (slots, centres.features, centre, row, SCORE_UNIT, total)
        if isinstance(packed, ListBlock):
            add_scores_of_lists(packed.begin, packed.samples, packed.counts, *added)
        else:
            add_scores(packed.columns, packed.counts, *added)

    def pack(self, tile: FloatArray, rule: Rule) -> list[Prepared[PlaneBlock]]:
        return [self.prepare(block) for block in cut_columns(tile, rule)]


class MutualInformation(Counted):
    """I(f; g) in nats, from the plug-in probabilities; a feature's own is its entropy."""

    convex = False

    @cached_property
    def plogp(self) -> AnyArray:
        """n log n for n = 0..n_samples in fixed point."""
        n = np.arange(self.n_samples + 1.0)
        return np.rint(n * np.log(np.maximum(n, 1.0)) * self.scale).astype(np.int64)

    @cached_property
    def scale(self) -> float:
        """Two to the most bits that leave the largest table entry, and so every sum, below 2^62."""
        largest = self.n_samples * np.log(max(self.n_samples, 2))
        return float(2.0 ** (62 - np.ceil(np.log2(largest))))

    @cached_property
    def unit(self) -> float:
        return 1.0 / (self.scale * self.n_samples)

    def prepare(self, block: PlaneBlock) -> Prepared[PlaneBlock]:
        sums = self.plogp.take(block.counts).sum(axis=0)
        return Prepared(block, sums, (self.plogp[-1] - sums) * self.unit)

    def between(
        self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock], out: FloatArray
    ) -> None:
        joint = self.joint(pivots, rows, other, len(out))
        self._kernel(pivots.block.n_levels, other.block.n_levels, out.shape[1])(
            joint,
            np.ascontiguousarray(pivots.block.counts[:, rows]),
            other.block.counts,
            self.plogp,
            pivots.sums[rows],
            other.sums,
            self.unit,
            out,
        )

    def _kernel(self, n_a: int, n_b: int, n_features: int) -> Callable[..., None]:
        """The fastest kernel for pivots of n_a and so many features of n_b levels."""
        table_size = {2: self.n_samples, 3: self.n_samples**2 // 2}.get(n_b, np.inf)
        if table_size <= 2 * n_features:
            return information_by_rows
        return information_of_threes if n_a == n_b == 3 else information

    def along(self, runs: Runs[Any], others: Listed) -> FloatArray:
        kernel, packed = self._kernel_along(runs.block.block)
        out = np.empty(runs.n_pairs)
        pairs = (runs.block.sums, runs.slots, runs.lo, runs.hi, others.features, others.sums)
        kernel(*packed, *pairs, self.plogp, self.unit, out)
        return out

    def _kernel_along(self, block: Any) -> tuple[Callable[..., None], tuple[Any, ...]]:
        """The fastest kernel for a block's features one by one, and what it reads of them."""
        if isinstance(block, ListBlock):
            return information_of_lists, (block.begin, block.samples, block.counts)
        packed = (block.columns, block.counts)
        if self.n_samples > MOST or block.n_levels != 3:
            return information_along, packed
        short = information_in_a_word if self.n_samples <= WORD else information_in_two_words
        return short, (*packed, *self.row_table)

    @cached_property
    def row_table(self) -> tuple[AnyArray, AnyArray]:
        return row_table(self.plogp)

    @property
    def constant_sum(self) -> Any:
        return self.plogp[-1]


class ChiSquare(Counted):
    """phi^2(f; g) = sum p(a,b)^2 / (p(a) p(b)) - 1; a feature's own is its number of levels - 1.

    The matrix of any features is positive semi-definite, so the program is convex.
    """

    convex = True
    unit = 2.0**54  # the sum of the shares is at most the number of levels, below 2^8
    constant_sum = 0.0

    def prepare(self, block: PlaneBlock) -> Prepared[PlaneBlock]:
        own = np.full(len(block.features), block.n_levels - 1.0)
        return Prepared(block, own, own)

    def between(
        self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock], out: FloatArray
    ) -> None:
        joint = self.joint(pivots, rows, other, len(out))
        counts = np.ascontiguousarray(pivots.block.counts[:, rows])
        chi_square(joint, counts, other.block.counts, self.unit, out)

    def along(self, runs: Runs[Any], others: Listed) -> FloatArray:
        block, out = runs.block.block, np.empty(runs.n_pairs)
        pairs = (runs.slots, runs.lo, runs.hi, others.features, self.unit, out)
        if isinstance(block, ListBlock):
            chi_square_of_lists(block.begin, block.samples, block.counts, *pairs)
        else:
            chi_square_along(block.columns, block.counts, *pairs)
        return out


class Correlation:
    """|Pearson correlation| of the numbers themselves.

    The relevance to C classes is Hall's: the correlation with each class's indicator, weighted by the
    class's share of the samples. The relevance to a continuous target is the correlation with it.
    """

    convex = False
    counts = False

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples

    def prepare(self, block: NumberBlock) -> Prepared[NumberBlock]:
        own = np.ones(len(block.features))
        return Prepared(block, own, own)

    def between(
        self, pivots: Prepared[NumberBlock], rows: slice, other: Prepared[NumberBlock], out: FloatArray
    ) -> None:
        other.block.products(pivots.block, rows, out)
        self._size(out)

    def relevance(self, target: Target, block: Prepared[NumberBlock]) -> FloatArray:
        total = np.zeros(len(block.block.features))
        for indicators, weights in target.indicators():
            size = np.empty((len(weights), len(total)))
            self.between(self.prepare(indicators), slice(None), block, size)
            add_weighted(size, np.arange(len(weights)), weights, total)
        return total

    def listed(self, parts: list[Part[NumberBlock]], size: int) -> Listed:
        values, own = np.zeros((size, self.n_samples)), np.zeros(size)
        for one in parts:
            own[one.places] = one.block.own[one.slots]
            for some, block, at in one.block.block.pieces(one.slots):
                values[one.places[some]] = block.rows[at]
        return Listed(values, own, own)

    def along(self, runs: Runs[NumberBlock], others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        for place, part in runs.pieces():
            products_along(part.block.block.rows, part.slots, part.lo, part.hi, others.features, out[place])
        self._size(out)
        return out

    def add_scores(
        self,
        block: Prepared[NumberBlock],
        slots: IndexArray,
        centres: Listed,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
    ) -> None:
        """The standardised columns."""
        for some, part, at in block.block.pieces(slots):
            add_values(part.rows, at, centres.features, centre[some], row[some], float(SCORE_UNIT), total)

    def pack(self, tile: FloatArray, rule: Rule) -> list[Prepared[NumberBlock]]:
        block = standardized(tile, np.arange(tile.shape[1]))
        return [self.prepare(block)] if len(block.features) else []

    def _size(self, products: FloatArray) -> None:
        """Makes them absolute values; one column and its multiple are the same feature."""
        np.abs(products, out=products)
        products[products > 1 - 1e-12] = 1.0
