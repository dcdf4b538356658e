"""The redundancy between features: the matrix Q of a fit, and alternatives to a feature, which share the most
with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.checks import checked_count, flag
from qpfs.memory import memory_of_machine
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.given_features import index_of, indices_of, seen_names
from qpfs.sorting import first_places


class Alternative(NamedTuple):
    """A feature that could replace another."""

    feature: int
    name: str
    distance: float


class RedundancyMixin:
    """Keeps the packed features of a fit, computes what any of them share, and finds the nearest to one."""

    n_features_in_: int
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

    def alternatives(self, feature: int | str, n: int = 5, *, excluded: bool = False) -> list[Alternative]:
        """The features nearest to a given one, which could be measured instead of it.

        Parameters
        ----------
        feature : int or str
            A column, by index or by name.
        n : int, default=5
            How many to return.
        excluded : bool, default=False
            Whether features named by `exclude` may be among them.

        Returns
        -------
        alternatives : list of Alternative
            `feature`, `name` and `distance`, nearest first. With Q the measure between features, the
            distance of f and g is 1 - Q(f, g) / max(Q(f, f), Q(g, g)), which for mutual information is
            1 - I(f; g) / max(H(f), H(g)): 0 if each determines the other, 1 if they are independent.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> nearest = QPFS().fit(X, y).alternatives("worst area", n=1)[0]
        >>> nearest.name, round(nearest.distance, 3)
        ('worst radius', 0.002)
        """
        table, asked = self.fitted_.packed, self.fitted_.asked
        index = int(asked.leads(np.array([index_of(self, feature)]))[0])
        distances = table.distances(np.array([index]))[0]
        out = () if flag("excluded", excluded) else asked.exclude
        others = np.setdiff1d(asked.units(np.arange(self.n_features_in_)), [index, *out])
        nearest = others[first_places(distances[others], checked_count("n", n, 1))]
        names = asked.titles(seen_names(self))
        return [Alternative(int(i), names[i], float(distances[i])) for i in nearest]


def check_matrix_room(n: int) -> None:
    """Raises MemoryError if the matrix of so many features, with a copy, exceeds the computer's memory."""
    needed = 2 * 8 * n * n
    if needed > (room := memory_of_machine()):
        raise MemoryError(
            f"The redundancy of {n:,} features takes about {needed / 1e9:.1f} GB, and this computer has "
            f"{room / 1e9:.1f} GB. Name fewer features."
        )
