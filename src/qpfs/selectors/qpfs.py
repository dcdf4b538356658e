"""QPFS: quadratic programming feature selection, solved exactly."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import check_limits, choice
from qpfs.criteria import ORDERS, Criterion, QuadraticCriterion, Redundancy, Terms, kept_in
from qpfs.criteria.tradeoff import AFFORDABLE
from qpfs.information import AnyMeasure
from qpfs.program import SimplexProgram, Solution, theta_path
from qpfs.selector_texts import documented
from qpfs.selectors.account import Account, candidates, measure_words
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.reasons import Left, Names, Said
from qpfs.selectors.selector import FeatureSelector
from qpfs.selectors.theta_path import ThetaPathMixin
from qpfs.wording import gap_text, short

REFERENCE = (
    "Rodriguez-Lujan I, Huerta R, Elkan C, Santa Cruz C. Quadratic programming feature selection. "
    "Journal of Machine Learning Research 11:1491–1516, 2010."
)
RANKED = {
    "nearest": "Features with weight were ranked one by one, each the one whose relevance most exceeded its "
    "redundancy with the nearest of those before it.",
    "weight": None,
}
BY_WEIGHT = "Features were ranked by weight."
REPRESENTATIVES = "the final program over the cluster representatives"
COLUMNS = 100  # of Q that the solver needs, about
SAMPLED = 200  # columns from which the mean of Q is estimated, about


@documented
class QPFS(ThetaPathMixin, FeatureSelector):
    r"""Quadratic programming feature selection, solved exactly.

    Computes the weights :math:`\alpha` that minimise

    .. math:: \frac{1-\theta}{2}\, \alpha' Q \alpha - \theta\, s' \alpha
              \quad\text{subject to}\quad \alpha \ge 0,\ \sum_i \alpha_i = 1,

    where :math:`Q_{ij}` is the redundancy of features i and j (by ranks, unless `measure` is given) and
    :math:`s_i` the relevance of feature i to the target. Features with positive weight are relevant to the
    target and not redundant with each other.

    Parameters
    ----------
    {n_positive}
    {theta}
    {order}
    {measure}
    {usual_parameters}
    n_starts : int, default=1
        Number of starting points. More than one can lead to a better stationary point where the program is
        not convex.
    random_state : int, RandomState instance or None, default=0
        Seeds the sample of features from which an automatic theta is estimated, and further starts.
    {n_jobs}

    Attributes
    ----------
    order_ : ndarray of int
        All features that are not constant, best first: those with weight in the order that `order` defines,
        then the others by reduced gradient (how close they are to having weight), then by index.
    scores_ : ndarray of shape (n_features_in_,)
        The weights alpha; exactly 0 where there is none.
    {support_}
    relevance_ : ndarray of shape (n_features_in_,)
        s: the relevance of each feature to the target, in nats for mutual information.
    theta_ : float
        The theta that was used.
    theta_standard_error_ : float
        0 if theta was given or computed from all pairs, else the standard error of its estimate.
    objective_ : float
        The objective at the final weights.
    gap_ : float
        The certificate: the Frank-Wolfe gap over all features, 0 at a stationary point. Where the program is
        convex, no other weights are better by more than this.
    status_ : {"optimal", "stationary"}
        "optimal" only where optimality is proved.
    support_convex_ : bool
        Whether the objective is strictly convex among the features with weight.
    n_columns_ : int
        Columns of Q that the solver used. With up to 1,024 features all of Q is also computed, to prove that
        the program is convex.
    n_iter_ : int
        Rounds of the solver.
    {usual_attributes}

    See Also
    --------
    QPFSCV : QPFS with theta and number of features chosen by cross-validation.
    MRMR : Features selected one by one, by relevance minus redundancy.
    IKMQPFS : Clustering and program alternately; only narrow clusters are discarded.
    NystromQPFS : The program on a matrix approximated from sampled columns.

    Notes
    -----
    The solver computes columns of Q one by one and never forms the matrix, so thousands of features take
    milliseconds. What differs from [1]_: the matrix of mutual information is often indefinite, although the
    publication assumes that it is positive semi-definite; the program is solved without changing it, and
    `status_` states whether optimality is proved. Constant features are left out, and features without weight
    are ranked by the reduced gradient. The published method is ``QPFS(measure="mi",
    discretizer=ThreeSegments(), order="weight")``, which discretises numbers at the mean plus and minus one
    population standard deviation.

    The fitted selector keeps the packed features (16 bits per value by ranks, two for three levels) for
    `alternatives`, `redundancy` and `theta_path`, and a pickle of it contains them.

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
    ['worst texture', 'worst area', 'worst smoothness']
    >>> selector.transform(X).shape
    (569, 3)
    """

    gap_: float
    status_: str
    _references = (REFERENCE,)

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        theta: float | str = "auto",
        order: str = "nearest",
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
        n_starts: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.theta = theta
        self.order = order
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
        self.n_starts = n_starts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_limits(self, "theta", "n_starts")
        choice("order", self.order, ORDERS)

    def _criterion(self, problem: FitProblem, random_state: np.random.RandomState) -> Criterion:
        balance = problem.balance(self.theta, random_state)
        seed = int(random_state.randint(2**31 - 1))
        return QuadraticCriterion(
            balance, self.n_starts, seed, problem.columns.cache_bytes, ORDERS[self.order], problem.terms
        )

    def _weigher(self) -> QPFS:
        return self

    def _weighed(self) -> IndexArray:
        standing = self.fitted_.standing
        return np.sort(self.order_) if standing is None else np.flatnonzero(~np.isnan(standing.worth))

    def _solutions(
        self, Q: Redundancy, s: FloatArray, thetas: Sequence[float], seed: int, terms: Terms | None
    ) -> list[Solution]:
        """One solution for each theta; `terms` refer to features by their positions in Q."""
        options = {"n_starts": self.n_starts, "random_state": seed}
        path = theta_path(Q, s, thetas, prove_up_to=Q.table.proof_size, **options)
        if terms is None:
            return path
        return [
            kept_in(SimplexProgram(Q, s, theta), terms, free, **options)
            for theta, free in zip(thetas, path, strict=True)
        ]

    @classmethod
    def _orders(cls, problem: FitProblem, selectors: Sequence[Any]) -> Iterator[IndexArray]:
        """The orders of several selectors; computed along one path if they differ only in theta."""
        starts = {one.n_starts for one in selectors}
        if len(starts) > 1 or len(problem.table.varying) == 0:
            yield from super()._orders(problem, selectors)
            return
        features = problem.table.varying
        drawn = [check_random_state(one.random_state) for one in selectors]
        balances = [problem.balance(one.theta, rng) for one, rng in zip(selectors, drawn, strict=True)]
        Q, s = Redundancy(problem.table, features), problem.relevance[features]
        terms = problem.terms and problem.terms.among(features)
        path = selectors[0]._solutions(Q, s, [one.theta for one in balances], 0, terms)
        for one, solution in zip(selectors, path, strict=True):
            yield features[ORDERS[one.order](solution, Q, s, terms)]

    def account(self, chosen: Collection[str] = ()) -> Account:
        ranked = RANKED[self.order]
        text = f"{program_text(self)} {solved_text(self, self.theta, chosen)} {ranked or BY_WEIGHT}"
        certainty = program_certainty(self, self.theta, "the program", chosen)
        return Account(text, self._references, certainty, ranked=ranked)

    def _certainty(self, fitted: Any, *, clustered: bool = False) -> tuple[str, ...]:
        return program_certainty(fitted, self.theta, REPRESENTATIVES if clustered else "the program")

    def _left_out(self, left: Left) -> Iterator[Said]:
        yield left.below_beside()
        yield left.by_chance(left.ranked)
        counts = bool(left.fitted.theta_ > 0)
        partly = left.partly(left.less if counts else partial(shared_alone, left))
        without = ~np.isnan(left.worth) & (left.weight == 0)
        yield from left.outweighed(without, partly, relevance_counts=counts)

    def _pairs(self, m: int, n_samples: float) -> float:
        return mean_pairs(self.theta, m, n_samples, AFFORDABLE) + min(COLUMNS, m) * m


def shared_alone(left: Left, some: IndexArray, names: Names) -> Iterator[str]:
    """What features share with those that have weight, where theta is 0 and relevance has no effect."""
    end = f"on average by weight; less than {-left.needed:.3g} is needed{left.whose(names)}"
    return (f"it shares {-worth:.3g} {end}" for worth in left.worth[some].tolist())


def program_text(fitted: Any) -> str:
    """The quadratic program in the words of a paper; cites the publication as [1]."""
    return (
        f"Features were selected from {candidates(fitted)} by quadratic programming feature selection (QPFS) "
        "[1], which finds nonnegative weights that sum to one and trade the relevance of features to the "
        f"target against their redundancy with one another, both measured by {measure_words(fitted)}."
    )


def solved_text(fitted: Any, theta: Any, chosen: Collection[str] = ()) -> str:
    """theta and the certificate of the program, in the words of a paper."""
    text = f"The trade-off parameter was θ = {fitted.theta_:.3f}, {origin(theta, chosen)}."
    if not hasattr(fitted, "gap_"):
        return text
    proved = {"optimal": " and is proved optimal", "stationary": " (a stationary point)"}
    status = proved.get(getattr(fitted, "status_", ""), "")
    return f"{text} The program was solved to a Frank–Wolfe gap {gap_words(fitted.gap_)}{status}."


def origin(theta: Any, chosen: Collection[str]) -> str:
    """How theta was chosen, as part of a sentence."""
    if "theta" in chosen:
        return "chosen by cross-validation"
    if theta == "auto":
        return "at which relevance and redundancy count the same on average"
    return "as chosen beforehand"


def gap_words(gap: float) -> str:
    return f"below {gap_text(gap)}" if gap < 1e-12 else f"of {gap_text(gap)}"


def program_certainty(fitted: Any, theta: Any, whole: str, chosen: Collection[str] = ()) -> tuple[str, ...]:
    """How certain the weights of a program are, and the weight that relevance had in it."""
    gap, status = gap_text(fitted.gap_), getattr(fitted, "status_", None)
    if status == "optimal":
        solved = f"Proved optimal: no other weights improve {whole} by more than {gap}."
    elif status == "stationary":
        solved = (
            f"Stationary: the weights solve {whole} to first order, with a gap of {gap}. "
            "The program is not proved convex, so a better solution may exist."
        )
    else:
        solved = f"The weights solve {whole} to within a gap of {gap}."
    return solved, theta_words(fitted, theta, chosen)


def theta_words(fitted: Any, theta: Any, chosen: Collection[str]) -> str:
    """The weights of relevance and redundancy, and how they were chosen."""
    counts = f"Relevance has weight {fitted.theta_:.3f} and redundancy {1 - fitted.theta_:.3f}"
    if theta != "auto":
        return f"{counts}, as {'chosen by cross-validation' if 'theta' in chosen else 'given'}."
    error = getattr(fitted, "theta_standard_error_", 0.0)
    estimated = f", estimated with a standard error of {short(error, 2)}" if error else ""
    return f"{counts}, so that both count the same on average{estimated}."


def mean_pairs(theta: Any, m: int, n_samples: float, affordable: float) -> float:
    """The number of pairs from which an automatic theta is computed: all of them if they are affordable."""
    if theta != "auto":
        return 0.0
    exact = m * m / 2
    return exact if exact * max(n_samples, 64) <= affordable else min(SAMPLED * m, exact)
