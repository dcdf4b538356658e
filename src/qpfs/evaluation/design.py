"""What the classifier is shown of some features: numbers without gaps, scaled by what the training part says.

Everything is learned on the training rows. A missing number becomes the median of its column, labels become
one indicator each (one unseen in training none, a missing one its own), and every column is scaled. A column
that is constant in training becomes 0 throughout: it says nothing, and its scale is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.frame_columns import FrameColumns, is_frame
from qpfs.codes.sparse_columns import is_sparse
from qpfs.codes.values import tabled

SCALES = ("auto", "minmax", "standard", None)
MOST_DENSE = 2**27  # numbers up to which features kept sparse are spread out to be scaled: 1 GB
PREPARED_TEXT = (
    "For the classifier alone, missing numbers are filled with the median and labels become indicators, both "
    "learned on the training part."
)


@dataclass(frozen=True, eq=False)
class Design:
    """The columns made of features in a given order, for training and test rows."""

    train: Any
    test: Any
    ends: IndexArray  # how many columns the first 1, 2, ... features make

    def top(self, n: int) -> tuple[Any, Any]:
        """The columns of the first n features."""
        if n == 0:
            raise ValueError("The selector ranks no feature, so that there is nothing to train on.")
        end = self.ends[n - 1]
        return self.train[:, :end], self.test[:, :end]


def design(X: Any, features: IndexArray, train: IndexArray, test: IndexArray, scale: str | None) -> Design:
    """Some features as a classifier is to see them."""
    if is_frame(X):
        columns = FrameColumns(FrameColumns.take_columns(tabled(X), features.tolist()))
        return frame_design(columns, train, test, scale)
    ends = np.arange(1, len(features) + 1)
    if is_sparse(X):
        part = X[:, features]
        if part.shape[0] * part.shape[1] > MOST_DENSE:
            return Design(*scaled_sparse(part[train], part[test]), ends)
        X, features = part.toarray(), np.arange(len(features))
    return Design(*scaled(X[np.ix_(train, features)], X[np.ix_(test, features)], scale), ends)


def frame_design(columns: FrameColumns, train: IndexArray, test: IndexArray, scale: str | None) -> Design:
    """The columns of a data frame, labels spread out."""
    numeric = np.flatnonzero(columns.numeric)
    numbers = iter(columns.numbers(numeric).T if len(numeric) else ())
    blocks = [
        next(numbers)[:, None] if is_number else indicators(columns.labels(i), train)
        for i, is_number in enumerate(columns.numeric)
    ]
    X = np.hstack(blocks)
    ends = np.cumsum([block.shape[1] for block in blocks])
    return Design(*scaled(X[train], X[test], scale), ends)


def indicators(labels: list[Any], train: IndexArray) -> FloatArray:
    """A column for each label of the training rows."""
    names = np.array([repr(label) for label in labels])
    return (names[:, None] == np.unique(names[train])).astype(np.float64)


def scaled(train: AnyArray, test: AnyArray, scale: str | None) -> tuple[FloatArray, FloatArray]:
    """Both parts filled and scaled by what the first says."""
    train, test = filled(train.astype(np.float64), test.astype(np.float64))
    if scale is None:
        return train, test
    low, high = train.min(axis=0), train.max(axis=0)
    centre, reach = (low + high) / 2, (high - low) / 2
    if scale == "standard":
        centre, reach = train.mean(axis=0), train.std(axis=0)
    varies = high > low
    unit = np.where(varies & (reach > 0), reach, 1.0)
    return tuple(np.where(varies, (part - centre) / unit, 0.0) for part in (train, test))  # type: ignore


def filled(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both parts with the medians of the first where numbers are missing; 0 where all are."""
    gaps = np.isnan(train).any(axis=0) | np.isnan(test).any(axis=0)
    for column in np.flatnonzero(gaps):
        present = train[~np.isnan(train[:, column]), column]
        median = np.median(present) if len(present) else 0.0
        for part in (train, test):
            part[np.isnan(part[:, column]), column] = median
    return train, test


def scaled_sparse(train: Any, test: Any) -> tuple[Any, Any]:
    """Both parts divided by the largest absolute value of each column: what keeps them sparse."""
    largest = abs(train).max(axis=0).toarray().ravel()
    weights = sparse.diags_array(np.where(largest > 0, 1 / np.where(largest > 0, largest, 1.0), 0.0))
    return (train @ weights).tocsr(), (test @ weights).tocsr()
