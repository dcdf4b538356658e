"""What all selectors that speak through the feature table share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from qpfs.arrays import BoolArray, FloatArray
from qpfs.codes import Coding, Columns, Discretizer, Target, encode, standardize, target_of
from qpfs.codes.columns import is_frame
from qpfs.codes.validation import checked_columns
from qpfs.criteria import Weighing
from qpfs.criteria.weighing import Tick
from qpfs.engines import Engine, engine_for
from qpfs.information import ChiSquare, Correlation, FeatureTable, MutualInformation
from qpfs.selectors.parameters import (
    checked_n_features,
    checked_n_jobs,
    chosen,
    feature_discretizer,
    target_discretizer,
)
from qpfs.selectors.progress import CallbackSupportMixin, Progress, with_callbacks

MEASURES: dict[str, Any] = {
    "mi": MutualInformation,
    "correlation": Correlation,
    "chi2": ChiSquare,
}


class FeatureSelector(CallbackSupportMixin, SelectorMixin, BaseEstimator):
    """Cuts the columns, asks how relevant they are, weighs them, and keeps the best."""

    n_features_to_select: int | float | None
    measure: str
    discretizer: Any
    target_discretizer: Any
    n_jobs: int | None
    n_features_in_: int
    scores_: FloatArray

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raises ValueError for a parameter of this selector that makes no sense."""

    @abstractmethod
    def _weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, n_select: int | None, tick: Tick
    ) -> Weighing:
        """Weighs the features; may set fitted attributes of its own."""

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn which features to select.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features. NaN is a level of its own where the measure is made of counts. A data frame
            (pandas, polars, pyarrow) may hold booleans, categories and strings.
        y : array-like of shape (n_samples,)
            The target: class labels of any type, or numbers.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self.__dict__.pop("support_", None)  # a fit that fails leaves nothing that looks fitted
        make_measure = chosen("measure", self.measure, MEASURES)
        rule = feature_discretizer(self.discretizer)
        self._check_parameters()
        columns = checked_columns(self, X, reset=True, min_samples=2)
        n_select = checked_n_features(self.n_features_to_select, columns.n_features)
        target = self._target(y)
        check_consistent_length(target.codes, np.empty(columns.n_samples))
        progress = Progress(self, X, y, n_stages=3)
        with engine_for(checked_n_jobs(self.n_jobs)) as engine:
            with progress.stage("discretise"):
                measure = make_measure(columns.n_samples)
                store, coding = packed(columns, rule, measure, engine)
                table = FeatureTable(store, measure, engine)
            reject_all_constant(table)
            warn_of_identifiers(columns, coding)
            with progress.stage("relevance"):
                self.relevance_ = table.relevance(target)
            with progress.stage("weigh") as tick:
                weighing = self._weigh(table, self.relevance_, n_select, tick)
        self.scores_, self.order_ = weighing.scores, weighing.order
        self.support_ = self._chosen(n_select)
        self.discretizer_ = None if coding is None else rule.keep(coding)
        progress.end()
        return self

    def _target(self, y: Any) -> Target:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        rule = target_discretizer(self.target_discretizer)
        return target_of(y, rule, forced=self.target_discretizer is not None)

    def _chosen(self, n_select: int | None) -> BoolArray:
        """The mask of what is selected, with a warning if there is less than was asked for."""
        wanted = self.order_[self.scores_[self.order_] > 0] if n_select is None else self.order_[:n_select]
        if n_select is not None and len(wanted) < n_select:
            warnings.warn(
                f"n_features_to_select asks for {n_select} features, but only {self._shortage(len(wanted))}",
                UserWarning,
                stacklevel=4,
            )
        mask = np.zeros(self.n_features_in_, bool)
        mask[wanted] = True
        return mask

    def _shortage(self, n: int) -> str:
        """Why there are only n features, and what to do about it."""
        return f"{n} of {self.n_features_in_} are not constant; those are selected."

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        X_r : array or data frame of shape (n_samples, n_selected_features)
            The selected columns, in their original order. `set_output` makes it a data frame.
        """
        check_is_fitted(self, "support_")
        if not kept_as_frame(X, _get_output_config("transform", self)["dense"]):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        indices = [int(index) for index in np.flatnonzero(self.support_)]
        return nw.from_native(X, eager_only=True)[:, indices].to_native()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        measure = MEASURES.get(self.measure) if isinstance(self.measure, str) else None
        counts = measure is None or measure.counts
        tags.input_tags.allow_nan = counts
        tags.input_tags.categorical = counts
        return tags


def packed(columns: Columns, rule: Discretizer, measure: Any, engine: Engine) -> tuple[Any, Coding | None]:
    """The features in the storage that their columns and the measure call for, and how they were cut."""
    if measure.counts:
        return encode(columns, rule, engine)
    return standardize(columns, engine), None


def reject_all_constant(table: FeatureTable[Any]) -> None:
    if len(table.varying) == 0:
        raise ValueError(
            f"All {table.n_features} features are constant once cut into levels: none says anything. "
            "Check the data, or use a finer discretizer such as EqualFrequency(5)."
        )


def warn_of_identifiers(columns: Columns, coding: Coding | None) -> None:
    """A column of labels that hardly repeat says much about any target, by chance alone."""
    labelled = [] if coding is None else list(coding.labels)
    names = [columns.name(i) for i in labelled if len(set(columns.labels(i))) > max(columns.n_samples / 2, 8)]
    if names:
        warnings.warn(
            f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}: more different labels than one for "
            "every two samples. Such a column seems to say much about any target; drop identifiers.",
            UserWarning,
            stacklevel=4,
        )


def kept_as_frame(X: Any, output: str) -> bool:
    """Whether X is a data frame of the very kind that transform is to return."""
    return is_frame(X) and str(nw.from_native(X).implementation).lower().endswith(output)
