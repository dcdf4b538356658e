"""Restrictions that a user puts on features: to keep, to exclude, and groups.

Names are looked up again at each fit, so that they refer to the same columns of another table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria import Terms
from qpfs.information import FeatureTable, Measure
from qpfs.messages import Message, Parameter, invalid
from qpfs.selectors.feature_groups import FeatureGroups, groups_given
from qpfs.selectors.given_features import Names, places_given
from qpfs.selectors.parameters import checked_n_features
from qpfs.wording import counted

ASKED = ("keep", "exclude", "feature_groups", "at_most")  # the parameters of restrictions

NONE = np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class Restrictions:
    """The columns to keep and to exclude, ascending; the groups, and the most features of each."""

    names: Names
    keep: IndexArray
    exclude: IndexArray
    groups: FeatureGroups | None = None
    at_most: int | None = None  # per group; None: a group is selected or left out as a whole

    @classmethod
    def of(cls, selector: Any, names: Names) -> Restrictions:
        """The restrictions that a selector's parameters define on columns of these names; or ValueError."""
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
        """The groups that are selected or left out as a whole, if there are any."""
        return self.groups if self.at_most is None else None

    def leads(self, features: IndexArray) -> IndexArray:
        """The numbers under which the table holds features: for a group that of its first column."""
        return features if self.united is None else self.united.leads[features]

    def units(self, features: IndexArray) -> IndexArray:
        """Those of some features that the table holds: single features, and the first column of a group."""
        return features[self.leads(features) == features]

    def titles(self, names: Sequence[str]) -> Sequence[str]:
        """The names of all features; the first column of a group has the name of the group."""
        return names if self.united is None else self.united.titles(names)

    @property
    def n_choices(self) -> int:
        """The number of features, with each group that is selected as a whole counted as one."""
        return len(self.units(np.arange(len(self.names))))

    def n_select(self, wanted: Any) -> int | None:
        """How many features are requested, with each group counted as one; raises ValueError."""
        n = checked_n_features(wanted, self.n_choices)
        if n is not None and len(self.keep) > n:
            raise invalid(
                Parameter("keep"),
                f" names {counted(len(self.keep), 'feature')}, but ",
                Parameter("n_features_to_select"),
                f" asks for {n}, including those kept; ask for {len(self.keep)} or more.",
            )
        return n

    def check_measure(self, measure: Measure) -> None:
        """Raises ValueError if groups are to be selected as a whole by a measure that does not allow it."""
        if self.united is not None and measure.form.name != "scores":
            raise invalid(
                Parameter("feature_groups"),
                " without ",
                Parameter("at_most"),
                " means that groups are selected as a whole, which only ",
                Parameter("measure", "rank"),
                f" allows; this is {measure.name!r}. Give ",
                Parameter("at_most"),
                ", the most features of each group, or that measure.",
            )

    def check(self) -> None:
        """Raises ValueError if the restrictions contradict each other."""
        both = np.intersect1d(self.keep, self.exclude)
        if len(both):
            raise invalid(
                Parameter("keep"),
                " and ",
                Parameter("exclude"),
                f" both name {self.names.some(both)}; a feature can be in only one of the two.",
            )
        if len(self.exclude) == (n := len(self.names)):
            raise invalid(Parameter("exclude"), f" names all {n} features; leave some to select from.")
        if self.groups is not None and self.at_most is not None:
            self._check_full(self.groups, self.at_most)

    def _check_full(self, groups: FeatureGroups, at_most: int) -> None:
        """Raises ValueError if more features of a group are to be kept than `at_most` allows."""
        own = groups.labels[self.keep]
        times = np.bincount(own[own >= 0], minlength=len(groups.names))
        for group in np.flatnonzero(times > at_most)[:1].tolist():
            raise invalid(
                Parameter("keep"),
                f" names {times[group]} features of the group {groups.names[group]!r}, but ",
                Parameter("at_most", at_most),
                "; keep fewer of them, or raise it.",
            )

    def whole(self, table: FeatureTable) -> FeatureTable:
        """The table with each group as one feature, where groups are selected as a whole."""
        groups = self.united
        if groups is not None and groups.larger:
            members = [groups.members(group) for group in groups.larger]
            alone = np.setdiff1d(table.varying, np.concatenate(members))
            self._check_room(table, np.concatenate(members), "feature_groups")
            table = table.united(alone, members, [int(some[0]) for some in members])
        self._check_varying(table)
        return table

    def _check_varying(self, table: FeatureTable) -> None:
        """Raises ValueError if a feature to keep is constant, or no feature remains to select from."""
        constant = np.setdiff1d(self.keep, table.varying)
        explained = np.intersect1d(constant, table.store.reflecting)
        if len(explained):
            raise invalid(
                Parameter("keep"),
                f" names {self.names.some(explained)}, which carries no information beyond the "
                "covariates. Omit it from one of the two.",
            )
        if len(constant):  # it cannot be weighed, and to select it in silence would hide that (decision 0017)
            raise invalid(
                Parameter("keep"),
                f" names {self.names.some(constant)}, constant in these samples: a constant feature "
                "cannot be weighted. Add it after the selection, if you need it.",
            )
        if len(np.setdiff1d(table.varying, self.exclude)) == 0:
            raise invalid(Parameter("exclude"), " leaves no feature that is not constant; exclude fewer.")

    def candidates(self, table: FeatureTable) -> FeatureTable:
        """The table of the features that may be selected."""
        if len(self.exclude) == 0:
            return table
        self._check_room(table, self.exclude, "exclude")
        return table.only(np.setdiff1d(table.varying, self.exclude))

    def _check_room(self, table: FeatureTable, gone: IndexArray, parameter: str) -> None:
        """Raises MemoryError if a table without some features would exceed its memory limit."""
        if not table.can_do_without(gone):
            raise MemoryError(
                Message(
                    Parameter(parameter),
                    " needs a copy of the remaining features, which exceeds the memory limit of this table. "
                    "Raise the limit, or leave those columns out when the table is made.",
                )
            )

    def terms(self, relevance: FloatArray) -> Terms | None:
        """The terms of a selection: features to keep, most relevant first, and groups that may be full."""
        keep = self.keep[np.argsort(-relevance[self.keep], kind="stable")]
        if self.groups is not None and self.at_most is not None:
            return Terms(keep, self.groups.labels, self.at_most)
        return Terms(keep) if len(keep) else None


UNRESTRICTED = Restrictions(Names(None, 0), NONE, NONE)  # no restrictions
