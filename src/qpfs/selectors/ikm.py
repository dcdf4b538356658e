"""IKM-QPFS and IKMA-QPFS: clustering and the quadratic program alternately."""

from __future__ import annotations

from typing import Any

from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.account import distance_words
from qpfs.selectors.clustered import PresetMixin
from qpfs.selectors.interleaved import InterleavedSelector
from qpfs.selectors.parts import FeatureKMeans


@documented
class IKMQPFS(PresetMixin, InterleavedSelector):
    """IKM-QPFS: k-means and QPFS alternately; only narrow clusters are discarded.

    All features are clustered under the distance d(f, g) = 1 - I(f; g) / max(H(f), H(g)), and QPFS assigns
    weights to the cluster representatives. A cluster whose radius is at most `radius` is final: it is kept if
    its representative has positive weight, and discarded otherwise. Wider clusters are split, and their parts
    are treated in the same way. QPFS on all kept representatives gives the ranking.

    Parameters
    ----------
    {interleaved_qpfs}

    Attributes
    ----------
    {clustered_qpfs_fit}

    See Also
    --------
    IKMQPFSCV : IKM-QPFS with radius and number of features chosen by cross-validation.
    IKMAQPFS : Clustering and program alternately; any cluster without weight is discarded.
    InterleavedSelector : Any clusterer and any criterion alternately.
    TLKMQPFS : Two-level clustering of the features, then the program.

    Notes
    -----
    The mean of a cluster is that of its members' level scores, each with its sign changed where it is
    negatively correlated with the centre. The mean is discretised as the features are, or by
    ``ThreeSegments()`` if the discretiser is `AsCodes`; the publication does not define the distance to a
    mean. What else differs from [1]_: the depth is counted along each branch, a cluster is final if its
    radius is at most (not below) `radius`, one theta is used for the whole fit, first centres are the most
    relevant features by default, the program is solved exactly, and features are ranked one by one.

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

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        radius: float | str = "auto",
        n_first: int | str = "auto",
        n_split: int = 50,
        max_depth: int | None = None,
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
        self.radius = radius
        self.n_first = n_first
        self.n_split = n_split
        self.max_depth = max_depth
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

    _title, _gone = "IKM-QPFS", "once its radius was small enough"
    discard, n_keep = "careful", None

    def _clusterer(self) -> FeatureKMeans:
        return FeatureKMeans(init=self.init, representative=self.representative)

    def _clustered_text(self) -> str:
        n_first = len(self.rounds_.levels[0].clusters)
        return (
            f"Features were clustered by k-means under {distance_words(self)}, starting from {n_first} "
            f"clusters; a cluster of radius above {self.radius_:g} was split into {self.n_split}, and one "
            f"whose representative received no weight was discarded {self._gone}."
        )


@documented
class IKMAQPFS(IKMQPFS):
    """IKMA-QPFS: k-means and QPFS alternately; any cluster without weight is discarded.

    Differs from :class:`~qpfs.IKMQPFS` in one point: a cluster whose representative has no weight is
    discarded immediately, however wide it is. This is faster, but may lose information that only some members
    of a cluster carry.

    Parameters
    ----------
    {interleaved_qpfs}

    Attributes
    ----------
    {clustered_qpfs_fit}

    See Also
    --------
    IKMAQPFSCV : IKMA-QPFS with radius and number of features chosen by cross-validation.
    IKMQPFS : Clustering and program alternately; only narrow clusters are discarded.
    InterleavedSelector : Any clusterer and any criterion alternately.

    Notes
    -----
    What differs from [1]_: the published algorithm returns from the function at the first cluster without
    weight, which would abandon its remaining siblings; here the next sibling is examined. See
    :class:`~qpfs.IKMQPFS` for the other differences.

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

    _title, _gone = "IKMA-QPFS", "immediately"
    discard = "aggressive"
