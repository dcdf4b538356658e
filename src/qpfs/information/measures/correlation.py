"""Correlation: the absolute Pearson correlation of the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import betainc

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.adjusting import TINY, AdjustedForm, NumberProjection
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import NUMBERS
from qpfs.codes.numbers import NumberBlock
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights
from qpfs.information.measures.measure import (
    Listed,
    Margins,
    Measure,
    Prepared,
    ReadyMeasure,
    Runs,
    Words,
    pivot_rows,
)
from qpfs.scratch import scratch
from qpfs.sums import add_weighted

FEW_OF_A_CLASS = 10  # likewise
FEW_SAMPLES = 50  # with fewer samples the t test is not used, whatever the numbers are
DIRECTIONS = 20_000  # random directions drawn for more than two classes
FURTHEST = 100  # of these: beyond them the tail continues as that of one correlation


@dataclass(frozen=True)
class Correlation(Measure):
    """The absolute Pearson correlation.

    The relevance to C classes is Hall's: the mean of the correlations with each class's indicator, weighted
    by the class's share of the samples. The relevance to a continuous target is the correlation with it.
    """

    name = "correlation"
    convex = False
    radius = 0.5
    form = NUMBERS
    words = Words(
        title="absolute Pearson correlation",
        test="the t test (for more than two classes: of random directions)",
        distance="the distance 1 − |r(f, g)|",
        shared="the absolute value of their correlation",
        apart="its distance is 0 if one is a linear function of the other, 1 if they are not correlated",
    )

    def on(self, n_samples: int, weights: Weights | None = None) -> Correlated:
        return Correlated(self, n_samples, weights)

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        projection = NumberProjection(covariates.basis(None), covariates.weights)
        return PartialCorrelation(projection, covariates.strata(rule) if covariates.only_categories else None)


class Correlated(ReadyMeasure):
    """Correlation of standardised columns: the absolute value of their inner product."""

    constant_sum = 0.0

    def prepare(self, block: Any) -> Prepared:
        own = np.ones(len(block.features))
        return Prepared(block, own, own)

    def between(self, pivots: Prepared, rows: slice, other: Prepared) -> FloatArray:
        out = scratch("shared", (len(pivots.own[rows]), len(other.own)), np.float64)
        other.block.products(pivots.block, rows, out, self.weights)
        make_sizes(out)
        return out

    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        total = np.zeros(len(block.block.features))
        for indicators, weights in self.indicators(target):
            size = self.between(self.prepare(indicators), slice(None), block)
            add_weighted(size, np.arange(len(weights)), weights, total)
        return total

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared) -> FloatArray:
        if self.anew:
            return super().shuffled(target, orders, block)
        total = np.zeros((len(orders), len(block.block.features)))
        for indicators, weights in self.indicators(target):
            for column, weight in zip(indicators.values.T, weights, strict=True):
                pivots = self.in_orders(column, orders)
                total += weight * pivot_rows(self, self.prepare(pivots), block)
        return total

    @property
    def anew(self) -> bool:
        """Whether a shuffled target is standardised again, since weights are not shuffled."""
        return self.weights is not None

    def indicators(self, target: Target) -> Iterator[tuple[NumberBlock, FloatArray]]:
        """Standardised columns that represent the target, and the weight of each."""
        return target.indicators()

    def in_orders(self, column: FloatArray, orders: IndexArray) -> NumberBlock:
        """A column with its samples in several orders, each as a feature."""
        return NumberBlock(np.arange(len(orders)), np.ascontiguousarray(column[orders].T))

    def rarest(self, target: Target) -> int:
        return self.total if target.numbers is not None else int(target.counts.min())

    def margins(self, block: Prepared, least: float, target: Target) -> Margins:
        """The margins: every column has its own; they are rare if samples, or those of a class, are few."""
        features = block.block.features
        key = features.astype(np.uint64) + np.uint64(1)
        few = self.size < FEW_SAMPLES or self.total * self.least_expected < FEW_OF_A_CLASS * least
        return Margins(key if few else np.zeros_like(key), np.ones(len(key)))

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray:
        """The p values of the t test; for more than two classes, by random directions of a normal column."""
        if target.numbers is not None or len(target.counts) == 2:
            return correlation_tail(relevance, self.size)
        return weighted_tail(relevance, target.counts / self.total, self.size)

    def along(self, runs: Runs, others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        pairs = (runs.slots, runs.lo, runs.hi, others.features)
        runs.block.block.products_along(*pairs, out, self.weights)
        make_sizes(out)
        return out


@dataclass(frozen=True)
class PartialCorrelation(Correlation):
    """The absolute partial Pearson correlation: that of the residuals given covariates."""

    projection: NumberProjection = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    codes: IndexArray | None = field(default=None, repr=False, compare=False)  # strata, of categories alone

    words = replace(
        Correlation.words,
        title="the absolute partial Pearson correlation given the covariates",
        distance="the distance 1 − |r(f, g)|, with r the partial correlation given the covariates",
        shared="the absolute value of their partial correlation given the covariates",
        apart="its distance, given the covariates, is 0 if one is a linear function of the other, 1 if "
        "they are not correlated",
        given="given the covariates",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", AdjustedForm(NUMBERS, self.projection))

    @property
    def strata(self) -> IndexArray | None:
        return self.codes

    def on(self, n_samples: int, weights: Weights | None = None) -> PartiallyCorrelated:
        return PartiallyCorrelated(self, n_samples, weights)


class PartiallyCorrelated(Correlated):
    """Correlation of columns that are adjusted for covariates; shuffles are as for ranks."""

    measure: PartialCorrelation

    @property
    def anew(self) -> bool:
        return self.weights is not None and self.measure.strata is not None

    @property
    def free(self) -> float:
        """The number of samples minus the degrees of freedom of the covariates."""
        return self.size - self.measure.projection.basis.shape[1] + 1

    def indicators(self, target: Target) -> Iterator[tuple[NumberBlock, FloatArray]]:
        for block, weights in target.indicators():
            yield self._left(block), weights

    def in_orders(self, column: FloatArray, orders: IndexArray) -> NumberBlock:
        found = super().in_orders(column, orders)
        return found if self.measure.strata is not None else self._left(found)

    def _left(self, block: NumberBlock) -> NumberBlock:
        """The residuals of columns; 0 where there is none."""
        values = np.zeros_like(block.values)
        for some, part in self.measure.projection.parts(block):
            values[:, some] = part.values
        return NumberBlock(block.features, values)

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray:
        if target.numbers is not None or len(target.counts) == 2:
            return correlation_tail(relevance, self.free)
        columns = np.concatenate([block.rows for block, _ in self.indicators(target)])
        weighed = columns if self.weights is None else columns * self.weights.counts
        square, turned = np.linalg.eigh(weighed @ columns.T)
        axes = (turned * np.sqrt(np.maximum(square, 0.0))).T[square > TINY]
        return weighted_tail(relevance, target.counts / self.total, self.free, axes)


def make_sizes(products: FloatArray) -> None:
    """Replaces products by their absolute values: a column and its negative are equivalent."""
    np.abs(products, out=products)
    products[products > 1 - 1e-12] = 1.0


def correlation_tail(size: FloatArray, n_samples: float) -> FloatArray:
    """The probability of an absolute correlation this large, for independent columns, one of them normal."""
    return betainc(max(n_samples - 2.0, 1.0) / 2, 0.5, np.clip(1.0 - size * size, 0.0, 1.0))


def weighted_tail(
    relevance: FloatArray, shares: FloatArray, n_samples: float, axes: FloatArray | None = None
) -> FloatArray:
    """The probability of so large a weighted mean of absolute correlations with indicators of classes."""
    # A normal column has a random direction, of which only the part in the span of the classes matters.
    rng = np.random.default_rng(0)
    n_classes = len(shares)
    if axes is None:  # not adjusted
        roots = np.sqrt(shares)
        # Columns: standardised indicators, in an orthonormal basis of the classes that includes their mean.
        axes = (np.eye(n_classes) - np.outer(roots, roots)) / np.sqrt(1.0 - shares)
        parts = rng.normal(size=(DIRECTIONS, n_classes))
        parts -= np.outer(parts @ roots, roots)  # the rest is orthogonal to the mean
    else:  # the indicators are columns of `axes` in an orthonormal basis of their span
        n_classes = len(axes) + 1
        parts = rng.normal(size=(DIRECTIONS, len(axes)))
    within = (parts * parts).sum(axis=1)
    rest = rng.chisquare(max(n_samples - n_classes, 1), DIRECTIONS)
    found = np.abs(parts @ axes) @ shares
    most = float((found / np.sqrt(within)).max())
    found = np.sort(found / np.sqrt(within + rest))
    chance = (1.0 + DIRECTIONS - np.searchsorted(found, relevance, side="left")) / (DIRECTIONS + 1.0)
    # Beyond the values that these directions reach, the tail is that of the correlation with the best one.
    edge = found[-FURTHEST]
    beyond = correlation_tail(np.minimum(relevance / most, 1.0), n_samples)
    scale = (FURTHEST + 1.0) / (DIRECTIONS + 1.0) / correlation_tail(np.array(edge / most), n_samples)
    return np.where(relevance > edge, np.minimum(beyond * scale, chance), chance)
