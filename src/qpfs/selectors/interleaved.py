"""Any clusterer and any criterion, alternately."""

from __future__ import annotations

from typing import Any

from qpfs.checks import check_limits
from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.information import AnyMeasure, Measure
from qpfs.selector_texts import documented
from qpfs.selectors.clustered import ClusteredMixin
from qpfs.selectors.parameters import is_auto
from qpfs.selectors.parts import (
    FeatureKMeans,
    Given,
    check_criterion,
    clusterer_part,
    discard_part,
    first_clusters,
    reject_two_levels,
    round_criterion,
)
from qpfs.selectors.problem import FitProblem
from qpfs.strategies import Refining, Strategy, always

MOST_FIRST = 100  # initial clusters by default; decision 0013


@documented
class InterleavedSelector(ClusteredMixin):
    """Any clusterer and any criterion, alternately, until no cluster is split.

    Parameters
    ----------
    clusterer : {"kmeans"}, object or None, default=None
        How similar features are clustered: :class:`~qpfs.FeatureKMeans` (the default), or any other clusterer
        that :class:`~qpfs.TwoLevelSelector` accepts. A clusterer of scikit-learn with the parameter
        `n_clusters` makes `n_first` and `n_split` clusters; others determine the number themselves.
    criterion : object, str or None, default=None
        What assigns weights to the representatives: any criterion that :class:`~qpfs.TwoLevelSelector`
        accepts; QPFS by default.
    discard : {"careful", "aggressive", "never"} or callable, default="careful"
        Which clusters are discarded: those without weight once they are final ("careful", as IKM does), those
        without weight immediately ("aggressive", as IKMA does), or none ("never").

        Or a function of two arrays, the weights of a round's representatives and whether their clusters are
        final, that returns which clusters to discard.
    n_keep : int or None, default=None
        How many representatives of a round keep their weight.

        None: all with positive weight, or the best 5 if the criterion gives every feature some weight, as
        relevance and scorers do; a criterion's own `n_features_to_select` takes precedence.
    {n_kept}
    {measure}
    {usual_parameters}
    random_state : int, RandomState instance or None, default=0
        Seeds the random choices of the parts.
    {n_jobs}
    {radius}
    {n_first}
    {n_split}
    {max_depth}

    Attributes
    ----------
    {clustered_fit}
    theta_, theta_standard_error_, gap_, objective_, ...
        The fitted attributes of the criterion's selector; these if it is QPFS.

    See Also
    --------
    IKMQPFS : Clustering and program alternately; only narrow clusters are discarded.
    IKMAQPFS : Clustering and program alternately; any cluster without weight is discarded.
    TwoLevelSelector : Any clusterer, then any criterion.
    FeatureKMeans : k-means of features, as a part of these selectors.

    Notes
    -----
    With the defaults this is :class:`~qpfs.IKMQPFS`. What differs from [1]_: the publication has one
    clusterer and the quadratic program; here both, and the rule for discarding, can be replaced.

    References
    ----------
    .. [1] Y. Prasad, K. K. Biswas. Integrating K-means with Quadratic Programming Feature Selection.
           arXiv:1505.01728, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import FeatureKMeans, InterleavedSelector, MaxRel
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> alike = FeatureKMeans(init="relevance")
    >>> selector = InterleavedSelector(alike, MaxRel(), "aggressive", n_features_to_select=2)
    >>> list(selector.fit(X, y).get_feature_names_out())
    ['worst radius', 'worst perimeter']
    """

    def __init__(
        self,
        clusterer: Any = None,
        criterion: Any = None,
        discard: Any = "careful",
        *,
        n_keep: int | None = None,
        n_features_to_select: int | float | None = None,
        radius: float | str = "auto",
        n_first: int | str = "auto",
        n_split: int = 50,
        max_depth: int | None = None,
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
        self.discard = discard
        self.n_keep = n_keep
        self.n_features_to_select = n_features_to_select
        self.radius = radius
        self.n_first = n_first
        self.n_split = n_split
        self.max_depth = max_depth
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

    _turns = "alternately until no cluster was split"
    _advice = "A smaller radius, or a larger n_first or n_split, makes more clusters."

    def _check_parameters(self) -> None:
        check_limits(self, "radius", "n_first", "n_split", "max_depth", "n_keep")
        discard_part(self.discard)
        reject_two_levels(self._clusterer())
        self._clusterer().check()
        check_criterion(self._weigher(), self)

    def _clusterer(self) -> FeatureKMeans | Given:
        return clusterer_part(self.clusterer, FeatureKMeans(), sized=True)

    def _radius(self, measure: Measure) -> float:
        return float(measure.radius if is_auto(self.radius) else self.radius)

    def _strategy(self, clusterer: Clusterer, criterion: Criterion, problem: FitProblem) -> Strategy:
        return Refining(
            clusterer,
            round_criterion(self._weigher(), criterion, self.n_keep, problem.table.n_features),
            discard_part(self.discard),
            self._radius(problem.table.measure.measure),
            first_clusters(problem, MOST_FIRST) if is_auto(self.n_first) else int(self.n_first),
            always(self.n_split),
            self.max_depth,
        )
