"""The outcomes of the tasks, put together: curves of error, and what was chosen.

Letters. k a number of top features. Errors are shares here; tables show them in percent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.paper import published
from qpfs.paper.methods import COMPARED, ComparedMethod, Parameters
from qpfs.paper.plan import PaperPlan, Plain
from qpfs.paper.sets import ALL_ROWS, GIVEN, SPLITS, DataSet

JUDGED = ("qpfs", "tlkm", "ikm", "ikma")  # whose lowest errors are to be at most the publication's


class Known(Protocol):
    """Where outcomes are found: records, or anything with `get`."""

    def get(self, key: Plain) -> Any: ...


@dataclass(frozen=True, eq=False)
class Curve:
    """Errors at numbers of features for one choice of parameters; of random splits the mean."""

    parameters: Parameters
    sizes: list[int]
    errors: list[float]
    spread: list[float]  # standard error over random splits; 0 elsewhere
    n: int  # samples tested, in each split

    @cached_property
    def place(self) -> int:
        """Where the lowest error is first reached."""
        return int(np.argmin(np.round(self.errors, 12)))

    @property
    def lowest(self) -> float:
        return self.errors[self.place]

    @property
    def lowest_at(self) -> int:
        return self.sizes[self.place]

    def at(self, k: int) -> float | None:
        """The error at k features; None if so many were not found."""
        return self.errors[self.sizes.index(k)] if k in self.sizes else None

    def spread_at(self, k: int) -> float:
        return self.spread[self.sizes.index(k)]


def curve_over_splits(task: Plain, outcomes: list[Plain]) -> Curve:
    """The curve of a choice of parameters, from its outcomes on all splits that were done."""
    sizes = task["sizes"]
    if "splits" not in task:
        (one,) = outcomes
        errors = [wrong / one["n"] for wrong in one["wrong"]]
        return Curve(task["parameters"], sizes[: len(errors)], errors, [0.0] * len(errors), one["n"])
    rows = [row for one in outcomes for row in one["wrong"]]
    found = [n for one in outcomes for n in one["found"]]
    n, width = outcomes[0]["n"][0], sum(k <= max(found) for k in sizes)
    shares = np.array([level(row, width) for row in rows]) / n
    return Curve(task["parameters"], sizes[:width], shares.mean(axis=0).tolist(), standard_errors(shares), n)


def level(row: list[int], width: int) -> list[int]:
    """A split's wrong samples at each number of features; beyond those it found as with all of them."""
    return (row + row[-1:] * width)[:width]


def standard_errors(shares: FloatArray) -> list[float]:
    """Of the mean over splits, at each number of features."""
    if len(shares) < 2:
        return [0.0] * shares.shape[1]
    return (shares.std(axis=0, ddof=1) / math.sqrt(len(shares))).tolist()


@dataclass(frozen=True, eq=False)
class Nested:
    """What the nested protocol found for a method on a set."""

    error: float
    by_part: list[float]
    sizes: list[int]  # the number of features chosen in each part
    parameters: list[Parameters]
    at: dict[int, float]
    n: int


