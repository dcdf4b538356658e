"""The redundancy between features: the matrix Q of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.memory import memory_of_machine
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.given_features import indices_of


class RedundancyMixin:
    """Keeps the packed features of a fit, and computes what any of them share."""

    fitted_: Fitted

    def redundancy(self, features: Any = None) -> FloatArray:
        """The redundancy matrix Q of some features: what each shares with each other, as the fit measured it.

        Parameters
        ----------
        features : sequence of str or int, mask, or None, default=None
            Columns by name, by index, or by a mask of all; None for the selected ones, best first.

        Returns
        -------
        Q : ndarray of shape (n, n)
            Rows and columns in the order of `features` (of a mask: in the order of the table). In the units
            of the measure: squared correlation of normal scores by ranks, nats for mutual information. The
            diagonal is what a feature shares with itself; 0 for a constant feature.

        See Also
        --------
        alternatives : The features nearest to a given one.
        RedundancyDisplay : The redundancy as a heat map, from 0 to 1.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> selector = QPFS(3).fit(X, y)
        >>> selector.redundancy(["worst area", "worst radius", "worst texture"]).round(2)
        array([[1.  , 1.  , 0.13],
               [1.  , 1.  , 0.12],
               [0.13, 0.12, 1.  ]])
        >>> selector.redundancy().shape
        (3, 3)
        """
        table, asked = self.fitted_.packed, self.fitted_.asked.leads(indices_of(self, features))
        check_matrix_room(len(asked))
        distinct, places = np.unique(asked, return_inverse=True)  # each feature is read once
        shared: FloatArray = table.between(distinct, distinct)
        return shared[np.ix_(places, places)]


def check_matrix_room(n: int) -> None:
    """Raises MemoryError if the matrix of so many features, with a copy, exceeds the computer's memory."""
    needed = 2 * 8 * n * n
    if needed > (room := memory_of_machine()):
        raise MemoryError(
            f"The redundancy of {n:,} features takes about {needed / 1e9:.1f} GB, and this computer has "
            f"{room / 1e9:.1f} GB. Name fewer features."
        )
