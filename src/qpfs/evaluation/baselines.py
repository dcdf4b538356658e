"""The baseline that selections are compared with: all features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator


class AllFeatures(BaseEstimator):
    """Ranks all features in the order of the columns.

    See Also
    --------
    qpfs.evaluation.compare : Several methods by nested cross-validation, beside this baseline.

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
            Ignored.

        Returns
        -------
        self : object
            With `order_`.
        """
        self.order_ = np.arange(np.shape(X)[1])
        return self
