"""Alternatives to a feature: those that share the most with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qpfs.checks import checked_count, flag
from qpfs.selectors.fitted import Fitted
from qpfs.selectors.given_features import index_of, seen_names
from qpfs.sorting import first_places


class Alternative(NamedTuple):
    """A feature that could replace another."""

    feature: int
    name: str
    distance: float


class AlternativesMixin:
    """Keeps the packed features of a fit, and finds those nearest to a given one."""

    n_features_in_: int
    fitted_: Fitted

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
