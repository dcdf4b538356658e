"""Groups of features, one after another: what questions about many clusters at once are asked with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import kernel


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
        bounds = bounds_of(np.bincount(labels, minlength=n_groups))
        return cls(members[by_label(labels, bounds)], bounds)

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

    def places(self, groups: IndexArray) -> IndexArray:
        """Where the members of some groups stand."""
        sizes = self.sizes[groups]
        return np.repeat(self.bounds[groups] - bounds_of(sizes)[:-1], sizes) + np.arange(sizes.sum())

    def best(self, values: FloatArray) -> IndexArray:
        """Where the member with the least value stands in each group, none empty; the first on ties."""
        least = np.minimum.reduceat(values, self.bounds[:-1])
        found = np.flatnonzero(values == least[self.labels])
        return found[np.searchsorted(found, self.bounds[:-1])]


def by_label(labels: IndexArray, bounds: IndexArray) -> IndexArray:
    """The places of labels in ascending order, equal ones in their own; label i begins at bounds[i]."""
    order = np.empty(len(labels), np.intp)
    sort_by_label(labels, bounds.copy(), order)
    return order


@kernel
def sort_by_label(labels: IndexArray, next_place: IndexArray, order: IndexArray) -> None:
    for i in range(len(labels)):
        order[next_place[labels[i]]] = i
        next_place[labels[i]] += 1


def bounds_of(sizes: IndexArray) -> IndexArray:
    """Where groups of the given sizes begin and end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
