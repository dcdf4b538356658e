"""The features as the cutting planes use them: all in one pass, or a few as a dense array.

Letters: X the numbers (n samples, m features), v a number for each sample, c = X'v.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.groups import ascending
from qpfs.sums import weighted_rows


class Features(Protocol):
    """The interface to X that the cutting planes use."""

    n_samples: int
    n_features: int
    varying: BoolArray  # (n_features,) False where all samples have the same value
    largest: float  # the largest |x|

    @property
    def lengths(self) -> FloatArray:
        """(n_features,) the lengths of the columns."""

    @property
    def spread(self) -> FloatArray:
        """(n_features,) the lengths of the centred columns."""

    def products(self, v: FloatArray) -> FloatArray:
        """c, in one pass over the data; equal columns get equal numbers, to the last bit."""

    def gathered(self, features: IndexArray) -> FloatArray:
        """The given columns as a dense array."""


class DenseFeatures:
    """The features of a dense array in C order."""

    def __init__(self, X: FloatArray) -> None:
        self.X = X
        self.n_samples, self.n_features = X.shape
        lowest, highest = X.min(axis=0), X.max(axis=0)
        self.varying = lowest < highest
        self.largest = float(max(highest.max(), -lowest.min()))

    @cached_property
    def lengths(self) -> FloatArray:
        return np.sqrt(np.einsum("ij,ij->j", self.X, self.X))

    @cached_property
    def spread(self) -> FloatArray:
        return self.X.std(axis=0) * np.sqrt(self.n_samples)

    def products(self, v: FloatArray) -> FloatArray:
        rows = np.flatnonzero(v)  # with a squared hinge, half of the samples or more have v = 0
        return weighted_rows(self.X, rows, v[rows])

    def gathered(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.X[:, features])  # as for sparse ones: sums have one order


class SparseFeatures:
    """The features of a sparse matrix in CSC format; only gathered columns are made dense."""

    def __init__(self, X: Any) -> None:
        self.X = canonical(X)
        self.n_samples, self.n_features = X.shape
        lowest, highest = extremes(self.X)
        self.varying = lowest < highest
        self.largest = float(max(highest.max(), -lowest.min()))

    @cached_property
    def lengths(self) -> FloatArray:
        return np.sqrt(self._sums(self.X.data**2))

    @cached_property
    def spread(self) -> FloatArray:
        stored = np.diff(self.X.indptr)
        mean = self._sums(self.X.data) / self.n_samples
        off = self.X.data - np.repeat(mean, stored)
        return np.sqrt(self._sums(off**2) + (self.n_samples - stored) * mean**2)

    def _sums(self, data: FloatArray) -> FloatArray:
        """The sum over each column of data that replaces the stored values."""
        columns = np.repeat(np.arange(self.n_features), np.diff(self.X.indptr))
        return np.bincount(columns, data, self.n_features).astype(np.float64)

    def products(self, v: FloatArray) -> FloatArray:
        return np.asarray(self.X.T @ v)

    def gathered(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.X[:, features].toarray())


def canonical(X: Any) -> Any:
    """X with each entry stored once, in the order of the rows; a copy if it is not so already."""
    if ascending(X.indptr, X.indices):
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def extremes(X: Any) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest value of each column of a CSC matrix, including zeros not stored."""
    stored = np.diff(X.indptr)
    starts = X.indptr[:-1][stored > 0]
    full = stored[stored > 0] == X.shape[0]
    lowest, highest = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    if len(starts):
        low, high = np.minimum.reduceat(X.data, starts), np.maximum.reduceat(X.data, starts)
        lowest[stored > 0] = np.where(full, low, np.minimum(low, 0.0))
        highest[stored > 0] = np.where(full, high, np.maximum(high, 0.0))
    return lowest, highest
