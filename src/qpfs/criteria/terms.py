"""What is settled of a choice before anything is weighed: features that must be in, and full groups.

Letters: K features are kept.

In a program each kept feature has at least as much weight as features have on average where none is kept:
1 / n, with n the number that the program gives weight by itself (or K + 1 if that is more, so that something
is left to share out). It does not depend on how many features are selected, so that the first k of an order
are those selected for any k; and a feature that has so much anyway changes nothing by being kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray


def none() -> IndexArray:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class Terms:
    """Features that are taken first, in this order, and how many may be taken of each group.

    Where nothing is settled there are no terms (None).
    """

    keep: IndexArray = field(default_factory=none)
    group: IndexArray | None = None  # of each feature; -1: in none
    at_most: int = 1  # features of a group

    def among(self, features: IndexArray) -> Terms:
        """The terms of some features, by their places: those kept that are among them."""
        group = None if self.group is None else self.group[features]
        if len(self.keep) == 0:
            return replace(self, group=group)
        order = np.argsort(features)
        place = np.minimum(np.searchsorted(features, self.keep, sorter=order), len(features) - 1)
        there = features[order[place]] == self.keep
        return replace(self, keep=order[place[there]], group=group)

    def least(self, n_weighted: int, size: int) -> FloatArray:
        """The least weight of each of so many features, of which a program gives weight to n by itself."""
        lower = np.zeros(size)
        lower[self.keep] = 1.0 / max(n_weighted, len(self.keep) + 1)
        return lower

    def close(self, taken: list[int], open_: BoolArray) -> None:
        """Closes the group of the feature taken last, if that is full."""
        last = taken[-1]
        if self.group is None or self.group[last] < 0:
            return
        own = self.group == self.group[last]
        if own[taken].sum() >= self.at_most:
            open_[own] = False

    def ordered(self, order: IndexArray) -> IndexArray:
        """An order with the kept ones first, without those whose group is full by then."""
        if len(self.keep):
            order = np.concatenate((self.keep, order[~np.isin(order, self.keep)]))
        if self.group is None:
            return order
        own = self.group[order]
        together = np.argsort(own, kind="stable")
        begin = np.searchsorted(own[together], own[together])  # the first of each group
        before = np.empty(len(order), np.intp)
        before[together] = np.arange(len(order)) - begin
        return order[(own < 0) | (before < self.at_most)]
