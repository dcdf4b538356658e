"""The theta path: the weights for many theta, from a fit with one theta.

Letters: Q redundancy, s relevance, theta trade-off.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import is_integer, unfit
from qpfs.criteria import Redundancy
from qpfs.selectors.fitted import Fitted
from qpfs.wording import counted

EVENLY = 51  # thetas from 0 to 1 by default


@dataclass(frozen=True, eq=False, repr=False)
class ThetaPath:
    """The weights of all features for many theta.

    Attributes
    ----------
    thetas : ndarray of shape (n_thetas,)
        The trade-offs, in the order in which they were given.
    weights : ndarray of shape (n_thetas, n_features)
        The weights at each theta: not negative, each row adds up to 1.
    objectives, gaps : ndarray of shape (n_thetas,)
        The objective, and the certificate: the Frank-Wolfe gap.
    status : ndarray of str of shape (n_thetas,)
        "optimal" where optimality is proved, else "stationary".
    """

    thetas: FloatArray
    weights: FloatArray
    objectives: FloatArray
    gaps: FloatArray
    status: AnyArray

    def __repr__(self) -> str:
        n, m = self.weights.shape
        reached = counted(int((self.weights > 0).any(axis=0).sum()), "feature")
        return f"<ThetaPath: {counted(n, 'theta')}, {reached} of {m:,} with weight at any>"


class ThetaPathMixin:
    """Solves the program of a fit for other theta, without the data."""

    n_features_in_: int
    relevance_: FloatArray
    order_: IndexArray
    fdr: float | None
    theta_: float
    fitted_: Fitted
    random_state: Any

    @abstractmethod
    def _weigher(self) -> Any:
        """The selector that defines the program."""

    @abstractmethod
    def _weighed(self) -> IndexArray:
        """The features that the program of the fit was over."""

    def theta_path(self, thetas: ArrayLike | None = None) -> ThetaPath:
        """The weights for many theta: from the least redundant features at 0 to the most relevant at 1.

        The program of the fit is solved for each theta, with the relevance and the redundancy of the fit. A
        clustered method keeps its clusters: the path is that of the final program over the cluster
        representatives. Where clusters were discarded by their weights (IKM-QPFS, IKMA-QPFS), a fit with
        another theta may give other clusters.

        Parameters
        ----------
        thetas : array-like of shape (n_thetas,) or None, default=None
            Numbers from 0 to 1; None for 51 of them, evenly spaced, and the theta of the fit.

        Returns
        -------
        path : ThetaPath
            `thetas`, `weights` of shape (n_thetas, n_features), `objectives`, `gaps` and `status`.

        See Also
        --------
        ThetaPathDisplay : The path as a figure.
        qpfs.program.theta_path : The path of a program with a matrix of your own.

        Notes
        -----
        Thetas are solved from high to low, each starting from the weights of the previous one, so many of
        them cost little more than the lowest, for which most features have weight. Where the program is
        convex ("optimal"), the weights are those of a fit with that theta, to within the gap. Where it is not
        proved convex ("stationary"), a fit starts elsewhere and may end at another stationary point.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFS
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> path = QPFS().fit(X, y).theta_path([0.2, 0.5, 0.8])
        >>> (path.weights > 0).sum(axis=1).tolist(), bool(path.gaps.max() < 1e-9)
        ([19, 11, 3], True)
        """
        table, part = self.fitted_.packed, self._weigher()
        if not hasattr(part, "_solutions"):
            raise TypeError(
                f"{type(self).__name__} has no theta path: features were weighted by {part!r}, which solves "
                "no program with a theta; use QPFS() as its criterion."
            )
        if len(self.order_) == 0:
            raise ValueError(
                f"There is no theta path: all q values are above fdr={self.fdr!r}, so no program was solved."
            )
        along, features = checked_thetas(thetas, self.theta_), self._weighed()
        Q, s = Redundancy(table, features, self.fitted_.cache_bytes), self.relevance_[features]
        terms = self.fitted_.asked.terms(self.relevance_)
        own = terms and terms.among(features)
        found = part._solutions(Q, s, along, seed_of_starts(self.random_state), own)
        weights = np.zeros((len(along), self.n_features_in_))
        weights[:, features] = [one.weights for one in found]
        weights = weights[:, self.fitted_.asked.leads(np.arange(self.n_features_in_))]
        objectives, gaps = (np.array([getattr(one, name) for one in found]) for name in ("objective", "gap"))
        return ThetaPath(along, weights, objectives, gaps, np.array([one.status for one in found]))


def seed_of_starts(random_state: Any) -> int:
    """The seed that a fit with a given theta draws; the user's own generator is not advanced."""
    fixed = random_state if is_integer(random_state) else 0
    return int(check_random_state(fixed).randint(2**31 - 1))


def checked_thetas(thetas: Any, used: float) -> FloatArray:
    """The given thetas; by default evenly spaced ones and the one that was used."""
    if thetas is None:
        return np.union1d(np.linspace(0.0, 1.0, EVENLY), used)
    expected = "one or more numbers from 0 to 1, such as np.linspace(0, 1, 21), or None."
    try:
        found = np.array(thetas, np.float64)
    except (TypeError, ValueError) as error:
        raise unfit("thetas", thetas, expected) from error
    if found.ndim != 1 or len(found) == 0 or not ((found >= 0) & (found <= 1)).all():
        raise unfit("thetas", thetas, expected)
    return found
