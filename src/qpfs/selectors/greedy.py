"""mRMR."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.criteria import Criterion, GreedyCriterion, difference, quotient
from qpfs.information import Measure
from qpfs.selectors.parameters import chosen
from qpfs.selectors.problem import Problem
from qpfs.selectors.selector import FeatureSelector

SCHEMES = {"difference": difference, "quotient": quotient}


class MRMR(FeatureSelector):
    """Minimum redundancy, maximum relevance: features taken one by one.

    The first feature is the most relevant. Each next one has the highest relevance less (or divided by) its
    mean redundancy with those already taken.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to take: a number, a fraction of all, or None to stop when no feature left is
        more relevant than redundant.
    scheme : {"difference", "quotient"}, default="difference"
        How relevance and redundancy are put together: MID or MIQ in the literature.
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
        The features taken, in the order in which they were. Ties go to the lowest index.
    scores_ : ndarray of shape (n_features_in_,)
        For each feature taken its value at that moment (for the first its relevance), which may be
        negative if more were asked for than are worth taking; 0 for the others.
    support_ : ndarray of bool of shape (n_features_in_,)
        The mask of the selected features.
    relevance_ : ndarray of shape (n_features_in_,)
        What each feature shares with the target.
    discretizer_ : discretiser or None
        The fitted discretiser; its `edges_` show the cuts.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    What differs from [1]_: where a feature has no redundancy at all with those taken, the quotient divides by
    1e-12, so that relevance decides; the stopping rule of ``n_features_to_select=None`` is ours.

    The packed features stay with the fitted selector for `report`, and go where it is pickled.

    References
    ----------
    .. [1] C. Ding, H. Peng. Minimum redundancy feature selection from microarray gene expression data.
           Journal of Bioinformatics and Computational Biology 3(2):185-205, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> list(MRMR(3).fit(X, y).get_feature_names_out())
    ['mean texture', 'mean area', 'worst concave points']
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        scheme: str = "difference",
        measure: str | Measure = "mi",
        discretizer: Any = None,
        target_discretizer: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scheme = scheme
        self.measure = measure
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        chosen("scheme", self.scheme, SCHEMES)

    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        return GreedyCriterion(chosen("scheme", self.scheme, SCHEMES), problem.n_select)
