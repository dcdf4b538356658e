"""QPFS with the Nystrom approximation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from qpfs.checks import check_limits, checked_theta, flag
from qpfs.criteria import Criterion, NystromCriterion
from qpfs.information import AnyMeasure
from qpfs.selector_texts import documented
from qpfs.selectors.account import Account
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.qpfs import REFERENCE, program_certainty, program_text, solved_text
from qpfs.selectors.selector import FeatureSelector

APPROXIMATE = "the approximate program"


@documented
class NystromQPFS(FeatureSelector):
    r"""QPFS on a redundancy matrix estimated from a sample of its columns.

    With :math:`A` the redundancy among r sampled features and :math:`B` their redundancy with the others, the
    unknown rest of Q is approximated by :math:`B'A^{-1}B`, which makes :math:`Q \approx U \Lambda U'` of rank
    at most r. The program is posed in that range: with :math:`\alpha = U y`

    .. math:: \min_y \frac{1-\theta}{2}\, y' \Lambda y - \theta\, s' U y
              \quad\text{subject to}\quad U y \ge 0,\ 1' U y = 1.

    It is provided for comparison with the literature: :class:`~qpfs.QPFS` solves the program exactly, and
    faster.

    Parameters
    ----------
    {n_positive}
    sampling_rate : float, default=0.05
        The fraction of features that is sampled, above 0 and at most 1; at least one feature is.
    {theta}
    diagonal_correction : bool, default=False
        Whether to replace the approximated diagonal by the true one.

        The program is then posed over all weights, not only those in the range of U, and its solution is
        sparse.
    {measure}
    {usual_parameters}
    random_state : int, RandomState instance or None, default=0
        Seeds the choice of the sampled features.
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, best first: by weight, then by multiplier, then by index.
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha.
    {support_}
    {relevance_}
    theta_ : float
        The theta that was used.
    objective_ : float
        The objective of the approximate program.
    gap_ : float
        The certificate of the approximate program: no other weights improve it by more than this.
    sampled_features_ : ndarray of int
        The features whose columns of Q were computed.
    {usual_attributes}

    See Also
    --------
    QPFS : Quadratic programming feature selection, solved exactly.

    Notes
    -----
    The approximation is biased: the diagonal of :math:`B'A^{-1}B` is far below the entropies it approximates
    (0.10 against 0.84 at a rate of 0.05 on data of 62 x 2000), so features that were not sampled seem to have
    almost no redundancy with themselves and attract weight; the mean of Q is underestimated too.
    ``diagonal_correction=True`` corrects the diagonal. What differs from [1]_: eigenvalues of A that are not
    positive are dropped before it is inverted, since the matrix is often indefinite. Memory grows with the
    sampled features times all features.

    The fitted selector keeps the packed features for `report`, `alternatives` and `redundancy`, and a pickle
    of it contains them.

    References
    ----------
    .. [1] I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz. Quadratic Programming Feature Selection.
           Journal of Machine Learning Research 11:1491-1516, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import NystromQPFS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> NystromQPFS(5, sampling_rate=0.5).fit_transform(X, y).shape
    (569, 5)
    """

    _references = (REFERENCE,)

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        sampling_rate: float = 0.05,
        theta: float | str = "auto",
        diagonal_correction: bool = False,
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
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.sampling_rate = sampling_rate
        self.theta = theta
        self.diagonal_correction = diagonal_correction
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
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _for_fewer(self, n: int, n_features: int) -> dict[str, Any]:
        rate = min(1.0, self.sampling_rate * n_features / n)  # the number of columns that will be sampled
        return super()._for_fewer(n, n_features) | {"sampling_rate": rate}

    def _check_parameters(self) -> None:
        check_limits(self, "theta", "sampling_rate")
        flag("diagonal_correction", self.diagonal_correction)

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        return NystromCriterion(
            checked_theta(self.theta),
            self.sampling_rate,
            self.diagonal_correction,
            random_state,
            problem.terms,
        )

    def account(self, chosen: Collection[str] = ()) -> Account:
        corrected = ", its diagonal corrected" if self.diagonal_correction else ""
        text = (
            f"{program_text(self)} The redundancy matrix was replaced by its Nyström approximation from a "
            f"random {100 * self.sampling_rate:g} % of the features{corrected}. "
            f"{solved_text(self, self.theta, chosen)}"
        )
        return Account(text, self._references, program_certainty(self, self.theta, APPROXIMATE, chosen))

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        whole = "the approximate program over the cluster representatives" if clustered else APPROXIMATE
        return program_certainty(fitted, self.theta, whole)