@dataclass(frozen=True, eq=False)
class Results:
    """All that tables and figures are made of."""

    plan: PaperPlan
    known: Known
    curves: dict[tuple[str, str], Curve | None] = field(default_factory=dict)  # put together before

    def tried(self, one: DataSet, method: ComparedMethod) -> list[Curve]:
        """The curves of all choices of parameters on the splits on which they were tried."""
        tasks = [
            self.plan.published(one, method, parameters, 0, self.plan.extent.n_tried)
            for parameters in self.plan.grid(one, method)
        ]
        return [curve_over_splits(task, [self.known.get(task)]) for task in tasks if self.known.get(task)]

    def chosen(self, one: DataSet, method: ComparedMethod) -> Curve | None:
        """The curve with the lowest error; of several the one that has it first, then the lower one."""
        curves = self.tried(one, method)
        if method not in self.plan.methods(one) or not curves:
            return None
        return min(curves, key=lambda curve: (round(curve.lowest, 12), curve.lowest_at, mean(curve.errors)))

    def n_tried(self, one: DataSet, method: ComparedMethod) -> int:
        """Choices that the lowest error is the lowest of: parameters times numbers of features."""
        curves, chosen, whole = self.tried(one, method), self.chosen(one, method), self.curve(one, method)
        more = set(whole.sizes) - set(chosen.sizes) if chosen and whole else set()
        return sum(len(curve.sizes) for curve in curves) + len(more)

    def remaining(self) -> list[Plain]:
        """What is done with what was chosen: further splits, all sizes, another C; or selection inside."""
        tasks: list[Plain] = []
        for one in self.plan.sets():
            for method in self.plan.methods(one):
                curve = self.chosen(one, method)
                if curve and one.division == SPLITS:
                    blocks = self.plan.blocks(one)
                    tasks += [self.plan.published(one, method, curve.parameters, *block) for block in blocks]
                if curve and one.division != ALL_ROWS and method.name in JUDGED:
                    prices = self.plan.extent.prices
                    tasks += [self.plan.priced(one, method, curve.parameters, C) for C in prices]
                if curve and one.division == GIVEN:
                    tasks.append(self.plan.whole(one, method, curve.parameters))
                if curve and one.division == ALL_ROWS and not one.stand_in:
                    tasks.append(self.plan.inside(one, method, curve.parameters))
        return tasks

    def priced(self, one: DataSet, method: ComparedMethod, C: float) -> Curve | None:
        """The curve of what was chosen with another C, on the splits on which it was chosen."""
        curve = self.chosen(one, method)
        if curve is None or C == 1.0:
            return curve
        task = self.plan.priced(one, method, curve.parameters, C)
        found = self.known.get(task)
        return None if found is None else curve_over_splits(task, [found])

    def inside(self, one: DataSet, method: ComparedMethod) -> Curve | None:
        """The curve of what was chosen with the selection made inside each split."""
        curve = self.curve(one, method)
        if curve is None or one.division != ALL_ROWS:
            return curve
        task = self.plan.inside(one, method, curve.parameters)
        found = self.known.get(task)
        return None if found is None else curve_over_splits(task, [found])

    def curve(self, one: DataSet, method: ComparedMethod) -> Curve | None:
        """The curve of what was chosen, over all splits."""
        key = one.name, method.name
        if key not in self.curves:
            self.curves[key] = self._whole(one, method)
        return self.curves[key]

    def _whole(self, one: DataSet, method: ComparedMethod) -> Curve | None:
        found = self.chosen(one, method)
        if found and one.division == GIVEN:
            task = self.plan.whole(one, method, found.parameters)
            outcome = self.known.get(task)
            return curve_over_splits(task, [outcome]) if outcome else found
        if found is None or one.division != SPLITS:
            return found
        parts = [(0, self.plan.extent.n_tried), *self.plan.blocks(one)]
        tasks = [self.plan.published(one, method, found.parameters, *part) for part in parts]
        outcomes = [self.known.get(task) for task in tasks]
        return curve_over_splits(tasks[0], [one for one in outcomes if one])

    def nested(self, one: DataSet, method: ComparedMethod) -> Nested | None:
        """The outcome of the nested protocol, if all of its parts are done."""
        if method not in self.plan.methods(one):
            return None
        outcomes = [self.known.get(task) for task in self.plan.nested(one, method)]
        if None in outcomes:
            return None
        n = sum(part["n"] for part in outcomes)
        return Nested(
            sum(part["wrong"] for part in outcomes) / n,
            [part["wrong"] / part["n"] for part in outcomes],
            [part["k"] for part in outcomes],
            [part["parameters"] for part in outcomes],
            {
                k: sum(part["at"][str(k)] for part in outcomes) / n
                for k in published.TOPS
                if str(k) in outcomes[0]["at"]
            },
            min(n, self.plan.shapes[one.name].n_samples),
        )

    def cost(self, one: DataSet, method: ComparedMethod) -> Plain | None:
        """Seconds and megabytes."""
        tasks = [t for t in self.plan.costs() if t["set"] == one.name and t["method"] == method.name]
        return self.known.get(tasks[0]) if tasks else None

    def lowest(self, name: str, method: str) -> float | None:
        """The lowest error in percent, as the publication's table has it."""
        curve = self._curve(name, method)
        return None if curve is None else 100 * curve.lowest

    def lowest_at(self, name: str, method: str) -> int | None:
        curve = self._curve(name, method)
        return None if curve is None else curve.lowest_at

    def error_at(self, name: str, method: str, k: int) -> float | None:
        """The error in percent at k features, as the publication's tables have it."""
        curve = self._curve(name, method)
        found = None if curve is None else curve.at(k)
        return None if found is None else 100 * found

    def _curve(self, name: str, method: str) -> Curve | None:
        found = [one for one in self.plan.sets() if one.name == name]
        return self.curve(found[0], COMPARED[method]) if found and method in COMPARED else None


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
