"""A function of two columns as a measure: distance correlation, HSIC, whatever returns a number.

A call of Python takes thousands of times as long as a pair of features does by any measure of ours. So no
pair is asked for that an algorithm can do without, and what a call returned is remembered: within a fit the
function meets each unordered pair of features once, the column that comes first in the table as its first
argument, so that Q is symmetric. Calls are spread over processes by joblib; the function is shown the same
numbers in any of them, and products of matrices stay in one thread, so the answer does not depend on how many
there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import RAW
from qpfs.codes.raw import CONSTANT, TARGET, RawBlock
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights
from qpfs.engines.calls import Call, Function, call_all
from qpfs.information.measures.measure import Listed, Measure, Part, Prepared, ReadyMeasure, Runs, Words
from qpfs.information.measures.stratified import Stratified
from qpfs.messages import Message, Parameter
from qpfs.wording import function_name

REMEMBERED = 1 << 20  # pairs of features: some 100 MB
CALL = 1e6  # samples in which two features meet in as much time as a function of Python takes: some 0.1 ms
LEAST = 1074  # 2 to the power of -LEAST is the smallest float64, of which all others are multiples


@dataclass(frozen=True)
class FunctionMeasure(Measure):
    """What a function of two columns returns; a bare function given as `measure` becomes this.

    Parameters
    ----------
    function : callable
        f(x, y) -> float, not negative. x and y are one-dimensional arrays of float64, copies that the
        function may write to: the numbers of a column as they are, labels as the numbers 0, 1, ... of their
        categories in sorted order. The relevance of x is f(x, target): a quantity as it is, classes as the
        numbers 0, 1, ... of their sorted labels. What x shares with itself is f(x, x).
    semidefinite : bool, default=False
        Your promise that the matrix of f over any columns is positive semi-definite, as of HSIC and of
        squared distance correlation. Every solution of the program is then "optimal".
    n_jobs : int or None, default=None
        Processes that the calls are spread over; a selector sets its own.
    """

    function: Function
    semidefinite: bool = False
    n_jobs: int | None = field(default=None, compare=False, repr=False)

    form = RAW

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"function={self.function!r}, but it must be a function of two columns.")
        name = function_name(self.function)
        words = Words(
            title=f"the function {name}",
            distance=f"the distance 1 − Q(f, g) / max(Q(f, f), Q(g, g)), with Q the function {name}",
            shared=f"{name} of the two, as a share of the larger that it has of one of them with itself",
            apart="its distance is 0 if they share as much as either does with itself, 1 if nothing",
        )
        for key, value in {"name": name, "words": words, "convex": self.semidefinite}.items():
            object.__setattr__(self, key, value)

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        refuse(covariates.weights)
        return Stratified(self, covariates.strata(rule))

    def on(self, n_samples: int, weights: Weights | None = None) -> Called:
        refuse(weights)
        return Called(self, n_samples)


def refuse(weights: Weights | None) -> None:
    """Raises TypeError if samples have weights."""
    if weights is not None:
        raise TypeError(
            Message(
                "A measure that is a function is shown two columns, not the weights of their samples. "
                "Leave out sample_weight and ",
                Parameter("class_weight"),
                ", or use measure 'rank', 'mi', 'chi2' or 'correlation'.",
            )
        )


AnyMeasure: TypeAlias = str | Measure | Function  # what a parameter may be: a measure, its name, a function


class Unasked(Prepared[RawBlock]):
    """A block of which nothing is called beforehand."""

    ready: Called

    def __init__(self, block: RawBlock, ready: Called) -> None:
        vars(self).update(block=block, ready=ready)

    @cached_property
    def own(self) -> FloatArray:
        return self.ready.own(self.block)

    def take(self, slots: IndexArray) -> Unasked:
        return Unasked(self.block.take(slots), self.ready)


class Called(ReadyMeasure[RawBlock]):
    """The function, and what it has returned for pairs of features."""

    measure: FunctionMeasure
    constant_sum = 0.0
    quick = False
    fewest = CALL
    sum_unit = 1 << LEAST

    @cached_property
    def known(self) -> dict[Any, float]:
        """What pairs share: a key for two columns is their numbers, the lower first."""
        return {None: 0.0}  # with a constant

    def prepare(self, block: RawBlock) -> Unasked:
        return Unasked(block, self)

    def between(self, pivots: Prepared[RawBlock], rows: slice, other: Prepared[RawBlock]) -> FloatArray:
        slots, k = np.arange(len(pivots.block.features))[rows], len(other.block.features)
        shared = self.shared(
            pivots.block, np.repeat(slots, k), other.block, np.tile(np.arange(k), len(slots))
        )
        return shared.reshape(len(slots), k)

    def relevance(self, target: Target, block: Prepared[RawBlock]) -> FloatArray:
        y = np.asarray(target.codes if target.numbers is None else target.numbers, np.float64)
        n = len(block.block.features)
        other = RawBlock(np.array([0]), y[None, :], np.array([TARGET]))
        return self.shared(block.block, np.arange(n), other, np.zeros(n, np.intp))

    def along(self, runs: Runs[RawBlock], others: Listed) -> FloatArray:
        lengths = runs.hi - runs.lo
        ends = np.cumsum(lengths)
        j = np.arange(runs.n_pairs) + np.repeat(runs.lo - (ends - lengths), lengths)
        return self.shared(runs.block.block, np.repeat(runs.slots, lengths), others.features, j)

    def listed(self, parts: list[Part[RawBlock]], size: int) -> Listed:
        placed = [(one.places, one.block.block, one.slots) for one in parts]
        features = self.measure.form.listed(placed, size, self.n_samples)
        return Listed(features, np.zeros(size), self.own(features))

    def own(self, block: RawBlock) -> FloatArray:
        """What each feature shares with itself."""
        every = np.arange(len(block.features))
        return self.shared(block, every, block, every)

    def row_sums(self, values: FloatArray) -> AnyArray:
        """The sum of each row, exact whatever the size of the numbers."""
        return np.array([sum(map(in_least_units, row)) for row in values.tolist()], object)

    def shared(self, one: RawBlock, i: IndexArray, other: RawBlock, j: IndexArray) -> FloatArray:
        """f of pairs of columns, one from each block, calling it for those that are not known."""
        a, b = one.columns[i], other.columns[j]
        keys = [pair_key(*pair) for pair in zip(a.tolist(), b.tolist(), range(len(i)), strict=True)]
        new: dict[Any, int] = {}
        for place, key in enumerate(keys):
            if key not in self.known:
                new.setdefault(key, place)
        places = list(new.values())
        swapped = (b < a) & (b >= 0)
        calls = list(zip(i[places].tolist(), j[places].tolist(), swapped[places].tolist(), strict=True))
        found = dict(zip(new, self.answers(one, other, calls), strict=True))
        kept = ((key, value) for key, value in found.items() if isinstance(key, int))
        self.known.update(islice(kept, max(0, REMEMBERED - len(self.known))))
        return np.array([found[key] if key in found else self.known[key] for key in keys])

    def answers(self, one: RawBlock, other: RawBlock, calls: list[Call]) -> list[float]:
        """What the function returns, call after call; raises ValueError for the first that failed."""
        measure = self.measure
        values, trouble, cause = call_all(measure.function, one.rows, other.rows, calls, measure.n_jobs)
        if trouble:
            i, j, swapped = calls[len(values)]
            names = [one.name(i), other.name(j)][:: -1 if swapped else 1]
            raise ValueError(
                f"measure={measure.name} {trouble}, for {' and '.join(names)}. It has to return a finite "
                "number of at least 0 for any two columns."
            ) from cause
        return values


def pair_key(a: int, b: int, place: int) -> Any:
    """What a pair of columns is known by: a number of its own; None with a constant; else its place alone."""
    if CONSTANT in (a, b):
        return None
    return min(a, b) << 32 | max(a, b) if min(a, b) >= 0 else (place,)


def in_least_units(value: float) -> int:
    """A number in units of the smallest one, without rounding."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << LEAST - (denominator.bit_length() - 1)
