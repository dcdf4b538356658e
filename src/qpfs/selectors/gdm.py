"""GDM: the Group Discovery Machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.checks import check_limits
from qpfs.embedded import Features, Machine, Uncorrelated, affiliations
from qpfs.selector_texts import documented
from qpfs.selectors.account import Account, candidates
from qpfs.selectors.embedded import EmbeddedSelector
from qpfs.selectors.reasons import Left, Names, Reason, Said

REFERENCE = (
    "Zhai Y, Tan M, Tsang IW, Ong Y-S. Discovering support and affiliated features from very high "
    "dimensions. Proceedings of the 29th International Conference on Machine Learning, 2012."
)


class Affiliate(NamedTuple):
    """A feature that a support feature represents."""

    feature: int
    name: str
    correlation: float


@documented
class GDM(EmbeddedSelector):
    r"""The Group Discovery Machine: FGM whose groups hold no two correlated features.

    The objective and the rounds are those of `FGM`. The features of a group are chosen from the largest
    :math:`|c_j|` down, and one is skipped if its absolute correlation with one already in the group exceeds
    `max_correlation`. The features with weight in the final model are the **support features**; every other
    feature whose absolute correlation with one of them exceeds `max_correlation` is **affiliated** with the
    one it correlates with most.

    **This search is a reconstruction.** The full text and the software of the publication [1]_ were not
    available; known are its abstract (correlation as a constraint of cutting planes as in FGM; support and
    affiliated features) and the cost stated by a later abstract [2]_: features sorted once, and a few
    correlated with all, as is done here. Finding the best group under the constraint is a maximum-weight
    independent set problem, so the search is greedy. Results may differ from those of the publication.

    Parameters
    ----------
    {n_with_weight}
    n_per_step : int, default=5
        B: the most features that a group has; each round adds one group.
    {C}
    max_correlation : float in [0, 1], default=0.9
        The largest absolute correlation of two features in a group; 1 is FGM.

        No published default is known.
    {loss}
    {max_iter}
    {tol}
    fit_intercept : bool, default=False
        Whether there is an intercept; see `FGM`.

    Attributes
    ----------
    support_features_ : ndarray of int
        The features with weight, best first.
    affiliated_features_ : dict of int to list of Affiliate
        For each support feature its affiliated features, the most correlated first: `feature`, `name` and
        `correlation` (with its sign). A feature is in at most one list, that of the support feature it
        correlates with most; a support feature is in none.
    order_ : ndarray of int
        All features that are not constant, best first: by weight, then by violation (:math:`|c_j|` of the
        final model, regardless of correlation), then by index.
    {absolute_weights}
    {support_}
    {estimator_}
    {classes_}
    objective_ : float
        The objective at the final weights; with several classes the sum over them.
    gap_ : float
        No groups of features that vary, constrained or not, and no weights have an objective lower by more
        than this. It need not reach 0: the constraint may forbid the groups that would close it.
    {n_iter_}
    {machine_rounds}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    FGM : A linear model that adds groups of the features that violate optimality most.
    MRMR : Features selected one by one, by relevance minus redundancy.

    Notes
    -----
    The constraint holds within a group: features of different rounds may correlate. Scale the features, as
    for `FGM`; `fit` scales nothing. With several classes, one model is fitted for each, as in `FGM`; this is
    not in the publication.

    A round costs one pass over the data, and the correlations of the features examined with those in the
    group; the affiliated features cost one further pass for each support feature.

    References
    ----------
    .. [1] Y. Zhai, M. Tan, I. W. Tsang, Y.-S. Ong. Discovering Support and Affiliated Features from Very High
           Dimensions. ICML 2012, arXiv 1206.6477.
    .. [2] Y. Zhai, Y.-S. Ong, I. W. Tsang. Making Trillion Correlations Feasible in Feature Grouping and
           Selection. IEEE TPAMI 38(12):2472-2486, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from qpfs import GDM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X = MinMaxScaler((-1, 1)).set_output(transform="pandas").fit_transform(X)
    >>> selector = GDM(max_correlation=0.8).fit(X, y)
    >>> best = selector.support_features_[0]
    >>> X.columns[best]
    'worst radius'
    >>> [(a.name, round(a.correlation, 2)) for a in selector.affiliated_features_[best]][:2]
    [('worst perimeter', 0.99), ('worst area', 0.98)]
    """

    _references = (REFERENCE,)

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_per_step: int = 5,
        C: float = 1.0,
        max_correlation: float = 0.9,
        loss: str = "squared_hinge",
        max_iter: int = 20,
        tol: float = 1e-3,
        fit_intercept: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_per_step = n_per_step
        self.C = C
        self.max_correlation = max_correlation
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _search(self) -> Uncorrelated:
        check_limits(self, "max_correlation", "n_per_step")
        return Uncorrelated(int(self.n_per_step), float(self.max_correlation))

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by the group discovery machine (GDM) [1], as "
            "reconstructed from its publication: a sparse linear support vector machine trained by cutting "
            f"planes, whose groups of {self.n_per_step} features correlate by at most "
            f"{self.max_correlation:g} ({self._model_text()}), searched greedily."
        )
        distance = "its distance is one minus the absolute value of their correlation"
        return Account(text, self._references, self._certainty(), distance=distance)

    def _left_out(self, left: Left) -> Iterator[Said]:
        yield from super()._left_out(left)
        support, others = left.members.representative, np.arange(left.n_features)

        def texts(some: IndexArray, names: Names) -> Iterator[str]:
            size = 1.0 - left.members.distance[some]
            for other, much in zip(support[some].tolist(), size.tolist(), strict=True):
                yield f"belongs to the group of {names[other]} (absolute correlation {much:.2f})"

        behind = (support >= 0) & (support != others) & (left.weight == 0)
        yield behind, Reason("in the group of another feature", texts)

    def _keep(self, machines: list[Machine], features: Features) -> None:
        super()._keep(machines, features)
        self.support_features_: IndexArray = self.order_[self.scores_[self.order_] > 0]
        lists: dict[int, list[Affiliate]] = {int(feature): [] for feature in self.support_features_}
        names = getattr(self, "feature_names_in_", None)
        # By correlation at the end: the search alone misses copies of the last feature that it took.
        for one in affiliations(features, self.support_features_, float(self.max_correlation)):
            name = f"x{one.feature}" if names is None else str(names[one.feature])
            lists[one.support].append(Affiliate(one.feature, name, one.correlation))
        self.affiliated_features_ = lists
