"""Mutual information: I(f; g) in nats, from the plug-in probabilities.

I = (T(N) + sum T(n_ab) - sum T(n_a) - sum T(n_b)) / N with T(n) = n log n, which is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.compiled import inlined, kernel, table_entry
from qpfs.information.measures.counted import CountMeasure
from qpfs.information.measures.information_rows import (
    information_by_planes,
    information_by_rows,
    row_table,
)
from qpfs.information.measures.measure import Words

FEW_SAMPLES = 128  # up to so many samples the table of all rows, n^3 / 3 entries, is small
MOST_LISTED = 1 << 22  # up to so many samples, or so much weight, T is looked up: 32 MB


class Entropies(NamedTuple):
    """The function T in fixed point, as a table."""

    plogp: AnyArray  # T(n) for n = 0..n_samples
    whole: int  # T(n_samples)
    unit: float  # what a total is multiplied by

    def cell(self, n_ab: Any, n_a: Any, n_b: Any) -> Any:
        return table_entry(self.plogp, n_ab)

    def finish(self, total: Any, own_a: Any, own_b: Any) -> Any:
        return max(self.whole - own_a - own_b + total, 0) * self.unit


class ComputedEntropies(NamedTuple):
    """The function T computed each time, where a table would be too large for the cache."""

    scale: float
    whole: int
    unit: float

    def cell(self, n_ab: Any, n_a: Any, n_b: Any) -> Any:
        return plogp_of(n_ab, self.scale)

    def finish(self, total: Any, own_a: Any, own_b: Any) -> Any:
        return max(self.whole - own_a - own_b + total, 0) * self.unit


@kernel
def plogp_of(n: Any, scale: float) -> Any:
    """The value T(n) in fixed point."""
    return np.int64(np.rint(n * np.log(np.float64(max(n, 1))) * scale))


class EntropiesOfRows(NamedTuple):
    """The function T, and for each n its sum over any two parts and the rest."""

    plogp: AnyArray
    whole: int
    unit: float
    rows: AnyArray  # T(a) + T(b) + T(n - a - b) at row_start(n) + a (n + 1) + b

    def cell(self, n_ab: Any, n_a: Any, n_b: Any) -> Any:
        return table_entry(self.plogp, n_ab)

    def finish(self, total: Any, own_a: Any, own_b: Any) -> Any:
        return max(self.whole - own_a - own_b + total, 0) * self.unit

    def threes(
        self, c11: Any, c12: Any, c21: Any, c22: Any, n0: Any, n1: Any, n2: Any, m0: Any, m1: Any, m2: Any
    ) -> Any:
        """The three cells of a row with one look-up."""
        row_0, row_1, row_2 = row_start(n0), row_start(n1), row_start(n2)
        c01, c02 = m1 - c11 - c21, m2 - c12 - c22
        total = table_entry(self.rows, row_0 + c01 * (n0 + 1) + c02)
        total += table_entry(self.rows, row_1 + c11 * (n1 + 1) + c12)
        return total + table_entry(self.rows, row_2 + c21 * (n2 + 1) + c22)


@inlined
def row_start(n: Any) -> Any:
    """The place where the rows of n samples begin: after 1 + 4 + ... + n^2 entries."""
    return n * (n + 1) * (2 * n + 1) // 6


@dataclass(frozen=True)
class MutualInformation(CountMeasure):
    """Mutual information I(f; g) in nats; of a feature with itself it is its entropy."""

    name = "mi"
    convex = False
    words = Words(
        title="mutual information",
        test="the G test with Williams's correction",
        distance="the distance 1 − I(f; g) / max(H(f), H(g))",
        shared="their mutual information, relative to the larger of their entropies",
    )

    def statistic(self, relevance: FloatArray, n_samples: float) -> FloatArray:
        """The statistic G of the likelihood ratio test."""
        return 2.0 * n_samples * relevance

    def mean_of_statistic(self, spread: FloatArray, n_samples: float) -> FloatArray:
        """Williams's correction: the mean of G exceeds that of chi-square, more so with fewer samples."""
        return 1.0 + spread / (6.0 * n_samples)

    def tables(self, n_samples: int) -> Entropies | ComputedEntropies:
        # Two to the most bits that leave the largest entry, and so every sum, below 2^62.
        scale = float(2.0 ** (62 - np.ceil(np.log2(n_samples * np.log(max(n_samples, 2))))))
        if n_samples > MOST_LISTED:
            return ComputedEntropies(scale, plogp_of(n_samples, scale), 1.0 / (scale * n_samples))
        n = np.arange(n_samples + 1.0)
        plogp = np.rint(n * np.log(np.maximum(n, 1.0)) * scale).astype(np.int64)
        return Entropies(plogp, int(plogp[-1]), 1.0 / (scale * n_samples))

    def tables_of_pairs(self, tables: Any) -> Any:
        if isinstance(tables, ComputedEntropies) or len(tables.plogp) > FEW_SAMPLES + 1:
            return tables
        return EntropiesOfRows(tables.plogp, tables.whole, tables.unit, row_table(tables.plogp))

    def kernel(self, n_samples: int, n_b: int, n_features: int) -> Callable[..., None] | None:
        return information_by_rows if rows_pay(n_samples, n_b, n_features) else None

    def kernel_of_planes(self, n_samples: int, n_b: int, n_features: int) -> Callable[..., None] | None:
        return information_by_planes if rows_pay(n_samples, n_b, n_features) else None


def rows_pay(n_samples: int, n_b: int, n_features: int) -> bool:
    """Whether tables of rows pay for a pivot: they have at most four entries for each of the features."""
    if n_b > 3 or n_samples > MOST_LISTED:
        return False
    return (n_samples if n_b == 2 else n_samples**2 // 2) <= 4 * n_features
