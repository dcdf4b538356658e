"""Features selected one by one, each the best given those already selected.

The first feature is the most relevant; each next one has the highest value given those selected, as a rating
defines it. Ties go to the lowest index. Features to keep are selected before all others.

Letters: s relevance, r redundancy of a feature with those selected: the mean over them, or that with the
nearest. The values of mRMR are s - r or s / r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.terms import Terms
from qpfs.criteria.weighing import Criterion, Standing, Tick, Weighing, spread
from qpfs.information import FeatureTable

# The value of each feature, what it gains, and what that has to exceed; given the feature selected last, and
# how many are selected.
Rating: TypeAlias = Callable[[int, int], tuple[FloatArray, FloatArray, FloatArray]]

SMALLEST = 1e-12  # replaces a redundancy of 0, so that relevance decides among such features


@dataclass(frozen=True)
class Scheme:
    """How a feature's relevance and its redundancy with those selected are combined."""

    value: Callable[[FloatArray, FloatArray], FloatArray]
    even: float = 0.0  # the value of a feature that is as redundant as relevant
    nearest: bool = False  # whether r is the redundancy with the nearest selected one, or the mean over all


def in_proportion(s: FloatArray, r: FloatArray) -> FloatArray:
    return s / np.maximum(r, SMALLEST)


difference, quotient, nearest = (
    Scheme(np.subtract),
    Scheme(in_proportion, even=1.0),
    Scheme(np.subtract, nearest=True),
)


@dataclass(frozen=True)
class GreedyCriterion(Criterion):
    """mRMR: `n_features` one by one; None: while the best is more relevant than redundant."""

    scheme: Scheme
    n_features: int | None
    terms: Terms | None = None

    def taking(self, n: int | None) -> GreedyCriterion:
        return replace(self, n_features=n)

    def weigh(self, table: FeatureTable, relevance: FloatArray, features: IndexArray, tick: Tick) -> Weighing:
        s, terms = relevance[features], self.terms and self.terms.among(features)
        rating = Reduced(s, lambda i: shared(table, features[i], features), self.scheme)
        n, even = self.n_features, self.scheme.even
        found = one_by_one(s, rating.after, n, stop=n is None, even=even, terms=terms, tick=tick)
        return found.weighing(features, table.n_features, linear=self.scheme is difference)


@dataclass(eq=False)
class Reduced:
    """Relevance reduced by the redundancy with those selected: a rating of features."""

    s: FloatArray
    shared_with: Callable[[int], FloatArray]
    scheme: Scheme
    redundancy: Any = 0.0  # the sum over those selected, or the most

    def after(self, best: int, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The value, relevance and redundancy of each feature once n are selected, `best` the last."""
        found = self.shared_with(best)
        if self.scheme.nearest:
            self.redundancy = r = np.maximum(self.redundancy, found)
        else:
            self.redundancy = self.redundancy + found
            r = self.redundancy / n
        return self.scheme.value(self.s, r), self.s, r


class Taken(NamedTuple):
    """Features in the order of selection, and the final values of the others."""

    places: list[int]
    values: list[float]  # of each when it was selected
    worth: FloatArray  # of all when the last was selected, or the search ended
    needed: float  # the value that a feature had to exceed then
    n_before: int  # selected by then

    def weighing(self, features: IndexArray, n_features: int, **facts: Any) -> Weighing:
        """The value of each of some features when it was selected, and the standing of the others."""
        order = features[self.places]
        before = order[: self.n_before]
        worth = spread(self.worth, features, n_features, np.nan)
        pull = np.full(len(before), 1.0 / max(len(before), 1))
        standing = Standing(worth, self.needed, before, pull, **facts)
        return Weighing(spread(np.array(self.values), order, n_features), order, standing=standing)


def one_by_one(
    s: FloatArray,
    rated: Rating,
    n: int | None = None,
    *,
    stop: bool = False,  # select only what gains more than it has to exceed, or is to be kept
    even: float | None = None,  # what a feature that gains just as much is worth; None: what to exceed
    terms: Terms | None = None,
    tick: Tick = lambda: None,
) -> Taken:
    """n features, or all, in the order of selection, by their positions."""
    first = terms.keep.tolist() if terms else []
    best = first[0] if first else int(np.argmax(s))
    taken, values = [best], [float(s[best])]
    open_ = np.ones(len(s), bool)
    worth, needed, n_before = s, values[0], 0
    while len(taken) < (len(s) if n is None else n):
        open_[best] = False
        if terms:
            terms.close(taken, open_)
        worth, gain, exceeded = rated(best, len(taken))
        n_before = len(taken)
        wanted = len(taken) < len(first)
        best = first[len(taken)] if wanted else int(np.argmax(np.where(open_, worth, -np.inf)))
        if not wanted and (not open_[best] or (stop and gain[best] <= exceeded[best])):
            needed = float(exceeded[best]) if even is None else even
            break
        taken.append(best)
        needed = float(worth[best])
        values.append(needed)
        tick()
    return Taken(taken, values, worth, needed, n_before)


def shared(table: FeatureTable, feature: int, features: IndexArray) -> FloatArray:
    """What one feature shares with each of some others."""
    given = np.array([feature])
    if len(features) < len(table.varying):
        return table.between(given, features)[0]
    return table.rows(given)[0, features]
