"""Joint mutual information."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.criteria import ConditionalCriterion, Criterion
from qpfs.selector_texts import documented
from qpfs.selectors.account import GREEDY, WHEN_TAKEN, Account, candidates
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.reasons import Left, Names, Reason, Said
from qpfs.selectors.selector import FeatureSelector

REFERENCES = (
    "Yang HH, Moody J. Data visualization and feature selection: new algorithms for nongaussian data. "
    "Advances in Neural Information Processing Systems 12:687–693, 1999.",
    "Brown G, Pocock A, Zhao MJ, Luján M. Conditional likelihood maximisation: a unifying framework for "
    "information theoretic feature selection. Journal of Machine Learning Research 13:27–66, 2012.",
)
ALONE, ON_AVERAGE = "on its own", "given one of the selected features, on average"


@documented
class JMI(FeatureSelector):
    """Joint mutual information (JMI): features selected one by one for the information that they add.

    The first feature is the most relevant. Each next one has the highest mean, over the features j already
    selected, of I(X, X_j; Y), the information that both have jointly about the target; this is the same as
    the highest mean of I(X; Y | X_j). It finds features that are informative only jointly, which relevance
    minus redundancy cannot.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None to stop when no remaining feature
        adds more, on average over those selected, than expected by chance, (b - 1)(c - 1) b' / 2N for b and
        b' levels and c classes.
    {usual_parameters}
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        The selected features, in the order of selection. Ties go to the lowest index.
    scores_ : ndarray of shape (n_features_in_,)
        For each selected feature the information that it added, on average, to one of those selected before
        (for the first its relevance); 0 for the others.
    {support_}
    {relevance_}
    {usual_attributes}

    See Also
    --------
    CMIM : Features selected one by one, by the least that each adds to any selected one.
    MRMR : Features selected one by one, by relevance minus redundancy.

    Notes
    -----
    What differs from [1]_: the mean over the selected features replaces the sum, which gives the same order;
    numbers are discretised into three bins of equal frequency by default; and without a number of features
    the search ends where no feature adds more than expected by chance.

    References
    ----------
    .. [1] H. H. Yang, J. Moody. Data visualization and feature selection: new algorithms for nongaussian
           data. Advances in Neural Information Processing Systems 12:687-693, 1999.
    .. [2] G. Brown, A. Pocock, M.-J. Zhao, M. Lujan. Conditional likelihood maximisation: a unifying
           framework for information theoretic feature selection. Journal of Machine Learning Research
           13:27-66, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import JMI
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> list(JMI(3).fit(X, y).get_feature_names_out())
    ['worst perimeter', 'worst area', 'worst concave points']
    """

    measure = "mi"
    _least = False
    _references: ClassVar[tuple[str, ...]] = REFERENCES
    _scored = WHEN_TAKEN

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        discretizer: Any = None,
        target_discretizer: Any = None,
        class_weight: Any = None,
        target_weights: Any = None,
        fdr: float | None = None,
        n_permutations: int = 0,
        keep: Any = None,
        exclude: Any = None,
        feature_groups: Any = None,
        at_most: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.discretizer = discretizer
        self.target_discretizer = target_discretizer
        self.class_weight = class_weight
        self.target_weights = target_weights
        self.fdr = fdr
        self.n_permutations = n_permutations
        self.keep = keep
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.at_most = at_most
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        """There are no parameters beyond the common ones to check."""

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        return ConditionalCriterion(problem.target, self._least, problem.n_select, problem.terms)

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by joint mutual information (JMI) [1], which a "
            "review of such rules recommends [2]: one after another, each with the highest mean, over those "
            "already selected, of the mutual information that both have jointly with the target."
        )
        return Account(text, self._references, self._certainty(self), scored=self._scored)

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        return (GREEDY,)

    def _left_out(self, left: Left) -> Iterator[Said]:
        yield left.below()
        weighed = ~np.isnan(left.worth) & ~left.ranked
        yield weighed, Reason("adds too little to those selected", partial(self._adds, left))
        yield left.by_chance(weighed)

    def _adds(self, left: Left, some: IndexArray, names: Names) -> Iterator[str]:
        """The information that features add to the selected ones, as a sentence for each."""
        end = f"and more than {left.needed:.3g} is needed"
        for worth, known in zip(left.worth[some].tolist(), self._known(left, some, names), strict=True):
            yield f"information about the target {known}: {worth:.3g}, {end}"

    def _known(self, left: Left, some: IndexArray, names: Names) -> list[str]:
        """What the information of each feature is conditional on, as part of a sentence."""
        return [ON_AVERAGE if len(left.standing.others) else ALONE] * len(some)

    def _pairs(self, m: int, n_samples: float) -> float:
        n = self.n_features_to_select
        return 3.0 * m * (min(m, 1 + n) if isinstance(n, int) else m)
