"""What all selectors that speak through the feature table share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length, check_random_state

from qpfs.codes import Coding, Columns, Target, target_of
from qpfs.codes.target import present_labels
from qpfs.criteria import Criterion, Weighing
from qpfs.engines import engine_for
from qpfs.information import MEASURES, FeatureTable, Measure
from qpfs.selectors.parameters import (
    checked_n_features,
    checked_n_jobs,
    feature_discretizer,
    measure_of,
    target_discretizer,
)
from qpfs.selectors.problem import (
    Problem,
    cache_bytes_for,
    check_room,
    check_same,
    cutting_rule,
    elsewhere,
    fit_columns,
    packed,
    reject_all_constant,
)
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks
from qpfs.selectors.ranking import RankingMixin
from qpfs.selectors.reporting import ReportMixin


class FeatureSelector(ReportMixin, RankingMixin, CallbackSupportMixin, SelectorMixin, BaseEstimator):
    """Cuts the columns, asks how relevant they are, weighs them, and keeps the best."""

    n_features_to_select: int | float | None
    measure: str | Measure
    discretizer: Any
    target_discretizer: Any
    n_jobs: int | None

    _table: FeatureTable[Any]  # the packed features and the target, for what is asked after the fit
    _target: Target

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raises ValueError for a parameter of this selector that makes no sense."""

    def _check_all_parameters(self) -> None:
        """Raises ValueError for a parameter that makes no sense, whatever the data."""
        measure_of(self.measure)
        feature_discretizer(self.discretizer)
        target_discretizer(self.target_discretizer)
        checked_n_jobs(self.n_jobs)
        self._check_parameters()

    @abstractmethod
    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        """What weighs the features."""

    def _weigh(self, problem: Problem) -> Weighing:
        """Weighs the features; may set fitted attributes of its own."""
        criterion = self._criterion(problem, check_random_state(getattr(self, "random_state", 0)))
        weighing = criterion.weigh(problem.table, problem.relevance, problem.table.varying, problem.tick)
        self._keep(weighing)
        return weighing

    def _wanted(self) -> Any:
        """How many features are asked for."""
        return self.n_features_to_select

    def _keep(self, weighing: Weighing) -> None:
        """Sets the fitted attributes that the criterion has found."""
        for name, fact in weighing.facts().items():
            setattr(self, f"{name}_", fact)

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn which features to select.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame, Dask array, EncodedTable}, (n_samples, n_features)
            The features. NaN is a level of its own where the measure is made of counts. A data frame
            (pandas, polars, pyarrow) may hold booleans, categories and strings. A sparse matrix is never
            made dense; formats other than CSC are copied into it. A table opened by
            :func:`qpfs.open_store` is taken at the levels it was encoded with. If a client of a Dask cluster
            is in use, its workers do the work on a Dask array or an encoded table; the answer is the same.
        y : array-like of shape (n_samples,)
            The target: class labels of any type, or numbers.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._forget()
        self._check_all_parameters()
        columns = fit_columns(self, X)
        rule = cutting_rule(columns, self.discretizer)
        n_select = checked_n_features(self._wanted(), columns.n_features)
        target = self._coded_target(y)
        check_consistent_length(target.codes, range(columns.n_samples))
        progress = Progress(self, X, y, n_stages=3)
        with engine_for(checked_n_jobs(self.n_jobs), elsewhere=elsewhere(columns)) as engine:
            check_room(columns, engine)
            with progress.stage("discretise"):
                measure = measure_of(self.measure).on(columns.n_samples)
                store, coding = packed(columns, rule, measure, engine)
                table = FeatureTable(store, measure, engine)
            reject_all_constant(table)
            warn_of_identifiers(columns, coding)
            with progress.stage("relevance"):
                self.relevance_ = table.relevance(target)
            with progress.stage("weigh") as tick:
                problem = Problem(
                    table,
                    self.relevance_,
                    columns,
                    present_labels(y),
                    rule,
                    n_select,
                    tick,
                    cache_bytes=cache_bytes_for(columns),
                )
                weighing = self._weigh(problem)
        check_same(columns)
        self.scores_, self.order_ = weighing.scores, weighing.order
        self.support_ = self._chosen(n_select)
        self.discretizer_ = None if coding is None else rule.keep(coding)
        self._table, self._target = FeatureTable(store, measure, engine.after), target
        progress.end()
        return self

    def _coded_target(self, y: Any) -> Target:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        rule = target_discretizer(self.target_discretizer)
        return target_of(y, rule, forced=self.target_discretizer is not None)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        measure = MEASURES.get(self.measure) if isinstance(self.measure, str) else self.measure
        counts = not isinstance(measure, Measure) or measure.counts  # tags are asked for before any check
        tags.input_tags.allow_nan = counts
        tags.input_tags.categorical = counts
        return tags


def warn_of_identifiers(columns: Columns, coding: Coding | None) -> None:
    """A column of labels that hardly repeat says much about any target, by chance alone."""
    found = [] if coding is None else coding.identifiers(columns.n_samples)
    names = [columns.name(i) for i in found]
    if names:
        warnings.warn(
            f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}: more different labels than one for "
            "every two samples. Such a column seems to say much about any target; drop identifiers.",
            UserWarning,
            stacklevel=4,
        )
