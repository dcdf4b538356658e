"""QPFS, exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.codes.validation import count
from qpfs.criteria import Criterion, QuadraticCriterion, trade_off
from qpfs.information import Measure
from qpfs.selectors.alternatives import AlternativesMixin
from qpfs.selectors.parameters import checked_theta, given_balance
from qpfs.selectors.problem import Problem
from qpfs.selectors.selector import FeatureSelector


class QPFS(AlternativesMixin, FeatureSelector):
    r"""Quadratic programming feature selection, solved exactly.

    Finds the weights :math:`\alpha` that minimise

    .. math:: \frac{1-\theta}{2}\, \alpha' Q \alpha - \theta\, s' \alpha
              \quad\text{subject to}\quad \alpha \ge 0,\ \sum_i \alpha_i = 1,

    where :math:`Q_{ij}` is what features i and j share (mutual information by default) and
    :math:`s_i` what feature i shares with the target. Features with positive weight say much about the
    target while saying different things.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        weight.
    theta : "auto" or float in [0, 1], default="auto"
        How much relevance counts against redundancy. 1 ranks by relevance alone, 0 ignores the target.
        "auto" makes both count the same on average: the mean of Q over its sum with the mean of s.
    measure : {"mi", "correlation", "chi2"} or Measure, default="mi"
        Mutual information of the cut features; absolute Pearson correlation of the numbers; or the
        chi-square measure phi^2 of the cut features, for which the program is always convex. One of your own
        is a :class:`qpfs.information.CountMeasure`.
    discretizer : discretiser or None, default=None
        How numbers are cut into levels; None is ``ThreeSegments()``. Not used by "correlation".
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is cut; None is ``EqualFrequency(5)``. Numbers are a quantity if
        they are not all integers, or have more than 32 different values and more than one for every four
        samples. A discretiser given here is applied to any numeric target.
    n_starts : int, default=1
        Starting points of the search. More than one can find a better stationary point where the program
        is not convex.
    random_state : int, RandomState instance or None, default=0
        Seeds the sample of features that an estimated automatic theta is based on, and further starts.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, best first: by weight, then by how near they are to having
        some (the reduced gradient), then by index.
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha; exactly 0 where there is none.
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    relevance_ : ndarray of shape (n_features_in_,)
        s: what each feature shares with the target, in nats for mutual information.
    theta_ : float
        theta as used.
    theta_standard_error_ : float
        0 if theta was given or computed from all pairs, else the standard error of its estimate.
    objective_ : float
        The objective at the weights found.
    gap_ : float
        The certificate: the Frank-Wolfe gap over all features, 0 at a stationary point. Where the program
        is convex no weights are better by more than this.
    status_ : {"optimal", "stationary"}
        "optimal" only where that is proved.
    support_convex_ : bool
        Whether the objective is strictly convex among the features with weight.
    n_columns_ : int
        Columns of Q that the search asked for. Up to 1,024 features all of Q is read besides, to prove that
        the program is convex.
    n_iter_ : int
        Rounds of the search.
    discretizer_ : discretiser or None
        The fitted discretiser; its `edges_` show the cuts.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    The solver asks for columns of Q one by one and never forms the matrix, so thousands of features take
    milliseconds. What differs from [1]_: the program is solved as it is although the mutual information
    matrix is often indefinite (the publication takes it to be positive semi-definite), so the result says
    whether optimality is proved; constant features are left out; features without weight are ranked by the
    reduced gradient. Numbers are cut at the mean plus and minus one population standard deviation.

    The packed features (two bits a value for three levels) stay with the fitted selector for
    `alternatives`, and go where it is pickled.

    References
    ----------
    .. [1] I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz. Quadratic Programming Feature Selection.
           Journal of Machine Learning Research 11:1491-1516, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = QPFS(n_features_to_select=3).fit(X, y)
    >>> list(selector.get_feature_names_out())
    ['mean concave points', 'area error', 'worst concave points']
    >>> selector.transform(X).shape
    (569, 3)
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        theta: float | str = "auto",
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        n_starts: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.theta = theta
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_starts = n_starts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        checked_theta(self.theta)
        count("n_starts", self.n_starts, 1)

    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        balance = given_balance(self.theta) or trade_off(
            problem.table, problem.relevance, random_state, problem.effort
        )
        seed = int(random_state.randint(2**31 - 1))
        return QuadraticCriterion(balance, self.n_starts, seed, problem.cache_bytes)
