"""MaxRel: features ranked by relevance alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.criteria import Criterion, RelevanceCriterion
from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.account import PENG, Account, candidates, measure_words
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.reasons import Left, Names, Reason, Said
from qpfs.selectors.selector import FeatureSelector

BY_ITSELF = "Each feature was ranked by its own relevance, which is exact; redundancy was not considered."

STANDING = (
    "Each cluster representative was ranked by its own relevance, which is exact; redundancy was treated by "
    "clustering alone."
)


@documented
class MaxRel(FeatureSelector):
    """Maximum relevance: selects the features that are most relevant to the target, each on its own.

    The score of a feature is its relevance to the target, measured by ranks unless `measure` is given.
    Redundancy is ignored, so the best few may be copies of each other.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None for every feature with positive
        relevance.
    {measure}
    {usual_parameters}
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, most relevant first, ties by index.
    scores_ : ndarray of shape (n_features_in_,)
        The relevance.
    {support_}
    relevance_ : ndarray of shape (n_features_in_,)
        Equal to `scores_`.
    {usual_attributes}

    See Also
    --------
    MRMR : Features selected one by one, by relevance minus redundancy.
    QPFS : Quadratic programming feature selection, solved exactly.

    Notes
    -----
    This is the baseline of [1]_, under that name. What differs: relevance is measured by ranks by default;
    ``measure="mi"`` is as published, up to how numbers are discretised.

    The fitted selector keeps the packed features for `report`, `alternatives` and `redundancy`, and a pickle
    of it contains them.

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
    ['worst radius', 'worst perimeter']
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        measure: AnyMeasure = "auto",
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
        self.measure = measure
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
        return None

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        return RelevanceCriterion()

    _references = (PENG,)
    _repeats_little = False
    _scored = "A score is the relevance itself."

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were ranked from {candidates(self)} by their relevance to the target alone (MaxRel) "
            f"[1], measured by {measure_words(self)}."
        )
        return Account(
            text,
            self._references,
            self._certainty(self),
            repeats_little=self._repeats_little,
            scored=self._scored,
        )

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        return (STANDING if clustered else BY_ITSELF,)

    def _left_out(self, left: Left) -> Iterator[Said]:
        ranked, reason = left.below()
        least = left.relevance[left.chosen].min(initial=np.inf)

        def texts(some: IndexArray, names: Names) -> Iterator[str]:
            return (f"relevance {s:.3g}; the last selected has {least:.3g}" for s in left.relevance[some])

        yield ranked, Reason(reason.label, texts)
        yield left.by_chance(left.ranked)

    def _pairs(self, m: int, n_samples: float) -> float:
        return 0.0
