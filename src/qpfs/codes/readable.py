"""Columns whose values can be read: the interface used by discretising and standardising."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.checks import native
from qpfs.codes.values import categories_of
from qpfs.codes.weights import Weights


class Readable(Protocol):
    """Columns that are read a tile at a time, and never copied whole.

    A class need not derive from this one; one that does defines `part`, and overrides what it can do better.
    One that stores its labels as numbers also has `categories(feature)`, as the function below; and one whose
    samples have weights has `weights`.
    """

    n_samples: int
    n_features: int
    numeric: BoolArray  # (n_features,) True for numbers, False for labels
    integer: BoolArray  # (n_features,) kept as integers
    row_wise: bool  # whether reading some rows costs less than reading all

    @abstractmethod
    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        """Some rows of the given columns as stored, in any memory order and of any numeric type."""

    def numbers(self, features: IndexArray) -> FloatArray:
        """The given columns as a C-ordered array of float64; missing values are NaN."""
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

    def labels(self, feature: int) -> list[Any]:
        """The values of one column; missing values are None."""
        return list(self.numbers(np.array([feature]))[:, 0])

    def name(self, feature: int) -> str:
        """How a message to the user refers to the column."""
        names = getattr(self, "names", None)
        return f"column {feature if names is None else native(names[feature])!r}"


class ReadableArray(Readable):
    """A two-dimensional numeric array, in any memory order and of any numeric type."""

    row_wise = True
    names: Sequence[Any] | None = None  # of the columns, if they have names

    def __init__(self, array: AnyArray, first: int = 0, weights: Weights | None = None) -> None:
        self.table = array
        self.weights = weights
        self.first = first  # the number of its first column, where it is part of a table
        self.n_samples, self.n_features = array.shape
        self.numeric = np.ones(self.n_features, bool)
        self.integer = np.full(self.n_features, array.dtype.kind in "iu")

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.table[rows, run_or_list(features)]

    def name(self, feature: int) -> str:
        return super().name(feature + self.first)


def categories(columns: Readable, feature: int) -> tuple[IndexArray, list[Any]]:
    """The number of each sample's label among the distinct labels of a column, -1 if missing; the labels."""
    known = getattr(columns, "categories", None)
    found: tuple[IndexArray, list[Any]] = known(feature) if known else categories_of(columns.labels(feature))
    return found


def run_or_list(features: IndexArray) -> Any:
    """Consecutive features as a slice, which needs no copy; others unchanged."""
    if len(features) > 0 and bool((np.diff(features) == 1).all()):
        return slice(int(features[0]), int(features[-1]) + 1)
    return [int(feature) for feature in features]
