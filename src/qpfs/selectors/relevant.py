"""MaxRel."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.criteria import Criterion, RelevanceCriterion
from qpfs.information import Measure
from qpfs.selectors.problem import Problem
from qpfs.selectors.selector import FeatureSelector


class MaxRel(FeatureSelector):
    """Selects the features that say the most about the target, each by itself.

    The score of a feature is its relevance: mutual information with the target by default. Redundancy plays
    no part, so the best few may all say the same.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        relevance.
    measure : {"mi", "correlation", "chi2"} or Measure, default="mi"
        Mutual information of the cut features; absolute Pearson correlation of the numbers; or the
        chi-square measure phi^2 of the cut features.
    discretizer : discretiser or None, default=None
        How numbers are cut into levels; None is ``ThreeSegments()``. Not used by "correlation".
    target_discretizer : discretiser or None, default=None
        How a target that is a quantity is cut; None is ``EqualFrequency(5)``. Numbers are a quantity if
        they are not all integers, or have more than 32 different values and more than one for every four
        samples. A discretiser given here is applied to any numeric target.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, most relevant first, ties by index.
    scores_ : ndarray of shape (n_features_in_,)
        The relevance.
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    relevance_ : ndarray of shape (n_features_in_,)
        The same as `scores_`.
    discretizer_ : discretiser or None
        The fitted discretiser; its `edges_` show the cuts.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    This is the baseline of [1]_, under that name.

    The packed features stay with the fitted selector for `report`, and go where it is pickled.

    References
    ----------
    .. [1] H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of
           max-dependency, max-relevance, and min-redundancy. IEEE TPAMI 27(8):1226-1238, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MaxRel
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> list(MaxRel(2).fit(X, y).get_feature_names_out())
    ['worst perimeter', 'worst concave points']
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        return None

    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        return RelevanceCriterion()
