"""Groups of features, stored one after another, for computations on many clusters together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.compiled import LINEAR, kernel, prompt


@dataclass(frozen=True, eq=False)
class Groups:
    """Disjoint groups of features; group i is members[bounds[i] : bounds[i + 1]]."""

    members: IndexArray
    bounds: IndexArray

    @classmethod
    def one(cls, members: IndexArray) -> Groups:
        """A single group."""
        return cls(members, np.array([0, len(members)]))

    @classmethod
    def labelled(cls, members: IndexArray, labels: IndexArray, n_groups: int) -> Groups:
        """The members by label, 0 to n_groups - 1, in their order within each."""
        order, bounds = by_label(labels, n_groups)
        return cls(members[order], bounds)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def sizes(self) -> IndexArray:
        return np.diff(self.bounds)

    @cached_property
    def labels(self) -> IndexArray:
        """The group of each member."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def of(self, group: int) -> IndexArray:
        """The members of a group."""
        return self.members[self.bounds[group] : self.bounds[group + 1]]

    def take(self, groups: IndexArray) -> Groups:
        """Some of the groups, in the given order."""
        return Groups(self.members[self.places(groups)], bounds_of(self.sizes[groups]))

    def run(self, groups: slice) -> Groups:
        """Consecutive groups, whose members are not copied."""
        bounds = self.bounds[groups.start : groups.stop + 1]
        return Groups(self.members[bounds[0] : bounds[-1]], bounds - bounds[0])

    def places(self, groups: IndexArray) -> IndexArray:
        """Where the members of some groups stand."""
        found = np.empty(self.sizes[groups].sum(), np.intp)
        fill_places(self.bounds, groups, found)
        return found

    def best(self, values: FloatArray) -> IndexArray:
        """Where the member with the least value stands in each group, none empty; the first on ties."""
        found = self.bounds[:-1].copy()
        find_least(values, self.bounds, found)
        return found


def by_label(labels: IndexArray, n_labels: int) -> tuple[IndexArray, IndexArray]:
    """The places sorted by label (stable), and where each label begins."""
    bounds, order = np.zeros(n_labels + 2, np.intp), np.empty(len(labels), np.intp)
    sort_by_label(labels, bounds, order)
    return order, bounds[:-1]  # places without a label (-1) come first


@prompt(LINEAR)
@kernel
def sort_by_label(labels: IndexArray, bounds: IndexArray, order: IndexArray) -> None:
    """Fills places and bounds; meanwhile bounds[i + 1] is the next free place for label i."""
    for label in labels:
        bounds[label + 2] += 1
    for i in range(2, len(bounds)):
        bounds[i] += bounds[i - 1]
    for i in range(len(labels)):
        order[bounds[labels[i] + 1]] = i
        bounds[labels[i] + 1] += 1


@prompt(LINEAR)
@kernel
def fill_places(bounds: IndexArray, groups: IndexArray, found: IndexArray) -> None:
    n = 0
    for g in groups:
        for place in range(bounds[g], bounds[g + 1]):
            found[n] = place
            n += 1


@prompt(LINEAR)
@kernel
def find_least(values: FloatArray, bounds: IndexArray, found: IndexArray) -> None:
    for g in range(len(found)):
        for place in range(bounds[g], bounds[g + 1]):
            if values[place] < values[found[g]]:
                found[g] = place


def n_pairs(lo: IndexArray, hi: IndexArray) -> int:
    """The total length of the runs from lo to hi - 1, without a temporary array."""
    return int(hi.sum()) - int(lo.sum())


def bounds_of(sizes: IndexArray) -> IndexArray:
    """Where groups of the given sizes begin and end."""
    bounds = np.zeros(len(sizes) + 1, np.intp)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


@kernel
def ascending(indptr: AnyArray, indices: AnyArray) -> bool:
    """Whether the indices between any two pointers ascend strictly."""
    for k in range(len(indptr) - 1):
        for t in range(indptr[k] + 1, indptr[k + 1]):
            if indices[t] <= indices[t - 1]:
                return False
    return True
