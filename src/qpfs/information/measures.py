"""Measures: what the counts of two features, or of a feature and the target, amount to.

A measure is symmetric and not negative. A feature shares with itself (its entropy, for mutual information) at
least what it shares with any other, and nothing with a constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import Rule, cut_column
from qpfs.codes.numbers import NumberBlock, standardized
from qpfs.codes.planes import PlaneBlock, unpack
from qpfs.codes.store import Block
from qpfs.codes.target import Target
from qpfs.information.kernels import (
    chi_square,
    information,
    information_by_rows,
    information_of_threes,
)
from qpfs.sums import add_weighted

BlockT = TypeVar("BlockT", bound=Block)


@dataclass(frozen=True, eq=False)
class Prepared(Generic[BlockT]):
    """A block with what a measure wants to know of each of its features beforehand."""

    block: BlockT
    sums: AnyArray  # (k,)

    def take(self, slots: IndexArray) -> Prepared[BlockT]:
        return Prepared(self.block.take(slots), self.sums[slots])


class Measure(Protocol[BlockT]):
    """How much is shared, for blocks of one kind."""

    convex: bool  # whether the matrix of any features is positive semi-definite by construction
    counts: bool  # whether it is made of the counts of levels, or of numbers

    def prepare(self, block: BlockT) -> Prepared[BlockT]: ...

    def between(self, pivots: Prepared[BlockT], rows: slice, other: Prepared[BlockT]) -> FloatArray:
        """What each of some pivots shares with each feature: (rows, k)."""

    def own(self, block: Prepared[BlockT]) -> FloatArray:
        """What each feature shares with itself: (k,)."""

    def relevance_to(self, target: Target) -> Callable[[Prepared[BlockT]], FloatArray]:
        """What each feature of a block shares with the target: a function of the block."""

    def scores(self, block: BlockT) -> FloatArray:
        """The features as numbers, a row each: (k, n_samples)."""

    def pack(self, column: FloatArray, rule: Rule) -> Prepared[BlockT] | None:
        """A column that is not in the table, as a pivot; None if it is constant."""


class Counted(ABC):
    """What measures made of joint counts share."""

    counts = True

    @abstractmethod
    def prepare(self, block: PlaneBlock) -> Prepared[PlaneBlock]: ...

    @abstractmethod
    def between(
        self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock]
    ) -> FloatArray: ...

    def relevance_to(self, target: Target) -> Callable[[Prepared[PlaneBlock]], FloatArray]:
        pivot = self.prepare(target.packed())
        return lambda block: self.between(pivot, slice(None), block)[0]

    def scores(self, block: PlaneBlock) -> FloatArray:
        """Levels as equal steps from -1 to 1."""
        return unpack(block).T.astype(np.float64) * (2.0 / (block.n_levels - 1)) - 1.0

    def pack(self, column: FloatArray, rule: Rule) -> Prepared[PlaneBlock] | None:
        block = cut_column(column, rule)
        return None if block is None else self.prepare(block)


class MutualInformation(Counted):
    """I(f; g) in nats, from the plug-in probabilities; a feature's own is its entropy."""

    convex = False

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples

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
        return Prepared(block, self.plogp[block.counts].sum(axis=0))

    def between(self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock]) -> FloatArray:
        joint = other.block.joint(pivots.block, rows)
        out = np.empty((joint.shape[0], joint.shape[2]))
        self._kernel(pivots.block.n_levels, other.block.n_levels, out.shape[1])(
            joint,
            pivots.block.counts[:, rows],
            other.block.counts,
            self.plogp,
            pivots.sums[rows],
            other.sums,
            self.unit,
            out,
        )
        return out

    def _kernel(self, n_a: int, n_b: int, n_features: int) -> Callable[..., None]:
        """The fastest kernel for pivots of n_a and so many features of n_b levels."""
        table_size = {2: self.n_samples, 3: self.n_samples**2 // 2}.get(n_b, np.inf)
        if table_size <= 2 * n_features:
            return information_by_rows
        return information_of_threes if n_a == n_b == 3 else information

    def own(self, block: Prepared[PlaneBlock]) -> FloatArray:
        entropy: FloatArray = (self.plogp[-1] - block.sums) * self.unit
        return entropy


class ChiSquare(Counted):
    """phi^2(f; g) = sum p(a,b)^2 / (p(a) p(b)) - 1; a feature's own is its number of levels - 1.

    The matrix of any features is positive semi-definite, so the program is convex.
    """

    convex = True
    unit = 2.0**54  # the sum of the shares is at most the number of levels, below 2^8

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples

    def prepare(self, block: PlaneBlock) -> Prepared[PlaneBlock]:
        return Prepared(block, np.full(len(block.features), block.n_levels - 1.0))

    def between(self, pivots: Prepared[PlaneBlock], rows: slice, other: Prepared[PlaneBlock]) -> FloatArray:
        joint = other.block.joint(pivots.block, rows)
        out = np.empty((joint.shape[0], joint.shape[2]))
        chi_square(joint, pivots.block.counts[:, rows], other.block.counts, self.unit, out)
        return out

    def own(self, block: Prepared[PlaneBlock]) -> FloatArray:
        return block.sums


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
        return Prepared(block, np.ones(len(block.features)))

    def between(self, pivots: Prepared[NumberBlock], rows: slice, other: Prepared[NumberBlock]) -> FloatArray:
        size = abs(other.block.products(pivots.block, rows))
        size[size > 1 - 1e-12] = 1.0  # one column and its multiple are the same feature
        return size

    def own(self, block: Prepared[NumberBlock]) -> FloatArray:
        return block.sums

    def relevance_to(self, target: Target) -> Callable[[Prepared[NumberBlock]], FloatArray]:
        def relevance(block: Prepared[NumberBlock]) -> FloatArray:
            total = np.zeros(len(block.block.features))
            for indicators, weights in target.indicators():
                size = self.between(self.prepare(indicators), slice(None), block)
                add_weighted(size, np.arange(len(weights)), weights, total)
            return total

        return relevance

    def scores(self, block: NumberBlock) -> FloatArray:
        return block.values.T

    def pack(self, column: FloatArray, rule: Rule) -> Prepared[NumberBlock] | None:
        block = standardized(np.ascontiguousarray(column[:, None]), np.array([0]))
        return self.prepare(block) if len(block.features) else None
