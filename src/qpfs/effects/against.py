"""The kinds of target of an effect: two classes, several classes, or a quantity; and the effect for each.

Letters as in `rank_sums`: d the doubled, centred mid-rank of a sample; D_c the sum of d over class c, n_c its
samples, n all of them.

- two classes: the area under the ROC curve, the probability that a sample of one class exceeds one of the
  other, where ties count half: 1/2 + |D_1| / (2 n_0 n_1).
- several: eta^2 of the ranks, the share of their variance that lies between the classes:
  sum D_c^2 / n_c over sum d^2. That times n - 1 is the statistic of Kruskal and Wallis.
- a quantity: Spearman's rho, the correlation of both ranks.

Labels have no order: their effect on classes is Cramer's V, on a quantity eta^2 of its ranks. Weights of
samples act as numbers of copies, to the last bit, except in the number of samples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes import Target
from qpfs.codes.ordering import Sorted
from qpfs.codes.weights import Weights, counts_of, weights_at
from qpfs.effects.rank_sums import centred_ranks, class_sums, rank_products

AUC, ETA, RHO, CRAMER = "auc", "eta2", "rho", "cramers_v"  # as a record has them


class Found(NamedTuple):
    """The effects of some columns."""

    size: FloatArray  # NaN where there is none
    towards: IndexArray  # the class it is highest in; 1 rises and 0 falls with a quantity; -1 neither
    n: IndexArray  # samples it is based on


class Against(ABC):
    """The target of an effect."""

    measure: ClassVar[str]  # of numbers
    label_measure: ClassVar[str]

    @abstractmethod
    def of_numbers(self, some: Sorted) -> Found:
        """The effects of columns of numbers."""

    @abstractmethod
    def of_labels(self, codes: IndexArray) -> tuple[float, int]:
        """The effect of a column of labels, given as codes (-1: missing), and the samples it is based on."""

    @abstractmethod
    def words(self) -> list[str]:
        """Each direction in words."""


@dataclass(frozen=True, eq=False)
class SeveralClasses(Against):
    """Three classes or more."""

    codes: AnyArray
    names: tuple[str, ...]
    weights: Weights | None = None  # of the samples; None: all are 1

    measure = ETA
    label_measure = CRAMER

    def of_numbers(self, some: Sorted) -> Found:
        sums = np.zeros((len(some.keys), len(self.names)), np.int64)
        known, squares, n = np.empty_like(sums), np.empty(len(sums)), np.empty(len(sums), np.intp)
        sizes = weighed(self.codes, self.weights, len(self.names))
        class_sums(*some, self.codes, counts_of(self.weights), sizes, sums, known, n, squares)
        with np.errstate(invalid="ignore", divide="ignore"):
            size = self._sizes(sums, known, squares)
            size[(squares == 0) | ~np.isfinite(size)] = np.nan
            means = np.where(known > 0, sums / known, -np.inf)
        apart = (size == size) & (sums != 0).any(axis=1)
        return Found(size, np.where(apart, means.argmax(axis=1), -1), n)

    def _sizes(self, sums: AnyArray, known: AnyArray, squares: FloatArray) -> FloatArray:
        total, n_classes = np.zeros(len(sums)), np.zeros(len(sums), np.intp)
        for c in range(len(self.names)):  # in this order, so that the sum does not depend on the library
            there = known[:, c] > 0
            total += np.where(there, np.square(sums[:, c], dtype=np.float64) / known[:, c], 0.0)
            n_classes += there
        return np.where(n_classes > 1, np.minimum(total / squares, 1.0), np.nan)

    def of_labels(self, codes: IndexArray) -> tuple[float, int]:
        there = codes >= 0
        size = cramers_v(codes[there], self.codes[there], weights_at(self.weights, there))
        return size, int(there.sum())

    def words(self) -> list[str]:
        return [f"highest in {name}" for name in self.names]


class TwoClasses(SeveralClasses):
    """Two classes."""

    measure = AUC

    def _sizes(self, sums: AnyArray, known: AnyArray, squares: FloatArray) -> FloatArray:
        return 0.5 + np.abs(sums[:, 1]) / (2.0 * known[:, 0] * known[:, 1])

    def words(self) -> list[str]:
        return [f"higher in {name}" for name in self.names]


@dataclass(frozen=True, eq=False)
class Amount(Against):
    """A quantity: its samples in ascending order, and the group of equal values of each."""

    order: IndexArray
    groups: IndexArray
    weights: Weights | None = None  # of the samples; None: all are 1

    measure = RHO
    label_measure = ETA

    def of_numbers(self, some: Sorted) -> Found:
        product, square, target_square = (np.empty(len(some.keys)) for _ in range(3))
        n = np.empty(len(some.keys), np.intp)
        set_against = self.order, self.groups, counts_of(self.weights)
        rank_products(*some, *set_against, product, n, square, target_square)
        both = square * target_square
        size = np.divide(product, np.sqrt(both), out=np.full(len(both), np.nan), where=both > 0)
        size = np.clip(size, -1.0, 1.0)
        return Found(size, np.where((size == size) & (size != 0), (size > 0).astype(np.intp), -1), n)

    def of_labels(self, codes: IndexArray) -> tuple[float, int]:
        known, ranks = codes >= 0, np.empty(len(codes), np.int64)
        there = known.astype(np.int64) if self.weights is None else self.weights.counts * known
        square = centred_ranks(self.order, self.groups, there, int(there.sum()), ranks)
        sizes = weighed(codes[known], weights_at(self.weights, known))
        sums = np.bincount(codes[known], (there * ranks)[known].astype(np.float64))
        between = (sums[sizes > 0] ** 2 / sizes[sizes > 0]).sum()
        several = (sizes > 0).sum() > 1
        return float(min(between / square, 1.0)) if square > 0 and several else np.nan, int(known.sum())

    def words(self) -> list[str]:
        return ["falls with the target", "rises with the target"]


def against(target: Target) -> Against:
    """The target for effects; of several targets the first."""
    if target.numbers is not None:
        order = np.argsort(target.numbers, kind="stable")
        line = target.numbers[order]
        return Amount(order, np.append(0, np.cumsum(line[1:] != line[:-1])), target.weights)
    labels = range(len(target.counts)) if target.classes is None else target.classes.tolist()
    kind = TwoClasses if len(labels) == 2 else SeveralClasses
    return kind(np.asarray(target.codes, np.intp), tuple(map(str, labels)), target.weights)


def weighed(codes: IndexArray, weights: Weights | None, n: int = 0) -> IndexArray:
    """How many copies there are of samples with each code."""
    return np.bincount(codes, minlength=n) if weights is None else weights.added_up(codes, n)


def cramers_v(one: IndexArray, other: IndexArray, weights: Weights | None = None) -> float:
    """The association of two columns of labels: 0 for none, 1 if one determines the other."""
    n_one, n_other = (int(codes.max(initial=-1)) + 1 for codes in (one, other))
    counts = weighed(one * n_other + other, weights, n_one * n_other).reshape(n_one, n_other)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return np.nan
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    shares = (counts.astype(np.float64) ** 2 / np.outer(rows, columns)).sum() - 1.0
    return float(np.sqrt(np.clip(shares / (min(counts.shape) - 1), 0.0, 1.0)))
