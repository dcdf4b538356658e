"""Random orders of the samples, under which target and features are independent.

Without further knowledge of the samples, all orders are equally probable. Samples that belong together (such
as those of one patient) are not independent: where the target is the same for all samples of a group, groups
exchange their values; else samples exchange theirs within their group. Values are exchanged only within a
stratum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammaln

from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes.target import Target

FEW_CELLS = 1 << 20  # orders up to this size are cached, since drawing one takes longer than using it
CELLS = 1 << 22  # values of the target that are reordered at a time


@lru_cache(maxsize=4)
def free_orders(n_samples: int, n: int, seed: int) -> IndexArray:
    """n random orders of so many samples; cached, so they must not be changed."""
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(n_samples), (n, 1)), axis=1)


@dataclass(frozen=True, eq=False)
class Shuffles:
    """Random orders of the samples of a target."""

    target: Target
    groups: AnyArray | None = None  # (n_samples,) the group of each sample, from 0 on
    strata: AnyArray | None = None  # (n_samples,) the stratum of each; a group is in one

    @property
    def free(self) -> bool:
        """Whether all orders of the samples are equally probable."""
        known = self.groups is not None or self.strata is not None
        return not known or len(self.exchanged[0]) == len(self.values)

    @cached_property
    def values(self) -> IndexArray:
        """(n_samples,) a number for each combination of values of all targets."""
        found = np.zeros(len(self.target.codes), np.intp)
        for one in self.target.targets:
            values = np.unique(one.values, return_inverse=True)[1]
            found = np.unique(found * (values.max() + 1) + values, return_inverse=True)[1]
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether groups exchange values as a whole, since the target is constant within each."""
        if self.groups is None:
            return False
        n_pairs = len(np.unique(self.groups * (self.values.max() + 1) + self.values))
        return n_pairs == len(np.unique(self.groups))

    @cached_property
    def units(self) -> IndexArray:
        """(n_samples,) the unit of each sample that exchanges values: its group, or itself."""
        every = np.arange(len(self.values))
        return (
            every if self.groups is None or not self.whole else np.unique(self.groups, return_inverse=True)[1]
        )

    @cached_property
    def exchanged(self) -> list[IndexArray]:
        """Sets of units that exchange values with one another, each unit given by one of its samples."""
        apart = np.zeros(len(self.values), np.intp) if self.strata is None else self.strata
        if self.groups is not None and not self.whole:
            apart = apart * (self.groups.max() + 1) + self.groups
        samples = np.unique(self.units, return_index=True)[1]
        order = np.argsort(apart[samples], kind="stable")
        bounds = np.flatnonzero(np.diff(apart[samples][order])) + 1
        return [samples[some] for some in np.split(order, bounds)]

    @property
    def least(self) -> float:
        """The probability of one arrangement of the values, the smallest possible p value."""
        log = 0.0
        for samples in self.exchanged:
            log += gammaln(len(samples) + 1.0) - gammaln(np.bincount(self.values[samples]) + 1.0).sum()
        return float(np.exp(-log))

    def orders(self, n: int, seed: int = 0) -> Iterator[IndexArray]:
        """n random orders, some at a time: (some, n_samples); the same ones each time."""
        if self.free and n * len(self.values) <= FEW_CELLS:
            yield free_orders(len(self.values), n, seed)
            return
        rng = np.random.default_rng(seed)
        step = max(1, CELLS // (len(self.values) * max(1, len(self.target.counts) - 1)))
        for start in range(0, n, step):
            yield self._drawn(rng, min(step, n - start))

    def _drawn(self, rng: np.random.Generator, n: int) -> IndexArray:
        taken = np.empty((n, int(self.units.max()) + 1), np.intp)  # the unit whose value each unit gets
        for samples in self.exchanged:
            taken[:, self.units[samples]] = rng.permuted(np.tile(samples, (n, 1)), axis=1)
        return taken[:, self.units] if self.whole else taken
