"""The reason why each feature was selected or left out.

A method gives the reasons in its own terms (`_left_out`), the weakest first: where several hold for a
feature, the last one is reported. This module computes what most methods need: which selected feature a
feature shares most with, and by how much the shared information lowers its worth.

Letters: s relevance; the worth of a feature and the worth needed are those of the criterion (`Standing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.criteria import Standing
from qpfs.engines import one_blas_thread
from qpfs.selectors.account import given_account
from qpfs.selectors.feature_groups import FeatureGroups
from qpfs.selectors.members import Members
from qpfs.selectors.restrictions import UNRESTRICTED, Restrictions
from qpfs.sorting import first_places

COMPARED = 50  # each feature is compared with so many selected ones, and so many with the strongest pull
BESIDE = 0.5  # a second feature is named if its pull is at least this share of the strongest
CHANCE = 0.05  # q value above which a feature is no more relevant than chance

Names: TypeAlias = Sequence[str]  # of all features
Texts: TypeAlias = Callable[[IndexArray, Names], Iterable[str]]  # gives a sentence for each of some features


@dataclass(frozen=True, eq=False)
class Reason:
    """One kind of reason: its label where features are counted, and its sentence for each feature."""

    label: str
    texts: Texts

    @classmethod
    def plain(cls, label: str, text: str | None = None) -> Reason:
        """A reason whose sentence is the same for every feature."""
        return cls(label, lambda some, _: [label if text is None else text] * len(some))


Said: TypeAlias = tuple[BoolArray, Reason]  # which features have which reason


class Reasons:
    """The reason of each feature; sentences are made on request."""

    def __init__(self, n_features: int, said: Iterable[Said], asked: Restrictions | None = None) -> None:
        self.asked = asked or UNRESTRICTED
        self.kinds: list[Reason] = []
        self.kind = np.zeros(n_features, np.uint8)
        for features, reason in said:
            self.kind[features] = len(self.kinds)
            self.kinds.append(reason)

    def texts(self, features: IndexArray, names: Names) -> list[str]:
        """Why some features were selected or not; for a group that is one feature, that of the group."""
        if self.asked.united is not None:
            return self._with_groups(features, self.asked.united, names)
        return self._each(features, names)

    def _with_groups(self, features: IndexArray, groups: FeatureGroups, names: Names) -> list[str]:
        found, larger = self._each(groups.leads[features], groups.titles(names)), set(groups.larger)
        own = groups.labels[features].tolist()
        return [
            f"{text} (with its group {groups.names[group]!r})" if group in larger else text
            for text, group in zip(found, own, strict=True)
        ]

    def _each(self, features: IndexArray, names: Names) -> list[str]:
        found, kind = np.empty(len(features), object), self.kind[features]
        for one in np.unique(kind).tolist():
            places = np.flatnonzero(kind == one)
            found[places] = list(self.kinds[one].texts(features[places], names))
        return found.tolist()

    def counts(self, features: IndexArray) -> dict[str, int]:
        """How many of some features have each kind of reason; the most frequent first."""
        times = np.bincount(self.kind[self.asked.leads(features)], minlength=len(self.kinds)).tolist()
        found: dict[str, int] = {}
        for reason, n in zip(self.kinds, times, strict=True):
            found[reason.label] = found.get(reason.label, 0) + n
        return {label: n for label, n in sorted(found.items(), key=lambda one: -one[1]) if n}


@dataclass(frozen=True, eq=False)
class Nearby:
    """For every feature the selected one that it shares most with, and those that lower its worth most."""

    chosen: IndexArray  # (n_features,) -1: none
    share: FloatArray  # of the larger of the two, 0 to 1
    pulling: IndexArray  # (2, n_features) -1: none
    pulling_share: FloatArray  # (2, n_features)


class Left:
    """What is known about the features that a fit left out."""

    def __init__(self, fitted: Any, members: Members) -> None:
        self.fitted = fitted
        self.members = members
        self.n_features = int(fitted.n_features_in_)
        self.selected: BoolArray = fitted.support_
        self.chosen: IndexArray = fitted.fitted_.asked.units(fitted.order_[self.selected[fitted.order_]])
        self.weight: FloatArray = fitted.scores_
        self.ranked = np.zeros(self.n_features, bool)
        self.ranked[fitted.order_] = True

    @property
    def relevance(self) -> FloatArray:
        found: FloatArray = self.fitted.relevance_
        return found

    @property
    def standing(self) -> Standing:
        found: Standing = self.fitted.fitted_.standing
        return found

    @cached_property
    def worth(self) -> FloatArray:
        """The worth of each feature in the criterion; for those not weighted, what it would have been."""
        standing, table = self.standing, self.fitted.fitted_.table
        unknown = np.isnan(standing.worth)
        if not standing.linear or not unknown[table.varying].any():
            return standing.worth
        shared = table.weighted_sum(standing.others, standing.pull)
        return np.where(unknown, self.relevance - shared, standing.worth)

    @cached_property
    def last(self) -> int | None:
        """The last feature selected without weight, because more were asked for than have weight."""
        if given_account(self.fitted).scored is not None:
            return None
        kept = self.fitted.fitted_.asked.keep
        filling = self.chosen[(self.weight[self.chosen] == 0) & ~np.isin(self.chosen, kept)]
        return int(filling[-1]) if len(filling) else None

    @property
    def needed(self) -> float:
        """The worth that a feature had to exceed: to have weight, or that of the last one without weight."""
        return self.standing.needed if self.last is None else float(self.worth[self.last])

    def whose(self, names: Names) -> str:
        """Which feature has the worth that is needed, if it is a single one."""
        return "" if self.last is None else f", the value of {names[self.last]}, the last selected"

    @property
    def large(self) -> float:
        """The share from which a feature repeats another: within the measure's default cluster radius."""
        return 1.0 - float(self.fitted.fitted_.table.measure.measure.radius)

    @property
    def given(self) -> str:
        """What is held fixed where two features are compared: the covariates, if any."""
        return str(self.fitted.fitted_.table.measure.measure.words.given)

    @cached_property
    def near(self) -> Nearby:
        with one_blas_thread():  # as in a fit: small products are slower on several threads
            return nearby(self.fitted.fitted_.table, self.chosen, self.standing)

    def below(self) -> Said:
        """The features that are ranked, but below the last one selected."""
        text = f"ranked below the {len(self.chosen):,} selected"
        return self.ranked & ~self.selected, Reason.plain("ranked below those selected", text)

    def below_beside(self) -> Said:
        """The features ranked below those selected, with the selected feature that each repeats, if any."""
        ranked, reason = self.below()

        def texts(some: IndexArray, names: Names) -> Iterator[str]:
            chosen, share = self.near.chosen[some].tolist(), self.near.share[some].tolist()
            for said, other, much in zip(reason.texts(some, names), chosen, share, strict=True):
                yield (
                    f"{said} ({shared(much, self.given)} with {names[other]})" if much >= self.large else said
                )

        return ranked, Reason(reason.label, texts)

    def by_chance(self, some: BoolArray) -> Said:
        """The features that are not more relevant than chance, where that is known."""
        q = np.asarray(getattr(self.fitted, "qvalues_", np.full(self.n_features, np.nan)))
        label = "no more relevant than chance"
        texts: Texts = lambda some, _: (f"{label} (q = {one:.2g})" for one in q[some].tolist())  # noqa: E731
        return some & (q > CHANCE), Reason(label, texts)

    def not_allowed(self, fdr: float) -> Said:
        """The features that were not weighted since their q value exceeds the false discovery rate."""
        q = self.fitted.qvalues_
        label = "above the false discovery rate"
        texts: Texts = lambda some, _: (f"{label} of {fdr:g} (q = {one:.2g})" for one in q[some].tolist())  # noqa: E731
        return ~self.ranked & (q > fdr), Reason(label, texts)

    def passed_over(self, groups: FeatureGroups, at_most: int) -> Said:
        """The features without rank since their group already has its largest number of features."""
        ranked = self.fitted.order_[groups.labels[self.fitted.order_] >= 0]
        own = groups.labels[ranked]
        full = np.bincount(own, minlength=len(groups.names)) >= at_most
        first = dict(zip(own[::-1].tolist(), ranked[::-1].tolist(), strict=True))
        taken = np.bincount(own[self.selected[ranked]], minlength=len(groups.names)) >= at_most

        def texts(some: IndexArray, names: Names) -> Iterator[str]:
            for group in groups.labels[some].tolist():
                name = repr(groups.names[group])
                if taken[group]:
                    yield f"its group {name} already has {at_most}"
                else:
                    yield f"ranked below {names[first[group]]} of its group {name}, which may have {at_most}"

        here = ~self.ranked & (groups.labels >= 0)
        here[here] = full[groups.labels[here]]
        return here, Reason("its group is full", texts)

    def outweighed(self, some: BoolArray, partly: Reason, *, relevance_counts: bool = True) -> Iterator[Said]:
        """Features left out since their relevance is too small, or since they share too much with others."""
        enough = some & ((self.relevance > self.needed) | (not relevance_counts))
        yield some & ~enough, Reason("too little relevance", self._too_little)
        yield enough, partly  # those that share enough to be worth less than is needed
        yield self.by_chance(some)
        yield enough & (self.near.share >= self.large), Reason("repeats a selected feature", self._repeats)

    def _too_little(self, some: IndexArray, names: Names) -> Iterator[str]:
        end = f"a feature that repeats nothing needs more than {self.needed:.3g}{self.whose(names)}"
        return (f"relevance {s:.3g}; {end}" for s in self.relevance[some].tolist())

    def _repeats(self, some: IndexArray, names: Names) -> Iterator[str]:
        chosen, share = self.near.chosen[some].tolist(), self.near.share[some].tolist()
        return (
            f"repeats {names[i]} ({shared(much, self.given)})" for i, much in zip(chosen, share, strict=True)
        )

    def partly(self, end: Texts, *, both: bool = True) -> Reason:
        """Features that share something with others; `end` gives the worth that remains of each."""

        def texts(some: IndexArray, names: Names) -> Iterator[str]:
            columns = [*self.near.pulling[:, some].tolist(), *self.near.pulling_share[:, some].tolist()]
            for first, second, much, more, said in zip(*columns, end(some, names), strict=True):
                also = f" and {names[second]} ({100 * more:.0f} %)" if both and second >= 0 else ""
                # Only some features with weight are compared; a feature may share nothing with any of them.
                yield (
                    f"partly repeats {names[first]} ({shared(much, self.given)}){also}: {said}"
                    if first >= 0
                    else said
                )

        return Reason("partly repeats others", texts)

    def less(self, some: IndexArray, names: Names) -> Iterator[str]:
        """The relevance of features minus what they share, as a sentence for each."""
        end = f"and more than {self.needed:.3g} is needed{self.whose(names)}"
        for s, worth in zip(self.relevance[some].tolist(), self.worth[some].tolist(), strict=True):
            yield f"relevance {s:.3g} minus {s - worth:.3g} for redundancy is {worth:.3g}, {end}"


