"""What came of the trials, put together: curves of error, and what was chosen.

Letters. k a number of top features. Errors are shares here; tables show them in percent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reproduction.methods import ComparedMethod, Parameters
from reproduction.plan import PaperPlan, Plain
from reproduction.sets import DataSet

JUDGED = ("qpfs", "tlkm", "ikm", "ikma")  # whose lowest errors are to be at most the publication's


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


def curve_from(
    parameters: Parameters, sizes: Sequence[int], outcomes: Sequence[Plain], *, splits: bool
) -> Curve:
    """The curve that the outcomes of some trials make: random splits, or parts of one test.

    It ends where no trial found more features; a trial that found fewer counts with all of them.
    """
    rankings = [one["rankings"][0] for one in outcomes]
    width = sum(k <= max(one["n_ranked"] for one in rankings) for k in sizes)
    wrong = np.array([one["loss"][:width] for one in rankings])
    n = np.array([one["n_test"] for one in outcomes])
    spread = np.zeros(width)
    if splits and len(n) > 1:
        spread = (wrong / n[:, None]).std(axis=0, ddof=1) / math.sqrt(len(n))
    errors = wrong.sum(axis=0) / n.sum()
    return Curve(
        parameters, list(sizes[:width]), errors.tolist(), spread.tolist(), int(n[0] if splits else n.sum())
    )


def lowest_of(curves: Sequence[Curve]) -> Curve | None:
    """The curve with the lowest error; of several the one that has it first, then the lower one."""
    return min(curves, key=lambda one: (round(one.lowest, 12), one.lowest_at, mean(one.errors)), default=None)


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
class SetResults:
    """What was found on a set, by the names of the methods."""

    tried: dict[str, list[Curve]] = field(default_factory=dict)  # on the splits on which parameters are tried
    chosen: dict[str, Curve] = field(default_factory=dict)  # the best of them
    curves: dict[str, Curve] = field(default_factory=dict)  # what was chosen, over all splits
    inside: dict[str, Curve] = field(default_factory=dict)  # with the selection made inside each split
    prices: dict[tuple[str, float], Curve] = field(default_factory=dict)  # what was chosen, with another C
    nested: dict[str, Nested] = field(default_factory=dict)
    baselines: dict[str, float] = field(default_factory=dict)
    theory: dict[str, Plain] = field(default_factory=dict)
    costs: dict[str, Plain] = field(default_factory=dict)

    def priced(self, method: str, C: float) -> Curve | None:
        """The curve of what was chosen with some C, on the tests by which it was chosen."""
        return self.chosen.get(method) if C == 1.0 else self.prices.get((method, C))

    def n_tried(self, method: str) -> int:
        """Choices that the lowest error is the lowest of: parameters times numbers of features."""
        more = set(self.curves[method].sizes) - set(self.chosen[method].sizes)
        return sum(len(curve.sizes) for curve in self.tried[method]) + len(more)


@dataclass(frozen=True, eq=False)
class Results:
    """All that tables and figures are made of."""

    plan: PaperPlan
    found: dict[str, SetResults]  # by the name of the set
    figures: dict[str, list[Curve]] = field(default_factory=dict)  # 4 and 5
    clusters: Plain = field(default_factory=dict)

    def curve(self, one: DataSet, method: ComparedMethod) -> Curve | None:
        """The curve of what was chosen, over all splits."""
        return self.found[one.name].curves.get(method.name)

    def nested(self, one: DataSet, method: ComparedMethod) -> Nested | None:
        return self.found[one.name].nested.get(method.name)

    def number(self, what: str | int, name: str, method: str) -> float | None:
        """A number of the publication's tables, as it would be by ours: errors in percent."""
        if name not in self.found:
            return None
        found = self.found[name]
        if what in ("seconds", "megabytes"):
            cost = found.costs.get(method)
            return None if cost is None else cost[what]
        curve = found.curves.get(method)
        if curve is None or what == "lowest at":
            return None if curve is None else curve.lowest_at
        error = curve.at(what) if isinstance(what, int) else curve.lowest
        return None if error is None else 100 * error


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
