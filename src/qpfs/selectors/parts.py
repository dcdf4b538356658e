"""The parts that users pass to the clustered selectors: clusterers, criteria, rules for discarding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from qpfs.checks import AUTO, TWO_LEVEL, check_limits, choice, flag
from qpfs.clustering import (
    AtRandom,
    Clusterer,
    FirstCentres,
    Foreign,
    Leaders,
    MacQueenVariant,
    NearestToMean,
    Representative,
    distance_matrix,
    farthest,
    first,
    medoid,
    most_relevant,
    similarity_matrix,
    standardized_rows,
)
from qpfs.clustering.foreign import Rows
from qpfs.codes.numbers import reject_labels
from qpfs.codes.target import present_labels
from qpfs.criteria import BestOf, Criterion, ScorerCriterion
from qpfs.methods import METHODS
from qpfs.registry import Registry
from qpfs.selector_texts import USUAL_PARAMETERS
from qpfs.selectors.parameters import checked_n_features, is_auto
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.selector import FeatureSelector
from qpfs.strategies import (
    Discard,
    Refining,
    Strategy,
    TwoLevel,
    aggressive,
    always,
    by_round,
    careful,
    never,
)

INITS = ("leaders", "relevance", "first", "random", "farthest")
STANDING = ("mean", "medoid")
DISCARDS: Registry[Discard | Callable[..., Any]] = Registry(
    "qpfs.discards", {"careful": careful, "aggressive": aggressive, "never": never}
)
N_KEEP = 5  # representatives kept per round by a criterion that gives every feature some weight
MOST_DISTANCES = 20_000  # features whose matrix of distances is held in memory: 3 GB, and copies of it


class FeatureKMeans(BaseEstimator):
    """k-means of features (a variant of MacQueen's), as a part of a clustered selector.

    Makes two passes: in each, every feature is assigned to the nearest centre under d = 1 - I / max(H, H'),
    then the member nearest to the cluster's mean becomes its centre.

    Parameters
    ----------
    n_clusters : int, default=100
        How many clusters :class:`~qpfs.TwoLevelSelector` makes. :class:`~qpfs.InterleavedSelector` uses its
        own `n_first` and `n_split`.
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="relevance"
        How initial centres are chosen; see :class:`~qpfs.IKMQPFS`.
    leader_radius : float or None, default=None
        The least distance between leaders; None is the `radius` of the selector, or that of the measure (0.4
        by ranks, 0.5 by correlation, 0.8 by levels) if the selector has none.
    representative : {"mean", "medoid"}, default="mean"
        Which member represents a cluster; see :class:`~qpfs.IKMQPFS`.

    See Also
    --------
    InterleavedSelector : Any clusterer and any criterion alternately.
    TwoLevelFeatureKMeans : Two-level k-means of features, as a part of a selector.
    MacQueenKMeans : The corresponding k-means of data points.

    Notes
    -----
    What differs from [1]_: initial centres are the most relevant features by default (``init="first"`` is as
    published), and the distance follows the measure of the selector; it is as published under "mi".

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import FeatureKMeans, MaxRel, TwoLevelSelector
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TwoLevelSelector(FeatureKMeans(8, init="farthest"), MaxRel()).fit(X, y).labels_.max()
    np.int64(7)
    """

    def __init__(
        self,
        n_clusters: int = 100,
        *,
        init: str = "relevance",
        leader_radius: float | None = None,
        representative: str = "mean",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.leader_radius = leader_radius
        self.representative = representative

    def check(self) -> None:
        """Raises ValueError if a parameter is invalid."""
        check_limits(self, "n_clusters", "leader_radius")
        choice("init", self.init, dict.fromkeys(INITS))
        choice("representative", self.representative, dict.fromkeys(STANDING))

    def clusterer(
        self, problem: FitProblem, radius: float | None, random_state: np.random.RandomState
    ) -> Clusterer:
        """The clusterer for a problem and the radius of the selector."""
        usual = problem.table.measure.measure.radius
        given = (one for one in (self.leader_radius, radius, usual) if one is not None)
        return feature_kmeans(problem, self.init, next(given), self.representative, random_state)

    def strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        """The strategy: one round of clustering."""
        return one_round(clusterer, criterion, self.n_clusters)


class TwoLevelFeatureKMeans(FeatureKMeans):
    """Two-level k-means of features, as a part of :class:`~qpfs.TwoLevelSelector`.

    Features are first divided into a few clusters; those with a radius above tau are split once more. See
    :class:`~qpfs.TLKMQPFS`.

    Parameters
    ----------
    n_clusters : int, default=200
        The expected number of clusters, and the most parts that a cluster is split into.
    n_first : "auto", int or None, default="auto"
        How many initial clusters: half of `n_clusters` and at most a quarter of the features ("auto"), a
        number, or, as published, the square root of `n_clusters` (None).
    radius : "auto", float or None, default="auto"
        tau: that of the measure (0.4 by ranks, 0.5 by correlation, 0.8 by levels) ("auto"), a number, or, as
        published, derived from `n_clusters` (None).
    repeat : bool, default=False
        Whether to continue splitting until every radius is at most tau.
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="relevance"
        How initial centres are chosen; see :class:`~qpfs.IKMQPFS`.
    leader_radius : float or None, default=None
        The least distance between leaders; None is `radius`, or that of the measure if `radius` is None.
    representative : {"mean", "medoid"}, default="mean"
        Which member represents a cluster; see :class:`~qpfs.IKMQPFS`.

    See Also
    --------
    TwoLevelSelector : Any clusterer, then any criterion.
    FeatureKMeans : k-means of features, as a part of these selectors.
    TwoLevelKMeans : Two-level k-means of data points.

    Notes
    -----
    What differs from [1]_: initial centres are the most relevant features by default (``init="first"`` is as
    published). See :class:`~qpfs.TLKMQPFS` for the rest.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MaxRel, TwoLevelFeatureKMeans, TwoLevelSelector
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = TwoLevelSelector(TwoLevelFeatureKMeans(12), MaxRel(), n_features_to_select=3)
    >>> selector.fit_transform(X, y).shape
    (569, 3)
    """

    def __init__(
        self,
        n_clusters: int = 200,
        *,
        n_first: int | str | None = AUTO,
        radius: float | str | None = AUTO,
        repeat: bool = False,
        init: str = "relevance",
        leader_radius: float | None = None,
        representative: str = "mean",
    ) -> None:
        super().__init__(n_clusters, init=init, leader_radius=leader_radius, representative=representative)
        self.n_first = n_first
        self.radius = radius
        self.repeat = repeat

    def check(self) -> None:
        super().check()
        check_limits(self, "n_first", "radius", limits=TWO_LEVEL)
        flag("repeat", self.repeat)

    def clusterer(
        self, problem: FitProblem, radius: float | None, random_state: np.random.RandomState
    ) -> Clusterer:
        return super().clusterer(problem, self._tau(problem), random_state)

    def strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        """The strategy: two levels of clustering."""
        n_first: Any = self.n_first
        if is_auto(n_first):
            n_first = first_clusters(problem, max(1, self.n_clusters // 2))
        return TwoLevel(clusterer, criterion, self.n_clusters, n_first, self._tau(problem), self.repeat)

    def _tau(self, problem: FitProblem) -> float | None:
        """tau, if it is not derived from the number of clusters."""
        tau: Any = problem.table.measure.measure.radius if is_auto(self.radius) else self.radius
        return tau


def first_clusters(problem: FitProblem, most: int) -> int:
    """The default number of initial clusters: at most a quarter of the features, so that some share one."""
    return min(most, max(2, len(problem.table.varying) // 4))


def feature_kmeans(
    problem: FitProblem, init: str, radius: float, representative: str, random_state: np.random.RandomState
) -> MacQueenVariant:
    """k-means of features with the parts that the parameters name."""
    representatives: dict[str, Representative] = {
        "mean": NearestToMean(problem.rule.for_means()),
        "medoid": medoid,
    }
    rank = random_state.permutation(problem.table.n_features)
    inits: dict[str, FirstCentres] = {
        "leaders": Leaders(radius),
        "relevance": most_relevant,
        "first": first,
        "random": AtRandom(rank),
        "farthest": farthest,
    }
    return MacQueenVariant(
        choice("representative", representative, representatives), choice("init", init, inits)
    )


class Given:
    """A clusterer given by the user: one with our `cluster` method, or one of scikit-learn."""

    def __init__(self, part: Any, sized: bool) -> None:
        self.part = part
        self.sized = sized

    def check(self) -> None:
        able = hasattr(self.part, "cluster") or hasattr(self.part, "fit_predict")
        if not able or isinstance(self.part, type):
            raise ValueError(
                f"clusterer={self.part!r}, but it must be FeatureKMeans(), TwoLevelFeatureKMeans(), a "
                "clusterer of scikit-learn such as KMeans(20), an object (not a class) with the method "
                f"cluster(table, groups, k, relevance), or one of {', '.join(map(repr, CLUSTERERS))}."
            )
        if hasattr(self.part, "check"):
            self.part.check()

    def clusterer(
        self, problem: FitProblem, radius: float | None, random_state: np.random.RandomState
    ) -> Clusterer:
        if hasattr(self.part, "cluster"):
            part: Clusterer = self.part
            return part
        representative = NearestToMean(problem.rule.for_means())
        return Foreign(seeded(self.part, random_state), self._rows(problem), representative, self.sized)

    def _rows(self, problem: FitProblem) -> Rows:
        """The input of the clusterer: distances or similarities if it takes those, else scaled numbers."""
        for name, matrix in (("metric", distance_matrix), ("affinity", similarity_matrix)):
            if getattr(self.part, name, None) == "precomputed":
                reject_many(len(problem.table.varying), self.part)
                return matrix
        reject_adjusted(problem, f"clusterer={self.part!r}", "FeatureKMeans()")
        return standardized_rows(problem.columns.with_numbers())

    def strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        return one_round(clusterer, criterion, 1)  # the clusterer determines the number of clusters


def seeded(part: Any, random_state: np.random.RandomState) -> Any:
    """The clusterer, with the selector's seed if it draws at random and has none of its own."""
    part = clone(part)
    if part.get_params().get("random_state", 0) is None:
        part.set_params(random_state=int(random_state.randint(2**31 - 1)))
    return part


def reject_adjusted(problem: FitProblem, part: str, instead: str) -> None:
    """Raises ValueError if covariates are given and the part would use numbers that are not adjusted."""
    if problem.adjusted:
        raise ValueError(
            f"covariates are given, but {part} uses the numbers of X directly and would not adjust "
            f"for them; use {instead}."
        )


def reject_many(n_features: int, part: Any) -> None:
    if n_features > MOST_DISTANCES:
        raise ValueError(
            f"{type(part).__name__} with metric='precomputed' needs all distances between {n_features} "
            f"features, and at most {MOST_DISTANCES} features fit. Use FeatureKMeans(), or fewer features."
        )


def one_round(clusterer: Clusterer, criterion: Criterion, n_clusters: int) -> Refining:
    """A strategy that clusters all features once and keeps every cluster."""
    return Refining(clusterer, criterion, never, None, n_clusters, always(n_clusters), 1)


CLUSTERERS: Registry[Callable[[], Any]] = Registry(
    "qpfs.clusterers", {"kmeans": FeatureKMeans, "two-level-kmeans": TwoLevelFeatureKMeans}
)


def clusterer_part(part: Any, default: FeatureKMeans, sized: bool) -> FeatureKMeans | Given:
    """The clusterer that a parameter is, or names."""
    if part is None:
        return default
    if isinstance(part, str):
        part = choice("clusterer", part, CLUSTERERS)()
    return part if isinstance(part, FeatureKMeans) else Given(part, sized)


def reject_two_levels(part: Any) -> None:
    if isinstance(part, TwoLevelFeatureKMeans):
        raise ValueError(
            f"clusterer={part!r} makes two levels itself, but so does InterleavedSelector. "
            "Use FeatureKMeans() here, or TwoLevelSelector."
        )


# Parameters of a criterion that only the selector around it may set, with their defaults.
OUTER = {"measure": AUTO, **dict.fromkeys(USUAL_PARAMETERS), "n_permutations": 0}


def check_criterion(part: Any, outer: FeatureSelector) -> None:
    """Raises ValueError if the value is not a criterion, or contradicts the selector around it."""
    weighs = isinstance(part, (FeatureSelector, Criterion)) or callable(part)
    if not weighs or isinstance(part, type) or not getattr(part, "_weighs", True):
        raise ValueError(
            f"criterion={part!r}, but it must be a selector such as QPFS() or its name, a function of (X, y) "
            "that scores columns such as f_classif, or a Criterion."
        )
    if not isinstance(part, FeatureSelector):
        return
    part._check_parameters()
    for name, default in OUTER.items():
        value, around = getattr(part, name), getattr(outer, name)
        if repr(value) not in (repr(default), repr(around)) and not is_auto(around):
            raise ValueError(
                f"criterion has {name}={value!r}, but discretising and measuring is done by the selector "
                f"around it; set {name} there."
            )


def criterion_of(value: Any) -> Any:
    """The criterion as given or named by a parameter; None is QPFS."""
    if not isinstance(value, str | None):
        return value
    return choice("criterion", value or "qpfs", METHODS).selector()


def criterion_part(part: Any, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
    """The criterion for a problem, made from a selector or a scoring function."""
    if isinstance(part, FeatureSelector):
        return part._criterion(problem, random_state)
    if isinstance(part, Criterion):
        return part
    if problem.target.others:
        raise ValueError(
            f"y has {len(problem.target.targets)} columns, but criterion={part!r} scores columns by one "
            "target; use a selector such as QPFS() as the criterion."
        )
    reject_adjusted(problem, f"criterion={part!r}", "a selector such as QPFS()")
    columns = problem.columns.with_numbers()
    reject_labels(columns, problem.table.varying, "A scorer")
    return ScorerCriterion(part, columns, present_labels(problem.y))


def wanted(n_features_to_select: Any, part: Any) -> Any:
    """How many features to select: the selector's parameter, or if it is None its criterion's."""
    if n_features_to_select is not None:
        return n_features_to_select
    return getattr(part, "n_features_to_select", None)


def round_criterion(part: Any, criterion: Criterion, n_keep: int | None, n_features: int) -> Criterion:
    """The criterion used in rounds: one that gives every feature some weight keeps only its best n."""
    n_own = checked_n_features(getattr(part, "n_features_to_select", None), n_features)
    n = n_keep or n_own or (None if criterion.says_zero else N_KEEP)
    return criterion.taking(n) if n is None else BestOf(criterion.taking(n), n)


def discard_part(part: Any) -> Discard:
    """The rule for discarding clusters that a parameter is, or names."""
    rule = part if callable(part) else choice("discard", part, DISCARDS)
    return rule if isinstance(rule, Discard) else by_round(rule)
