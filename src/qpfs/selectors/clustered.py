"""The base of the clustered selectors: similar features are clustered, and cluster representatives weighted.

A clustered selector is made of parts: a clusterer, a criterion, and a strategy that decides when each of them
is applied. The published methods are such selectors with the parts that their parameters name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from qpfs.arrays import IndexArray
from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion, Effort
from qpfs.information import AnyMeasure, Measure
from qpfs.selectors.account import Account, candidates, measure_words
from qpfs.selectors.parameters import is_auto
from qpfs.selectors.parts import FeatureKMeans, Given, criterion_of, criterion_part, wanted
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.qpfs import (
    BY_WEIGHT,
    QPFS,
    RANKED,
    REPRESENTATIVES,
    mean_pairs,
    program_certainty,
    solved_text,
)
from qpfs.selectors.qpfs import REFERENCE as PROGRAM
from qpfs.selectors.reasons import Left, Names, Reason, Said, shared
from qpfs.selectors.selector import FeatureSelector
from qpfs.selectors.theta_path import ThetaPathMixin
from qpfs.strategies import Clustered, Strategy
from qpfs.strategies.rounds import DISCARDED
from qpfs.wording import json_value

REFERENCE = (
    "Prasad Y, Biswas KK. Integrating K-means with quadratic programming feature selection. "
    "arXiv:1505.01728, 2015."
)
DISTANCES = 600  # per feature in a fit, about, other work included; estimates its cost
# An automatic theta uses all pairs while that takes milliseconds, as the rest of a clustered method does;
# beyond that, 24 columns are usually enough for a standard error of two per cent.
EFFORT = Effort(affordable=1e9, aim=0.02, pilot=24)


class ClusteredMixin(ThetaPathMixin, FeatureSelector):
    """A selector with a clusterer, a criterion and a strategy."""

    n_features_to_select: int | float | None
    clusterer: Any
    criterion: Any
    random_state: Any
    labels_: IndexArray
    representatives_: IndexArray
    _turns: str  # when clusters are weighted, in words
    _advice: str  # which parameter to change for more features
    _references: ClassVar[tuple[str, ...]] = (REFERENCE,)
    _weighs = False  # a clustered selector cannot be the criterion of another

    @abstractmethod
    def _clusterer(self) -> FeatureKMeans | Given:
        """The clusterer, as a part."""

    @abstractmethod
    def _strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        """The strategy: what is clustered and weighted, and when."""

    def _weigher(self) -> Any:
        """The criterion, as a part."""
        return criterion_of(self.criterion)

    def _weighed(self) -> IndexArray:
        return self.representatives_

    def _radius(self, measure: Measure) -> float | None:
        """How far apart first centres are, if the clusterer does not define it."""
        return None

    def _asked_measure(self) -> AnyMeasure:
        """The measure as given; that of the criterion if only the criterion has one."""
        part = self._weigher()
        own: AnyMeasure = part.measure if isinstance(part, FeatureSelector) else self.measure
        return own if is_auto(self.measure) else self.measure

    def _wanted(self) -> Any:
        return wanted(self.n_features_to_select, self._weigher())

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        problem = replace(problem, effort=EFFORT)
        criterion = criterion_part(self._weigher(), problem, random_state)
        drawn = check_random_state(self.random_state)
        clusterer = self._clusterer().clusterer(problem, self._radius(problem.table.measure.measure), drawn)
        strategy: Any = self._strategy(clusterer, criterion, problem)
        if problem.terms:
            strategy = replace(strategy, keep=np.sort(problem.terms.keep))
        return Clustered(strategy, criterion)

    def _shortage(self, n: int) -> str:
        by_chance = self.fdr is not None and n == np.count_nonzero(self.qvalues_ <= self.fdr)
        if by_chance or self.at_most is not None:
            return super()._shortage(n)
        return f"only {n} represent a cluster; those are selected. {self._advice}"

    def account(self, chosen: Collection[str] = ()) -> Account:
        part = self._weigher()
        text = (
            f"Features were selected from {candidates(self)} by clustering similar features "
            f"({json_value(self.clusterer) or 'k-means of features'}) and weighting the representative of "
            f"each cluster ({json_value(self.criterion) or 'QPFS'}), {self._turns}, in the framework of [1]; "
            f"relevance and redundancy were measured by {measure_words(self)}."
        )
        if hasattr(part, "theta"):
            text = f"{text} {solved_text(self, part.theta, chosen)}"
        if not isinstance(part, FeatureSelector):
            scored = "A score is the value that the criterion assigned to the feature."
            return Account(text, self._references, (by_itself(part),), repeats_little=False, scored=scored)
        inner = part._certainty(self, clustered=True)
        return Account(
            text, self._references, inner, repeats_little=part._repeats_little, scored=part._scored
        )

    def _left_out(self, left: Left) -> Iterator[Said]:
        part = self._weigher()
        inner = part._left_out(left) if isinstance(part, FeatureSelector) else iter([left.below()])
        stand = left.members.representative == np.arange(left.n_features)
        gone = left.members.cluster < 0
        yield gone, Reason("in a cluster that was discarded", partial(in_discarded, discarded(self)))
        # The criterion gives a reason also for discarded features that it would have left out itself.
        judged = stand if left.standing is None else stand | (gone & (left.worth <= left.needed))
        yield from ((some & judged, reason) for some, reason in inner)
        yield left.by_chance(gone)
        yield ~gone & ~stand, Reason("in the cluster of another feature", partial(in_cluster, left))

    def _pairs(self, m: int, n_samples: float) -> float:
        theta = getattr(self._weigher(), "theta", None)
        return mean_pairs(theta, m, n_samples, EFFORT.affordable) + min(DISTANCES, m) * m


def in_cluster(left: Left, some: IndexArray, names: Names) -> Iterator[str]:
    """The representative of the cluster of each feature, and whether it was selected."""
    others, apart = left.members.representative[some], left.members.distance[some].tolist()
    chosen = left.selected[others].tolist()
    for other, distance, selected in zip(others.tolist(), apart, chosen, strict=True):
        fate = "" if selected else ", which is not selected"
        yield f"belongs to the cluster of {names[other]} ({shared(1.0 - distance, left.given)}){fate}"


def discarded(fitted: Any) -> IndexArray:
    """The representative of the cluster with which each feature was discarded; -1 if it was not."""
    found = np.full(fitted.n_features_in_, -1, np.intp)
    for level in fitted.rounds_.levels:
        labels = level.clusters.labels
        gone = np.flatnonzero(level.fates[labels] == DISCARDED)
        found[level.clusters.groups.members[gone]] = level.clusters.representatives[labels[gone]]
    return found


def in_discarded(with_whom: IndexArray, some: IndexArray, names: Names) -> Iterator[str]:
    """That features were discarded, and with which representative."""
    for i, other in zip(some.tolist(), with_whom[some].tolist(), strict=True):
        whose = "" if other in (i, -1) else f", that of {names[other]},"
        yield f"its cluster{whose} was discarded"


def by_itself(part: Any) -> str:
    """The certainty of a result whose criterion was passed in by the user."""
    name = getattr(part, "__name__", None) or type(part).__name__
    return (
        f"Each cluster representative was weighted by {name}, whose optimality is not known here; redundancy "
        "was treated by clustering."
    )


class PresetMixin:
    """A published method, made of the parts that its parameters name."""

    theta: float | str
    order: str
    _title: str  # what the publication calls it
    _references: ClassVar[tuple[str, ...]] = (REFERENCE, PROGRAM)

    def _weigher(self) -> QPFS:
        return QPFS(theta=self.theta, order=self.order)

    @abstractmethod
    def _clustered_text(self) -> str:
        """How the features were clustered, in the words of a paper."""

    def account(self, chosen: Collection[str] = ()) -> Account:
        ranked = RANKED[self.order]
        text = (
            f"Features were selected from {candidates(self)} by {self._title} [1]. {self._clustered_text()} "
            "The cluster representatives were weighted by quadratic programming feature selection "
            "[2], which trades relevance to the target against redundancy, both measured by "
            f"{measure_words(self)}. {solved_text(self, self.theta, chosen)} {ranked or BY_WEIGHT}"
        )
        certainty = program_certainty(self, self.theta, REPRESENTATIVES, chosen)
        return Account(text, self._references, certainty, ranked=ranked)
