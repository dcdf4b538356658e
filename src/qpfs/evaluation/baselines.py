"""What a selection is compared with: all features, and all that stand for a cluster."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from qpfs.evaluation.curve import ErrorCurve, error_curve
from qpfs.selectors import MaxRel, TwoLevelFeatureKMeans, TwoLevelSelector


class AllFeatures(BaseEstimator):
    """Ranks all features in the order they come in.

    Examples
    --------
    >>> from qpfs.evaluation import AllFeatures
    >>> AllFeatures().fit([[1, 2, 3]], [0]).order_
    array([0, 1, 2])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the features.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The features.
        y : object
            Not looked at.

        Returns
        -------
        self : object
            With `order_`.
        """
        self.order_ = np.arange(np.shape(X)[1])
        return self


def all_features(X: Any, y: Any, **how: Any) -> ErrorCurve:
    """The error with all features: a curve of a single point.

    Parameters
    ----------
    X, y, **how
        As for :func:`error_curve`, but for `sizes`.

    Returns
    -------
    curve : ErrorCurve
        Its only size is the number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from qpfs.evaluation import all_features
    >>> all_features(*load_iris(return_X_y=True)).sizes
    (4,)
    """
    return error_curve(AllFeatures(), X, y, sizes=[n_features(X)], **how)


def representatives(
    X: Any, y: Any, *, n_clusters: int = 100, clusterer: Any = None, **how: Any
) -> ErrorCurve:
    """The error with all features that stand for a cluster of two-level k-means, no program solved.

    Parameters
    ----------
    X, y, **how
        As for :func:`error_curve`, but for `sizes`.
    n_clusters : int, default=100
        The number of clusters expected; see :class:`~qpfs.TLKMQPFS`.
    clusterer : TwoLevelFeatureKMeans or None, default=None
        Two-level k-means with other parameters, in place of `n_clusters`.

    Returns
    -------
    curve : ErrorCurve
        Its only size is the number of all features, of which those that stand for a cluster were used: their
        number in each split is `ranked`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs.evaluation import representatives
    >>> curve = representatives(*load_breast_cancer(return_X_y=True), n_clusters=8)
    >>> bool((curve.ranked < 30).all())
    True
    """
    part = TwoLevelFeatureKMeans(n_clusters) if clusterer is None else clusterer
    return error_curve(TwoLevelSelector(part, MaxRel()), X, y, sizes=[n_features(X)], **how)


def n_features(X: Any) -> int:
    return int(np.shape(X)[1])
