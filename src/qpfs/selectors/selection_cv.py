"""The search for parameters, and for the number of features, by cross-validation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, product
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, check_consistent_length, check_random_state, get_tags
from sklearn.utils.validation import column_or_1d

from qpfs.arrays import AnyArray, IndexArray
from qpfs.checks import is_integer, native
from qpfs.codes import EqualFrequency, Target, checked_columns, target_of
from qpfs.codes.target import present_labels
from qpfs.engines import Serial, engine_for
from qpfs.selectors.account import Account
from qpfs.selectors.alternatives import AlternativesMixin
from qpfs.selectors.documented import searching
from qpfs.selectors.folds import Fold, best, default_estimator, results
from qpfs.selectors.ikm import IKMAQPFS, IKMQPFS
from qpfs.selectors.parameters import checked_discretizer, checked_n_jobs
from qpfs.selectors.problem import FitProblem
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.qpfs import QPFS
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reporting import ReportMixin
from qpfs.selectors.selector import FeatureSelector
from qpfs.selectors.tlkm import TLKMQPFS

LENGTHS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100)  # each about 1.4 times the one before
LENGTH = "n_features_to_select"
THETAS = (0.1, 0.3, 0.5, 0.7, 0.9, "auto")
Grid = Mapping[str, Any]


class SelectionCV(
    AlternativesMixin, ReportMixin, RankingMixin, CallbackSupportMixin, SelectorMixin, BaseEstimator
):
    """A selector with its parameters and the number of features chosen by cross-validation.

    In each fold the features are discretised and packed once for all candidates that agree on how; what else
    candidates share is computed once; and every length of every order is scored by an estimator trained on
    the selected features.

    Parameters
    ----------
    selector : selector or None, default=None
        Whose parameters are searched; None is the method that this class is named for, or ``QPFS()``.
    param_grid : dict, list of dict or None, default=None
        The values to choose from, by the name of the parameter; of several dicts each is a grid of its own.
        None is the usual grid of the method, or nothing to choose but the number of features.
    n_features : int, sequence of int or None, default=None
        The numbers of features to choose from; None for about a dozen from 1 to 100.
    cv : int, splitter or iterable, default=5
        How samples are divided, as in scikit-learn.
    estimator : estimator or None, default=None
        Who is trained on the selected features and scored; None is the linear support vector machine of the
        publications on features scaled to [-1, 1], or for a target that is a quantity ridge regression.
    scoring : str, callable or None, default=None
        How; None is the estimator's own score.
    n_jobs : int or None, default=None
        Threads over folds; the answer does not depend on it.

    Attributes
    ----------
    best_params_ : dict
        The parameters chosen, `n_features_to_select` among them: those with the highest mean score; of those
        as high the fewest features, then the first.
    best_score_ : float
        Their mean score over the folds.
    best_index_ : int
        Their place in `cv_results_`.
    best_selector_ : selector
        The selector with these parameters, fitted to all samples.
    cv_results_ : dict of arrays
        The scores of every candidate, as in scikit-learn's searches.
    order_, scores_, support_, relevance_, ...
        What `best_selector_` has.

    Notes
    -----
    Where a candidate finds fewer features than a length asks for, all that it finds are scored.

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

    _method: ClassVar[type[Any]] = QPFS
    _grid: ClassVar[Grid] = {}
    _weighs = False  # it is no criterion of another

    def __init__(
        self,
        selector: Any = None,
        param_grid: Any = None,
        n_features: Any = None,
        *,
        cv: Any = 5,
        estimator: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.param_grid = param_grid
        self.n_features = n_features
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose the parameters and learn which features to select.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The target: class labels of any type, or numbers; several if the measure is `"rank"` and the
            estimator takes them, as the default one for quantities does.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for a splitter that keeps them together.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._forget()
        candidates = self._candidates()
        selectors = self._selectors(candidates)
        X = checked_columns(self, X, reset=True, min_samples=2).with_numbers().table
        lengths = checked_lengths("n_features", self.n_features, self.n_features_in_)
        target = whole_target(selectors, y)
        labels = labels_of_all(target, self.estimator) if target.others else column_or_1d(present_labels(y))
        check_consistent_length(X, labels)
        folds = self._folds(X, labels, target, groups)
        progress = Progress(self, X, y, n_stages=2)
        with engine_for(checked_n_jobs(self.n_jobs)) as engine, progress.stage("folds") as tick:
            scores = []
            for found in engine.map(
                lambda fold: fold.scores(orders(fold, selectors, lengths[-1]), lengths), folds
            ):
                scores.append(found)
                tick()
        with progress.stage("refit"):
            self._choose(results(candidates, lengths, np.array(scores)), selectors, X, y)
        progress.end()
        return self

    def check(self) -> None:
        """Raise ValueError for a parameter that makes no sense, whatever the data; `fit` does so first."""
        self._selectors(self._candidates())
        checked_n_jobs(self.n_jobs)

    def _candidates(self) -> list[dict[str, Any]]:
        """Every combination of the values to choose from."""
        grid = self._grid if self.param_grid is None else self.param_grid
        grids = [grid] if isinstance(grid, Mapping) else list(grid)
        found = [one for some in grids for one in combinations(some)]
        if not found:
            raise ValueError("param_grid is empty; give a dict of values to choose from, or None.")
        return found

    def _selectors(self, candidates: list[dict[str, Any]]) -> list[Any]:
        """A selector for each candidate, all from one seed; raises ValueError if one makes no sense."""
        whole = self._method() if self.selector is None else self.selector
        ours = isinstance(whole, RankingMixin)
        if not ours:
            raise ValueError(
                f"selector={whole!r}, but it must be a selector of this package, such as QPFS()."
            )
        known = whole.get_params()
        seed = {"random_state": fixed_seed(known["random_state"])} if "random_state" in known else {}
        selectors = []
        for one in candidates:
            reject_unknown(one, known, whole)
            selectors.append(clone(whole).set_params(**seed | one))
            selectors[-1].check()
        return selectors

    def _folds(self, X: Any, labels: Any, target: Target, groups: Any) -> list[Fold]:
        estimator = default_estimator(target.classes is None) if self.estimator is None else self.estimator
        scorer = checked_scorer(estimator, self.scoring)
        splitter = check_cv(self.cv, labels, classifier=is_classifier(estimator))
        folds = [
            Fold(X, labels, train, test, target, estimator, scorer)
            for train, test in splitter.split(X, labels, groups)
        ]
        if not folds:
            raise ValueError(
                f"cv={self.cv!r} gives no folds; give a number, a splitter, or a list of splits."
            )
        return folds

    def _choose(self, found: dict[str, Any], selectors: list[Any], X: Any, y: Any) -> None:
        """Fits the best candidate to all samples, and takes on what it learned."""
        self.cv_results_ = found
        self.best_index_ = best(found)
        self.best_params_ = found["params"][self.best_index_]
        self.best_score_ = float(found["mean_test_score"][self.best_index_])
        n_lengths = len(found["params"]) // len(selectors)
        chosen = clone(selectors[self.best_index_ // n_lengths])
        self.best_selector_ = chosen.set_params(**{LENGTH: self.best_params_[LENGTH]}).fit(X, y)
        learned = {name: value for name, value in vars(chosen).items() if name.endswith("_")}
        self.__dict__.update(learned, _fitted=chosen.fitted_)

    def account(self, chosen: Collection[str] = ()) -> Account:
        """What the fit did, and how sure its answer is, in words."""
        found: Account = self.best_selector_.account(self.best_params_)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self._method() if self.selector is None else self.selector)
        tags.target_tags.required = True
        tags.target_tags.multi_output = own.target_tags.multi_output
        tags.input_tags.sparse, tags.input_tags.categorical = (
            own.input_tags.sparse,
            own.input_tags.categorical,
        )
        return tags


@searching
class QPFSCV(SelectionCV):
    """QPFS with theta and the number of features chosen by cross-validation: all theta along one path.

    As :class:`~qpfs.SelectionCV` with this method and its usual grid.

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

    As :class:`~qpfs.SelectionCV` with this method and its usual grid.

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

    As :class:`~qpfs.SelectionCV` with this method and its usual grid.

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

    As :class:`~qpfs.SelectionCV` with this method and its usual grid.

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


def orders(fold: Fold, selectors: list[Any], n: int) -> Iterator[IndexArray]:
    """The order of at least n features that each candidate finds in the training part of a fold."""
    for _, some in groupby(selectors, lambda one: repr(packing_of(one))):
        group = list(some)
        if isinstance(group[0], FeatureSelector):
            yield from type(group[0])._orders(problem_of(fold, group[0], n), group)
        else:
            yield from (clone(one).fit(*fold.training()).order_ for one in group)


def packing_of(selector: Any) -> list[Any]:
    """The parameters that say how features are packed, and the target coded."""
    return [getattr(selector, name, None) for name in ("measure", "discretizer", "target_discretizer")]


def problem_of(fold: Fold, selector: FeatureSelector, n: int) -> FitProblem:
    """The training part of a fold; its target is of the kind that the whole target is."""
    X, y = fold.training()
    target = fold.target.part(fold.train, selector._settings().target_rule)
    return selector._problem(X, y, target, n, Serial())


def whole_target(selectors: list[Any], y: Any) -> Target:
    """The target of all samples; several if all candidates take them."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    rule = checked_discretizer("target_discretizer", getattr(selectors[0], "target_discretizer", None))
    several = all(get_tags(one).target_tags.multi_output for one in selectors)
    return target_of(y, rule or EqualFrequency(5), forced=rule is not None, several=several)


def labels_of_all(target: Target, estimator: Any) -> AnyArray:
    """Several targets as columns for an estimator; raises ValueError if the default one takes none such."""
    classes = [one.name for one in target.targets if one.classes is not None]
    if estimator is None and classes:
        raise ValueError(
            f"y has {len(target.targets)} columns, and {', '.join(map(repr, classes))} "
            f"{'holds' if len(classes) == 1 else 'hold'} classes: the default classifier is scored on one "
            "target. Pass an estimator that takes several, with scoring, or search for each by itself."
        )
    columns = [one.values for one in target.targets]
    mixed = len({"number" if column.dtype.kind in "biuf" else "text" for column in columns}) > 1
    return np.stack([column.astype(object) if mixed else column for column in columns], axis=1)


def combinations(grid: Any) -> list[dict[str, Any]]:
    """Every combination of the values of a grid, the last parameter changing fastest."""
    if not isinstance(grid, Mapping):
        raise ValueError(f"param_grid={native(grid)!r}, but it must be a dict of values to choose from.")
    if LENGTH in grid:
        raise ValueError(f"param_grid names {LENGTH}; give the numbers of features as n_features.")
    values = [values_of(name, value) for name, value in grid.items()]
    return [dict(zip(grid, one, strict=True)) for one in product(*values)]


def reject_unknown(given: Mapping[str, Any], known: Mapping[str, Any], selector: Any) -> None:
    for name in given:
        if name not in known:
            raise ValueError(
                f"param_grid names {name!r}, which is no parameter of {type(selector).__name__}; it has "
                f"{', '.join(known)}."
            )


def fixed_seed(random_state: Any) -> int:
    """A seed that all folds and candidates begin from: the one given, or one drawn once."""
    if is_integer(random_state):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def checked_scorer(estimator: Any, scoring: Any) -> Any:
    """How a model is scored, by one number."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring={scoring!r}, but it must be one name, one function, or None.")
    return check_scoring(estimator, scoring=scoring)


def values_of(name: str, value: Any) -> list[Any]:
    """The values to choose from: those of a sequence, or the one given."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    values = list(value)
    if len(values) == 0:
        raise ValueError(f"{name} is empty; give a value, or several to choose from.")
    return values


def checked_lengths(name: str, value: Any, n_features: int) -> list[int]:
    """The numbers of features to try, ascending."""
    if value is None:
        return [n for n in LENGTHS if n <= n_features]
    lengths = values_of(name, value)
    for n in lengths:
        if not is_integer(n) or not 1 <= n <= n_features:
            raise ValueError(
                f"{name}={native(n)!r} among the values to choose from, but there are "
                f"{n_features} features; give integers from 1 to {n_features}, or None."
            )
    return sorted({int(n) for n in lengths})