def reasons_of(fitted: Any, members: Members | None = None) -> Reasons:
    """Why a fitted selector selected each feature, or left it out."""
    left = Left(fitted, Members(fitted) if members is None else members)
    return Reasons(left.n_features, weakest_first(left), fitted.fitted_.asked)


def weakest_first(left: Left) -> Iterator[Said]:
    """The reasons for all features; a later one replaces those before it."""
    yield np.ones(left.n_features, bool), Reason.plain("not ranked")
    if len(left.fitted.order_):
        yield from left.fitted._left_out(left)
    if getattr(left.fitted, "fdr", None) is not None:
        yield left.not_allowed(left.fitted.fdr)
    asked = left.fitted.fitted_.asked
    if asked.at_most is not None:
        yield left.passed_over(asked.groups, asked.at_most)
    yield constant(left.fitted), Reason.plain("constant")
    yield reflecting(left.fitted), Reason.plain("only reflects the covariates")
    yield among(asked.exclude, left.n_features), Reason.plain("excluded", "excluded, as asked for")
    yield left.selected, Reason.plain("selected")
    if given_account(left.fitted).scored is None:
        text = f"selected without weight, since {len(left.chosen):,} were asked for"
        yield left.selected & (left.weight == 0), Reason.plain("selected without weight", text)
    yield among(asked.keep, left.n_features), Reason.plain("kept", "kept, as asked for")


