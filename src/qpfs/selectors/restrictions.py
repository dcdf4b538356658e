"""What a user asks of the features themselves: some must be in, some are out, some belong together.

Names are looked up anew at each fit, so that a selector means the same columns of another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import checked_count
from qpfs.criteria import Terms
from qpfs.information import FeatureTable, Measure
from qpfs.messages import Message, Parameter
from qpfs.selectors.feature_groups import FeatureGroups, groups_given
from qpfs.selectors.given_features import Names, places_given
from qpfs.selectors.parameters import checked_n_features
from qpfs.wording import counted

ASKED = ("keep", "exclude", "feature_groups", "at_most")  # the parameters that these are


NONE = np.empty(0, np.intp)


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

    names: Names
    keep: IndexArray
    exclude: IndexArray
    groups: FeatureGroups | None = None
    at_most: int | None = None  # of each group; None: a group is chosen or left as one

    @classmethod
    def of(cls, selector: Any, names: Names) -> Restrictions:
        """What the parameters of a selector mean for columns of such names; raises ValueError."""
        keep, exclude = (
            NONE if (given := getattr(selector, one)) is None else np.unique(places_given(one, given, names))
            for one in ("keep", "exclude")
        )
        given = selector.feature_groups
        groups = None if given is None else groups_given(given, names).without(exclude)
        made = cls(names, keep, exclude, groups, selector.at_most)
        made.check()
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

    @property
    def n_choices(self) -> int:
        """How many features there are, groups that are one counted as one."""
        return len(self.units(np.arange(len(self.names))))

    def n_select(self, wanted: Any) -> int | None:
        """How many features are asked for, groups that are one counted as one; raises ValueError."""
        n = checked_n_features(wanted, self.n_choices)
        if n is not None and len(self.keep) > n:
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {counted(len(self.keep), 'feature')}, but ",
                    Parameter("n_features_to_select"),
                    f" asks for {n}, which counts those kept; ask for {len(self.keep)} or more.",
                )
            )
        return n

    def check_measure(self, measure: Measure) -> None:
        """Raises ValueError if groups are to be chosen as one by a measure that cannot."""
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

    def check(self) -> None:
        """Raises ValueError if not all of it can be."""
        both = np.intersect1d(self.keep, self.exclude)
        if len(both):
            raise ValueError(
                Message(
                    Parameter("keep"),
                    " and ",
                    Parameter("exclude"),
                    f" both name {self.names.some(both)}; a feature can be one of the two.",
                )
            )
        if len(self.exclude) == (n := len(self.names)):
            raise ValueError(
                Message(Parameter("exclude"), f" names all {n} features; leave some to choose from.")
            )
        if self.groups is not None and self.at_most is not None:
            self._check_full(self.groups, self.at_most)

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

    def whole(self, table: FeatureTable[Any]) -> FeatureTable[Any]:
        """The table that is weighed: with groups as one feature each, where they are chosen so."""
        groups = self.united
        if groups is not None and groups.larger:
            members = [groups.members(group) for group in groups.larger]
            alone = np.setdiff1d(table.varying, np.concatenate(members))
            self._check_room(table, np.concatenate(members), "feature_groups")
            table = table.united(alone, members, [int(some[0]) for some in members])
        self._check_varying(table)
        return table

    def _check_varying(self, table: FeatureTable[Any]) -> None:
        """Raises ValueError if a feature that must be in is constant, or nothing is left to choose from."""
        constant = np.setdiff1d(self.keep, table.varying)
        explained = np.intersect1d(constant, table.store.reflecting)
        if len(explained):
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {self.names.some(explained)}, of which nothing is left once the covariates are "
                    "known. Leave it out of one of the two.",
                )
            )
        if len(constant):
            raise ValueError(
                Message(
                    Parameter("keep"),
                    f" names {self.names.some(constant)}, constant in these samples: such a feature says "
                    "nothing and cannot be weighed. Add it after the selection, if you need it.",
                )
            )
        if len(np.setdiff1d(table.varying, self.exclude)) == 0:
            raise ValueError(
                Message(Parameter("exclude"), " leaves no feature that is not constant; exclude fewer.")
            )

    def candidates(self, table: FeatureTable[Any]) -> FeatureTable[Any]:
        """The features that may be chosen."""
        if len(self.exclude) == 0:
            return table
        self._check_room(table, self.exclude, "exclude")
        return table.only(np.setdiff1d(table.varying, self.exclude))

    def _check_room(self, table: FeatureTable[Any], gone: IndexArray, parameter: str) -> None:
        """Raises MemoryError if a table without some features takes more memory than it may."""
        if not table.can_do_without(gone):
            raise MemoryError(
                Message(
                    Parameter(parameter),
                    " makes a copy of the other features that are kept beside them, which is more than this "
                    "table may take in memory. Raise its memory, or leave those columns out when it is made.",
                )
            )

    def terms(self, relevance: FloatArray) -> Terms | None:
        """What is settled before anything is weighed: kept features come first, the most relevant first."""
        keep = self.keep[np.argsort(-relevance[self.keep], kind="stable")]
        if self.groups is not None and self.at_most is not None:
            return Terms(keep, self.groups.labels, self.at_most)
        return Terms(keep) if len(keep) else None


UNRESTRICTED = Restrictions(Names(None, 0), NONE, NONE)  # is asked of the features
