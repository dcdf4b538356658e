"""The search for parameters, and for the number of features, by cross-validation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import column_or_1d

from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes import columns_of
from qpfs.codes.columns import is_frame
from qpfs.codes.target import present_labels
from qpfs.codes.validation import checked_columns, is_integer, unmasked
from qpfs.codes.values import plain, tabled
from qpfs.engines import Engine, Serial, engine_for
from qpfs.information import FeatureTable
from qpfs.selectors.folds import Fold, best, default_estimator, results
from qpfs.selectors.parameters import checked_n_jobs, feature_discretizer, measure_of, target_discretizer
from qpfs.selectors.problem import Problem, packed, reject_all_constant
from qpfs.selectors.progress import Progress, with_callbacks
from qpfs.selectors.selector import FeatureSelector

LENGTHS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100)


class SearchMixin:
    """Scores every candidate in every fold, and fits the best to all samples."""

    cv: Any
    estimator: Any
    scoring: Any
    n_jobs: Any
    n_features_to_select: Any

    _searched: tuple[str, ...]  # parameters that may be sequences of values to choose from
    _plain: type[FeatureSelector]  # the selector that has one value for each

    @abstractmethod
    def _orders(self, problem: Problem, selectors: list[Any]) -> Iterable[IndexArray]:
        """The order of features that each of some plain selectors finds."""

    @with_callbacks
    def fit(self: Any, X: Any, y: Any, groups: Any = None) -> Any:
        """Choose the parameters and learn which features to select.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,)
            The target: class labels of any type, or numbers.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for a splitter that keeps them together.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._forget()
        measure_of(self.measure)
        candidates = self._candidates()
        seed = fixed_seed(self.random_state)
        selectors = [self._selector(one | {"random_state": seed}) for one in candidates]
        for selector in selectors:
            selector._check_parameters()
        X = checked_input(self, tabled(X))
        lengths = checked_lengths(self.n_features_to_select, self.n_features_in_)
        target = self._coded_target(y)
        labels = column_or_1d(present_labels(y))
        check_consistent_length(X, labels)
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
        progress = Progress(self, X, y, n_stages=2)
        with engine_for(checked_n_jobs(self.n_jobs)) as engine, progress.stage("folds") as tick:
            scores = []
            for found in engine.map(lambda fold: self._scores(fold, selectors, lengths), folds):
                scores.append(found)
                tick()
        with progress.stage("refit"):
            self._choose(results(candidates, lengths, np.array(scores)), seed, X, y)
        progress.end()
        return self

    def _candidates(self) -> list[dict[str, Any]]:
        """Every combination of the values to choose from."""
        values = [values_of(name, getattr(self, name)) for name in self._searched]
        return [dict(zip(self._searched, one, strict=True)) for one in product(*values)]

    def _selector(self: Any, parameters: dict[str, Any]) -> Any:
        """The plain selector with the given parameters, and for the rest those of this one."""
        own = self.get_params(deep=False)
        names = self._plain._get_param_names()
        return self._plain(**{name: own[name] for name in names if name in own} | parameters)

    def _scores(self: Any, fold: Fold, selectors: list[Any], lengths: Sequence[int]) -> AnyArray:
        """The scores of all candidates in a fold, whose features are cut and packed once."""
        return fold.scores(self._orders(self._problem(fold, Serial()), selectors), lengths)

    def _problem(self: Any, fold: Fold, engine: Engine) -> Problem:
        """The training part of a fold; its target is of the kind that the whole target is."""
        X, y = fold.training()
        target = fold.target.part(fold.train, target_discretizer(self.target_discretizer))
        columns, rule = columns_of(X), feature_discretizer(self.discretizer)
        measure = measure_of(self.measure).on(columns.n_samples)
        table: FeatureTable[Any] = FeatureTable(packed(columns, rule, measure, engine)[0], measure, engine)
        reject_all_constant(table)
        return Problem(table, table.relevance(target), columns, y, rule, None, lambda: None)

    def _choose(self: Any, found: dict[str, Any], seed: int, X: Any, y: Any) -> None:
        """Fits the best candidate to all samples, and takes on what it learned."""
        self.cv_results_ = found
        self.best_index_ = best(found)
        self.best_params_ = found["params"][self.best_index_]
        self.best_score_ = float(found["mean_test_score"][self.best_index_])
        fitted = self._selector(self.best_params_ | {"random_state": seed}).fit(X, y)
        learned = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
        self.__dict__.update(learned, _table=fitted._table, _target=fitted._target)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = False  # that is for the estimator to say
        return tags


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


def checked_lengths(value: Any, n_features: int) -> list[int]:
    """The numbers of features to try, ascending."""
    if value is None:
        return [n for n in LENGTHS if n <= n_features]
    lengths = values_of("n_features_to_select", value)
    for n in lengths:
        if not is_integer(n) or not 1 <= n <= n_features:
            raise ValueError(
                f"n_features_to_select={plain(n)!r} among the values to choose from, but there are "
                f"{n_features} features; give integers from 1 to {n_features}, or None."
            )
    return sorted({int(n) for n in lengths})


def checked_input(estimator: Any, X: Any) -> Any:
    """X as an array or a data frame, its names and number remembered."""
    columns: Any = checked_columns(estimator, X, reset=True, min_samples=2)
    return unmasked(X) if is_frame(X) else columns.array