def among(features: IndexArray, n_features: int) -> BoolArray:
    """The mask of some features."""
    found = np.zeros(n_features, bool)
    found[features] = True
    return found


def constant(fitted: Any) -> BoolArray:
    """The features that are constant, or constant after discretisation."""
    table = fitted.fitted_.columns
    found = ~reflecting(fitted)
    found[fitted.order_ if table is None else table.varying] = False
    return found


def reflecting(fitted: Any) -> BoolArray:
    """The features that carry no information beyond the covariates."""
    table = fitted.fitted_.table
    found = np.zeros(fitted.n_features_in_, bool)
    if table is not None:
        found[table.store.reflecting] = True
    return found


def nearby(table: Any, chosen: IndexArray, standing: Standing) -> Nearby:
    """The nearest to each feature among the first selected ones and those with the strongest pull."""
    n, own = table.n_features, table.self_information
    found = Nearby(np.full(n, -1), np.zeros(n), np.full((2, n), -1), np.zeros((2, n)))
    pull, is_chosen, most = strongest(standing), set(chosen[:COMPARED].tolist()), np.zeros((2, n))
    for feature, row in table.each(np.array(sorted({*pull, *is_chosen}), np.intp)):
        larger = np.maximum(own, own[feature])
        share = np.divide(row, larger, out=np.zeros(n), where=larger > 0).clip(0.0, 1.0)
        if feature in is_chosen:
            nearer = share > found.share
            found.chosen[nearer], found.share[nearer] = feature, share[nearer]
        if feature in pull:
            put_in(most, found, feature, pull[feature] * row, share)
    found.pulling[1, most[1] < BESIDE * most[0]] = -1
    return found


def put_in(most: FloatArray, found: Nearby, feature: int, pull: FloatArray, share: FloatArray) -> None:
    """Updates, for every feature, the two with the strongest pull by one further feature."""
    ahead, second = pull > most[0], (pull > most[1]) & (pull <= most[0])
    for kept in (most, found.pulling, found.pulling_share):
        kept[1, ahead] = kept[0, ahead]
    most[0, ahead], most[1, second] = pull[ahead], pull[second]
    found.pulling[0, ahead], found.pulling[1, second] = feature, feature
    found.pulling_share[0, ahead], found.pulling_share[1, second] = share[ahead], share[second]


def strongest(standing: Standing) -> dict[int, float]:
    """The features with the strongest pull, at most `COMPARED`, and the pull of each."""
    best = first_places(-standing.pull, COMPARED)
    return dict(zip(standing.others[best].tolist(), standing.pull[best].tolist(), strict=True))


def shared(share: float, given: str = "") -> str:
    """The share that two features have in common, relative to the larger of them, in words."""
    # If covariates were adjusted for, what they explain does not count; `given` says so.
    return f"{100 * share:.0f} % shared{' ' if given else ''}{given}"
