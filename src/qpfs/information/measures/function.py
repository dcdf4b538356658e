"""A function of two columns as a measure, such as distance correlation or HSIC.

A call of Python takes thousands of times as long as a pair of features under a built-in measure. So
algorithms avoid unnecessary pairs, and results are cached: within a fit the function is called once for each
unordered pair of features, with the column that comes first in the table as its first argument, so that Q is
symmetric. joblib distributes calls over processes; the function gets the same numbers in each of them, and
matrix products use one thread, so the result does not depend on the number of processes.
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
CALL = 1e6  # a pair of so many samples takes as long as a call of Python, some 0.1 ms
LEAST = 1074  # 2^-LEAST is the smallest float64, of which all others are multiples


@dataclass(frozen=True)
class FunctionMeasure(Measure):
    """A measure that is a function of two columns; a function given as `measure` is converted to this.

    Parameters
    ----------
    function : callable
        f(x, y) -> float, not negative. x and y are one-dimensional arrays of float64, copies that the
        function may write to: the numbers of a column unchanged, labels as the numbers 0, 1, ... of their
        categories in sorted order. The relevance of x is f(x, target), where a quantity is unchanged, and
        classes are the numbers 0, 1, ... of their sorted labels. What x shares with itself is f(x, x).
    semidefinite : bool, default=False
        Your promise that the matrix of f over any columns is positive semi-definite, as of HSIC and of
        squared distance correlation. Every solution of the program is then "optimal".
    n_jobs : int or None, default=None
        Processes for the calls; a selector uses its own `n_jobs` instead.
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
            shared=f"{name} of the two, relative to the larger of its values of each with itself",
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
                "A measure that is a function does not use sample weights. Leave out sample_weight and ",
                Parameter("class_weight"),
                ", or use measure 'rank', 'mi', 'chi2' or 'correlation'.",
            )
        )


AnyMeasure: TypeAlias = str | Measure | Function  # values of the parameter: a measure, its name, a function


class Unasked(Prepared):
    """A block for which the function is not called in advance."""

    ready: Called

    def __init__(self, block: RawBlock, ready: Called) -> None:
        vars(self).update(block=block, ready=ready)

    @cached_property
    def own(self) -> FloatArray:
        return self.ready.own(self.block)

    def take(self, slots: IndexArray) -> Unasked:
        return Unasked(self.block.take(slots), self.ready)


class Called(ReadyMeasure):
    """The function, with the values it has returned for pairs of features."""

    measure: FunctionMeasure
    constant_sum = 0.0
    quick = False
    fewest = CALL
    sum_unit = 1 << LEAST

    @cached_property
    def known(self) -> dict[Any, float]:
        """The values of pairs; a key is the numbers of two columns, the lower first."""
        return {None: 0.0}  # with a constant

    def prepare(self, block: RawBlock) -> Unasked:
        return Unasked(block, self)

    def between(self, pivots: Prepared, rows: slice, other: Prepared) -> FloatArray:
        slots, k = np.arange(len(pivots.block.features))[rows], len(other.block.features)
        shared = self.shared(
            pivots.block, np.repeat(slots, k), other.block, np.tile(np.arange(k), len(slots))
        )
        return shared.reshape(len(slots), k)

    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        y = np.asarray(target.codes if target.numbers is None else target.numbers, np.float64)
        n = len(block.block.features)
        other = RawBlock(np.array([0]), y[None, :], np.array([TARGET]))
        return self.shared(block.block, np.arange(n), other, np.zeros(n, np.intp))

    def along(self, runs: Runs, others: Listed) -> FloatArray:
        lengths = runs.hi - runs.lo
        ends = np.cumsum(lengths)
        j = np.arange(runs.n_pairs) + np.repeat(runs.lo - (ends - lengths), lengths)
        return self.shared(runs.block.block, np.repeat(runs.slots, lengths), others.features, j)

    def listed(self, parts: list[Part], size: int) -> Listed:
        placed = [(one.places, one.block.block, one.slots) for one in parts]
        features = self.measure.form.listed(placed, size, self.n_samples)
        return Listed(features, np.zeros(size), self.own(features))

    def own(self, block: RawBlock) -> FloatArray:
        """What each feature shares with itself."""
        every = np.arange(len(block.features))
        return self.shared(block, every, block, every)

    def row_sums(self, values: FloatArray) -> AnyArray:
        """The sum of each row, exact for numbers of any size."""
        return np.array([sum(map(in_least_units, row)) for row in values.tolist()], object)

    def shared(self, one: RawBlock, i: IndexArray, other: RawBlock, j: IndexArray) -> FloatArray:
        """The values of pairs of columns, one from each block; calls the function for new pairs."""
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
        """The results of the function for several calls; raises ValueError for the first that failed."""
        measure = self.measure
        values, trouble, cause = call_all(measure.function, one.rows, other.rows, calls, measure.n_jobs)
        if trouble:
            i, j, swapped = calls[len(values)]
            names = [one.name(i), other.name(j)][:: -1 if swapped else 1]
            raise ValueError(
                f"measure={measure.name} {trouble}, for {' and '.join(names)}. It must return a finite "
                "number of at least 0 for any two columns."
            ) from cause
        return values


def pair_key(a: int, b: int, place: int) -> Any:
    """The key of a pair of columns: a unique number; None with a constant; else its place in the call."""
    if CONSTANT in (a, b):
        return None
    return min(a, b) << 32 | max(a, b) if min(a, b) >= 0 else (place,)


def in_least_units(value: float) -> int:
    """A number in units of the smallest float, without rounding."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << LEAST - (denominator.bit_length() - 1)
