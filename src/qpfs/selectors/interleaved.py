"""Any clusterer and any criterion, in turns."""

from __future__ import annotations

from typing import Any

from qpfs.checks import checked_count, number_between
from qpfs.clustering import Clusterer
from qpfs.criteria import Criterion
from qpfs.information import AnyMeasure, Measure
from qpfs.selector_texts import documented
from qpfs.selectors.clustered import ClusteredMixin
from qpfs.selectors.parameters import OR_AUTO, is_auto
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

MOST_FIRST = 100  # clusters to begin with, unless it is said; decision 0013


@documented
class InterleavedSelector(ClusteredMixin):
    """Features are clustered and weighed in turns until nothing splits: any clusterer, any criterion.

    Parameters
    ----------
    clusterer : {"kmeans"}, object or None, default=None
        Which features are alike: :class:`~qpfs.FeatureKMeans` (the default), or anything else that
        :class:`~qpfs.TwoLevelSelector` takes. A clusterer of scikit-learn that has the parameter `n_clusters`
        is asked for `n_first` and `n_split` clusters; others split as they like.
    criterion : object, str or None, default=None
        How much each representative weighs: anything that :class:`~qpfs.TwoLevelSelector` takes; QPFS by
        default.
    discard : {"careful", "aggressive", "never"} or callable, default="careful"
        Which clusters are discarded: those without weight once they are final ("careful", as IKM does), those
        without weight at once ("aggressive", as IKMA does), or none ("never").

        Or a function of the weights of a round's representatives and of whether their clusters are final,
        both arrays, that says which go.
    n_keep : int or None, default=None
        How many representatives of a round keep their weight.

        None: all that the criterion gives weight, or
        the best 5 if the criterion never says zero, as relevance and scorers do not; a criterion's own
        `n_features_to_select` comes before that.
    {n_kept}
    {measure}
    {discretizer}
    {target_discretizer}
    {class_weight}
    {target_weights}
    {fdr}
    {n_permutations}
    {keep}
    {exclude}
    {feature_groups}
    {at_most}
    random_state : int, RandomState instance or None, default=0
        Seeds what the parts draw at random.
    {n_jobs}
    {radius}
    {n_first}
    {n_split}
    {max_depth}

    Attributes
    ----------
    {clustered_fit}
    theta_, theta_standard_error_, gap_, objective_, ...
        What the criterion's own selector has; these if it is QPFS.

    See Also
    --------
    IKMQPFS : Clustering and program in turns, discarding with care.
    IKMAQPFS : Clustering and program in turns, discarding at once.
    TwoLevelSelector : Any clusterer, then any criterion.
    FeatureKMeans : k-means of features, as a part of these selectors.

    Notes
    -----
    With the defaults this is :class:`~qpfs.IKMQPFS`. What differs from [1]_: the publication has one
    clusterer and the program; here both, and the rule for discarding, are parts that can be replaced.

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

    _turns = "in turns until no cluster was split"
    _advice = "A smaller radius, or a larger n_first or n_split, makes more clusters."

    def _check_parameters(self) -> None:
        if not is_auto(self.radius):
            number_between("radius", self.radius, 0.0, 1.0, OR_AUTO)
        if not is_auto(self.n_first):
            checked_count("n_first", self.n_first, 1, OR_AUTO)
        checked_count("n_split", self.n_split, 2)
        if self.max_depth is not None:
            checked_count("max_depth", self.max_depth, 1)
        discard_part(self.discard)
        if self.n_keep is not None:
            checked_count("n_keep", self.n_keep, 1)
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
