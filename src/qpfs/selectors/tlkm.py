"""TLKM-QPFS: clustering in two levels, then the quadratic program."""

from __future__ import annotations

from typing import Any

from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.account import distance_words
from qpfs.selectors.clustered import PresetMixin
from qpfs.selectors.parts import TwoLevelFeatureKMeans
from qpfs.selectors.two_level import TwoLevelSelector


@documented
class TLKMQPFS(PresetMixin, TwoLevelSelector):
    """TLKM-QPFS: two-level k-means of the features, then QPFS on the cluster representatives.

    Features are clustered under the distance d(f, g) = 1 - I(f; g) / max(H(f), H(g)) into a few clusters, and
    those with a radius above tau are split once more; no cluster is discarded. QPFS on the representatives
    gives the ranking.

    Parameters
    ----------
    {n_kept}
    n_clusters : int, default=200
        k: the most parts that a cluster is split into.

        With ``radius=None`` it is the expected number of clusters, from which tau is derived. Otherwise tau
        determines the number of clusters: by ranks at 0.4 most features are clusters of one.
    n_first : "auto", int or None, default="auto"
        k': how many initial clusters: half of `n_clusters` and at most a quarter of the features ("auto"), a
        number, or, as published, the square root of `n_clusters` (None).
    radius : "auto", float or None, default="auto"
        tau: that of the measure (0.4 by ranks, 0.5 by correlation, 0.8 by levels) ("auto"), a number, or, as
        published, derived from `n_clusters` (None).
    repeat : bool, default=False
        Whether to continue splitting until every radius is at most tau.
    {init}
    {representative}
    {theta}
    {order}
    {measure}
    {usual_parameters}
    {seed}
    {n_jobs}

    Attributes
    ----------
    {clustered_qpfs_fit}

    See Also
    --------
    TLKMQPFSCV : TLKM-QPFS with numbers of clusters and features chosen by cross-validation.
    IKMQPFS : Clustering and program alternately; only narrow clusters are discarded.
    TwoLevelSelector : Any clusterer, then any criterion.

    Notes
    -----
    With R the radius of all features and N the number of samples, tau as published is R n_clusters^(-1/N),
    and the number of parts of a cluster of radius r is (r / tau)^N, at least 2, at most `n_clusters` and its
    size. One pass does not guarantee a radius, so some may remain above tau.

    What differs from [1]_: `n_first` and `radius` have other defaults (None is as published), first
    centres are the most relevant features by default, the program is solved exactly, and features are
    ranked one by one.

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
        n_clusters: int = 200,
        n_first: int | str | None = "auto",
        radius: float | str | None = "auto",
        repeat: bool = False,
        init: str = "relevance",
        representative: str = "mean",
        theta: float | str = "auto",
        order: str = "nearest",
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
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_first = n_first
        self.radius = radius
        self.repeat = repeat
        self.init = init
        self.representative = representative
        self.theta = theta
        self.order = order
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

    _title = "TLKM-QPFS"
    _advice = "A larger n_clusters, or a smaller radius, makes more clusters."

    def _clusterer(self) -> TwoLevelFeatureKMeans:
        return TwoLevelFeatureKMeans(
            self.n_clusters,
            n_first=self.n_first,
            radius=self.radius,
            repeat=self.repeat,
            init=self.init,
            representative=self.representative,
        )

    def _clustered_text(self) -> str:
        n_first = len(self.rounds_.levels[0].clusters)
        return (
            f"Features were clustered by two-level k-means under {distance_words(self)}: {n_first} clusters "
            f"first, of which those of radius above {self.radius_:.3g} were split, "
            f"{len(self.representatives_)} in the end."
        )
