"""Groups of features as a user gives them: by name, by a label of each column, or by a separator in names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.checks import unfit
from qpfs.messages import Parameter, invalid
from qpfs.selectors.given_features import Names, as_list, places_given
from qpfs.wording import counted

GIVEN = (
    "a dict of names and features, a label for each column (None: in no group), or the text that follows a "
    'group\'s name in those of its columns, such as "__".'
)


class GroupWeight(NamedTuple):
    """A group of features that is selected or left out as a whole."""

    name: str
    features: IndexArray  # its columns
    weight: float
    relevance: float
    selected: bool


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """The groups of columns, by the label of each column."""

    names: tuple[str, ...]
    labels: IndexArray  # (n_features,) the group of each column; -1: in none

    def each(self) -> list[str | None]:
        """The name of the group of each column; None: in no group."""
        return [None if group < 0 else self.names[group] for group in self.labels.tolist()]

    def __str__(self) -> str:
        return f"{counted(len(self.names), 'group')} of {counted(int((self.labels >= 0).sum()), 'column')}"

    def without(self, features: IndexArray) -> FeatureGroups:
        """The groups with some features removed from them."""
        labels = self.labels.copy()
        labels[features] = -1
        return FeatureGroups(self.names, labels)

    @cached_property
    def leads(self) -> IndexArray:
        """(n_features,) the first column of each column's group; the column itself if it is in no group."""
        first = np.full(len(self.names), len(self.labels), np.intp)
        grouped = np.flatnonzero(self.labels >= 0)
        np.minimum.at(first, self.labels[grouped], grouped)
        found = np.arange(len(self.labels))
        found[grouped] = first[self.labels[grouped]]
        return found

    @cached_property
    def larger(self) -> list[int]:
        """The groups with two columns or more."""
        sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))
        return np.flatnonzero(sizes > 1).tolist()

    def firsts(self) -> list[tuple[int, int]]:
        """Each group that has columns, with its first column."""
        grouped = np.flatnonzero(self.labels >= 0)
        return sorted({(int(self.labels[i]), int(self.leads[i])) for i in grouped})

    def members(self, group: int) -> IndexArray:
        """The columns of a group, ascending."""
        return np.flatnonzero(self.labels == group)

    def expanded(self, order: IndexArray) -> IndexArray:
        """An order of first columns, with each replaced by all columns of its group."""
        rank = np.full(len(self.labels), -1, np.intp)
        rank[order] = np.arange(len(order))
        own = rank[self.leads]
        ranked = np.flatnonzero(own >= 0)
        return ranked[np.argsort(own[ranked], kind="stable")]

    def titles(self, names: Sequence[str]) -> list[str]:
        """The names of all features, where the first column of a group has the name of the group."""
        found = list(names)
        for group in self.larger:
            members = self.members(group)
            found[members[0]] = f"{self.names[group]} ({len(members)} columns)"
        return found


def groups_given(given: Any, names: Names) -> FeatureGroups:
    """The groups that the parameter defines on columns with these names; raises ValueError."""
    if isinstance(given, str):
        return by_separator(given, names)
    if isinstance(given, Mapping):
        return by_name(given, names)
    labels = as_list(given)
    if len(labels) != len(names):
        raise unfit("feature_groups", given, f"{GIVEN} There are {len(names)} columns.")
    return by_label([None if one is None or one != one else str(one) for one in labels])


def by_separator(separator: str, names: Names) -> FeatureGroups:
    """Groups of columns whose names are equal up to the separator."""
    parts = [name.partition(separator) if separator else (name, "", "") for name in names.all]
    if not any(found for _, found, _ in parts):
        raise invalid(
            Parameter("feature_groups", separator), ", but no column name contains that; expected " + GIVEN
        )
    return by_label([name if found else None for name, found, _ in parts])


def by_name(given: Mapping[Any, Any], names: Names) -> FeatureGroups:
    labels: list[str | None] = [None] * len(names)
    for name, features in given.items():
        for i in np.unique(places_given("feature_groups", features, names)).tolist():
            if labels[i] is not None:
                raise invalid(
                    Parameter("feature_groups"),
                    f" has {names.all[i]!r} in {labels[i]!r} and in {str(name)!r}; a feature can be in "
                    "one group.",
                )
            labels[i] = str(name)
    return by_label(labels)


def by_label(labels: list[str | None]) -> FeatureGroups:
    """Groups of columns with the same label, in the order of their first columns."""
    numbers: dict[str, int] = {}
    found = [-1 if one is None else numbers.setdefault(one, len(numbers)) for one in labels]
    return FeatureGroups(tuple(numbers), np.array(found, np.intp))
