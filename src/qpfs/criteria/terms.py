"""Terms of a selection: features to keep, and the largest number of features of a group.

Letters: K features are kept.

In a program each kept feature has at least as much weight as features have on average where none is kept:
1 / n, with n the number of features with weight in the program without terms (or K + 1 if that is more, so
that some weight remains for others). It does not depend on how many features are selected, so that the first
k of an order are those selected for any k; and keeping a feature that has this weight anyway changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray


def none() -> IndexArray:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class Terms:
    """Features that are selected first, in this order, and how many may be selected of each group.

    Without such restrictions there are no terms (None).
    """

    keep: IndexArray = field(default_factory=none)
    group: IndexArray | None = None  # of each feature; -1: in none
    at_most: int = 1  # features of a group

    def among(self, features: IndexArray) -> Terms:
        """The terms of a subset of features, by their positions in it."""
        group = None if self.group is None else self.group[features]
        if len(self.keep) == 0:
            return replace(self, group=group)
        order = np.argsort(features)
        place = np.minimum(np.searchsorted(features, self.keep, sorter=order), len(features) - 1)
        there = features[order[place]] == self.keep
        return replace(self, keep=order[place[there]], group=group)

    def least(self, n_weighted: int, size: int) -> FloatArray:
        """The lower bound on each weight, where the program without terms gives weight to `n_weighted`."""
        lower = np.zeros(size)
        lower[self.keep] = 1.0 / max(n_weighted, len(self.keep) + 1)
        return lower

    def close(self, taken: list[int], open_: BoolArray) -> None:
        """Closes the group of the feature selected last, if it is full."""
        last = taken[-1]
        if self.group is None or self.group[last] < 0:
            return
        own = self.group == self.group[last]
        if own[taken].sum() >= self.at_most:
            open_[own] = False

    def ordered(self, order: IndexArray) -> IndexArray:
        """An order with the features to keep first, without those whose group is already full."""
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
