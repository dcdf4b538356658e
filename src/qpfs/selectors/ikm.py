"""IKM-QPFS and IKMA-QPFS: clustering and the program in turns."""

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
    """IKM-QPFS: k-means and QPFS in turns, discarding carefully.

    All features are clustered under the distance d(f, g) = 1 - I(f; g) / max(H(f), H(g)), and QPFS weighs
    the features that stand for the clusters. A cluster whose radius is at most `radius` is final: it is kept
    if its representative has weight, and discarded otherwise. Wider clusters are split and treated alike.
    QPFS on all representatives kept gives the ranking.

    Parameters
    ----------
    {interleaved_qpfs}

    Attributes
    ----------
    {clustered_qpfs_fit}

    See Also
    --------
    IKMQPFSCV : The radius and the number of features chosen by cross-validation.
    IKMAQPFS : Clustering and program in turns, discarding at once.
    InterleavedSelector : Any clusterer and any criterion in turns.
    TLKMQPFS : Features clustered at two levels before the program.

    Notes
    -----
    The mean of a cluster is that of its members' level scores, turned to run with the centre, and
    cut as the features are; the publication leaves open how a distance to a mean is taken. What else differs
    from [1]_: the level is counted along each branch, a cluster is final if its radius is at most (not below)
    `radius`, theta is one for the whole fit, first centres are the most relevant features by default, the
    program is solved exactly, and features are ranked one by one. A mean of levels is cut by
    the discretiser, or by ``ThreeSegments()`` if that is `AsCodes`.

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

    _title, _gone = "IKM-QPFS", "once its radius was small"
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
    """IKMA-QPFS: k-means and QPFS in turns, discarding aggressively.

    As :class:`~qpfs.IKMQPFS`, but a cluster whose representative has no weight is discarded at once, however
    wide it is. Faster, and it may lose what only a part of a cluster would have said.

    Parameters
    ----------
    {interleaved_qpfs}

    Attributes
    ----------
    {clustered_qpfs_fit}

    See Also
    --------
    IKMAQPFSCV : The same search with the clusters discarded at once.
    IKMQPFS : Clustering and program in turns, discarding with care.
    InterleavedSelector : Any clusterer and any criterion in turns.

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

    _title, _gone = "IKMA-QPFS", "at once"
    discard = "aggressive"
