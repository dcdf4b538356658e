"""Correlation: the size of Pearson's, of the numbers themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes.forms import NUMBERS
from qpfs.codes.target import Target
from qpfs.information.measures.measure import Listed, Measure, Prepared, ReadyMeasure, Runs, Words
from qpfs.scratch import scratch
from qpfs.sums import add_weighted


@dataclass(frozen=True)
class Correlation(Measure):
    """|Pearson correlation|.

    The relevance to C classes is Hall's: the correlation with each class's indicator, weighted by the
    class's share of the samples. The relevance to a continuous target is the correlation with it.
    """

    name = "correlation"
    convex = False
    radius = 0.5
    form = NUMBERS
    words = Words(
        title="absolute Pearson correlation",
        distance="the distance 1 − |r(f, g)|",
        shared="the size of their correlation",
        apart="its distance is 0 if one is a multiple of the other, 1 if they are not correlated",
    )

    def on(self, n_samples: int) -> Correlated:
        return Correlated(self, n_samples)


class Correlated(ReadyMeasure[Any]):
    """Correlation of standardised columns: the size of their inner product."""

    constant_sum = 0.0

    def prepare(self, block: Any) -> Prepared[Any]:
        own = np.ones(len(block.features))
        return Prepared(block, own, own)

    def between(self, pivots: Prepared[Any], rows: slice, other: Prepared[Any]) -> FloatArray:
        out = scratch("shared", (len(pivots.own[rows]), len(other.own)), np.float64)
        other.block.products(pivots.block, rows, out)
        make_sizes(out)
        return out

    def relevance(self, target: Target, block: Prepared[Any]) -> FloatArray:
        total = np.zeros(len(block.block.features))
        for indicators, weights in target.indicators():
            size = self.between(self.prepare(indicators), slice(None), block)
            add_weighted(size, np.arange(len(weights)), weights, total)
        return total

    def along(self, runs: Runs[Any], others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        runs.block.block.products_along(runs.slots, runs.lo, runs.hi, others.features, out)
        make_sizes(out)
        return out


def make_sizes(products: FloatArray) -> None:
    """Makes them absolute values; one column and its multiple are the same feature."""
    np.abs(products, out=products)
    products[products > 1 - 1e-12] = 1.0
