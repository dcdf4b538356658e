"""Any clusterer, then any criterion on the cluster representatives."""

from __future__ import annotations

from typing import Any

from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.clustered import ClusteredMixin
from qpfs.selectors.parts import FeatureKMeans, Given, TwoLevelFeatureKMeans, check_criterion, clusterer_part
from qpfs.selectors.problem import FitProblem
from qpfs.strategies import Strategy


@documented
class TwoLevelSelector(ClusteredMixin):
    """Any clusterer, then any criterion on the cluster representatives.

    Parameters
    ----------
    clusterer : {"kmeans", "two-level-kmeans"}, object or None, default=None
        The clusterer of the features: "kmeans", "two-level-kmeans", or an object.

        :class:`~qpfs.TwoLevelFeatureKMeans` is the default. Others are :class:`~qpfs.FeatureKMeans`, a
        clusterer of scikit-learn, or an object with the method ``cluster(table, groups, k, relevance)``. A
        clusterer of scikit-learn is fitted to the features as rows of standardised numbers; with
        ``metric="precomputed"`` to the distances 1 - I / max(H, H') between features; with
        ``affinity="precomputed"`` to 1 minus these distances. A feature that it labels as noise becomes a
        cluster of one.
    criterion : object, str or None, default=None
        What assigns weights to the cluster representatives: the name of a method such as "maxrel"; "qpfs" by
        default.

        Or a selector such as :class:`~qpfs.QPFS` or :class:`~qpfs.MaxRel`; or a function of (X, y) that
        scores columns, such as ``f_classif``.
    {n_kept}
    {measure}
    {usual_parameters}
    {n_jobs}
    random_state : int, RandomState instance or None, default=0
        Seeds the random choices of the parts.

    Attributes
    ----------
    {clustered_fit}
    theta_, theta_standard_error_, gap_, objective_, ...
        The fitted attributes of the criterion's selector; these if it is QPFS.

    See Also
    --------
    TLKMQPFS : Two-level clustering of the features, then the program.
    InterleavedSelector : Any clusterer and any criterion alternately.
    TwoLevelFeatureKMeans : Two-level k-means of features, as a part of a selector.

    Notes
    -----
    With the defaults this is :class:`~qpfs.TLKMQPFS`. What differs from [1]_: the publication has one
    clusterer and the quadratic program; here both can be replaced.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

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
    ['mean area', 'mean concavity']
    """

    def __init__(
        self,
        clusterer: Any = None,
        criterion: Any = None,
        *,
        n_features_to_select: int | float | None = None,
        measure: AnyMeasure = "auto",
        discretizer: Any = None,
        target_discretizer: Any = None,
        class_weight: Any = None,
        target_weights: Any = None,
        fdr: float | None = None,
        n_permutations: int = 0,
        keep: Any = None,
        exclude: Any = None,
        feature_groups: Any = None,
        at_most: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.clusterer = clusterer
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.keep = keep
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.at_most = at_most
        self.random_state = random_state
        self.n_jobs = n_jobs

    _turns = "in one round"
    _advice = "A clusterer that makes more clusters gives more."

    def _check_parameters(self) -> None:
        self._clusterer().check()
        check_criterion(self._weigher(), self)

    def _clusterer(self) -> FeatureKMeans | Given:
        return clusterer_part(self.clusterer, TwoLevelFeatureKMeans(), sized=False)

    def _strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        return self._clusterer().strategy(clusterer, criterion, problem)
