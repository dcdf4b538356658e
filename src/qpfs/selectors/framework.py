"""Any clusterer with any criterion: in one round, or in turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.codes.validation import count
from qpfs.criteria import Criterion
from qpfs.information import Measure
from qpfs.selectors.clustered import ClusteredSelector, checked_refinement
from qpfs.selectors.parts import (
    FeatureKMeans,
    TwoLevelFeatureKMeans,
    check_criterion,
    clusterer_part,
    criterion_part,
    discard_part,
    reject_two_levels,
    round_criterion,
    wanted,
)
from qpfs.selectors.problem import Problem
from qpfs.selectors.quadratic import QPFS
from qpfs.strategies import Outcome, Refining, always


class ComposedSelector(ClusteredSelector):
    """What is composed of a clusterer and a criterion that the user passes in."""

    clusterer: Any
    criterion: Any

    def _weigher(self) -> Any:
        return QPFS() if self.criterion is None else self.criterion

    def _wanted(self) -> Any:
        return wanted(self.n_features_to_select, self._weigher())

    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        return criterion_part(self._weigher(), problem, random_state)


class TwoLevelSelector(ComposedSelector):
    """Features are clustered, and those that stand for the clusters weighed: any clusterer, any criterion.

    Parameters
    ----------
    clusterer : object or None, default=None
        Which features are alike: :class:`~qpfs.TwoLevelFeatureKMeans` (the default),
        :class:`~qpfs.FeatureKMeans`, or a clusterer of scikit-learn, which is shown each feature as a row of
        standardised numbers; with ``metric="precomputed"`` the distances 1 - I / max(H, H') between features;
        or with ``affinity="precomputed"`` 1 less those. A feature that it calls noise is a cluster by itself.
        Or an object with the method ``cluster(table, groups, k, relevance)``.
    criterion : object or None, default=None
        How much each representative weighs: :class:`~qpfs.QPFS` (the default), :class:`~qpfs.MRMR`,
        :class:`~qpfs.MaxRel`, :class:`~qpfs.NystromQPFS`, or a function of (X, y) that scores columns, such
        as ``f_classif``.
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If fewer stand for a cluster, those are selected and a warning says so.
    measure, discretizer, target_discretizer, n_jobs
        As for :class:`~qpfs.QPFS`; they hold for the criterion too.
    random_state : int, RandomState instance or None, default=0
        Seeds what the parts draw at random.

    Attributes
    ----------
    order_, scores_, support_, relevance_, labels_, representatives_, radii_, radius_, n_distances_, \
    rounds_, discretizer_, n_features_in_, feature_names_in_
        As for :class:`~qpfs.IKMQPFS`; no cluster is discarded. `radius_` is None where clusters are made in
        one round.
    theta_, gap_, objective_, ...
        What the criterion's own selector has; QPFS has these.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.feature_selection import f_classif
    >>> from qpfs import TwoLevelSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> alike = AgglomerativeClustering(10, metric="precomputed", linkage="average")
    >>> selector = TwoLevelSelector(alike, f_classif, n_features_to_select=2).fit(X, y)
    >>> list(selector.get_feature_names_out())
    ['mean concavity', 'worst perimeter']
    """

    def __init__(
        self,
        clusterer: Any = None,
        criterion: Any = None,
        *,
        n_features_to_select: int | float | None = None,
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.clusterer = clusterer
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        self._clusterer().check()
        check_criterion(self._weigher(), self)

    def _clusterer(self) -> Any:
        return clusterer_part(self.clusterer, TwoLevelFeatureKMeans(), sized=False)

    def _outcome(
        self, problem: Problem, criterion: Criterion, random_state: np.random.RandomState
    ) -> Outcome:
        part = self._clusterer()
        strategy = part.strategy(part.clusterer(problem, None, random_state), criterion)
        found: Outcome = strategy.run(problem.table, problem.relevance, problem.tick)
        return found

    def _advice(self) -> str:
        return "A clusterer that makes more clusters gives more."


class InterleavedSelector(ComposedSelector):
    """Features are clustered and weighed in turns until nothing splits: any clusterer, any criterion.

    Parameters
    ----------
    clusterer : object or None, default=None
        Which features are alike: :class:`~qpfs.FeatureKMeans` (the default), or anything else that
        :class:`~qpfs.TwoLevelSelector` takes. A clusterer of scikit-learn that has the parameter `n_clusters`
        is asked for `n_first` and `n_split` clusters; others split as they like.
    criterion : object or None, default=None
        How much each representative weighs: anything that :class:`~qpfs.TwoLevelSelector` takes; QPFS by
        default.
    discard : {"careful", "aggressive", "never"} or callable, default="careful"
        Which clusters are discarded: those without weight once they are final (IKM), those without weight at
        once (IKMA), or none. Or a function of the weights of a round's representatives and of whether their
        clusters are final, both arrays, that says which go.
    n_keep : int or None, default=None
        How many representatives of a round keep their weight. None: all that the criterion gives weight, or
        the best 5 if the criterion never says zero, as relevance and scorers do not; a criterion's own
        `n_features_to_select` comes before that.
    n_features_to_select, measure, discretizer, target_discretizer, random_state, n_jobs
        As for :class:`~qpfs.TwoLevelSelector`.
    radius, n_first, n_split, max_levels
        As for :class:`~qpfs.IKMQPFS`.

    Attributes
    ----------
    order_, scores_, support_, relevance_, labels_, representatives_, radii_, radius_, n_distances_, \
    rounds_, discretizer_, n_features_in_, feature_names_in_
        As for :class:`~qpfs.IKMQPFS`.
    theta_, gap_, objective_, ...
        What the criterion's own selector has; QPFS has these.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MRMR, FeatureKMeans, InterleavedSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> alike = FeatureKMeans(init="relevance")
    >>> selector = InterleavedSelector(alike, MRMR(), "aggressive", n_features_to_select=2)
    >>> list(selector.fit(X, y).get_feature_names_out())
    ['mean area', 'worst concave points']
    """

    def __init__(
        self,
        clusterer: Any = None,
        criterion: Any = None,
        discard: Any = "careful",
        *,
        n_keep: int | None = None,
        n_features_to_select: int | float | None = None,
        radius: float = 0.8,
        n_first: int = 15,
        n_split: int = 15,
        max_levels: int | None = None,
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.clusterer = clusterer
        self.criterion = criterion
        self.discard = discard
        self.n_keep = n_keep
        self.n_features_to_select = n_features_to_select
        self.radius = radius
        self.n_first = n_first
        self.n_split = n_split
        self.max_levels = max_levels
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        checked_refinement(self)
        discard_part(self.discard)
        if self.n_keep is not None:
            count("n_keep", self.n_keep, 1)
        reject_two_levels(self.clusterer)
        self._clusterer().check()
        check_criterion(self._weigher(), self)

    def _clusterer(self) -> Any:
        return clusterer_part(self.clusterer, FeatureKMeans(), sized=True)

    def _outcome(
        self, problem: Problem, criterion: Criterion, random_state: np.random.RandomState
    ) -> Outcome:
        strategy = Refining(
            self._clusterer().clusterer(problem, self.radius, random_state),
            round_criterion(self._weigher(), criterion, self.n_keep, problem.table.n_features),
            discard_part(self.discard),
            float(self.radius),
            self.n_first,
            always(self.n_split),
            self.max_levels,
        )
        return strategy.run(problem.table, problem.relevance, problem.tick)

    def _advice(self) -> str:
        return "A smaller radius, or a larger n_first or n_split, makes more clusters."
