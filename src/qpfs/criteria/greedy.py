"""Features selected one by one, each the best given those already selected.

Letters: s relevance, r redundancy of a feature with those selected: the mean over them, or that with the
nearest. The first feature is the most relevant; each next one has the highest s - r or s / r. Ties go to the
lowest index. Features to keep are selected before all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria.terms import Terms
from qpfs.criteria.weighing import Criterion, Standing, Tick, Weighing, spread
from qpfs.information import FeatureTable

SMALLEST = 1e-12  # replaces a redundancy of 0, so that relevance decides among such features


@dataclass(frozen=True)
class Scheme:
    """How a feature's relevance and its redundancy with those selected are combined."""

    value: Callable[[FloatArray, FloatArray], FloatArray]
    even: float = 0.0  # the value of a feature that is as redundant as relevant
    nearest: bool = False  # whether r is the redundancy with the nearest selected one, or the mean over all


def less(s: FloatArray, r: FloatArray) -> FloatArray:
    return s - r


def in_proportion(s: FloatArray, r: FloatArray) -> FloatArray:
    return s / np.maximum(r, SMALLEST)


difference, quotient, nearest = Scheme(less), Scheme(in_proportion, even=1.0), Scheme(less, nearest=True)


@dataclass(frozen=True)
class GreedyCriterion(Criterion):
    """mRMR: `n_features` one by one; None: while the best is more relevant than redundant."""

    scheme: Scheme
    n_features: int | None
    terms: Terms | None = None

    def taking(self, n: int | None) -> GreedyCriterion:
        return replace(self, n_features=n)

    def weigh(
        self, table: FeatureTable[Any], relevance: FloatArray, features: IndexArray, tick: Tick
    ) -> Weighing:
        n = len(features) if self.n_features is None else self.n_features
        found = one_by_one(
            relevance[features],
            lambda i: shared(table, features[i], features),
            self.scheme,
            n,
            stop=self.n_features is None,
            terms=self.terms and self.terms.among(features),
            tick=tick,
        )
        order = features[found.places]
        before = order[: found.n_before]
        worth = spread(found.worth, features, table.n_features, np.nan)
        pull = np.full(len(before), 1.0 / max(len(before), 1))
        standing = Standing(worth, found.needed, before, pull, linear=self.scheme is difference)
        return Weighing(spread(np.array(found.values), order, table.n_features), order, standing=standing)


class Taken(NamedTuple):
    """Features in the order of selection, and the final values of the others."""

    places: list[int]
    values: list[float]  # of each when it was selected
    worth: FloatArray  # of all when the last was selected, or the search ended
    needed: float  # the value that a feature had to exceed then
    n_before: int  # selected by then


def one_by_one(
    s: FloatArray,
    shared_with: Callable[[int], FloatArray],
    scheme: Scheme,
    n: int | None = None,
    *,
    stop: bool = False,
    terms: Terms | None = None,
    tick: Tick = lambda: None,
) -> Taken:
    """n features, or all, in the order of selection, by their positions.

    With `stop` only features that are more relevant than redundant are selected, besides those to keep.
    """
    first = terms.keep.tolist() if terms else []
    best = first[0] if first else int(np.argmax(s))
    taken, values = [best], [float(s[best])]
    redundancy, open_ = np.zeros(len(s)), np.ones(len(s), bool)
    worth, needed, n_before = s, values[0], 0
    while len(taken) < (len(s) if n is None else n):
        open_[best] = False
        if terms:
            terms.close(taken, open_)
        found = shared_with(best)
        redundancy = np.maximum(redundancy, found) if scheme.nearest else redundancy + found
        r = redundancy if scheme.nearest else redundancy / len(taken)
        worth, n_before = scheme.value(s, r), len(taken)
        value = np.where(open_, worth, -np.inf)
        wanted = len(taken) < len(first)
        best = first[len(taken)] if wanted else int(np.argmax(value))
        if not wanted and (not open_[best] or (stop and s[best] <= r[best])):
            needed = scheme.even
            break
        taken.append(best)
        needed = float(worth[best])
        values.append(needed)
        tick()
    return Taken(taken, values, worth, needed, n_before)


def shared(table: FeatureTable[Any], feature: int, features: IndexArray) -> FloatArray:
    """What one feature shares with each of some others."""
    given = np.array([feature])
    if len(features) < len(table.varying):
        return table.between(given, features)[0]
    return table.rows(given)[0, features]
