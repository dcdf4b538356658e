"""A tile: the numbers of some columns, read in pieces of rows.

Many whole columns of a wide table fit the memory budget: such a tile is one piece, which is kept. Of a tall
table hardly one column fits, and in a table stored by rows, reading one column costs as much as reading all:
such a tile is read several times from the first piece to the last, and only summaries of each column are
kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.cutting import add_offsets, add_repeated, add_repeated_offsets, add_totals, look
from qpfs.codes.readable import Readable, ReadableArray
from qpfs.codes.weights import Weights, counts_of

GATHERED_BYTES = 1 << 28  # bytes of whole columns that are sorted at a time


@dataclass(frozen=True, eq=False)
class Survey:
    """A summary of each column from the first pass over a tile."""

    seen: IndexArray  # (k,) number, or weight, of values that are not missing
    total: FloatArray  # (k,) their sum, without weights
    low: FloatArray  # (k,) the least, inf if there is none
    high: FloatArray  # (k,) the largest, -inf if there is none
    whole: BoolArray  # (k,) whether all are integers
    size: FloatArray  # (k,) the largest absolute value; inf if there is one; 0 if all are missing


class Tile:
    """The numbers of some columns; iterating gives pieces of rows, from the first to the last."""

    further: AnyArray | int = 0  # zeros of each column beyond those in `values`

    def __init__(self, columns: Readable, features: IndexArray, n_rows: int | None = None) -> None:
        self.columns = columns
        self.features = features
        self.n_samples, self.n_features = columns.n_samples, len(features)
        self.weights: Weights | None = getattr(columns, "weights", None)
        # The total weight of the samples, or their number.
        self.total = self.n_samples if self.weights is None else self.weights.total
        self.n_rows = max(self.n_samples, 1) if n_rows is None else n_rows  # a multiple of 64, or all

    def __iter__(self) -> Iterator[FloatArray]:
        # A piece is a C-ordered array (rows, k) of float32 or float64, valid until the next one is read.
        if self.n_rows >= self.n_samples:
            yield self._whole
        else:
            yield from self._pieces()

    @cached_property
    def _whole(self) -> FloatArray:
        array = self.columns.part(self.features, slice(0, self.n_samples))
        return np.require(array, kind_of(array), ["C", "W", "E"])

    def _pieces(self) -> Iterator[AnyArray]:
        """Pieces, each overwriting the one before: new memory for each would have to be cleared."""
        space: AnyArray = np.empty((self.n_rows, self.n_features), np.float32)
        for start in range(0, self.n_samples, self.n_rows):
            array = self.columns.part(self.features, slice(start, start + self.n_rows))
            if kind_of(array) != space.dtype:
                space = np.empty(space.shape, kind_of(array))
            np.copyto(space[: len(array)], array)
            yield space[: len(array)]

    @cached_property
    def survey(self) -> Survey:
        missing, whole = np.zeros(self.n_features, np.int64), np.ones(self.n_features, bool)
        total, scale = np.zeros(self.n_features), np.ones(self.n_features)
        low, high = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        n_rows = 0
        for piece in self.values():
            look(piece, scale, missing, total, low, high, whole)
            n_rows += len(piece)
        seen = n_rows - missing + self.further
        if self.weights is not None:
            seen = self._seen()
        size = np.where(seen > 0, np.maximum(abs(low), abs(high)), 0.0)
        return Survey(seen, total, low, high, whole, size)

    def _seen(self) -> IndexArray:
        """The weight of the values of each column that are not missing."""
        seen = np.zeros(self.n_features, np.intp)
        for piece, counts in self.weighed():
            seen += np.where(np.isnan(piece), 0, counts).sum(axis=0)
        return seen

    def totals(self, scale: FloatArray) -> FloatArray:
        """The sum of each column times its scale."""
        if self.weights is None and (scale == 1.0).all():
            return self.survey.total
        total = np.zeros(self.n_features)
        if self.weights is None:
            for piece in self.values():
                add_totals(piece, scale, total)
        else:
            for piece, counts in self.weighed():
                add_repeated(piece, counts, scale, total)
        return total

    def weighed(self) -> Iterator[tuple[FloatArray, AnyArray]]:
        """Pieces that hold every value of each column, and the weights of these: both (rows, k)."""
        start, counts = 0, np.asarray(counts_of(self.weights))
        for piece in self:
            yield piece, np.broadcast_to(counts[start : start + len(piece), None], piece.shape)
            start += len(piece)

    def values(self) -> Iterator[FloatArray]:
        """Pieces that hold every value of each column, except `further` zeros."""
        return iter(self)

    def offsets(self, scale: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The sums of the deviations of each scaled column from its mean, and of their squares."""
        rest, square = np.zeros(self.n_features), np.zeros(self.n_features)
        if self.weights is None:
            for piece in self:
                add_offsets(piece, scale, mean, rest, square)
        else:
            for piece, counts in self.weighed():
                add_repeated_offsets(piece, counts, scale, mean, rest, square)
        return rest, square

    def lines(self) -> Iterator[tuple[slice, FloatArray, IndexArray]]:
        """Columns as rows: which ones, a copy of their values, and how many further zeros they have."""
        for some, rows in self.gathered():
            yield some, rows, np.zeros(len(rows), np.intp)

    def weighed_lines(self) -> Iterator[tuple[slice, FloatArray, AnyArray]]:
        """Columns as rows: which ones, their values, and the weight of each value."""
        counts = np.asarray(counts_of(self.weights))
        for some, rows in self.gathered():
            yield some, rows, np.broadcast_to(counts, rows.shape)

    def gathered(self) -> Iterator[tuple[slice, FloatArray]]:
        """Whole columns as rows (k, n_samples), as many at a time as fit a budget, and which ones."""
        width = max(1, GATHERED_BYTES // (8 * max(self.n_samples, 1)))
        for start in range(0, self.n_features, width):
            some = slice(start, min(start + width, self.n_features))
            part = Tile(self.columns, self.features[some], self.n_rows) if width < self.n_features else self
            yield some, part._as_rows()

    def _as_rows(self) -> FloatArray:
        rows, start = np.empty((self.n_features, self.n_samples), next(iter(self)).dtype), 0
        for piece in self:
            rows[:, start : start + len(piece)] = piece.T
            start += len(piece)
        return rows


def kind_of(array: AnyArray) -> Any:
    """The type of number that kernels read an array as."""
    return np.float32 if array.dtype == np.float32 else np.float64


def tile_of(array: FloatArray, weights: Weights | None = None) -> Tile:
    """A tile of all columns of an array, in one piece."""
    return Tile(ReadableArray(array, weights=weights), np.arange(array.shape[1]))


def scaled_moments(tile: Tile) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The mean, rest of the mean, and population standard deviation of each scaled column; the scale."""
    # The scale is a power of two that keeps squares finite: 1 except for columns of huge or tiny numbers.
    exponent = np.frexp(tile.survey.size)[1]
    scale = np.ldexp(1.0, np.where(abs(exponent) > 400, np.minimum(-exponent, 1000), 0))
    total = tile.totals(scale)
    with np.errstate(invalid="ignore", divide="ignore"):  # a column without any value has no moments
        mean = total / tile.survey.seen
        rest, square = tile.offsets(scale, mean)
        # The mean of the deviations from the first mean corrects for rounding. It is kept separately, since
        # the sum of both would be rounded again where numbers hardly differ.
        rest /= tile.survey.seen
        deviation = np.sqrt(np.maximum(square / tile.survey.seen - rest * rest, 0.0))
    return mean, rest, deviation, scale
