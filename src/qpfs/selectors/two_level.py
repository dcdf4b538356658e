"""TLKM-QPFS: clustering in two levels, then the program."""

from __future__ import annotations

from typing import Any

from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.information import Measure
from qpfs.selectors.clustered import LEADER_RADIUS, ClusteredQPFS, checked_two_levels
from qpfs.strategies import TwoLevel


class TLKMQPFS(ClusteredQPFS):
    """TLKM-QPFS: two-level k-means of the features, then QPFS on those that stand for the clusters.

    Features are clustered under the distance d(f, g) = 1 - I(f; g) / max(H(f), H(g)) into a few clusters, and
    those wider than tau once more. QPFS on the representatives gives the ranking.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If fewer stand for a cluster, those are selected and a warning says so.
    n_clusters : int, default=100
        k: the number of clusters expected, from which tau follows.
    n_first : int or None, default=None
        k': how many clusters to begin with; None is the square root of `n_clusters`.
    radius : float or None, default=None
        tau, if it is not to follow from `n_clusters`.
    repeat : bool, default=False
        Whether to go on splitting until every radius is at most tau.
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="leaders"
        How first centres are chosen; see :class:`~qpfs.IKMQPFS`. Leaders are 0.8 apart, or `radius` if given.
    representative : {"mean", "literal", "medoid"}, default="mean"
        Which member stands for a cluster; see :class:`~qpfs.IKMQPFS`.
    theta : "auto" or float in [0, 1], default="auto"
        How much relevance counts against redundancy.
    theta_scope : {"global", "local"}, default="global"
        What an automatic theta is the balance of: all features, or the representatives.
    measure : {"mi", "correlation", "chi2"} or Measure, default="mi"
        What redundancy, relevance and distance are made of.
    discretizer : discretiser or None, default=None
        How numbers are cut into levels; None is ``ThreeSegments()``. Not used by "correlation".
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is cut; None is ``EqualFrequency(5)``.
    random_state : int, RandomState instance or None, default=0
        Seeds `init="random"` and the sample of features that an estimated automatic theta is based on.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.

    Attributes
    ----------
    order_, scores_, support_, relevance_, theta_, theta_standard_error_, gap_, objective_, labels_, \
    representatives_, radii_, radius_, n_distances_, rounds_, discretizer_, n_features_in_, feature_names_in_
        As for :class:`~qpfs.IKMQPFS`; no cluster is discarded.

    Notes
    -----
    With R the radius of all features and N the number of samples, tau is R n_clusters^(-1/N), and the number
    of parts of a cluster of radius r is (r / tau)^N, at least 2, at most `n_clusters` and its size. One pass
    guarantees no radius, so those left may be above tau.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import TLKMQPFS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TLKMQPFS(3, n_clusters=12).fit_transform(X, y).shape
    (569, 3)
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_clusters: int = 100,
        n_first: int | None = None,
        radius: float | None = None,
        repeat: bool = False,
        init: str = "leaders",
        representative: str = "mean",
        theta: float | str = "auto",
        theta_scope: str = "global",
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_first = n_first
        self.radius = radius
        self.repeat = repeat
        self.init = init
        self.representative = representative
        self.theta = theta
        self.theta_scope = theta_scope
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checked_two_levels(self)

    def _leader_radius(self) -> float:
        return LEADER_RADIUS if self.radius is None else float(self.radius)

    def _strategy(self, clusterer: Clusterer, criterion: Criterion) -> TwoLevel:
        return TwoLevel(clusterer, criterion, self.n_clusters, self.n_first, self.radius, self.repeat)

    def _advice(self) -> str:
        return "A larger n_clusters makes more clusters."
