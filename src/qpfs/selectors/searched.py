"""Selectors that choose their parameters, and the number of features, by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sklearn.utils import check_random_state

from qpfs.arrays import IndexArray
from qpfs.criteria import Redundancy, TradeOff, trade_off
from qpfs.information import Measure
from qpfs.program import theta_path
from qpfs.selectors.clustered import EFFORT
from qpfs.selectors.interleaved import IKMAQPFS, IKMQPFS
from qpfs.selectors.parameters import given_balance
from qpfs.selectors.problem import Problem
from qpfs.selectors.quadratic import QPFS
from qpfs.selectors.searching import SearchMixin
from qpfs.selectors.two_level import TLKMQPFS

THETAS = (0.1, 0.3, 0.5, 0.7, 0.9, "auto")


class QPFSCV(SearchMixin, QPFS):
    """QPFS with theta and the number of features chosen by cross-validation.

    In each fold the features are cut and packed once, all theta are solved along one path, and every length
    of every order is scored by an estimator trained on the selected features.

    Parameters
    ----------
    n_features_to_select : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100.
    theta : "auto", float or sequence of these, default=(0.1, 0.3, 0.5, 0.7, 0.9, "auto")
        The trade-offs to choose from; see :class:`~qpfs.QPFS`.
    cv : int, splitter or iterable, default=5
        How samples are divided, as in scikit-learn.
    estimator : estimator or None, default=None
        Who is trained on the selected features and scored; None is the linear support vector machine of the
        publications on features scaled to [-1, 1], or for a target that is a quantity ridge regression.
    scoring : str, callable or None, default=None
        How; None is the estimator's own score.
    measure, discretizer, target_discretizer, n_starts, random_state
        As for :class:`~qpfs.QPFS`.
    n_jobs : int or None, default=None
        Threads over folds; the answer does not depend on it.

    Attributes
    ----------
    best_params_ : dict
        The parameters chosen, the number of features among them: those with the highest mean score; of those
        as high the fewest features, then the first.
    best_score_ : float
        Their mean score over the folds.
    best_index_ : int
        Their place in `cv_results_`.
    cv_results_ : dict of arrays
        The scores of every candidate, as in scikit-learn's searches.
    order_, scores_, support_, relevance_, theta_, gap_, ...
        What :class:`~qpfs.QPFS` has, fitted to all samples with the parameters chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = QPFSCV([2, 4, 8], theta=[0.3, "auto"]).fit(X, y)
    >>> search.best_params_["n_features_to_select"], search.transform(X).shape
    (8, (569, 8))
    """

    _searched = ("theta",)
    _plain = QPFS

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        theta: Any = THETAS,
        cv: Any = 5,
        estimator: Any = None,
        scoring: Any = None,
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        n_starts: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.theta = theta
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_starts = n_starts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _orders(self, problem: Problem, selectors: list[Any]) -> Iterable[IndexArray]:
        table, relevance, features = problem.table, problem.relevance, problem.table.varying
        thetas = [balance_of(one, problem).theta for one in selectors]
        Q = Redundancy(table, features)
        solutions = theta_path(Q, relevance[features], thetas, n_starts=self.n_starts)
        return [features[solution.order()] for solution in solutions]


def balance_of(selector: QPFS, problem: Problem) -> TradeOff:
    """theta, given or automatic."""
    random_state = check_random_state(selector.random_state)
    return given_balance(selector.theta) or trade_off(problem.table, problem.relevance, random_state)


class ClusteredSearchMixin(SearchMixin):
    """What clustered methods share among candidates: theta."""

    def _orders(self, problem: Problem, selectors: list[Any]) -> Iterable[IndexArray]:
        problem = replace(problem, effort=EFFORT)
        seed = selectors[0].random_state
        criterion = selectors[0]._criterion(problem, check_random_state(seed))
        for selector in selectors:
            found = selector._outcome(problem, criterion, check_random_state(seed))
            yield criterion.weigh(problem.table, problem.relevance, found.representatives, problem.tick).order


class TLKMQPFSCV(ClusteredSearchMixin, TLKMQPFS):
    """TLKM-QPFS with the number of clusters and of features chosen by cross-validation.

    Parameters
    ----------
    n_features_to_select : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100.
    n_clusters : int or sequence of int, default=(10, 25, 50, 100, 200, 400)
        The numbers of clusters to choose from.
    cv, estimator, scoring, n_jobs
        As for :class:`~qpfs.QPFSCV`.
    n_first, radius, repeat, init, representative, theta, theta_scope, measure, discretizer, \
    target_discretizer, random_state
        As for :class:`~qpfs.TLKMQPFS`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_
        As for :class:`~qpfs.QPFSCV`.
    order_, scores_, support_, labels_, representatives_, ...
        What :class:`~qpfs.TLKMQPFS` has, fitted to all samples with the parameters chosen.

    Notes
    -----
    Where a candidate finds fewer features than a length asks for, all that it finds are scored.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import TLKMQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TLKMQPFSCV([2, 4], n_clusters=[8, 16]).fit(X, y).best_params_
    {'n_clusters': 16, 'n_features_to_select': 4}
    """

    _searched = ("n_clusters",)
    _plain = TLKMQPFS

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        n_clusters: Any = (10, 25, 50, 100, 200, 400),
        cv: Any = 5,
        estimator: Any = None,
        scoring: Any = None,
        n_first: int | None = None,
        radius: float | None = None,
        repeat: bool = False,
        init: str = "leaders",
        representative: str = "mean",
        theta: float | str = "auto",
        theta_scope: str = "global",
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_clusters=n_clusters,
            n_first=n_first,
            radius=radius,
            repeat=repeat,
            init=init,
            representative=representative,
            theta=theta,
            theta_scope=theta_scope,
            measure=measure,
            discretizer=discretizer,
            target_discretizer=target_discretizer,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring


class InterleavedSearchMixin(ClusteredSearchMixin):
    """What IKM-QPFS and IKMA-QPFS choose."""

    _searched = ("radius", "n_first")

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        radius: Any = (0.75, 0.8, 0.85, 0.9, 0.95),
        n_first: Any = (5, 15, 50, 150),
        cv: Any = 5,
        estimator: Any = None,
        scoring: Any = None,
        n_split: int = 15,
        max_levels: int | None = None,
        init: str = "leaders",
        representative: str = "mean",
        theta: float | str = "auto",
        theta_scope: str = "global",
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(  # type: ignore[call-arg]
            n_features_to_select,
            radius=radius,
            n_first=n_first,
            n_split=n_split,
            max_levels=max_levels,
            init=init,
            representative=representative,
            theta=theta,
            theta_scope=theta_scope,
            measure=measure,
            discretizer=discretizer,
            target_discretizer=target_discretizer,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring


class IKMQPFSCV(InterleavedSearchMixin, IKMQPFS):
    """IKM-QPFS with the radius and the numbers of clusters and of features chosen by cross-validation.

    Parameters
    ----------
    n_features_to_select : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100.
    radius : float or sequence of float, default=(0.75, 0.8, 0.85, 0.9, 0.95)
        The radii to choose from.
    n_first : int or sequence of int, default=(5, 15, 50, 150)
        The numbers of clusters to begin with, to choose from.
    cv, estimator, scoring, n_jobs
        As for :class:`~qpfs.QPFSCV`.
    n_split, max_levels, init, representative, theta, theta_scope, measure, discretizer, \
    target_discretizer, random_state
        As for :class:`~qpfs.IKMQPFS`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_
        As for :class:`~qpfs.QPFSCV`.
    order_, scores_, support_, labels_, representatives_, ...
        What :class:`~qpfs.IKMQPFS` has, fitted to all samples with the parameters chosen.

    Notes
    -----
    Where a candidate finds fewer features than a length asks for, all that it finds are scored.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = IKMQPFSCV([2, 4], radius=[0.6, 0.8], n_first=5).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    """

    _plain = IKMQPFS


class IKMAQPFSCV(InterleavedSearchMixin, IKMAQPFS):
    """IKMA-QPFS with the radius and the numbers of clusters and of features chosen by cross-validation.

    Parameters
    ----------
    n_features_to_select, radius, n_first, cv, estimator, scoring, n_split, max_levels, init, \
    representative, theta, theta_scope, measure, discretizer, target_discretizer, random_state, n_jobs
        As for :class:`~qpfs.IKMQPFSCV`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_
        As for :class:`~qpfs.QPFSCV`.
    order_, scores_, support_, labels_, representatives_, ...
        What :class:`~qpfs.IKMAQPFS` has, fitted to all samples with the parameters chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMAQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = IKMAQPFSCV([2, 4], radius=[0.6, 0.8], n_first=5).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    """

    _plain = IKMAQPFS
