"""The target: what the features are to say something about."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import type_of_target

from qpfs.arrays import AnyArray, FloatArray
from qpfs.codes.encoding import Rule, cut_tile
from qpfs.codes.numbers import NumberBlock, standardized
from qpfs.codes.planes import PlaneBlock, pack


@dataclass(frozen=True, eq=False)
class Target:
    """The class of each sample; for a continuous target also the numbers that were cut."""

    codes: AnyArray  # (n_samples,) 0..n_classes-1, all of which occur
    classes: AnyArray | None  # (n_classes,) their labels; None: continuous
    numbers: FloatArray | None = None

    @property
    def counts(self) -> AnyArray:
        return np.bincount(self.codes)

    def packed(self) -> PlaneBlock:
        """The target as a packed feature."""
        counts = self.counts.astype(np.int32)[:, None]
        return pack(self.codes[:, None], counts, np.array([0]))

    def indicators(self) -> tuple[NumberBlock, FloatArray]:
        """Standardised columns that stand for the target, and the weight of each.

        Of classes: one indicator each, weighted by its share of the samples. Of numbers: themselves.
        """
        if self.numbers is not None:
            return standardized(self.numbers[:, None], np.array([0])), np.ones(1)
        n_classes = len(self.counts)
        indicators = (self.codes[:, None] == np.arange(n_classes)).astype(np.float64)
        return standardized(indicators, np.arange(n_classes)), self.counts / len(self.codes)


def target_of(y: Any, rule: Rule, forced: bool = False) -> Target:
    """The target that y describes.

    Labels are classes. Numbers that are not all integers are continuous, and are cut by `rule`; `forced`
    cuts integers too.
    """
    labels = checked_labels(y)
    if len(labels) == 0:
        raise ValueError("y is empty; expected a class or a number for each sample.")
    kind = kind_of_target(labels)
    if kind.startswith("continuous") or (forced and labels.dtype.kind in "iuf"):
        target = cut_target(labels.astype(np.float64), rule)
    else:
        classes, codes = np.unique(labels, return_inverse=True)
        target = Target(codes.astype(np.int32), classes)
        warn_of_many_classes(target)
    if len(target.counts) < 2:
        raise ValueError(
            f"y takes a single value, {labels[:1].tolist()[0]!r}: no feature can say anything about it. "
            "Expected at least 2 classes, or numbers that differ."
        )
    return target


def checked_labels(y: Any) -> AnyArray:
    """y as a one-dimensional array without missing values."""
    labels = as_array(without_frame(y))
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(
            f"y has {labels.shape[1]} columns; expected one target. "
            "Select features for each target by itself."
        )
    labels = column_or_1d(labels, warn=True)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be labels or real numbers.")
    if labels.dtype.kind == "O":
        labels = plain_labels(labels)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    return labels


def without_frame(y: Any) -> Any:
    """A series, or the column of a data frame with one, as an array; anything else as it is."""
    series = nw.from_native(y, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(series, nw.DataFrame) and series.shape[1] == 1:
        series = series[:, 0]
    if not isinstance(series, nw.Series):
        return y
    if series.is_null().any():
        row = int(np.flatnonzero(series.is_null().to_numpy())[0])
        raise ValueError(missing_message(row))
    return series.to_numpy()


def as_array(y: Any) -> AnyArray:
    """y as an array; a list with strings as one of objects, or NumPy would turn NaN into a string."""
    array = np.asarray(y)
    return np.asarray(y, object) if array.dtype.kind == "U" and isinstance(y, (list, tuple)) else array


def plain_labels(labels: AnyArray) -> AnyArray:
    """Labels of Python objects as an array of numbers or of strings."""
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(missing_message(row))
    if all(isinstance(label, (Real, np.bool_)) for label in labels):
        return np.array(labels.tolist())
    kinds = sorted({"str" if isinstance(label, str) else type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise ValueError(f"y mixes labels of types {', '.join(kinds)}; expected labels of one type.")
    return np.array([str(label) for label in labels])


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or the like."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA does not say whether it differs from itself
        return True


def missing_message(row: int) -> str:
    return f"Input y contains NaN: row {row} is missing. Drop the rows without a target."


def kind_of_target(labels: AnyArray) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said in our own words by warn_of_many_classes
        return str(type_of_target(labels, input_name="y"))


def cut_target(numbers: FloatArray, rule: Rule) -> Target:
    """A continuous target, cut into levels that all occur."""
    tile = np.ascontiguousarray(numbers[:, None])
    edges, crowded = rule.cuts(tile)
    if crowded[0]:
        raise ValueError(
            f"y has more than {rule.max_levels} distinct values, the most that the given "
            "target_discretizer keeps. Raise its max_levels, or cut y with EqualFrequency()."
        )
    codes = np.unique(cut_tile(tile, edges)[0][:, 0], return_inverse=True)[1]
    return Target(codes.astype(np.int32), None, numbers)


def warn_of_many_classes(target: Target) -> None:
    n_classes, n_samples = len(target.counts), len(target.codes)
    if n_samples > 10 and n_classes > n_samples / 2:
        warnings.warn(
            f"y has {n_classes} classes for {n_samples} samples. If it is a quantity, pass "
            "target_discretizer=EqualFrequency() to cut it into parts.",
            UserWarning,
            stacklevel=4,
        )
