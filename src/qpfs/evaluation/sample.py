"""The samples that are divided: features, target, groups, covariates, weights."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.feature_selection import RFECV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import is_integer
from qpfs.codes import EqualFrequency, Target, some_rows, table_kind, target_of
from qpfs.codes.covariates import Covariates, covariate, covariates_of, of_varying
from qpfs.codes.target import MOST_CLASSES, checked_labels
from qpfs.codes.values import array_of, named_columns, reject_missing, tabled
from qpfs.evaluation.descriptions import checksum
from qpfs.selectors.alignment import beside
from qpfs.selectors.sample_weights import checked_weights

COHORT = "cohort"  # its name among the covariates
SEARCHES = (BaseSearchCV, RFECV)  # of scikit-learn: they divide by groups, which no argument of `fit` names


@dataclass(frozen=True, eq=False)
class Sample:
    """Features and target, as selectors and estimators get them."""

    X: Any  # array, data frame, or sparse by rows
    y: AnyArray  # a column for each of several targets
    target: Target
    groups: AnyArray | None
    covariates: Covariates | None = None  # that selectors adjust for; estimators do not get them
    weights: FloatArray | None = None  # of the samples; None: all are 1
    cohorts: AnyArray | None = None  # the number of the cohort of each sample

    @property
    def n_samples(self) -> int:
        return len(self.y)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def is_quantity(self) -> bool:
        return self.target.classes is None

    @property
    def strata(self) -> AnyArray:
        """The class of each sample, or its fifth of the quantity; of the first of several targets."""
        return self.target.codes

    @property
    def strata_of_cohorts(self) -> AnyArray:
        """The stratum of each sample within its cohort, from 0 on."""
        if self.cohorts is None:
            return self.strata
        both = np.stack([self.cohorts, self.strata], axis=1)
        return np.unique(both, axis=0, return_inverse=True)[1].ravel()

    def in_cohorts(self, cohorts: Any) -> Sample:
        """The samples with cohorts, which are covariates for methods that take these; None for no cohorts."""
        if cohorts is None:
            return self
        called, codes = named_cohorts(cohorts, self.n_samples)
        known = () if self.covariates is None else self.covariates.varying
        mine = covariate(COHORT, np.array(called)[codes])
        found = of_varying([*known, mine], self.n_samples)
        return replace(self, cohorts=codes, covariates=found if found.varying else None)

    def rows(self, rows: IndexArray) -> Sample:
        """Some of the samples; classes stay classes, and a quantity keeps the fifths of the whole."""
        target = self.target.reordered(rows)
        groups = None if self.groups is None else self.groups[rows]
        covariates = None if self.covariates is None else self.covariates.part(rows)
        if covariates is not None and not covariates.varying:  # nothing to adjust for in these rows
            covariates = None
        weights = None if self.weights is None else self.weights[rows]
        cohorts = None if self.cohorts is None else self.cohorts[rows]
        X, y = some_rows(self.X, rows), self.y[rows]
        return Sample(X, y, target, groups, covariates, weights, cohorts)

    def weighing(self, cv: Any = None) -> Sample:
        """The samples of positive weight; raises ValueError if some have none and `cv` names rows.

        Weights that are all 1 are no weights.
        """
        if self.weights is not None and (self.weights == 1).all():
            return replace(self, weights=None)
        rows = np.arange(self.n_samples) if self.weights is None else np.flatnonzero(self.weights)
        if len(rows) == self.n_samples:
            return self
        if cv is not None and not is_integer(cv) and not hasattr(cv, "split"):
            raise ValueError(
                f"sample_weight is 0 for {self.n_samples - len(rows)} samples, which are left out, so the "
                "rows that cv names would be others. Leave these samples out yourself, or give a "
                "number of folds."
            )
        found = self.rows(rows)
        kind = target_of(found.y, EqualFrequency(5), several=found.y.ndim == 2)
        return replace(found, target=kind)

    @cached_property
    def checksum(self) -> str:
        adjusted = [] if self.covariates is None else self.covariates.values
        weights = [] if self.weights is None else [self.weights]
        return checksum(self.X, self.y, self.groups, *adjusted, *weights)

    def fitted(self, selector: Any) -> Any:
        """A selector fitted to the samples; with their covariates, weights and groups, if it takes them."""
        try:
            found = selector.fit(self.X, self.y, **self.given_to(selector))
        except (ValueError, TypeError) as error:
            if advice := preparation_advice(selector, error):
                raise ValueError(advice) from error
            raise
        return selector if found is None else found

    def given_to(self, selector: Any) -> dict[str, Any]:
        """What is known of the samples, as arguments of the `fit` of a selector that takes them."""
        known = {"covariates": self.covariates, "sample_weight": self.weights, "groups": self.groups}
        found: dict[str, Any] = {}
        for name, value in known.items():
            found |= given_to(selector, name, value)
        return found

    def prepared(self, selector: Any) -> Any:
        """A copy of a selector; ours treats a quantity as one even if a part of it looks like classes."""
        if not hasattr(selector, "get_params"):
            return deepcopy(selector)
        selector = clone(selector)
        given = selector.get_params(deep=False)
        quantities = all(one.classes is None for one in self.target.targets)
        if quantities and "target_discretizer" in given and given["target_discretizer"] is None:
            selector.set_params(target_discretizer=EqualFrequency(5))
        if given.get("target") == "auto":  # of a rival
            selector.set_params(target="quantity" if self.is_quantity else "classes")
        return selector


def named_cohorts(cohorts: Any, n_samples: int) -> tuple[list[str], IndexArray]:
    """The names of cohorts in order of first occurrence, and the cohort of each sample."""
    given = array_of(cohorts, "cohorts")
    check_consistent_length(given, range(n_samples))
    reject_missing(given, "cohorts")
    known, first, codes = np.unique(given, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(known), np.intp)
    place[order] = np.arange(len(known))
    return [str(one) for one in known[order].tolist()], place[codes]


def last_step(selector: Any) -> tuple[Any, str]:
    """The last step of a pipeline, and the prefix of its arguments of `fit`."""
    prefix = ""
    while isinstance(selector, Pipeline):
        name, step = selector.steps[-1]
        prefix, selector = f"{prefix}{name}__", step
    return selector, prefix


def preparation_advice(selector: Any, error: Exception) -> str:
    """What to do if a method of another package refuses missing values or text; empty for other errors."""
    last = last_step(selector)[0]
    first, *_ = [*str(error).splitlines(), ""]
    if type(last).__module__.startswith("qpfs."):
        return ""
    if "NaN" in first or "missing value" in first:
        what, step = "missing values", "an imputer such as SimpleImputer()"
    elif "could not convert string" in first or "bytes/strings" in first:
        what, step = "text", "an encoder such as OrdinalEncoder()"
    else:
        return ""
    name = type(last).__name__
    why = f"{name} does not take {what}: {first.rstrip('.')}."
    return f"{why} Put {step} before it: make_pipeline(..., {name}(...))."


def takes(selector: Any, name: str) -> bool:
    """Whether the `fit` of a selector takes an argument; one for many methods can answer by `_takes`."""
    last = last_step(selector)[0]
    if name == "groups" and isinstance(last, SEARCHES):
        routed = get_config()["enable_metadata_routing"]
        return not routed or bool(get_routing_for_object(last).consumes("fit", ["groups"]))
    known = hasattr(last, "fit") and has_fit_parameter(last, name)
    return known and (not hasattr(last, "_takes") or last._takes(name))


def adjusts(selector: Any) -> bool:
    """Whether a selector can adjust for covariates."""
    return takes(selector, "covariates")


def given_to(model: Any, name: str, value: Any) -> dict[str, Any]:
    """Weights, groups or covariates as an argument of `fit`, if they are given and it takes them."""
    if value is None or not takes(model, name):
        return {}
    # In a pipeline the last step gets them; with metadata routing, the steps that request them.
    last, prefix = last_step(model)
    if prefix and get_config()["enable_metadata_routing"]:
        asked = (one for _, one in model.steps if takes(one, name))
        for step in (one for one in asked if not isinstance(one, (Pipeline, *SEARCHES))):
            if step.get_metadata_routing().fit.requests.get(name) is None:
                step.set_fit_request(**{name: step is last})
        prefix = ""
    return {f"{prefix}{name}": value}


def check_adjusts(selector: Any, sample: Sample) -> None:
    """Raises TypeError if covariates are given but a selector cannot adjust for them."""
    if sample.covariates is not None and not adjusts(selector):
        raise TypeError(
            f"covariates are given, but {type(last_step(selector)[0]).__name__} cannot adjust for them: its "
            "fit takes no covariates. Leave them out, or use a selector with a measure, such as QPFS()."
        )


def check_weighed(selector: Any, weights: Any) -> None:
    """Raises TypeError if weights are given but a selector does not take them."""
    if weights is not None and not takes(selector, "sample_weight"):
        raise TypeError(f"{type(last_step(selector)[0]).__name__} takes no sample_weight; leave it out.")


def sample_of(X: Any, y: Any, groups: Any = None, covariates: Any = None, weights: Any = None) -> Sample:
    """Checked features, target, groups, covariates and weights."""
    y, groups, covariates, weights = beside(
        X, y=y, groups=groups, covariates=covariates, sample_weight=weights
    )
    X = tabled(X)
    X = table_kind(X).by_rows(X)
    several = named_columns(y) is not None
    target = target_of(y, EqualFrequency(5), several=several)
    labels = labels_of_all(target) if several else named_labels(target, checked_labels(y))
    groups = None if groups is None else array_of(groups, "groups")
    check_consistent_length(X, labels, groups)
    check_groups(groups)
    known = None if covariates is None else covariates_of(covariates, len(labels))
    weighed = None if weights is None else checked_weights(weights, len(labels))
    return Sample(X, labels, target, groups, known if known and known.varying else None, weighed)


def named_labels(target: Target, labels: AnyArray) -> AnyArray:
    """The values of a target; many classes as text, since so many numbers look like a quantity in a part."""
    many = target.classes is not None and len(target.classes) > MOST_CLASSES
    return labels.astype(str) if many and labels.dtype.kind in "iuf" else labels


def labels_of_all(target: Target) -> AnyArray:
    """The values of several targets as columns; classes all as text, where some are text."""
    columns = [named_labels(one, one.values) for one in target.targets]
    if len({"number" if column.dtype.kind in "biuf" else "text" for column in columns}) > 1:
        classes = all(one.classes is not None for one in target.targets)
        columns = [column.astype(str if classes else object) for column in columns]
    return np.stack(columns, axis=1)


def reject_several(y: Any, who: str) -> None:
    """Raises ValueError if there are several targets, for a caller that takes one."""
    columns = named_columns(y)
    if columns is not None:
        raise ValueError(
            f"y has {len(columns)} columns; {who} takes one target. Call it for each separately."
        )


def check_groups(groups: AnyArray | None) -> None:
    """Raises ValueError if some samples are in no group."""
    if groups is not None:
        reject_missing(groups, "groups")


def unites(selector: Any) -> bool:
    """Whether a selector selects groups of features as a whole."""
    last = last_step(selector)[0]
    return getattr(last, "feature_groups", None) is not None and last.at_most is None


def reject_united(selector: Any, counted: str) -> None:
    """Raises ValueError if groups of features are selected as a whole, where columns are counted."""
    if unites(selector):
        raise ValueError(
            f"feature_groups without at_most has groups of columns chosen as one, and {counted} counts "
            "columns. Give at_most, or put the selector into a pipeline with the estimator and search by "
            "GridSearchCV."
        )
