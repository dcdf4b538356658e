"""Methods that rank features: ours, scikit-learn's and any others.

A method is an object with `fit(X, y)`. Once fitted it has one of `order_` (features, best first), `scores_`
(larger is better), `ranking_` (1 is best, as in RFE), `coef_` or `feature_importances_` (its own or those of
its `estimator_`; 0 is not ranked); or it is a pipeline that ends in such an object, or a search over such
objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.checks import native
from qpfs.compiled import clock
from qpfs.evaluation.descriptions import description
from qpfs.evaluation.identities import identity
from qpfs.evaluation.sample import Sample
from qpfs.selectors.chance import rankings_alone
from qpfs.wording import counted

PASSED_ON = (None, "passthrough")  # steps that do nothing


@dataclass(frozen=True, eq=False)
class Ranking:
    """Features, best first, by a method that was fitted."""

    order: IndexArray
    seconds: float = 0.0  # that the fit took
    fitted: Any = None
    # Where choices end in the order, if groups are selected as a whole; None: each feature is one.
    ends: IndexArray | None = None

    @property
    def n_ranked(self) -> int:
        """The number of choices; a group selected as a whole is one."""
        return len(self.order if self.ends is None else self.ends)

    def top(self, k: int | None) -> IndexArray:
        """The features of the first k choices; None: of all."""
        return top_of(self.order, self.ends, k)


def top_of(order: IndexArray, ends: Sequence[int] | IndexArray | None, k: int | None) -> IndexArray:
    """The features of the first k choices of an order, which end at `ends`; None: after each feature."""
    if ends is None or k is None or len(ends) == 0:
        return order[:k]
    return order[: int(ends[min(k, len(ends)) - 1])]


def ends_of(fitted: Any) -> IndexArray | None:
    """Where choices end in the order of a fitted method; None: each feature is a choice."""
    last = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    groups = getattr(last, "feature_groups_", None)
    if groups is None:
        return None
    order = order_of(last)
    lead = np.arange(max(order.max(initial=-1), *(one.features.max() for one in groups)) + 1)
    for one in groups:
        lead[one.features] = one.features[0]
    own = lead[order]
    return np.flatnonzero(np.append(own[1:] != own[:-1], np.ones(min(len(own), 1), bool))) + 1


class Ranker(Protocol):
    """Ranks the features on some rows: by one method, or by several that share work."""

    def rankings(self, train: IndexArray) -> Iterator[Ranking]:
        """A ranking by each method."""
        ...

    @property
    def key(self) -> dict[str, Any]:
        """The exact identity for records."""
        ...


@dataclass(frozen=True, eq=False)
class Inside:
    """A method that ranks on the rows it is given."""

    method: Any
    sample: Sample
    what: str = "selector"  # its name in messages

    def rankings(self, train: IndexArray) -> Iterator[Ranking]:
        method = self.sample.prepared(self.method)
        rows = self.sample.rows(train)
        start = clock()
        with rankings_alone():
            fitted = rows.fitted(method)
        seconds = clock() - start
        order = order_of(fitted, self.sample.n_features)
        yield Ranking(order, seconds, fitted, ends_of(fitted))

    @cached_property
    def key(self) -> dict[str, Any]:
        return {"selector": description(self.method), "exactly": identity(self.method, self.what)}


def order_of(fitted: Any, n_features: int | None = None) -> IndexArray:
    """The features that a fitted method ranks, best first; raises ValueError if the order is not valid."""
    if isinstance(fitted, Pipeline):
        made_of = origins(fitted)
        columns = made_of[order_of(fitted[-1], len(made_of))]
        return columns[np.sort(np.unique(columns, return_index=True)[1])]  # where they occur first
    order = np.asarray(found_order(fitted, n_features))
    check_order(order, n_features, f"{type(fitted).__name__} ranks {native(order.tolist()[:5])}")
    return order.astype(np.intp)


def check_order(order: AnyArray, n_features: int | None, ranks: str) -> None:
    """Raises ValueError for an order that is not valid."""
    if order.ndim != 1 or (len(order) and order.dtype.kind not in "iu"):
        raise ValueError(f"{ranks}; expected integers, the indices of the features, best first.")
    last = np.inf if n_features is None else n_features - 1
    beyond = order[(order < 0) | (order > last)]
    if len(beyond):
        raise ValueError(f"{ranks}; expected indices of features from 0 to {last}, got {beyond[0]}.")
    places, times = np.unique(order, return_counts=True)
    if times.max(initial=1) > 1:
        raise ValueError(f"{ranks}, with feature {places[times > 1][0]} twice; expected each once at most.")


def found_order(fitted: Any, n_features: int | None) -> Any:
    """The order that a method has, or that of its scores; ValueError unless each feature has one."""
    if hasattr(fitted, "order_"):
        return fitted.order_
    if has_scores(fitted):
        scores = np.asarray(fitted.scores_, np.float64)
        # Scores of constant features are NaN, as those of f_classif.
        check_values(fitted, "scores_", scores, n_features, gaps=True)
        return descending(scores)
    if hasattr(fitted, "ranking_"):
        ranks = np.asarray(fitted.ranking_, np.float64)
        check_values(fitted, "ranking_", ranks, n_features)
        return np.lexsort((-tie_breaks(fitted), ranks))
    if hasattr(fitted, "best_estimator_"):  # of a search, which may be of pipelines
        return order_of(fitted.best_estimator_, n_features)
    weights = importances(fitted)
    if weights is None:
        raise TypeError(
            f"{type(fitted).__name__} has none of order_, scores_, ranking_, coef_ and feature_importances_ "
            "once fitted, so it ranks no feature; expected a method with one of them."
        )
    check_values(fitted, "coef_ or feature_importances_", weights, n_features)
    order = descending(weights)
    return order[weights[order] > 0]


def check_values(
    fitted: Any, name: str, values: FloatArray, n_features: int | None, *, gaps: bool = False
) -> None:
    """Raises ValueError unless there is a number for each feature; with gaps, for one at least."""
    method = type(fitted).__name__
    if n_features is not None and values.shape != (n_features,):
        raise ValueError(
            f"{method} has {counted(values.size, 'value')} in {name} for {n_features} features; expected one "
            "for each. A method that leaves features out is traced if it is a pipeline of both steps."
        )
    missing = np.isnan(values)
    if missing.all() if gaps and len(values) else missing.any():
        raise ValueError(
            f"{method} has NaN in {name} for {counted(int(missing.sum()), 'feature')} of {len(values)}, "
            "which ranks nothing; check its fit."
        )


def has_scores(fitted: Any) -> bool:
    """Whether scores_ is a number for each feature; in LogisticRegressionCV it holds scores of folds."""
    scores: Any = getattr(fitted, "scores_", 0)
    return np.ndim(scores) == 1 and len(scores) == getattr(fitted, "n_features_in_", len(scores))


def descending(scores: FloatArray) -> IndexArray:
    """Indices by descending score; NaN last, equal ones by index."""
    return np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")


def importances(fitted: Any) -> FloatArray | None:
    """The importance of each feature in a fitted model, summed over classes; None if it has none."""
    if hasattr(fitted, "coef_"):
        return summed(fitted.coef_)
    if hasattr(fitted, "feature_importances_"):
        return np.asarray(fitted.feature_importances_, np.float64)
    if hasattr(fitted, "importance_history_"):  # of Boruta; NaN where a feature was rejected before
        history = np.asarray(fitted.importance_history_, np.float64)
        n_seen = np.maximum((~np.isnan(history)).sum(axis=0), 1)
        return np.asarray(np.nansum(history, axis=0) / n_seen)
    inner = getattr(fitted, "estimator_", None)
    getter = getattr(fitted, "importance_getter", "auto")  # of RFE and SelectFromModel
    if inner is None or getter == "auto":
        return None if inner is None else importances(inner)
    return summed(getter(inner) if callable(getter) else attrgetter(getter)(inner))


def summed(weights: Any) -> FloatArray:
    """The absolute weights of each feature, all classes together."""
    dense = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights, np.float64)
    return np.asarray(np.abs(np.atleast_2d(dense)).sum(axis=0))


def tie_breaks(fitted: Any) -> FloatArray:
    """The importances that order features of equal rank: of all, or in the model fitted to the best."""
    best = np.asarray(fitted.ranking_) == 1
    found, weights = np.zeros(len(best)), importances(fitted)
    if weights is not None and len(weights) == len(best):
        return weights
    if weights is not None and len(weights) == best.sum():
        found[best] = weights
    return found


def support_of(fitted: Any, n_features: int) -> BoolArray:
    """The mask of the features that a fitted method selects."""
    found = np.zeros(n_features, bool)
    if isinstance(fitted, Pipeline):
        columns = origins(fitted)
        found[columns[support_of(fitted[-1], len(columns))]] = True
    elif hasattr(fitted, "get_support"):
        found[np.asarray(fitted.get_support(), bool)] = True
    elif hasattr(fitted, "support_"):
        found[np.asarray(fitted.support_, bool)] = True
    elif hasattr(fitted, "best_estimator_"):
        found = support_of(fitted.best_estimator_, n_features)
    elif importances(fitted) is not None:
        found[order_of(fitted, n_features)] = True
    else:
        raise TypeError(
            f"{type(fitted).__name__} ranks features and selects none (it has no get_support()); give "
            "size, the number that count as selected."
        )
    return found


def origins(pipeline: Pipeline) -> IndexArray:
    """The feature from which each input column of the last step of a fitted pipeline is made."""
    steps = pipeline.steps[:-1]
    first = next((step for _, step in steps if step not in PASSED_ON), pipeline[-1])
    n = getattr(first, "n_features_in_", None)
    if n is None:
        raise TypeError(f"The pipeline does not say how many features it was given: {pipeline!r}")
    return steps_origins(steps, n)


def steps_origins(steps: Sequence[tuple[str, Any]], n: int) -> IndexArray:
    """Of n input columns, the one from which each output column of several steps is made."""
    columns = np.arange(n)
    for name, step in steps:
        columns = columns[step_origins(name, step, len(columns))]
    return columns


def step_origins(name: str, step: Any, n: int) -> IndexArray:
    """Of n input columns, the one from which each output column of a step is made; by index."""
    if step in PASSED_ON or isinstance(step, OneToOneFeatureMixin):
        return np.arange(n)
    if getattr(step, "feature_names_out", None) == "one-to-one":  # of FunctionTransformer
        return np.arange(n)
    if hasattr(step, "get_support"):
        return np.flatnonzero(step.get_support())
    if isinstance(step, Pipeline):
        return steps_origins(step.steps, n)
    if isinstance(step, ColumnTransformer):
        names = list(getattr(step, "feature_names_in_", ()))
        parts = [(inner, one, places_of(columns, names, n)) for inner, one, columns in step.transformers_]
    elif isinstance(step, FeatureUnion):
        parts = [(inner, one, np.arange(n)) for inner, one in step.transformer_list]
    else:
        return origins_by_name(name, step, n)
    kept = [part for part in parts if part[1] != "drop" and len(part[2])]
    made = [columns[step_origins(inner, one, len(columns))] for inner, one, columns in kept]
    return np.concatenate([np.empty(0, np.intp), *made])


def places_of(columns: Any, names: list[str], n: int) -> IndexArray:
    """The indices of columns that are given as for a ColumnTransformer."""
    if isinstance(columns, slice):
        first, last = (
            names.index(one) if isinstance(one, str) else one for one in (columns.start, columns.stop)
        )
        end = last + 1 if isinstance(columns.stop, str) else last  # a name at the end is one of them
        return np.arange(n)[first : end : columns.step]
    given = np.atleast_1d(np.asarray(columns))
    if len(given) and given.dtype.kind in "biu":
        return np.arange(n)[given]
    return np.array([names.index(one) for one in given], np.intp)


def origins_by_name(name: str, step: Any, n: int) -> IndexArray:
    """The origins of columns by the names that the step itself gives them, if input names are unique."""
    given = [f"given {i}" for i in range(n)]
    places = {column: i for i, column in enumerate(given)}
    renamed = copy(step)
    if hasattr(step, "feature_names_in_"):
        renamed.feature_names_in_ = np.array(given, object)
    made = renamed.get_feature_names_out(given) if hasattr(step, "get_feature_names_out") else ()
    found = [places.get(one) for one in made]
    if not found or None in found:
        raise TypeError(
            f"The step {name!r} of the pipeline, {type(step).__name__}, makes new columns, so the ranking of "
            "its last step cannot be traced to features. Use steps that keep or leave out columns, such as "
            "OrdinalEncoder() for labels; a FunctionTransformer that keeps all of them is recognised by "
            "feature_names_out='one-to-one'."
        )
    return np.array(found, np.intp)


def masks_of(orders: Sequence[IndexArray], size: int, n_features: int, ends: Sequence[Any] = ()) -> BoolArray:
    """The top features of each ranking, as `stability` takes them."""
    found = np.zeros((len(orders), n_features), bool)
    for mask, order, end in zip(found, orders, ends or [None] * len(orders), strict=True):
        mask[top_of(order, end, size)] = True
    return found
