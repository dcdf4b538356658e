"""mRMR: minimum redundancy, maximum relevance."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.checks import choice
from qpfs.criteria import Criterion, GreedyCriterion, difference, nearest, quotient
from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.account import GREEDY, PENG, WHEN_TAKEN, Account, candidates, measure_words
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.reasons import Left, Names, Said
from qpfs.selectors.selector import FeatureSelector

SCHEMES = {"difference": difference, "quotient": quotient, "nearest": nearest}


@documented
class MRMR(FeatureSelector):
    """Minimum redundancy, maximum relevance (mRMR): features selected one by one.

    The first feature is the most relevant. Each next one has the highest relevance minus (or divided by) its
    mean redundancy with those already selected.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a number, a fraction of all, or None to stop when no remaining feature is
        more relevant than redundant.
    scheme : {"difference", "quotient", "nearest"}, default="difference"
        How relevance and redundancy are combined: relevance minus the mean redundancy with the selected
        features ("difference"), divided by it ("quotient"), or minus the redundancy with the nearest of them
        alone ("nearest").

        The first two are MID and MIQ in the literature; the third avoids features that are close to a single
        selected one.
    {measure}
    {usual_parameters}
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        The selected features, in the order of selection. Ties go to the lowest index.
    scores_ : ndarray of shape (n_features_in_,)
        For each selected feature its value when it was selected (for the first its relevance), which can be
        negative if more features are requested than are more relevant than redundant; 0 for the others.
    {support_}
    {relevance_}
    {usual_attributes}

    See Also
    --------
    QPFS : Quadratic programming feature selection, solved exactly.
    JMI : Features selected one by one, by joint information with those selected.
    CMIM : Features selected one by one, by the least that each adds to any selected one.
    MaxRel : Relevance alone.

    Notes
    -----
    What differs from [1]_: where a feature has no redundancy at all with those selected, the quotient divides
    by 1e-12, so that relevance decides; the stopping rule of ``n_features_to_select=None`` is not in the
    publication.

    The fitted selector keeps the packed features for `report`, `alternatives` and `redundancy`, and a pickle
    of it contains them.

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
    ['radius error', 'worst perimeter', 'worst smoothness']
    """

    _references = (PENG,)
    _scored = WHEN_TAKEN

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        scheme: str = "difference",
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
        self.scheme = scheme
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
        choice("scheme", self.scheme, SCHEMES)

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        return GreedyCriterion(SCHEMES[self.scheme], problem.n_select, problem.terms)

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by minimum-redundancy maximum-relevance (mRMR) "
            f"[1] in its {self.scheme} form: one after another, each with the best balance of relevance to "
            f"the target and {'the' if self.scheme == 'nearest' else 'mean'} redundancy with "
            f"{'the nearest of ' * (self.scheme == 'nearest')}those already selected, both measured by "
            f"{measure_words(self)}."
        )
        return Account(text, self._references, self._certainty(self), scored=self._scored)

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        return (GREEDY,)

    def _left_out(self, left: Left) -> Iterator[Said]:
        yield left.below()
        by_quotient = self.scheme == "quotient" and len(left.standing.others) > 0  # the first by relevance
        end = partial(in_proportion, left) if by_quotient else left.less
        partly = left.partly(end, both=self.scheme != "nearest")
        weighed = ~np.isnan(left.worth) & ~left.ranked
        yield from left.outweighed(weighed, partly, relevance_counts=not by_quotient)

    def _pairs(self, m: int, n_samples: float) -> float:
        n = self.n_features_to_select
        return float(m * (min(m, 1 + n) if isinstance(n, int) else m))


def in_proportion(left: Left, some: IndexArray, names: Names) -> Iterator[str]:
    """The relevance of features divided by what they share with the selected ones, as a sentence for each."""
    end = f"and more than {left.needed:.3g} is needed"
    for s, worth in zip(left.relevance[some].tolist(), left.worth[some].tolist(), strict=True):
        r = s / worth if worth else 0.0
        yield f"relevance {s:.3g} divided by {r:.3g} for redundancy is {worth:.3g}, {end}"
