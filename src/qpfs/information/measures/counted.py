"""Measures made of joint counts.

Such a measure is a named tuple of tables with two methods that kernels are compiled with:

- `cell(self, n_ab, n_a, n_b)`, an integer in fixed point: what the samples at level a of one feature and b of
  the other add to the total of a pair; 0 where n_ab is 0. Integers add up to the same in any order, which is
  why an answer is the same to the last bit however the work is divided. A total has to stay within 64 bits.
- `finish(self, total, own_a, own_b)`: the number that a total stands for, given the total of each of the two
  features with itself.

The loops over joint counts (`information/kernels.py`), over planes and over lists (`codes/plane_runs.py`,
`codes/list_runs.py`) are the same for all; a third method, `threes`, may give the total of three levels with
three by a quicker way than nine cells.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes.forms import LEVELS
from qpfs.codes.target import Target
from qpfs.information.kernels import own_totals, shared_by_joint, shared_by_joint_of_threes
from qpfs.information.measures.measure import Listed, Measure, Prepared, ReadyMeasure, Runs
from qpfs.scratch import scratch


@dataclass(frozen=True)
class CountMeasure(Measure):
    """A measure made of joint counts, by tables with a compiled cell."""

    form = LEVELS
    radius = 0.8  # even close copies are 0.5 apart and more

    @abstractmethod
    def tables(self, n_samples: int) -> Any:
        """The named tuple with `cell` and `finish`."""

    def tables_of_pairs(self, tables: Any) -> Any:
        """The same for features that are paired one by one, if there are quicker ones."""
        return tables

    def kernel(self, n_samples: int, n_b: int, n_features: int) -> Callable[..., None] | None:
        """A loop of its own over joint counts with so many features of n_b levels; None: the usual one."""
        return None

    def on(self, n_samples: int) -> Counted:
        return Counted(self, n_samples, self.tables(n_samples))


@dataclass(eq=False)
class Counted(ReadyMeasure[Any]):
    """A measure made of counts, with its tables."""

    measure: CountMeasure
    tables: Any

    @cached_property
    def tables_of_pairs(self) -> Any:
        return self.measure.tables_of_pairs(self.tables)

    @cached_property
    def constant_sum(self) -> Any:
        """The total of a feature of one level with itself."""
        return own_totals(self.tables, np.full((1, 1), self.n_samples, np.int32))[0][0]

    def prepare(self, block: Any) -> Prepared[Any]:
        return Prepared(block, *own_totals(self.tables, block.counts))

    def between(self, pivots: Prepared[Any], rows: slice, other: Prepared[Any]) -> FloatArray:
        n_a, n_b = len(pivots.block.counts), len(other.block.counts)
        sums, n_features = pivots.sums[rows], len(other.own)
        usual = shared_by_joint_of_threes if n_a == n_b == 3 else shared_by_joint
        kernel = self.measure.kernel(self.n_samples, n_b, n_features) or usual
        out = scratch("shared", (len(sums), n_features), np.float64)
        room = scratch("joint counts", (len(sums), (n_a - 1) * (n_b - 1), n_features), np.int32)
        kernel(
            self.tables,
            other.block.joint(pivots.block, rows, room),
            np.ascontiguousarray(pivots.block.counts[:, rows]),
            other.block.counts,
            sums,
            other.sums,
            out,
        )
        return out

    def relevance(self, target: Target, block: Prepared[Any]) -> FloatArray:
        return self.between(self.prepare(target.packed), slice(None), block)[0].copy()

    def along(self, runs: Runs[Any], others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        pairs = (runs.block.sums, runs.slots, runs.lo, runs.hi, others.features, others.sums)
        runs.block.block.shared_along(self.tables_of_pairs, *pairs, out)
        return out
