"""The search for parameters, and for the number of features, by cross-validation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from qpfs.arrays import FloatArray, IndexArray
from qpfs.checks import checked_n_jobs, unfit
from qpfs.codes import EqualFrequency, Target, checked_columns, columns_of, some_rows, target_of
from qpfs.codes.anndata_columns import of_samples
from qpfs.codes.target import present_labels
from qpfs.codes.values import array_of
from qpfs.documented import searching
from qpfs.engines import Serial
from qpfs.evaluation.curve import curve_trials
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.estimators import default_estimator
from qpfs.evaluation.identities import identity
from qpfs.evaluation.judging import Judge, check_estimator, scorer_of
from qpfs.evaluation.rankings import Ranking
from qpfs.evaluation.runs import in_turn
from qpfs.evaluation.sample import (
    Sample,
    check_adjusts,
    check_groups,
    labels_of_all,
    last_step,
    reject_united,
)
from qpfs.evaluation.score_checks import check_scorer
from qpfs.evaluation.sizes import sizes_within, values_of
from qpfs.evaluation.splits import check_seed, fixed_seed, splits_of
from qpfs.evaluation.trials import Trial
from qpfs.messages import Parameter, invalid
from qpfs.methods import METHODS
from qpfs.selectors import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS, FeatureSelector
from qpfs.selectors.account import Account
from qpfs.selectors.adjusting import checked_covariates
from qpfs.selectors.alignment import beside
from qpfs.selectors.chance import grouped
from qpfs.selectors.given_features import Names
from qpfs.selectors.parameters import checked_discretizer
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reasons import Left, Said
from qpfs.selectors.redundancy import RedundancyMixin
from qpfs.selectors.reporting import ReportMixin
from qpfs.selectors.restrictions import ASKED, Restrictions
from qpfs.selectors.sample_weights import checked_weights, weights_of_samples
from qpfs.selectors.samples_given import SamplesGiven
from qpfs.selectors.theta_path import ThetaPath

LENGTH = "n_features_to_select"
THETAS = (0.1, 0.3, 0.5, 0.7, 0.9, "auto")
Grid = Mapping[str, Any]


class SelectionCV(
    ReportMixin,
    RedundancyMixin,
    RankingMixin,
    CallbackSupportMixin,
    SelectorMixin,
    BaseEstimator,
):
    """A selector with its parameters and the number of features chosen by cross-validation.

    In each fold the features are discretised and packed once for all candidates with the same discretisation;
    other common work is also done once; and every length of every order is scored by an estimator trained on
    the selected features.

    Parameters
    ----------
    selector : selector or None, default=None
        The selector whose parameters are searched, one of this package; None is the method in the name of
        the class (``QPFS()`` for `SelectionCV`). For a selector of another package, such as RFE, use
        scikit-learn's GridSearchCV on a pipeline of that selector and an estimator.
    param_grid : dict, list of dict or None, default=None
        The values to choose from, by the name of the parameter; several dicts are separate grids. None is the
        usual grid of the method, or only the number of features.
    n_features : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100. Numbers larger than that
        of the columns mean all columns, with a warning.
    cv : int, splitter, iterable or None, default=5
        How samples are divided, as in scikit-learn: a number of folds (None is 5), stratified for classes;
        any splitter; or an iterable of (train, test).
    estimator : estimator or None, default=None
        The model that is trained on the selected features and scored; None is
        :func:`~qpfs.evaluation.default_estimator`, a linear support vector machine, or for a quantity ridge
        regression, on scaled features. Missing numbers are filled with the median and labels become
        indicators, learned on the training part.
    scoring : str, callable or None, default=None
        The score; None is the estimator's own score.
    random_state : int, RandomState instance or None, default=None
        If `cv` is a number: None makes folds in the order of the samples, as the searches of scikit-learn do;
        a seed shuffles them as :func:`~qpfs.evaluation.error_curve` does, stratified, a quantity by fifths.
        Both keep groups together. A selector has its own `random_state`.
    n_jobs : int or None, default=None
        The number of threads over folds; the result does not depend on it.

    Attributes
    ----------
    best_params_ : dict
        The parameters chosen, `n_features_to_select` among them: those with the highest mean score; of equal
        ones those with the fewest features, then the first.
    best_score_ : float
        Their mean score over the folds.
    best_index_ : int
        Their index in `cv_results_`.
    best_selector_ : selector
        The selector with these parameters, fitted to all samples.
    cv_results_ : dict of arrays
        The scores of every candidate, as in scikit-learn's searches.
    order_, scores_, support_, relevance_, ...
        The attributes of `best_selector_`.

    See Also
    --------
    QPFS : Quadratic programming feature selection, solved exactly.
    MRMR : Features selected one by one, by relevance minus redundancy.
    qpfs.evaluation.compare : Several methods by nested cross-validation.

    Notes
    -----
    If a candidate ranks fewer features than a length, all that it ranks are scored. The score of the best
    candidate is optimistic, since the candidate was chosen by it [1]_;
    :func:`qpfs.evaluation.compare` puts the whole search inside each fold.

    References
    ----------
    .. [1] S. Varma, R. Simon. Bias in error estimation when using cross-validation for model selection. BMC
           Bioinformatics 7:91, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import EqualFrequency, MaxRel, SelectionCV, ThreeSegments
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rules = {"discretizer": [ThreeSegments(), EqualFrequency(3)]}
    >>> search = SelectionCV(MaxRel(), rules, [2, 4]).fit(X, y)
    >>> search.best_params_["n_features_to_select"], search.transform(X).shape
    (4, (569, 4))
    """

    best_params_: dict[str, Any]
    _method: ClassVar[type[Any]] = QPFS
    _grid: ClassVar[Grid] = {}
    _weighs = False  # not a criterion of another selector

    def __init__(
        self,
        selector: Any = None,
        param_grid: Any = None,
        n_features: Any = None,
        *,
        cv: Any = 5,
        estimator: Any = None,
        scoring: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.param_grid = param_grid
        self.n_features = n_features
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(
        self, X: Any, y: Any, groups: Any = None, *, sample_weight: Any = None, covariates: Any = None
    ) -> Self:
        """Choose the parameters and learn which features to select.

        Parameters
        ----------
        X : array-like, data frame or AnnData of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The target: class labels of any type, or numbers; several if the estimator takes them, as the
            default one for quantities does.
        groups : array-like of shape (n_samples,) or None, default=None
            Which samples belong together: they stay in one fold, and the p values of the selector are those
            of its `fit` with groups.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weights for the selectors, as in :meth:`qpfs.QPFS.fit`. The estimator is trained and scored
            without weights.
        covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
            The covariates to adjust for, as in the `fit` of the selector, in every training part with its own
            samples. The estimator does not get them.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._forget()
        candidates = self._candidates()
        selectors = self._selectors(candidates)
        given = {"groups": groups, "covariates": covariates, "sample_weight": sample_weight}
        groups, covariates, sample_weight = beside(X, **given)  # the fit to all warns about the order of y
        y = of_samples(X, y, "y")
        X = checked_columns(self, X, reset=True, min_samples=2).with_numbers().table
        lengths = sizes_within("n_features", self.n_features, self.n_features_in_)
        check_lengths(selectors, X, lengths)
        sample = self._sample(X, y, groups, whole_target(selectors, y), covariates)
        check_adjusts(selectors[0], sample)
        weights = None if sample_weight is None else checked_weights(sample_weight, sample.n_samples)
        if weights is not None and not isinstance(selectors[0], FeatureSelector):
            raise TypeError(f"{type(selectors[0]).__name__} takes no sample_weight; leave it out.")
        sample = replace(sample, weights=weights)
        ranker = SelectorGrid(selectors, sample, lengths[-1])
        ranker.check()
        trials = self._trials(sample, ranker, lengths)
        progress = Progress(self, X, y, n_stages=2)
        with progress.stage("folds") as tick:
            outcomes = in_turn(lambda one: one.outcome(sample), trials, self.n_jobs, lambda *done: tick())
            scores = np.array([[one["loss"] for one in found["rankings"]] for found in outcomes])
        with progress.stage("refit"):
            self._choose(results(candidates, lengths, scores), selectors, sample, y)
        progress.end()
        return self

    def check(self) -> None:
        """Raise ValueError for a parameter that is wrong for any data; `fit` does so first."""
        self._selectors(self._candidates())
        checked_n_jobs(self.n_jobs)
        check_seed(self.random_state)

    @property
    def _whole(self) -> Any:
        """The selector whose parameters are searched."""
        return self._method() if self.selector is None else self.selector

    @property
    def _references(self) -> tuple[str, ...]:
        found: tuple[str, ...] = getattr(self._whole, "_references", ())
        return found

    def _candidates(self) -> list[dict[str, Any]]:
        """Every combination of the values to choose from."""
        grid = self._grid if self.param_grid is None else self.param_grid
        grids = [grid] if isinstance(grid, Mapping) else list(grid)
        found = [one for some in grids for one in combinations(some)]
        if not found:
            raise ValueError("param_grid is empty; give a dict of values to choose from, or None.")
        return found

    def _selectors(self, candidates: list[dict[str, Any]]) -> list[Any]:
        """A selector for each candidate, all with one seed; raises ValueError for wrong parameters."""
        whole = self._whole
        ours = isinstance(whole, RankingMixin)
        if not ours:
            raise unfit("selector", whole, f"a selector of this package{instead_of(whole)}.")
        known = whole.get_params()
        seed = {"random_state": fixed_seed(known["random_state"])} if "random_state" in known else {}
        selectors = []
        for one in candidates:
            reject_unknown(one, known, whole)
            selectors.append(clone(whole).set_params(**seed | one))
            selectors[-1].check()
            reject_united(selectors[-1], "n_features")
        return selectors

    def _sample(self, X: Any, y: Any, groups: Any, target: Target, covariates: Any) -> Sample:
        if target.others:
            check_default(target, self.estimator)
        labels = labels_of_all(target) if target.others else column_or_1d(present_labels(y))
        groups = None if groups is None else array_of(groups, "groups")
        check_consistent_length(X, labels, groups)
        check_groups(groups)
        known = None if covariates is None else checked_covariates(covariates, len(labels))
        return Sample(X, labels, target, groups, known)

    def _trials(self, sample: Sample, ranker: SelectorGrid, lengths: list[int]) -> list[Trial]:
        """One for each fold, with the rankings of all candidates."""
        estimator = default_estimator(sample.is_quantity) if self.estimator is None else self.estimator
        scoring = scorer_of(estimator, self.scoring)
        check_estimator(self.estimator, self.scoring, sample)
        check_scorer(scoring.name, scoring.scorer, estimator, sample)
        judge = Judge(self.estimator, scoring, sample.is_quantity, finite=False)
        seed = None if self.random_state is None else fixed_seed(self.random_state)
        splits = splits_of(self.cv, sample, random_state=seed)
        return curve_trials(ranker, judge, splits, lengths, "fold")

    def _choose(self, found: dict[str, Any], selectors: list[Any], sample: Sample, y: Any) -> None:
        """Fits the best candidate to all samples, and copies its fitted attributes."""
        self.cv_results_ = found
        self.best_index_ = best(found)
        self.best_params_ = found["params"][self.best_index_]
        self.best_score_ = float(found["mean_test_score"][self.best_index_])
        n_lengths = len(found["params"]) // len(selectors)
        chosen = clone(selectors[self.best_index_ // n_lengths])
        chosen.set_params(**{LENGTH: self.best_params_[LENGTH]})
        self.best_selector_ = replace(sample, y=y).fitted(chosen)
        learned = {name: value for name, value in vars(chosen).items() if name.endswith("_")}
        self.__dict__.update(learned, _fitted=chosen.fitted_)

    def theta_path(self, thetas: Any = None) -> ThetaPath:
        """The weights along theta with the chosen parameters, if the selector has a theta.

        Parameters
        ----------
        thetas : array-like of shape (n_thetas,) or None, default=None
            As in :meth:`qpfs.QPFS.theta_path`.

        Returns
        -------
        path : ThetaPath
            `thetas`, `weights` of shape (n_thetas, n_features), `objectives`, `gaps` and `status`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from qpfs import QPFSCV
        >>> search = QPFSCV(n_features=[2, 4]).fit(*load_breast_cancer(return_X_y=True))
        >>> search.theta_path([0.2, 0.8]).weights.shape
        (2, 30)
        """
        check_is_fitted(self)
        if not hasattr(self.best_selector_, "theta_path"):
            name = type(self.best_selector_).__name__
            raise TypeError(f"{name} has no theta, so there is no path; search the parameters of QPFS().")
        path: ThetaPath = self.best_selector_.theta_path(thetas)
        return path

    def account(self, chosen: Collection[str] = ()) -> Account:
        """What the fit did, and how certain its result is, in words."""
        found: Account = self.best_selector_.account(self.best_params_)
        return found

    def _left_out(self, left: Left) -> Iterator[Said]:
        """Why features were left out, as the chosen selector reports."""
        found: Iterator[Said] = self.best_selector_._left_out(left)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self._whole)
        tags.target_tags.required = True
        tags.target_tags.multi_output = own.target_tags.multi_output
        tags.input_tags = own.input_tags  # missing values among them, which are filled for the estimator
        return tags


@searching
class QPFSCV(SelectionCV):
    """QPFS with theta and the number of features chosen by cross-validation: all theta along one path.

    {search}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = QPFSCV(param_grid={"theta": [0.3, "auto"]}, n_features=[2, 4, 8]).fit(X, y)
    >>> search.best_params_["n_features_to_select"], search.transform(X).shape
    (8, (569, 8))
    """

    _grid: ClassVar[Grid] = {"theta": THETAS}


@searching
class TLKMQPFSCV(SelectionCV):
    """TLKM-QPFS with the number of clusters and of features chosen by cross-validation.

    {search}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import TLKMQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TLKMQPFSCV(param_grid={"n_clusters": [8, 16]}, n_features=[2, 4]).fit(X, y).best_params_
    {'n_clusters': 16, 'n_features_to_select': 4}
    """

    _method = TLKMQPFS
    _grid: ClassVar[Grid] = {"n_clusters": (10, 25, 50, 100, 200, 400)}


@searching
class IKMQPFSCV(SelectionCV):
    """IKM-QPFS with the radius and the numbers of clusters and of features chosen by cross-validation.

    {search}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = IKMQPFSCV(param_grid={"radius": [0.6, 0.8], "n_first": 5}, n_features=[2, 4]).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    """

    _method = IKMQPFS
    _grid: ClassVar[Grid] = {"radius": (0.3, 0.4, 0.5, 0.6, 0.8), "n_first": (15, 50, 100, 200)}


@searching
class IKMAQPFSCV(IKMQPFSCV):
    """IKMA-QPFS with the radius and the numbers of clusters and of features chosen by cross-validation.

    {search}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import IKMAQPFSCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = IKMAQPFSCV(param_grid={"radius": [0.6, 0.8], "n_first": 5}, n_features=[2, 4]).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    """

    _method = IKMAQPFS


@dataclass(frozen=True, eq=False)
class SelectorGrid:
    """Selectors that differ in some parameters, and share common work."""

    selectors: list[Any]
    sample: Sample
    n: int  # features at least, that each is to rank

    def rankings(self, train: IndexArray) -> Iterator[Ranking]:
        """The order of each; features are discretised and packed once for all with the same rule."""
        for _, some in groupby(self.selectors, lambda one: repr(packing_of(one))):
            group = list(some)
            if not isinstance(group[0], FeatureSelector):
                X, y = some_rows(self.sample.X, train), self.sample.y[train]
                yield from (Ranking(clone(one).fit(X, y).order_) for one in group)
                continue
            problem = self._problem(group[0], train)
            yield from map(Ranking, type(group[0])._orders(problem, group))

    def _problem(self, selector: FeatureSelector, train: IndexArray) -> FitProblem:
        """The problem of a selector on some samples."""
        settings, whole = selector._settings(), self.sample.target
        weights = None if self.sample.weights is None else self.sample.weights[train]
        given = weights_of_samples(weights, settings, self.sample.y[train], len(train))
        rows = train if given.rows is None else train[given.rows]
        covariates = self.sample.covariates and self.sample.covariates.part(rows)
        groups = None if self.sample.groups is None else grouped(self.sample.groups[rows], len(rows))
        target = whole.part(rows, settings.target_rule, given.weights).important(settings.target_weights)
        X, y = some_rows(self.sample.X, rows), self.sample.y[rows]
        return selector._problem(X, y, target, self.n, Serial(), covariates, groups)

    def check(self) -> None:
        """Raises ValueError, before any work, if groups and covariates do not allow the p values of a fit."""
        covariates, groups = self.sample.covariates, self.sample.groups
        if covariates is None or groups is None:
            return
        given = SamplesGiven(covariates=covariates, groups=grouped(groups, len(groups)))
        for one in self.selectors:
            one._check_shuffles(self.sample.X, self.sample.target, given)

    @cached_property
    def key(self) -> dict[str, Any]:
        """The exact identity for records."""
        exactly = [identity(one, "a candidate") for one in self.selectors]
        return {"selectors": [description(one) for one in self.selectors], "exactly": exactly}


PACKING = ("measure", "discretizer", "target_discretizer", "class_weight", "target_weights", "fdr", *ASKED)


def packing_of(selector: Any) -> list[Any]:
    """The parameters that determine how features are packed and the target is coded."""
    return [getattr(selector, name, None) for name in PACKING]


def results(candidates: list[dict[str, Any]], lengths: Sequence[int], scores: FloatArray) -> dict[str, Any]:
    """`cv_results_` as scikit-learn's searches have it; scores are (folds, candidates, lengths)."""
    parameters = [{**one, LENGTH: n} for one in candidates for n in lengths]
    names = dict.fromkeys(name for one in parameters for name in one)
    by_fold = scores.reshape(len(scores), -1)
    mean = by_fold.mean(axis=0)
    known = np.where(np.isnan(mean), -np.inf, mean)  # a score that is not a number comes last
    return {
        **{f"param_{name}": values_by_name(name, parameters) for name in names},
        "params": parameters,
        **{f"split{i}_test_score": fold for i, fold in enumerate(by_fold)},
        "mean_test_score": mean,
        "std_test_score": by_fold.std(axis=0),
        "rank_test_score": (known[None, :] > known[:, None]).sum(axis=1) + 1,
    }


def values_by_name(name: str, parameters: list[dict[str, Any]]) -> Any:
    """The value of a parameter in each candidate, masked where it is not in its grid."""
    out = np.empty(len(parameters), object)
    out[:] = [one.get(name) for one in parameters]
    return np.ma.MaskedArray(out, mask=[name not in one for one in parameters])


def best(found: dict[str, Any]) -> int:
    """The index of the highest mean; of equal ones that with the fewest features, then the first."""
    mean = found["mean_test_score"]
    if np.isnan(mean).all():
        raise invalid(
            "No candidate could be scored: every mean score is NaN, as r2 is for a test part of one "
            "sample, and roc_auc for one class; use larger test parts (",
            Parameter("cv"),
            "), or another score (",
            Parameter("scoring"),
            ").",
        )
    highest = np.flatnonzero(mean >= np.nanmax(mean) - 1e-12)
    lengths = np.array([found["params"][i][LENGTH] for i in highest])
    return int(highest[np.argmin(lengths)])


def whole_target(selectors: list[Any], y: Any) -> Target:
    """The target of all samples; several if all candidates take them."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    rule = checked_discretizer("target_discretizer", getattr(selectors[0], "target_discretizer", None))
    several = all(get_tags(one).target_tags.multi_output for one in selectors)
    return target_of(y, rule or EqualFrequency(5), forced=rule is not None, several=several)


def check_default(target: Target, estimator: Any) -> None:
    """Raises ValueError for several targets with classes if the default estimator would be scored."""
    classes = [one.name for one in target.targets if one.classes is not None]
    if estimator is None and classes:
        raise ValueError(
            f"y has {len(target.targets)} columns, and {', '.join(map(repr, classes))} "
            f"{'holds' if len(classes) == 1 else 'hold'} classes: the default classifier is scored on one "
            "target. Pass an estimator that takes several, with scoring, or search for each separately."
        )


def combinations(grid: Any) -> list[dict[str, Any]]:
    """Every combination of the values of a grid, the last parameter changing fastest."""
    if not isinstance(grid, Mapping):
        raise unfit("param_grid", grid, "a dict of values to choose from.")
    if LENGTH in grid:
        raise ValueError(f"param_grid names {LENGTH}; give the numbers of features as n_features.")
    values = [values_of(name, value) for name, value in grid.items()]
    return [dict(zip(grid, one, strict=True)) for one in product(*values)]


def instead_of(selector: Any) -> str:
    """What to give instead of an object that is no selector of this package."""
    if isinstance(selector, type):
        return f", not a class: {selector.__name__}()"
    if isinstance(selector, str) and selector in METHODS:
        return f", not its name: {METHODS[selector].class_name}()"
    last = last_step(selector)[0]
    if not hasattr(last, "fit"):
        return ", such as QPFS()"
    name, first = type(last).__name__, "..., " * (last is not selector)
    if isinstance(last, RankingMixin):
        return f". Put the search into the pipeline: make_pipeline(..., SelectionCV({name}(...)))"
    searched = f"make_pipeline({first}{name}(...), estimator), {{'{name.lower()}__...': [...]}}"
    return (
        ", such as QPFS(); for others put them into a pipeline with the estimator, and search by "
        f"GridSearchCV({searched}) of scikit-learn"
    )


def reject_unknown(given: Mapping[str, Any], known: Mapping[str, Any], selector: Any) -> None:
    for name in given:
        if name not in known:
            raise ValueError(
                f"param_grid names {name!r}, which is not a parameter of {type(selector).__name__}; it has "
                f"{', '.join(known)}."
            )


def check_lengths(selectors: list[Any], X: Any, lengths: list[int]) -> None:
    """Raises ValueError, before any work, if a number of features is below the number of kept ones."""
    columns = columns_of(X)
    for one in selectors:
        if getattr(one, "keep", None) is not None:
            Restrictions.of(one, Names(columns.names, columns.n_features, columns.marked)).n_select(
                min(lengths)
            )
