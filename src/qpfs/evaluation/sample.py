"""The samples that are divided: features, target, groups."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sklearn.base import clone
from sklearn.utils import check_consistent_length

from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes import EqualFrequency, Target, some_rows, table_kind, target_of
from qpfs.codes.target import MOST_CLASSES, checked_labels
from qpfs.codes.values import array_of, first_missing, named_columns, tabled
from qpfs.evaluation.descriptions import checksum
from qpfs.selectors.alignment import beside


@dataclass(frozen=True, eq=False)
class Sample:
    """Features and target, as selectors and estimators are shown them."""

    X: Any  # array, data frame, or sparse by rows
    y: AnyArray  # a column for each of several targets
    target: Target
    groups: AnyArray | None

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
        """The class of each sample, or which fifth of the quantity it is in."""
        return self.target.codes

    def rows(self, rows: IndexArray) -> Sample:
        """Some of the samples; classes stay classes, and a quantity stays in the fifths of the whole."""
        target = replace(self.target, codes=self.target.codes[rows])
        groups = None if self.groups is None else self.groups[rows]
        return Sample(some_rows(self.X, rows), self.y[rows], target, groups)

    @cached_property
    def checksum(self) -> str:
        return checksum(self.X, self.y, self.groups)

    def prepared(self, selector: Any) -> Any:
        """A copy of a selector; one of ours told that a quantity is one, for a part of it may not look so."""
        if not hasattr(selector, "get_params"):
            return deepcopy(selector)
        selector = clone(selector)
        given = selector.get_params(deep=False)
        if self.is_quantity and "target_discretizer" in given and given["target_discretizer"] is None:
            selector.set_params(target_discretizer=EqualFrequency(5))
        if given.get("target") == "auto":  # of a rival
            selector.set_params(target="quantity" if self.is_quantity else "classes")
        return selector


def sample_of(X: Any, y: Any, groups: Any = None) -> Sample:
    """Checked features, target and groups."""
    y, groups = beside(X, y=y, groups=groups)
    X = tabled(X)
    X = table_kind(X).by_rows(X)
    reject_several(y)
    target = target_of(y, EqualFrequency(5), several=False)
    labels = checked_labels(y)
    if target.classes is not None and len(target.classes) > MOST_CLASSES and labels.dtype.kind in "iuf":
        labels = labels.astype(str)  # so many numbers might look like a quantity in a part of the samples
    groups = None if groups is None else array_of(groups, "groups")
    check_consistent_length(X, labels, groups)
    check_groups(groups)
    return Sample(X, labels, target, groups)


def reject_several(y: Any) -> None:
    """Raises ValueError if there are several targets, whatever measure a selector has."""
    columns = named_columns(y)
    if columns is not None:
        raise ValueError(
            f"y has {len(columns)} columns; expected one target: errors and the stability of a selection are "
            "told of one. Evaluate each target by itself."
        )


def check_groups(groups: AnyArray | None) -> None:
    """Raises ValueError if some samples are in no group."""
    if groups is not None and first_missing(groups.tolist()) is not None:
        raise ValueError("groups is missing (None or NaN) for some samples; expected a group for each.")
