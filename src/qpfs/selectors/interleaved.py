"""IKM-QPFS and IKMA-QPFS: clustering and the program in turns."""

from __future__ import annotations

from typing import Any

from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.information import Measure
from qpfs.selectors.clustered import ClusteredQPFS, checked_refinement
from qpfs.strategies import Discard, Refining, aggressive, always, careful


class InterleavedQPFS(ClusteredQPFS):
    """What IKM-QPFS and IKMA-QPFS share."""

    _discard: Discard

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        radius: float = 0.8,
        n_first: int = 15,
        n_split: int = 15,
        max_levels: int | None = None,
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
        self.radius = radius
        self.n_first = n_first
        self.n_split = n_split
        self.max_levels = max_levels
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
        checked_refinement(self)

    def _leader_radius(self) -> float:
        return float(self.radius)

    def _strategy(self, clusterer: Clusterer, criterion: Criterion) -> Refining:
        return Refining(
            clusterer,
            criterion,
            type(self)._discard,
            float(self.radius),
            self.n_first,
            always(self.n_split),
            self.max_levels,
        )

    def _advice(self) -> str:
        return "A smaller radius, or a larger n_first or n_split, makes more clusters."


class IKMQPFS(InterleavedQPFS):
    """IKM-QPFS: k-means and QPFS in turns, discarding carefully.

    All features are clustered under the distance d(f, g) = 1 - I(f; g) / max(H(f), H(g)), and QPFS weighs
    the features that stand for the clusters. A cluster whose radius is at most `radius` is final: it is kept
    if its representative has weight, and discarded otherwise. Wider clusters are split and treated alike.
    QPFS on all representatives kept gives the ranking.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight. If fewer stand for a cluster, those are selected and a warning says so.
    radius : float, default=0.8
        tau: a cluster with a radius of at most this is not split. From 0 (identical features only) to 1. The
        default suits the measures made of levels, for which even close copies are 0.5 apart and more; with
        ``measure="correlation"``, where d is one less the size of the correlation, 0.5 is a better beginning.
    n_first : int, default=15
        How many clusters to begin with.
    n_split : int, default=15
        Into how many parts a cluster is split, at least 2.
    max_levels : int or None, default=None
        L: the most levels; None for no limit.
    init : {"leaders", "relevance", "first", "random", "farthest"}, default="leaders"
        How first centres are chosen: the most relevant features that are farther than `radius` from each
        other; the most relevant ones; the first columns (as published; the answer then depends on their
        order); at random; or the most relevant and then always the farthest. By the first two the answer does
        not depend on the order of columns, but for features of exactly equal relevance or distance, of which
        the lower index comes first; with few samples there are many such.
    representative : {"mean", "literal", "medoid"}, default="mean"
        Which member stands for a cluster: the one nearest to the mean of the cut members, each turned to run
        with the centre; nearest to the mean of the columns scaled to [-1, 1], which needs numbers without
        missing values; or the one with the least sum of distances, which takes the square of the members.
    theta : "auto" or float in [0, 1], default="auto"
        How much relevance counts against redundancy. "auto" balances the means of redundancy and relevance.
    theta_scope : {"global", "local"}, default="global"
        What an automatic theta is the balance of: all features, one value for the whole fit, computed from a
        sample of columns if there are many features; or, in a literal reading of the publication, those of
        each program by itself.
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
    order_ : ndarray of int
        The representatives kept, best first: by weight, then by reduced gradient, then by index.
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha of the final program; 0 where there is none.
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    relevance_ : ndarray of shape (n_features_in_,)
        What each feature shares with the target.
    theta_, theta_standard_error_ : float
        theta as used, and the standard error of an estimated one.
    gap_, objective_ : float
        The certificate and the objective of the final program.
    labels_ : ndarray of int of shape (n_features_in_,)
        The final cluster of every feature; -1 where it was discarded, or the feature is constant.
    representatives_ : ndarray of int
        The feature that stands for each final cluster.
    radii_ : ndarray of float
        The radius of each final cluster.
    radius_ : float
        tau as used.
    n_distances_ : int
        Distances really computed.
    rounds_ : sequence of Round
        The trace: level, parent, members, labels, representatives, radii, weights, fates.
    discretizer_ : discretiser or None
        The fitted discretiser; its `edges_` show the cuts.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    The mean of a cluster is that of its members' level scores, turned to run with the centre, and
    cut as the features are; the publication leaves open how a distance to a mean is taken. What else differs
    from [1]_: the level is counted along each branch, a cluster is final if its radius is at most (not below)
    `radius`, theta is one for the whole fit, first centres are `"leaders"` by default, and the program is
    solved exactly. A mean is cut by the discretiser, or by ``ThreeSegments()`` if that is `AsCodes`.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMQPFS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> IKMQPFS(4, radius=0.6).fit_transform(X, y).shape
    (569, 4)
    """

    _discard = careful


class IKMAQPFS(InterleavedQPFS):
    """IKMA-QPFS: k-means and QPFS in turns, discarding aggressively.

    As :class:`~qpfs.IKMQPFS`, but a cluster whose representative has no weight is discarded at once, however
    wide it is. Faster, and it may lose what only a part of a cluster would have said.

    Parameters
    ----------
    n_features_to_select, radius, n_first, n_split, max_levels, init, representative, theta, theta_scope, \
    measure, discretizer, target_discretizer, random_state, n_jobs
        As for :class:`~qpfs.IKMQPFS`.

    Attributes
    ----------
    order_, scores_, support_, relevance_, theta_, theta_standard_error_, gap_, objective_, labels_, \
    representatives_, radii_, radius_, n_distances_, rounds_, discretizer_, n_features_in_, feature_names_in_
        As for :class:`~qpfs.IKMQPFS`.

    Notes
    -----
    The publication leaves the whole function when it meets a cluster without weight, which would abandon its
    remaining siblings; here the next sibling is judged. See :class:`~qpfs.IKMQPFS` for what else differs.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMAQPFS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> IKMAQPFS(4, radius=0.6).fit_transform(X, y).shape
    (569, 4)
    """

    _discard = aggressive
