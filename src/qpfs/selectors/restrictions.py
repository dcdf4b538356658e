"""What a user asks of the features themselves: some must be in, some are out, some belong together.

Names are looked up anew at each fit, so that a selector means the same columns of another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import checked_count
from qpfs.codes.weights import Weights
from qpfs.criteria import Terms
from qpfs.information import FeatureTable, Measure
from qpfs.messages import Message, Parameter
from qpfs.selectors.feature_groups import FeatureGroups, groups_given
from qpfs.selectors.given_features import Names, places_given
from qpfs.wording import counted

ASKED = ("keep", "exclude", "feature_groups", "at_most")  # the parameters that these are


def none() -> IndexArray:
    return np.empty(0, np.intp)


def check_at_most(selector: Any) -> None:
    """Raises ValueError if a number of features for each group makes no sense, whatever the table."""
    if selector.at_most is None:
        return
    checked_count("at_most", selector.at_most, 1, "None or ")
    if selector.feature_groups is None:
        raise ValueError(
            Message(
                Parameter("at_most", selector.at_most),
                " is for each group of features, and there are none; give ",
                Parameter("feature_groups"),
                ", too.",
            )
        )


@dataclass(frozen=True, eq=False)
class Restrictions:
    """The columns that must be in, and those that are out, ascending; the groups, and how many of each."""

    keep: IndexArray = field(default_factory=none)
    exclude: IndexArray = field(default_factory=none)
    groups: FeatureGroups | None = None
    at_most: int | None = None  # of each group; None: a group is chosen or left as one

    @classmethod
    def of(cls, selector: Any, names: Names) -> Restrictions:
        """What the parameters of a selector mean for columns of such names; raises ValueError."""
        places = {
            one: none()
            if getattr(selector, one) is None
            else places_given(one, getattr(selector, one), names)
            for one in ("keep", "exclude")
        }
        keep, exclude, given = *map(np.unique, places.values()), selector.feature_groups
        groups = None if given is None else groups_given(given, names).without(exclude)
        made = cls(keep, exclude, groups, selector.at_most)
        made.check(names)
        return made if made.united is None else replace(made, keep=np.unique(made.united.leads[keep]))

    @property
    def united(self) -> FeatureGroups | None:
        """The groups that are chosen or left as one, if there are any."""
        return self.groups if self.at_most is None else None

    def leads(self, features: IndexArray) -> IndexArray:
        """The features under whose numbers the table has some: of a group the first."""
        return features if self.united is None else self.united.leads[features]

    def units(self, features: IndexArray) -> IndexArray:
        """Of some features, those that stand for themselves or for their groups."""
        return features[self.leads(features) == features]

    def titles(self, names: Sequence[str]) -> Sequence[str]:
        """The names of all features; of those that stand for a group that of the group."""
        return names if self.united is None else self.united.titles(names)

    def n_choices(self, n_features: int) -> int:
        """How many there are to choose from: features, and groups of them that count as one."""
        return n_features if self.united is None else len(np.unique(self.united.leads))

    def check_measure(self, measure: Measure, weights: Weights | None = None) -> None:
        """Raises ValueError if groups are to be chosen as one by a measure that cannot, or with weights."""
        if self.united is not None and weights is not None:
            raise ValueError(
                Message(
                    Parameter("feature_groups"),
                    " without ",
                    Parameter("at_most"),
                    " has groups chosen as one, which cannot be done where samples have weights. Give ",
                    Parameter("at_most"),
                    ", the most features of each group, or leave out the weights.",
                )
            )
        if self.united is not None and measure.form.name != "scores":
            raise ValueError(
                Message(
                    Parameter("feature_groups"),
                    " without ",
                    Parameter("at_most"),
                    " has groups chosen as one, which only ",
                    Parameter("measure", "rank"),
                    f" can; this is {measure.name!r}. Give ",
                    Parameter("at_most"),
                    ", the most features of each group, or that measure.",
                )
            )

    def check(self, names: Names) -> None:
        """Raises ValueError if not all of it can be."""
        both = np.intersect1d(self.keep, self.exclude)
        if len(both):
            raise ValueError(
                Message(
                    Parameter("keep"),
                    " and ",
                    Parameter("exclude"),
                    f" both name {names.some(both)}; a feature can be one of the two.",
                )
            )
        if len(self.exclude) == len(names):
            raise ValueError(
                Message(Parameter("exclude"), f" names all {len(names)} features; leave some to choose from.")
            )
        if self.groups is not None and self.at_most is not None:
            self._check_full(self.groups, self.at_most)

    def check_number(self, n_select: int | None) -> None:
        """Raises ValueError if more features must be in than are asked for."""
        if n_select is not None and len(self.keep) > n_select:
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {counted(len(self.keep), 'feature')}, but ",
                    Parameter("n_features_to_select"),
                    f" asks for {n_select}, which counts those kept; ask for {len(self.keep)} or more.",
                )
            )

    def _check_full(self, groups: FeatureGroups, at_most: int) -> None:
        """Raises ValueError if more features of a group must be in than may be."""
        own = groups.labels[self.keep]
        times = np.bincount(own[own >= 0], minlength=len(groups.names))
        for group in np.flatnonzero(times > at_most)[:1].tolist():
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {times[group]} features of the group {groups.names[group]!r}, but ",
                    Parameter("at_most", at_most),
                    "; keep fewer of them, or raise it.",
                )
            )

    def check_varying(self, table: FeatureTable[Any], names: Names) -> None:
        """Raises ValueError if a feature that must be in is constant, or nothing is left to choose from."""
        constant = np.setdiff1d(self.keep, table.varying)
        if len(constant):
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {names.some(constant)}, constant in these samples: such a feature says nothing "
                    "and cannot be weighed. Add it after the selection, if you need it.",
                )
            )
        if len(np.setdiff1d(table.varying, self.exclude)) == 0:
            raise ValueError(
                Message(Parameter("exclude"), " leaves no feature that is not constant; exclude fewer.")
            )

    def whole(self, table: FeatureTable[Any]) -> FeatureTable[Any]:
        """The table that is weighed: with groups as one feature each, where they are chosen so."""
        groups = self.united
        if groups is None or not groups.larger:
            return table
        members = [groups.members(group) for group in groups.larger]
        alone = np.setdiff1d(table.varying, np.concatenate(members))
        return table.united(alone, members, [int(some[0]) for some in members])

    def candidates(self, table: FeatureTable[Any]) -> FeatureTable[Any]:
        """The features that may be chosen."""
        return table.only(np.setdiff1d(table.varying, self.exclude)) if len(self.exclude) else table

    def terms(self, relevance: FloatArray) -> Terms:
        """What is settled before anything is weighed: kept features come first, the most relevant first."""
        keep = self.keep[np.argsort(-relevance[self.keep], kind="stable")]
        if self.groups is None or self.at_most is None:
            return Terms(keep)
        return Terms(keep, self.groups.labels, self.at_most)
