"""The feature table: the one thing the algorithms talk to.

Each question is a map over blocks of features with a small result, so that every storage and every engine can
answer it. Answers are indexed by feature, as the user's columns are; a constant feature shares nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import Rule
from qpfs.codes.store import Block, PartStore, Store
from qpfs.codes.target import Target
from qpfs.engines import Engine, Serial
from qpfs.groups import Groups, bounds_of, by_label
from qpfs.information.kernels import SUM_UNIT, row_sums, scatter
from qpfs.information.measures import SCORE_UNIT, Listed, Measure, Part, Prepared, Runs
from qpfs.information.runs import apart_along, nearest_along, put_runs
from qpfs.sums import add_weighted

PAIRS = 1 << 16  # asked about in one call: long enough that the call costs nothing
PIECE_BYTES = 1 << 24  # of scores that one task adds up
STRIP = 256  # pivots of one task, and columns kept at a time
SMALL = 2e5  # pairs times words below which threads cost more than they save: two milliseconds
SCORE_COST = 8  # pairs that take as long as adding the scores of a feature

BlockT = TypeVar("BlockT", bound=Block)
Task = TypeVar("Task")
Result = TypeVar("Result")
Call: TypeAlias = tuple[Prepared[BlockT], slice, Prepared[BlockT]]  # pivots, which of them, a block


@dataclass(frozen=True)
class Mean:
    """A mean, with its standard error; 0 where every pair was looked at."""

    value: float
    standard_error: float = 0.0


class FeatureTable(Generic[BlockT]):
    """The features of a table under a measure, asked through an engine."""

    def __init__(self, store: Store[BlockT], measure: Measure[BlockT], engine: Engine | None = None) -> None:
        self.store = store
        self.measure = measure
        self.engine = engine or Serial()

    @property
    def n_features(self) -> int:
        return self.store.n_features

    @cached_property
    def varying(self) -> IndexArray:
        """The features that are not constant, ascending."""
        return self.store.varying

    @cached_property
    def blocks(self) -> list[Prepared[BlockT]]:
        return list(self.engine.map(self.measure.prepare, self.store.blocks))

    @cached_property
    def levels(self) -> IndexArray:
        """The number of levels of each feature; 0 where constant, or kept as numbers."""
        levels = np.zeros(self.n_features, np.intp)
        for block in self.store.blocks:
            levels[block.features] = block.n_levels
        return levels

    @cached_property
    def own(self) -> FloatArray:
        """What each feature shares with itself; for mutual information its entropy."""
        return self._assembled(block.own for block in self.blocks)

    def relevance(self, target: Target) -> FloatArray:
        """What each feature shares with the target."""
        return self._assembled(self.engine.map(self.measure.relevance_to(target), self.blocks))

    def columns(self, features: IndexArray) -> FloatArray:
        """What each of some distinct features shares with all: (given, n_features)."""
        out = np.zeros((len(features), self.n_features))
        place = places(features, self.n_features)
        for (pivots, rows, block), values in self._answers(features, shared):
            scatter(values, place[pivots.block.features[rows]], block.block.features, out)
        return out

    def between(self, features: IndexArray, others: IndexArray) -> FloatArray:
        """What each of some distinct features shares with each of other distinct ones."""
        out = np.zeros((len(features), len(others)))
        row = places(features, self.n_features)
        column = places(others, self.n_features)
        for group in self._picked(features):
            for other in self._picked(others):
                for rows in calls(group, other):
                    values = self.measure.between(group, rows, other)
                    scatter(values, row[group.block.features[rows]], column[other.block.features], out)
        return out

    def weighted_sum(self, features: IndexArray, weights: FloatArray) -> FloatArray:
        """Sum over the given features of weight times what each shares with all: (n_features,).

        Added up in the given order, so it is `columns` weighted row by row, without keeping the rows.
        """
        out = np.zeros(self.n_features)
        for some in strips(0, len(features), STRIP):
            rows = np.arange(len(features[some]))
            add_weighted(self.columns(features[some]), rows, weights[some], out)
        return out

    def distances(self, features: IndexArray) -> FloatArray:
        """d = 1 - I / max(H, H') of each given feature to all: 0 between constants, 1 to a constant."""
        return distance(self.columns(features), self.own[features][:, None], self.own[None, :])

    def nearest(
        self, features: IndexArray, lo: IndexArray, hi: IndexArray, centres: IndexArray
    ) -> tuple[IndexArray, FloatArray]:
        """Each feature's nearest centre from its lo to its hi - 1, the first on ties, and the distance."""
        found, least = np.zeros(len(features), np.intp), np.zeros(len(features))
        for part, answer in self._along(features, lo, hi, self._listed(centres), nearest_of):
            found[part], least[part] = answer
        return found, least

    def apart(self, features: IndexArray, others: IndexArray, which: IndexArray) -> FloatArray:
        """The distance of each feature to the one that `which` names among others."""
        return self._apart(features, which, self._listed(others))

    def apart_from(self, features: IndexArray, tile: FloatArray, which: IndexArray, rule: Rule) -> FloatArray:
        """The distance of each feature to a column that is not in the table, cut by the rule if need be."""
        blocks = self.measure.pack(tile, rule)
        parts = [Part(one.block.features, one, np.arange(len(one.own))) for one in blocks]
        return self._apart(features, which, self.measure.listed(parts, tile.shape[1]))

    def total_apart(self, groups: Groups) -> FloatArray:
        """The sum of the distances of each member to all of its group."""
        lo, hi = groups.bounds[groups.labels], groups.bounds[groups.labels + 1]
        out = np.zeros(len(groups.members))
        for part, answer in self._along(groups.members, lo, hi, self._listed(groups.members), total_of):
            out[part] = answer
        return out

    def within(self, groups: Groups) -> FloatArray:
        """What the members of each group share with one another: a matrix after another, row by row."""
        lo, hi = groups.bounds[groups.labels], groups.bounds[groups.labels + 1]
        return self._flat(groups.members, lo, hi, shared_of)

    def apart_within(self, groups: Groups) -> FloatArray:
        """The distances of the members of each group to one another: a matrix after another, row by row."""
        lo, hi = groups.bounds[groups.labels], groups.bounds[groups.labels + 1]
        return self._flat(groups.members, lo, hi, apart_of)

    def earlier(self, groups: Groups) -> FloatArray:
        """The distances of each member to those before it in its group, one member after another."""
        own = np.arange(len(groups.members))
        return self._flat(groups.members, groups.bounds[groups.labels], own, apart_of)

    def means(self, groups: Groups, centres: IndexArray) -> FloatArray:
        """The mean of each group's members, turned to run with its centre: (n_samples, groups).

        Of the numbers that stand for a feature: levels from -1 to 1, or the standardised column.
        """
        total = np.zeros((len(groups), self.store.n_samples), np.int64)
        others = self._listed(centres)
        parts = self._parts(groups.members, PIECE_BYTES // (8 * self.store.n_samples) + 1)
        asked = [(one, groups.labels[one.places], others) for one in parts]
        n_pairs = SCORE_COST * len(groups.members)
        for labels, sums in self._map(partial(scores_of, self.measure), asked, n_pairs):
            total[labels] += sums
        return np.ascontiguousarray((total / (groups.sizes[:, None] * float(SCORE_UNIT))).T)

    def part(self, features: IndexArray) -> FeatureTable[BlockT]:
        """A table of some features only, none of them constant, numbered anew from 0 in their order."""
        return FeatureTable(PartStore(self.store, features), self.measure, self.engine)

    def _listed(self, features: IndexArray) -> Listed:
        """Features one after another."""
        return self.measure.listed(list(self._parts(features, self.n_features)), len(features))

    def _flat(
        self,
        features: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        question: Callable[[Measure[BlockT], tuple[Runs[BlockT], Listed]], FloatArray],
    ) -> FloatArray:
        """An answer for each pair of a feature and its run of the same features, one run after another."""
        bounds = bounds_of(hi - lo)
        out = np.empty(bounds[-1])
        for part, answer in self._along(features, lo, hi, self._listed(features), question):
            put_runs(answer, part, bounds, out)
        return out

    def _apart(self, features: IndexArray, which: IndexArray, others: Listed) -> FloatArray:
        out = np.zeros(len(features))
        for part, answer in self._along(features, which, which + 1, others, apart_of):
            out[part] = answer
        return out

    def _along(
        self,
        features: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: Listed,
        question: Callable[[Measure[BlockT], tuple[Runs[BlockT], Listed]], Result],
    ) -> Iterator[tuple[IndexArray, Result]]:
        """A question about each feature and its run of the others: which features, and the answer."""
        longest = int((hi - lo).max(initial=1))
        parts = list(self._parts(features, max(1, PAIRS // longest)))
        asked = [(Runs(one.block, one.slots, lo[one.places], hi[one.places]), others) for one in parts]
        answers = self._map(partial(question, self.measure), asked, int((hi - lo).sum()))
        return zip([one.places for one in parts], answers, strict=True)

    def _parts(self, features: IndexArray, width: int) -> Iterator[Part[BlockT]]:
        """The given features block by block, at most `width` at a time."""
        order, bounds = by_label(self._home[features], len(self.blocks))
        slots = self._slot[features[order]]
        for number, block in enumerate(self.blocks):
            for some in strips(bounds[number], bounds[number + 1], width):
                yield Part(order[some], block, slots[some])

    @cached_property
    def _home(self) -> IndexArray:
        """The block of each feature; -1: constant."""
        home = np.full(self.n_features, -1, np.intp)
        for number, block in enumerate(self.store.blocks):
            home[block.features] = number
        return home

    @cached_property
    def _slot(self) -> IndexArray:
        """The place of each feature in its block."""
        slot = np.zeros(self.n_features, np.intp)
        for block in self.store.blocks:
            slot[block.features] = np.arange(len(block.features))
        return slot

    def _map(
        self, question: Callable[[Task], Result], asked: Iterable[Task], n_pairs: int
    ) -> Iterable[Result]:
        """The answers in order, by the engine if it is much work."""
        work = n_pairs * max(1.0, self.store.n_samples / 64)
        return map(question, asked) if work < SMALL else self.engine.map(question, asked)

    def mean(self) -> Mean:
        """The mean over all pairs of features that vary, each with itself included."""
        tasks = [
            (number, rows)
            for number, block in enumerate(self.blocks)
            for rows in strips(0, len(block.block.features), STRIP)
        ]
        total = sum(self.engine.map(self._pair_sum, tasks))
        return Mean(total / SUM_UNIT / max(len(self.varying), 1) ** 2)

    def totals(self, features: IndexArray) -> FloatArray:
        """What each of some distinct features shares with all, added up."""
        total = np.zeros(len(features), object)  # integers of any size
        place = places(features, self.n_features)
        for (pivots, rows, _), sums in self._answers(features, shared_in_all):
            total[place[pivots.block.features[rows]]] += sums.tolist()
        return np.array([one / SUM_UNIT for one in total])

    def _answers(
        self, features: IndexArray, question: Callable[[Measure[BlockT], Call[BlockT]], Result]
    ) -> Iterator[tuple[Call[BlockT], Result]]:
        """A question about the given features, asked of all blocks, by the engine if it is much work."""
        asked = [
            (group, rows, block)
            for group in self._picked(features)
            for block in self.blocks
            for rows in calls(group, block)
        ]
        n_pairs = len(features) * len(self.varying)
        return zip(asked, self._map(partial(question, self.measure), asked, n_pairs), strict=True)

    def _pair_sum(self, task: tuple[int, slice]) -> int:
        """The sum over pairs of some features of a block with each other and, twice, all later ones."""
        number, rows = task
        block = self.blocks[number]
        slots = np.arange(len(block.block.features))
        (these,) = self._picked(block.block.features[rows])
        total = self._sum_between(these, block.take(slots[rows]))
        if len(rest := slots[rows.stop :]):
            total += 2 * self._sum_between(these, block.take(rest))
        for later in self.blocks[number + 1 :]:
            total += 2 * self._sum_between(these, later)
        return total

    def _sum_between(self, pivots: Prepared[BlockT], block: Prepared[BlockT]) -> int:
        asked = ((pivots, rows, block) for rows in calls(pivots, block))
        return sum(sum(shared_in_all(self.measure, call).tolist()) for call in asked)

    def _picked(self, features: IndexArray) -> list[Prepared[BlockT]]:
        return [self.measure.prepare(block) for block in self.store.pick(features)]

    def _assembled(self, parts: Iterable[FloatArray]) -> FloatArray:
        out = np.zeros(self.n_features)
        for block, part in zip(self.blocks, parts, strict=True):
            out[block.block.features] = part
        return out


def shared(measure: Measure[BlockT], call: Call[BlockT]) -> FloatArray:
    """What some pivots share with the features of a block."""
    pivots, rows, block = call
    return measure.between(pivots, rows, block)


def shared_in_all(measure: Measure[BlockT], call: Call[BlockT]) -> AnyArray:
    """The same added up over the block, in units of 1 / SUM_UNIT."""
    values = shared(measure, call)
    sums = np.zeros(len(values), np.int64)
    row_sums(values, sums)
    return sums


def shared_of(measure: Measure[BlockT], asked: tuple[Runs[BlockT], Listed]) -> FloatArray:
    """What features share with those of their runs."""
    return measure.along(*asked)


def apart_of(measure: Measure[BlockT], asked: tuple[Runs[BlockT], Listed]) -> FloatArray:
    """The distances of features to those of their runs."""
    runs, others = asked
    values = measure.along(runs, others)
    apart_along(values, runs.block.own[runs.slots], runs.lo, runs.hi, others.own)
    return values


def nearest_of(measure: Measure[BlockT], asked: tuple[Runs[BlockT], Listed]) -> tuple[IndexArray, FloatArray]:
    """The nearest of each feature's run, and its distance."""
    runs, others = asked
    values = measure.along(runs, others)
    found, least = np.empty(len(runs.slots), np.intp), np.empty(len(runs.slots))
    nearest_along(values, runs.block.own[runs.slots], runs.lo, runs.hi, others.own, found, least)
    return found, least


def total_of(measure: Measure[BlockT], asked: tuple[Runs[BlockT], Listed]) -> FloatArray:
    """The sum of the distances of each feature to those of its run."""
    bounds = bounds_of(asked[0].hi - asked[0].lo)
    return np.add.reduceat(apart_of(measure, asked), bounds[:-1])


def scores_of(
    measure: Measure[BlockT], asked: tuple[Part[BlockT], IndexArray, Listed]
) -> tuple[IndexArray, AnyArray]:
    """The groups of some features of a block, which ascend, and their scores added up."""
    part, group, centres = asked
    begins = np.append(True, group[1:] != group[:-1])
    labels = group[begins]
    total = np.zeros((len(labels), measure.n_samples), np.int64)
    measure.add_scores(part.block, part.slots, centres, group, np.cumsum(begins) - 1, total)
    return labels, total


def distance(shared: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """1 - shared / max(own, other), element by element; 0 where both are constant."""
    largest = np.maximum(own, other)
    ratio = np.divide(shared, largest, out=np.ones_like(shared), where=largest > 0)
    return np.clip(1.0 - ratio, 0.0, 1.0)


def calls(pivots: Prepared[BlockT], block: Prepared[BlockT]) -> Iterator[slice]:
    """The pivots in runs, each a call's worth with this block."""
    return strips(0, len(pivots.block.features), max(1, PAIRS // len(block.block.features)))


def strips(start: int, stop: int, width: int) -> Iterator[slice]:
    """start..stop in runs of `width`."""
    for first in range(start, stop, width):
        yield slice(first, min(first + width, stop))


def places(features: IndexArray, n_features: int) -> IndexArray:
    """Where each feature stands in a list of distinct ones."""
    place = np.zeros(n_features, np.intp)
    place[features] = np.arange(len(features))
    return place
