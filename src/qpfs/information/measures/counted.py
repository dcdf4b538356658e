"""Measures computed from joint counts.

Such a measure is a named tuple of tables with two methods that kernels are compiled with:

- `cell(self, n_ab, n_a, n_b)`, an integer in fixed point: the term of the samples at level a of one feature
  and b of the other in the total of a pair; 0 where n_ab is 0, also where n_a or n_b is 0, which happens in
  strata. Sums of integers do not depend on their order, so a result is the same to the last bit however the
  work is divided. A total has to fit 64 bits.
- `finish(self, total, own_a, own_b)`: the value of the measure for a total, given the total of each of the
  two features with itself.

The loops over joint counts (`information/kernels.py`), over planes and over lists (`codes/plane_runs.py`,
`codes/list_runs.py`) are the same for all; a third method, `threes`, may give the total of three levels with
three faster than by nine cells.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import chdtrc

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import LEVELS
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights, counts_of, total_of
from qpfs.information.kernels import (
    own_totals,
    shared_by_codes,
    shared_by_joint,
    shared_by_joint_of_threes,
)
from qpfs.information.measures.measure import (
    Listed,
    Margins,
    Measure,
    Prepared,
    ReadyMeasure,
    Runs,
    pivot_rows,
)
from qpfs.information.measures.stratified import MIXED, StratifiedCounts
from qpfs.scratch import scratch

# From so many cells of a pair on, counting sample by sample is faster than by planes: at 3,000 samples it
# takes 2.6 us, planes take 14 ns for each cell, and joint counts of 59 x 59 cells do not fit a cache.
MANY_CELLS = 160
BYTE = 256  # levels that fit a byte; a target may have more


@dataclass(frozen=True)
class CountMeasure(Measure):
    """A measure computed from joint counts, by tables with a compiled cell."""

    form = LEVELS
    radius = 0.8  # even close copies are at distance 0.5 or more

    @abstractmethod
    def tables(self, n_samples: int) -> Any:
        """The named tuple with `cell` and `finish`."""

    def tables_of_pairs(self, tables: Any) -> Any:
        """The tables for features that are compared in single pairs; other ones if they are faster."""
        return tables

    def kernel(self, n_samples: int, n_b: int, n_features: int) -> Callable[..., None] | None:
        """A special loop over joint counts with so many features of n_b levels; None: the general one."""
        return None

    def kernel_of_planes(self, n_samples: int, n_b: int, n_features: int) -> Callable[..., None] | None:
        """A loop over planes without joint counts; None: there is none, or it is not faster."""
        return None

    def statistic(self, relevance: FloatArray, n_samples: float) -> FloatArray | None:
        """The statistic that is chi-square distributed for independent feature and target; None: none is."""
        return None

    def mean_of_statistic(self, spread: FloatArray, n_samples: float) -> FloatArray:
        """Its mean per degree of freedom; `spread` is (N sum 1/n_a - 1)(N sum 1/n_b - 1) per degree."""
        return np.ones_like(spread)

    def on(self, n_samples: int, weights: Weights | None = None) -> Counted:
        return Counted(self, n_samples, weights, tables=self.tables(total_of(weights, n_samples)))

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        if (found := shared_with_none(self.tables(4))) != 0:  # in a stratum a level may have no sample
            raise TypeError(
                f"covariates are given, but the measure {self.name!r} cannot be used within strata: a level "
                f"without a sample must add 0, but its `cell` makes {found:g} of what a constant shares."
            )
        return StratifiedCounts(self, covariates.strata(rule))


def shared_with_none(tables: Any) -> float:
    """What a feature of two levels, with two samples each, shares with a constant one."""
    two, one = np.full((2, 1), 2, np.int32), np.array([[4], [0]], np.int32)
    out = np.empty((1, 1))
    of_two, of_one = own_totals(tables, two)[0], own_totals(tables, one)[0]
    shared_by_joint(tables, np.zeros((1, 1, 1), np.int32), two, one, of_two, of_one, out)
    return float(out[0, 0])


def by_codes(n_a: int, n_b: int) -> bool:
    """Whether pairs of features with so many levels are counted sample by sample."""
    return (n_a - 1) * (n_b - 1) >= MANY_CELLS and n_a <= BYTE


@dataclass(eq=False)
class Counted(ReadyMeasure):
    """A count measure ready for a number of samples, with its tables."""

    measure: CountMeasure
    tables: Any = None
    puts = True

    @cached_property
    def tables_of_pairs(self) -> Any:
        return self.measure.tables_of_pairs(self.tables)

    @cached_property
    def constant_sum(self) -> Any:
        """The total of a feature of one level with itself."""
        return own_totals(self.tables, np.full((1, 1), self.total, np.int32))[0][0]

    def prepare(self, block: Any) -> Prepared:
        block = self.weighted(block)
        return Prepared(block, *own_totals(self.tables, block.margins))

    def between(self, pivots: Prepared, rows: slice, other: Prepared) -> FloatArray:
        out = scratch("shared", (len(pivots.sums[rows]), len(other.own)), np.float64)
        self._fill(pivots, rows, other, out, 0)
        return out

    def put(self, pivots: Prepared, rows: slice, other: Prepared, out: FloatArray, begin: int) -> None:
        if len(out) == 1:  # a part of a single row is an array like any other
            self._fill(pivots, rows, other, out[:, begin : begin + len(other.own)], 0)
        elif self._kernel_of_planes(pivots, other) is not None:
            self._fill(pivots, rows, other, out, begin)
        else:
            out[:, begin : begin + len(other.own)] = self.between(pivots, rows, other)

    def _fill(self, pivots: Prepared, rows: slice, other: Prepared, out: FloatArray, begin: int) -> None:
        """Writes what pivots share with features into `out`; `begin` is 0 but for loops over planes."""
        n_a, n_b = len(pivots.block.counts), len(other.block.counts)
        margins = np.ascontiguousarray(pivots.block.margins[:, rows]), other.block.margins
        sums = pivots.sums[rows], other.sums
        if (kernel := self._kernel_of_planes(pivots, other)) is not None:
            planes = pivots.block.columns[rows], other.block.plane_rows
            kernel(self.tables, *planes, *margins, *sums, out, begin)
        elif by_codes(n_a, n_b) and (codes := other.block.code_rows) is not None:
            pivot_codes, weights = pivots.block.code_rows[rows], counts_of(self.weights)
            shared_by_codes(self.tables, pivot_codes, codes, *margins, *sums, weights, out)
        else:
            usual = shared_by_joint_of_threes if n_a == n_b == 3 else shared_by_joint
            kernel = self.measure.kernel(self.total, n_b, len(other.own)) or usual
            room = scratch("joint counts", (len(out), (n_a - 1) * (n_b - 1), len(other.own)), np.int32)
            joint = other.block.joint(pivots.block, rows, room, self.weights)
            kernel(self.tables, joint, *margins, *sums, out)

    def _kernel_of_planes(self, pivots: Prepared, other: Prepared) -> Callable[..., None] | None:
        """The loop over planes that needs no joint counts, where there is one for these blocks."""
        n_a, n_b = len(pivots.block.counts), len(other.block.counts)
        kernel = self.measure.kernel_of_planes(self.total, n_b, len(other.own))
        if kernel is None or self.weights is not None or by_codes(n_a, n_b):
            return None
        return None if other.block.plane_rows is None else kernel

    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        return self.between(self.prepare(target.packed), slice(None), block)[0].copy()

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared) -> FloatArray:
        shuffles = self.prepare(target.packed_in(orders))
        if block.block.plane_rows is None or len(target.counts) > BYTE:
            return pivot_rows(self, shuffles, block)
        # Features are the pivots: their tables of rows for a few classes are small, and orders are many. As a
        # copy of the block, which shares its arrays: a block keeps its planes in the layout of pivots.
        return pivot_rows(self, replace(block, block=replace(block.block)), shuffles).T

    def degrees(self, target: Target) -> int:
        return len(target.counts) - 1

    def rarest(self, target: Target) -> int:
        return int(target.counts.min())

    def margins(self, block: Prepared, least: float, target: Target) -> Margins:
        counts = block.block.margins  # (levels, k)
        key = np.zeros(counts.shape[1], np.uint64)
        rare = np.flatnonzero(counts.min(axis=0) < least)
        if self.weights is not None:  # with sample weights, no two features share margins
            key[rare] = block.block.features[rare].astype(np.uint64) + np.uint64(1)
            return Margins(key, (self.total / counts).sum(axis=0) - 1)
        for row in np.sort(counts[:, rare], axis=0).astype(np.uint64):
            key[rare] = (key[rare] ^ (key[rare] >> np.uint64(29)) ^ row) * MIXED
        key[rare] |= np.uint64(1)
        return Margins(key, (self.n_samples / counts).sum(axis=0) - 1)

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray | None:
        statistic = self.measure.statistic(relevance, self.size)
        if statistic is None:
            return None
        degrees = (levels - 1) * self.degrees(target)
        target_scale = (self.total / target.counts).sum() - 1
        mean = self.measure.mean_of_statistic(scale * target_scale / degrees, self.size)
        return np.asarray(chdtrc(degrees, statistic / mean), np.float64)

    def along(self, runs: Runs, others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        pairs = (runs.block.sums, runs.slots, runs.lo, runs.hi, others.features, others.sums)
        runs.block.block.shared_along(self.tables_of_pairs, *pairs, out, self.weights)
        return out
