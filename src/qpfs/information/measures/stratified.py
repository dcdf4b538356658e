"""A measure within strata: the mean over strata, by their samples, of what two features share in each.

m(f; g | Z) = sum_z p(z) m(f; g | Z = z). For mutual information this is conditional mutual information, I(f;
g | Z). The mean has the properties of the measure: it is symmetric and not negative, a feature shares with
itself at least what it shares with any other, and sums of positive semi-definite matrices are positive
semi-definite. A stratum in which a feature, or the target, has one value adds nothing.

Letters: z strata, n_z samples of each, or their weight, p(z) = n_z / N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import chdtrc

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.strata import Strata, StratifiedForm
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights, weights_at
from qpfs.information.measures.measure import (
    Listed,
    Margins,
    Measure,
    Part,
    Prepared,
    ReadyMeasure,
    Runs,
    Words,
)

MIXED = np.uint64(0x9E3779B97F4A7C15)  # an odd number whose multiples vary in all bits, for hashing


@dataclass(frozen=True, eq=False)
class Stratified(Measure):
    """A measure within strata."""

    measure: Measure
    codes: IndexArray  # (n_samples,) the stratum of each sample

    def __post_init__(self) -> None:
        one = self.measure
        about = {"name": one.name, "convex": one.convex, "radius": one.radius, "words": within(one.words)}
        form = StratifiedForm(one.form, Strata(self.codes))
        for key, value in {**about, "form": form}.items():
            object.__setattr__(self, key, value)

    @property
    def strata(self) -> IndexArray:
        return self.codes

    def on(self, n_samples: int, weights: Weights | None = None) -> Within:
        return Within(self, n_samples, weights)


class StratifiedCounts(Stratified):
    """A count measure within strata, which has a test."""

    def on(self, n_samples: int, weights: Weights | None = None) -> WithinCounts:
        return WithinCounts(self, n_samples, weights)


def within(words: Words) -> Words:
    """The words for a measure within strata."""
    given = "within strata of the covariates"
    return replace(
        words,
        title=f"{words.title} {given}",
        test=f"{words.test} within strata",
        distance=f"{words.distance} {given}",
        shared=f"{words.shared}, {given}",
        apart=f"{words.apart}, {given}",
        given=given,
    )


class Divided(Prepared):
    """A block with what a measure computes in advance for its features in each stratum."""

    ready: Within

    def __init__(self, block: Any, ready: Within) -> None:
        vars(self).update(block=block, ready=ready, sums=np.zeros(len(block.features)))

    @cached_property
    def parts(self) -> list[Prepared] | None:
        """The blocks of the strata; None where features are divided on demand."""
        found = getattr(self.block, "parts", None)
        return None if found is None else self.ready.prepared(found)

    def pieces(self) -> Iterator[tuple[slice, list[Prepared]]]:
        """All features, few at a time where they are divided on demand: which, and the blocks of strata."""
        if self.parts is not None:
            yield slice(None), self.parts
            return
        for some, block, _ in self.block.all_pieces():
            yield some, self.ready.prepared(block.parts)

    @cached_property
    def own(self) -> FloatArray:
        found = np.empty(len(self.block.features))
        for some, parts in self.pieces():
            found[some] = self.ready.mean([part.own for part in parts])
        return found

    def take(self, slots: IndexArray) -> Divided:
        return Divided(self.block.take(slots), self.ready)

    def by_words(self) -> Divided:
        return self


class Within(ReadyMeasure):
    """A measure made ready for each stratum."""

    measure: Stratified
    constant_sum = 0.0

    @property
    def strata(self) -> Strata:
        return self.measure.form.strata  # type: ignore[attr-defined]

    @cached_property
    def parts(self) -> list[ReadyMeasure]:
        """The measure for the samples of each stratum; a function caches its values there."""
        return [
            self.measure.measure.on(len(rows), weights_at(self.weights, rows)) for rows in self.strata.rows
        ]

    @cached_property
    def shares(self) -> FloatArray:
        return np.array([one.total for one in self.parts]) / self.total

    @property
    def fewest(self) -> float:  # type: ignore[override]
        return sum(one.fewest for one in self.parts)

    @property
    def quick(self) -> bool:  # type: ignore[override]
        return self.parts[0].quick

    @property
    def sum_unit(self) -> float:  # type: ignore[override]
        return self.parts[0].sum_unit

    def row_sums(self, values: FloatArray) -> AnyArray:
        return self.parts[0].row_sums(values)

    def mean(self, found: Any) -> FloatArray:
        """The mean over strata of one array for each, added up in their order."""
        first, *others = self.shares.tolist()
        each = iter(found)
        total: FloatArray = first * next(each)
        for weight in others:
            total += weight * next(each)
        return total

    def prepared(self, blocks: Any) -> list[Prepared]:
        return [ready.prepare(block) for ready, block in zip(self.parts, blocks, strict=True)]

    def prepare(self, block: Any) -> Divided:
        return Divided(block, self)

    def between(self, pivots: Any, rows: slice, other: Any) -> FloatArray:
        out = np.empty((len(np.arange(len(pivots.block.features))[rows]), len(other.block.features)))
        mine = pivots.parts
        for some, parts in other.pieces():
            found = (
                ready.between(one, rows, part)
                for ready, one, part in zip(self.parts, mine, parts, strict=True)
            )
            out[:, some] = self.mean(found)
        return out

    def targets(self, target: Target) -> list[Target | None]:
        """The target in each stratum; None where it has one value."""
        return [target_in(target, rows) for rows in self.strata.rows]

    def relevance(self, target: Target, block: Any) -> FloatArray:
        targets = self.targets(target)
        out = np.empty(len(block.block.features))
        for some, parts in block.pieces():
            none = np.zeros(len(parts[0].block.features))
            found = (
                none if one is None else ready.relevance(one, part)
                for ready, one, part in zip(self.parts, targets, parts, strict=True)
            )
            out[some] = self.mean(found)
        return out

    def shuffled(self, target: Target, orders: IndexArray, block: Any) -> FloatArray:
        """Relevance in several orders of the samples, which exchange samples only within strata."""
        targets = self.targets(target)
        local = [self.strata.place[orders[:, rows]] for rows in self.strata.rows]
        out = np.empty((len(orders), len(block.block.features)))
        for some, parts in block.pieces():
            none = np.zeros((len(orders), len(parts[0].block.features)))
            found = (
                none if one is None else ready.shuffled(one, order, part)
                for ready, one, order, part in zip(self.parts, targets, local, parts, strict=True)
            )
            out[:, some] = self.mean(found)
        return out

    def along(self, runs: Runs, others: Listed) -> FloatArray:
        out = np.empty(runs.n_pairs)
        ends = np.concatenate([[0], np.cumsum(runs.hi - runs.lo)])
        given: Any = runs.block
        for some, block, at in given.block.pieces(runs.slots):
            parts = self.prepared(block.parts) if given.parts is None else given.parts
            found = (
                ready.along(Runs(part, at, runs.lo[some], runs.hi[some]), listed)
                for ready, part, listed in zip(self.parts, parts, others.features, strict=True)
            )
            out[ends[some.start] : ends[some.stop]] = self.mean(found)
        return out

    def listed(self, parts: list[Part], size: int) -> Listed:
        """The list of features in each stratum."""
        spread = [self._spread(one) for one in parts]
        lists = []
        for z, ready in enumerate(self.parts):
            some = [Part(one.places, prepared[z], np.arange(len(one.slots))) for one, prepared in spread]
            lists.append(ready.listed(some, size))
        own = self.mean([one.own for one in lists])
        return Listed(tuple(lists), np.zeros(size), own)

    def _spread(self, part: Part) -> tuple[Part, list[Prepared]]:
        return part, self.prepared(part.block.block.take(part.slots).parts)

    def degrees(self, target: Target) -> int:
        return self.parts[0].degrees(target)


def target_in(target: Target, rows: IndexArray) -> Target | None:
    """The target of some samples, under the codes of the whole; None if it has one value there."""
    codes = target.codes[rows]
    numbers = None if target.numbers is None else target.numbers[rows]
    values = codes if numbers is None else numbers
    if (values == values[0]).all():
        return None
    return Target(codes, None, numbers, weights=weights_at(target.weights, rows))


class WithinCounts(Within):
    """A count measure within strata: statistics and degrees of freedom add up over strata."""

    def targets(self, target: Target) -> list[Target | None]:
        """The target in each stratum; a quantity counts as constant where it is in one bin."""
        found = super().targets(target)
        return [None if one is None or (one.codes == one.codes[0]).all() else one for one in found]

    def rarest(self, target: Target) -> int:
        return self.total  # rare values are found in each stratum

    def margins(self, block: Any, least: float, target: Target) -> Margins:
        """The margins; rare is a level of which fewer than `least` are expected with a class in a stratum."""
        size = len(block.block.features)
        key, scale = np.zeros(size, np.uint64), np.ones((size, 2))
        classes = [None if one is None else one.counts[one.counts > 0] for one in self.targets(target)]
        for some, parts in block.pieces():
            counts = [part.block.margins for part in parts]
            key[some] = keys_of(counts, classes, least)
            if self.weights is not None:  # no two features share margins
                own = parts[0].block.features.astype(np.uint64) + np.uint64(1)
                key[some] = np.where(key[some] > 0, own, key[some])
            scale[some] = self._degrees_and_mean(counts, classes)
        return Margins(key, scale)

    def _degrees_and_mean(self, counts: list[AnyArray], classes: list[AnyArray | None]) -> FloatArray:
        """For each feature the degrees of freedom, and the mean of the statistic per degree."""
        degrees, mean = np.zeros(counts[0].shape[1]), np.zeros(counts[0].shape[1])
        for some, those in zip(counts, classes, strict=True):
            if those is None:
                continue
            n = int(those.sum())
            free = ((some > 0).sum(axis=0) - 1.0) * (len(those) - 1)
            scale = np.where(some > 0, n / np.maximum(some, 1), 0.0).sum(axis=0) - 1
            spread = scale * ((n / those).sum() - 1) / np.maximum(free, 1)
            degrees += free
            size = n if self.weights is None else n / self.weights.unit
            mean += free * self.measure.measure.mean_of_statistic(spread, size)  # type: ignore[attr-defined]
        return np.stack([degrees, mean / np.maximum(degrees, 1)], axis=1)

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray | None:
        one = self.measure.measure
        times = [one.statistic(np.ones(1), part.size) for part in self.parts]  # type: ignore[attr-defined]
        if any(some is None for some in times):
            return None
        if len(relevance) == 0:
            return np.ones(0)
        degrees, mean = scale[:, 0], scale[:, 1]
        statistic = relevance * float(np.sum(times)) / np.where(mean > 0, mean, 1.0)
        found = chdtrc(np.maximum(degrees, 1), statistic)
        return np.where(degrees > 0, found, 1.0)


def keys_of(counts: list[AnyArray], classes: list[AnyArray | None], least: float) -> AnyArray:
    """A key for features with a rare level, equal if values occur equally often in every stratum."""
    key = np.zeros(counts[0].shape[1], np.uint64)
    rare = np.zeros(len(key), bool)
    for some, those in zip(counts, classes, strict=True):
        if those is None:  # carries no information about any feature
            continue
        fewest = np.where(some > 0, some, some.sum(axis=0)).min(axis=0)
        rare |= fewest * int(those.min()) < least * int(those.sum())
        for row in np.sort(some, axis=0).astype(np.uint64):
            key = (key ^ (key >> np.uint64(29)) ^ row) * MIXED
    return np.where(rare, key | np.uint64(1), np.uint64(0))
