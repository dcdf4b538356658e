"""The target: classes or a quantity, to which features are relevant.

As scores it is contrasts of classes, or normal scores of a quantity. Several targets are represented jointly
by an orthonormal basis of their columns: those of the first are unchanged; each later column is made
orthogonal to all before it and scaled to mean square 1 (modified Gram-Schmidt). A column with almost no
residual is dropped: a repeated target, or one that others determine, changes no bit. Rounding to whole
numbers comes last, as for features, so the order of the targets changes relevance only by rounding: some 1e-4
of a correlation for each column. All columns are functions of the combinations of values that occur, so sums
run over those, in sorted order: the cost for a million samples of a few classes is that of their
combinations, and does not depend on the order of samples. Measures other than ranks, and weighted targets,
use the mean over targets instead (`shares`).

A quantity may have a point mass: one value that most samples have, such as the zeros of losses. Discretised
by equal frequency, or ranked with the zeros as one tie, it would carry almost no information about the
amounts. So it is split into two: whether a sample has that value, and the amount if it has not. As scores
these are two columns; as levels the value is one level, and the other samples are discretised into the
others.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, Rule, cut_tile
from qpfs.codes.numbers import NumberBlock, product, standardized
from qpfs.codes.planes import PlaneBlock, pack, pack_in
from qpfs.codes.score_runs import UNIT
from qpfs.codes.scores import (
    ScoreBlock,
    block_of_codes,
    block_of_numbers,
    contrasts,
    group_values,
    in_samples,
    quantiles,
    rounded_values,
    standardise_groups,
    weighted_quantiles,
)
from qpfs.codes.store import one_block
from qpfs.codes.tiles import tile_of
from qpfs.codes.values import NUMBERS, array_of, first_missing, named_columns
from qpfs.codes.weights import Weights, total_of, weights_at
from qpfs.compiled import inner_part, kernel
from qpfs.messages import Message, Parameter, invalid, message_of
from qpfs.wording import counted

LONG = "y holds integers beyond 2^53, too large to be a quantity; convert them to strings."
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
DATES = (
    "y holds dates or times; expected numbers, truth values or text. Convert them to numbers (such as days "
    "since the first) or to text."
)
DEPENDENT = 1e-9  # of a column's square: with a smaller residual it depends on the columns before it
MOST_CLASSES = 32  # numbers with more different values than this may be a quantity


@dataclass(frozen=True, eq=False)
class Target:
    """The class of each sample; for a continuous target also the numbers that were discretised.

    For several targets this is the first, by which figures divide the samples, with the others in `others`.
    """

    codes: AnyArray  # (n_samples,) 0..n_classes-1, without gaps
    classes: AnyArray | None  # (n_classes,) their labels; None: continuous
    numbers: FloatArray | None = None
    name: str | None = None  # of its column, if there are several targets
    others: tuple[Target, ...] = ()  # further targets
    importance: tuple[float, ...] | None = None  # of all targets, above 0; None: the measure's
    point: float | None = None  # of a quantity, the value that more than half of the samples have
    weights: Weights | None = None  # of the samples; None: all are 1

    @property
    def targets(self) -> tuple[Target, ...]:
        """All targets as single ones."""
        return (replace(self, others=(), importance=None), *self.others) if self.others else (self,)

    @cached_property
    def shares(self) -> tuple[tuple[Target, float], ...]:
        """The distinct targets, each with its share of the weight; equal targets are merged."""
        weights = self.importance or (1.0,) * len(self.targets)
        found: dict[Any, tuple[Target, float]] = {}
        for one, weight in zip(self.targets, weights, strict=True):
            key = one.codes.tobytes(), None if one.numbers is None else one.numbers.tobytes()
            first, before = found.get(key, (one, 0.0))
            found[key] = first, before + weight
        total = sum(weight for _, weight in found.values())
        return tuple((one, weight / total) for one, weight in found.values())

    def important(self, weights: Sequence[float] | None) -> Target:
        """The targets with a weight for each; those of weight 0 are left out."""
        if weights is None:
            return self
        if len(weights) != len(self.targets):
            raise invalid(
                Parameter("target_weights", list(weights)),
                f", but y has {counted(len(self.targets), 'column')}; give a weight for each.",
            )
        kept = [(one, weight) for one, weight in zip(self.targets, weights, strict=True) if weight > 0]
        (first, _), *others = kept
        given = tuple(weight for _, weight in kept) if others else None
        return replace(first, others=tuple(one for one, _ in others), importance=given)

    @property
    def counts(self) -> AnyArray:
        """The number, or weight, of samples of each class."""
        return np.bincount(self.codes) if self.weights is None else self.weights.added_up(self.codes)

    @property
    def total(self) -> int:
        """The number, or weight, of all samples, in the unit of the counts."""
        return total_of(self.weights, len(self.codes))

    @property
    def size(self) -> float:
        """The number of samples, or the sum of their weights."""
        return len(self.codes) if self.weights is None else self.weights.size

    @property
    def values(self) -> AnyArray:
        """The label or the number of each sample."""
        if self.classes is not None:
            return self.classes[self.codes]
        return self.codes if self.numbers is None else self.numbers

    @cached_property
    def packed(self) -> PlaneBlock:
        """The target as a packed feature."""
        counts = np.bincount(self.codes).astype(np.int32)[:, None]
        return pack(self.codes[:, None], counts, np.array([0]))

    @cached_property
    def scores(self) -> ScoreBlock:
        """The target, or all targets jointly, as a feature of scores."""
        return scores_of_targets(self.targets)

    def reordered(self, order: IndexArray) -> Target:
        """The target with its values in another order of the samples."""
        numbers = None if self.numbers is None else self.numbers[order]
        others = tuple(one.reordered(order) for one in self.others)
        return replace(self, codes=self.codes[order], numbers=numbers, others=others)

    def packed_in(self, orders: IndexArray) -> PlaneBlock:
        """The target in some orders of the samples, (orders, n_samples), each a packed feature."""
        return pack_in(self.codes, orders, self.packed.counts[:, 0])

    def scores_in(self, orders: IndexArray) -> ScoreBlock:
        """The target, or all targets jointly, in several orders of the samples: each as a feature of scores.

        Weights are not reordered: frequencies of values then change, and the scores are computed again.
        """
        if self.weights is not None:
            found = one_block([self.reordered(order).scores for order in orders])
            return found.numbered(np.arange(len(orders)))
        return self.scores.in_orders(orders)

    def indicators(self) -> Iterator[tuple[NumberBlock, FloatArray]]:
        """Standardised columns that represent the target, and the weight of each, some at a time.

        For classes one indicator each, weighted by its share of the samples; for numbers the numbers.
        """
        if self.numbers is not None:
            yield standardized(self.numbers[:, None], np.array([0]), self.weights), np.ones(1)
            return
        width = max(1, TILE_BYTES // (8 * len(self.codes)))
        for start in range(0, len(self.counts), width):
            some = np.arange(start, min(start + width, len(self.counts)))
            indicators = (self.codes[:, None] == some).astype(np.float64)
            yield standardized(indicators, some, self.weights), self.counts[some] / self.total

    def part(self, rows: AnyArray, rule: Rule, weights: Weights | None = None) -> Target:
        """The target of some samples, of the same kind as the whole; a quantity is discretised again."""
        if self.others:
            first, *others = (one.part(rows, rule, weights) for one in self.targets)
            return replace(first, others=tuple(others), importance=self.importance)
        if self.numbers is not None:
            return replace(cut_target(self.numbers[rows], rule, weights), name=self.name)
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        if len(present) < 2:
            raise ValueError(
                "The training part of a fold holds samples of one class only. Use folds that keep the shares "
                "of the classes, such as StratifiedKFold, or fewer of them."
            )
        classes = None if self.classes is None else self.classes[present]
        return Target(codes.astype(self.codes.dtype), classes, name=self.name, weights=weights)


def target_of(
    y: Any,
    rule: Rule,
    forced: bool = False,
    several: bool = True,
    importance: Any = None,
    weights: Weights | None = None,
) -> Target:
    """The target given by y.

    Labels are classes. Numbers are a quantity if they are not all integers, or if they have too many
    different values for classes; a quantity is discretised by `rule`. `forced` discretises any numbers.
    `several` uses each column of y as a target, which may have weights.
    """
    columns = named_columns(y) if several else None
    if columns is None:
        found = single_target(y, rule, forced, weights, warn=not several)
    else:
        first, *others = (named_target(name, column, rule, forced, weights) for name, column in columns)
        found = replace(first, others=tuple(others))
    return found if importance is None else found.important(importance)


def named_target(name: str, column: Any, rule: Rule, forced: bool, weights: Weights | None) -> Target:
    """One of several targets; errors name its column."""
    try:
        return replace(single_target(column, rule, forced, weights), name=name)
    except ValueError as error:
        raise invalid(f"Column {name!r} of ", Parameter("y"), ": ", message_of(error)) from error


def single_target(
    y: Any, rule: Rule, forced: bool, weights: Weights | None = None, warn: bool = True
) -> Target:
    """The single target given by y."""
    labels = checked_labels(y, warn)
    if len(labels) == 0:
        raise ValueError("y is empty; expected a class or a number for each sample.")
    if labels.dtype.kind in "iuf" and (forced or is_quantity(labels, weights)):
        target = cut_target(as_floats(labels), rule, weights)
    else:
        classes, codes = np.unique(labels, return_inverse=True)
        target = Target(codes.astype(np.int32), classes, weights=weights)
    if target.codes.max() == 0:
        raise invalid(
            Parameter("y"),
            f" takes a single value, {labels[:1].tolist()[0]!r}: no feature can be relevant to it. "
            "Expected at least 2 classes, or numbers that differ.",
        )
    return target


def checked_labels(y: Any, warn: bool = True) -> AnyArray:
    """y as a one-dimensional array without missing values; may warn if y is a matrix of one column."""
    if np.ma.is_masked(y):
        raise ValueError(missing_message(int(np.flatnonzero(np.ma.getmaskarray(y))[0])))
    labels = present_labels(y)
    if labels.ndim == 0:
        raise ValueError(f"y is a {type(y).__name__}; expected a one-dimensional array of labels or numbers.")
    if labels.ndim == 2 and labels.shape[1] > 1:
        raise ValueError(f"y has {labels.shape[1]} columns; expected one target. Give them one by one.")
    labels = column_or_1d(labels, warn=warn)
    if labels.dtype.kind in "mM":
        missing = np.flatnonzero(np.isnat(labels))
        raise ValueError(missing_message(int(missing[0])) if len(missing) else DATES)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be labels or real numbers.")
    if labels.dtype.kind == "O":
        labels = plain_labels(labels)
    if labels.dtype.kind == "f":
        if labels.dtype.itemsize > 8:
            with np.errstate(over="ignore"):  # too large a number becomes infinite, and is reported as that
                labels = labels.astype(np.float64)
        assert_all_finite(labels, input_name="y")
    return labels


def present_labels(y: Any) -> AnyArray:
    """y as an array, decimals and fractions as float64; raises ValueError if one of its labels is missing."""
    labels = array_of(y)
    if labels.dtype.kind != "O" or labels.ndim == 0:
        return labels
    missing = first_missing(labels.ravel())
    if missing is not None:
        raise ValueError(missing_message(missing))
    if labels.size == 0 or not all(isinstance(label, NUMBERS) for label in labels.ravel()):
        return labels
    return plain_numbers(labels.ravel().tolist()).reshape(labels.shape)


def plain_labels(labels: AnyArray) -> AnyArray:
    """Labels of Python objects as an array of strings."""
    types = {type(label) for label in labels}
    if any(issubclass(one, TIMES) or hasattr(one, "to_timestamp") for one in types):  # pandas.Period
        raise ValueError(DATES)
    kinds = sorted({"str" if isinstance(label, str) else type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise ValueError(f"y mixes labels of types {', '.join(kinds)}; expected labels of one type.")
    return np.array([str(label) for label in labels])


def plain_numbers(numbers: list[Any]) -> AnyArray:
    """Python numbers as an array; decimals and fractions as float64, integers exactly."""
    array = np.array(numbers)
    if array.dtype.kind != "O" or all(isinstance(number, Integral) for number in numbers):
        return array
    try:
        floats = np.array([float(number) for number in numbers])
    except OverflowError:
        raise ValueError("y holds a number too large for float64.") from None
    long = np.flatnonzero(np.isfinite(floats) & (abs(floats) >= 2.0**53))
    if any(numbers[i] == int(numbers[i]) for i in long):
        raise ValueError(LONG)
    return floats


def missing_message(row: int) -> str:
    return f"Input y contains NaN: row {row} is missing. Drop the rows without a target."


def as_floats(numbers: AnyArray) -> FloatArray:
    """Numbers as float64; raises ValueError for integers that float64 cannot represent exactly."""
    floats = numbers.astype(np.float64)
    if numbers.dtype.kind != "f" and abs(floats).max() >= 2.0**53:
        raise ValueError(LONG)
    return floats


def is_quantity(numbers: AnyArray, weights: Weights | None = None) -> bool:
    """Whether numbers are a quantity rather than class labels."""
    if numbers.dtype.kind == "f" and (numbers != np.floor(numbers)).any():
        return True
    n_distinct = len(np.unique(numbers))
    size = len(numbers) if weights is None else weights.size
    # 214 scores of 442 patients are not classes; 40 persons on ten pictures each are (decision 0005).
    many = n_distinct > MOST_CLASSES and n_distinct > size / 4
    if many and numbers.dtype.kind != "f":
        warnings.warn(
            Message(
                Parameter("y"),
                f" holds {n_distinct} different integers in {len(numbers)} samples and is treated as a "
                "quantity. If they are class labels, convert them to text.",
            ),
            UserWarning,
            stacklevel=5,
        )
    return many


def cut_target(numbers: FloatArray, rule: Rule, weights: Weights | None = None) -> Target:
    """A continuous target, discretised into levels that all occur."""
    tile, point = np.ascontiguousarray(numbers[:, None]), point_mass(numbers, weights)
    rest = None if point is None or (numbers == point).all() else rule.beside_a_point()
    if point is not None and rest is not None:
        some = numbers != point
        others, crowded = rest.cuts(tile_of(np.ascontiguousarray(tile[some]), weights_at(weights, some)))
        lower = numbers[numbers < point]
        around = [point, *([lower.max()] if len(lower) else [])]  # a level counts those exceeded
        edges = np.unique(np.append(others[~np.isnan(others)], around))[:, None]
    else:
        edges, crowded = rule.cuts(tile_of(tile, weights))
    if crowded[0]:
        raise invalid(
            Parameter("y"),
            f" has more than {rule.max_categories} distinct values, the most that the given ",
            Parameter("target_discretizer"),
            " keeps. Raise its max_categories, or discretise y with EqualFrequency().",
        )
    codes = np.unique(cut_tile(tile, edges)[:, 0], return_inverse=True)[1]
    return Target(codes.astype(np.int32), None, numbers, point=point, weights=weights)


def point_mass(numbers: FloatArray, weights: Weights | None = None) -> float | None:
    """The number that more than half of the samples have, by weight, if there is one."""
    if weights is not None:
        values, codes = np.unique(numbers, return_inverse=True)
        weighed = weights.added_up(codes)
        most = int(np.argmax(weighed))
        return float(values[most]) if 2 * weighed[most] > weights.total else None
    # Half is where equal frequency begins to lose bins, and where the median is that number (decision 0018).
    middle = len(numbers) // 2
    median = np.partition(numbers, middle)[middle]
    return float(median) if 2 * np.count_nonzero(numbers == median) > len(numbers) else None


def scores_of_targets(targets: Sequence[Target]) -> ScoreBlock:
    """One target, or several jointly, as the columns of one feature."""
    if len(targets) > 1:
        return common_basis(targets)
    (target,) = targets
    if target.point is not None:
        codes, values = group_scores(target)
        rounded, shift = rounded_values(values)
        return ScoreBlock(np.array([0]), in_samples(rounded, codes), shift[None])
    if target.numbers is not None:
        return block_of_numbers(target.numbers[:, None], np.array([0]), 1, target.weights)
    return block_of_codes(target.codes, target.counts, 0, target.weights)


def common_basis(targets: Sequence[Target]) -> ScoreBlock:
    """The columns of several targets as one orthogonal basis."""
    found = [group_scores(target) for target in targets]
    rows, place = combinations([codes for codes, _ in found])
    columns = np.concatenate([values[:, row] for (_, values), row in zip(found, rows, strict=True)])
    weights = targets[0].weights
    counts = np.bincount(place) if weights is None else weights.added_up(place)
    n_kept = orthogonalise(columns, counts, None, len(found[0][1]), float(targets[0].total) * UNIT * UNIT)
    rounded, shift = rounded_values(columns[:n_kept])
    return ScoreBlock(np.array([0]), in_samples(rounded, place), shift[None])


def group_scores(target: Target) -> tuple[AnyArray, FloatArray]:
    """The group of equal values of each sample, and the scores of the groups in units of 1 / UNIT."""
    if target.numbers is None:
        return target.codes, contrasts(target.counts.astype(np.float64), target.total)
    codes, counts = occurrences(target.numbers, target.weights)
    if target.point is not None:
        place = int(np.searchsorted(np.unique(target.numbers), target.point))
        return codes, whether_and_how_much(counts, place, target.weights)
    values = np.zeros((1, len(counts)))
    if target.weights is None:
        group_values(counts, quantiles(len(codes)), values)
    else:
        values[0] = weighted_quantiles(counts, target.weights)
        standardise_groups(counts, target.total, values)
    return codes, UNIT * values


def occurrences(numbers: FloatArray, weights: Weights | None) -> tuple[AnyArray, AnyArray]:
    """The rank of each number among the distinct ones, and the counts, or weights, of these."""
    codes = np.unique(numbers, return_inverse=True)[1]
    return codes, np.bincount(codes) if weights is None else weights.added_up(codes)


def whether_and_how_much(counts: AnyArray, point: int, weights: Weights | None = None) -> FloatArray:
    """The scores of groups of equal numbers with a point mass: whether at `point`, and the rank of others."""
    n_samples = int(counts.sum())
    rest = np.delete(counts, point)
    whether = contrasts(np.array([counts[point], rest.sum()], np.float64), n_samples)[0]
    values = np.full((2, len(counts)), whether[1])
    values[:, point] = whether[0], 0.0
    among = np.zeros((1, len(rest)))
    if weights is None:
        group_values(rest, quantiles(int(rest.sum())), among)
    else:
        among[0] = weighted_quantiles(rest, weights)
        standardise_groups(rest, int(rest.sum()), among)
    # The normal scores of the samples that are not at the point, 0 for those that are.
    values[1, np.arange(len(counts)) != point] = UNIT * np.sqrt(n_samples / rest.sum()) * among[0]
    return values if len(rest) > 1 else values[:1]


def combinations(codes: Sequence[AnyArray]) -> tuple[list[AnyArray], AnyArray]:
    """The sorted combinations of codes that occur: their codes in each target, and that of each sample."""
    place = np.zeros(len(codes[0]), np.intp)
    for some in codes:
        place = np.unique(place * (int(some.max()) + 1) + some, return_inverse=True)[1]
    first = np.unique(place, return_index=True)[1]
    return [some[first] for some in codes], place


@kernel
def orthogonalise(columns: FloatArray, counts: Any, copies: Any, n_first: int, length: float) -> int:
    """Makes each column orthogonal to those before, or drops it; returns how many remain, first."""
    # Dropped are those without residual; the first `n_first` are already orthogonal. An entry of the columns
    # is a value that occurs `counts` times, or, if that is None, a sample with so many `copies`; None: one.
    n_kept = n_first
    for j in range(n_first, len(columns)):
        column = columns[n_kept]
        column[:] = columns[j]
        for i in range(n_kept):
            share = weighted_product(columns[i], column, counts, copies) / length
            for g in range(len(column)):
                column[g] -= share * columns[i, g]
        square = weighted_product(column, column, counts, copies) / length
        if square > DEPENDENT:
            column /= np.sqrt(square)
            n_kept += 1
    return n_kept


@inner_part
def weighted_product(one: FloatArray, other: FloatArray, counts: Any, copies: Any) -> float:
    """The inner product of two columns whose values occur `counts` times, or whose samples have copies."""
    if counts is None:
        return product(one, other, copies)
    total = 0.0
    for g in range(len(one)):
        total += counts[g] * one[g] * other[g]
    return total
