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
from qpfs.codes.store import Block, Store
from qpfs.codes.target import Target
from qpfs.engines import Engine, Serial
from qpfs.information.kernels import SUM_UNIT, row_sums, scatter
from qpfs.information.measures import Measure, Prepared
from qpfs.sums import add_weighted

PAIRS = 1 << 16  # asked about in one call: long enough that the call costs nothing
PIECE = 4096  # features whose distances to all centres are held at a time
STRIP = 256  # pivots of one task, and columns kept at a time
SMALL = 1e6  # pairs times words below which threads cost more than they save

BlockT = TypeVar("BlockT", bound=Block)
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
        return self._assembled(self.engine.map(self.measure.own, self.blocks))

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
        for some in strips(len(features), STRIP):
            rows = np.arange(len(features[some]))
            add_weighted(self.columns(features[some]), rows, weights[some], out)
        return out

    def distances(self, features: IndexArray) -> FloatArray:
        """d = 1 - I / max(H, H') of each given feature to all: 0 between constants, 1 to a constant."""
        return distance(self.columns(features), self.own[features][:, None], self.own[None, :])

    def nearest(self, members: IndexArray, centres: IndexArray) -> tuple[IndexArray, FloatArray]:
        """The place of each member's nearest centre, the first on ties, and the distance to it."""
        label = np.zeros(self.n_features, np.intp)
        least = np.full(self.n_features, np.inf)
        picked = self._picked(centres)
        place = places(centres, self.n_features)

        def nearest_of(block: Prepared[BlockT]) -> tuple[IndexArray, FloatArray]:
            apart = np.ones((len(centres), len(block.block.features)))
            for group in picked:
                rows = place[group.block.features]
                apart[rows] = self._apart(group, block)
            return apart.argmin(axis=0), apart.min(axis=0)

        blocks = self._picked_pieces(members)
        for block, (found, size) in zip(blocks, self.engine.map(nearest_of, blocks), strict=True):
            label[block.block.features], least[block.block.features] = found, size
        return label[members], least[members]

    def distances_from(self, column: FloatArray, rule: Rule, members: IndexArray) -> FloatArray:
        """The distance of each member to a column that is not in the table, cut by the rule if need be."""
        pivot = self.measure.pack(column, rule)
        apart = np.ones(self.n_features)
        for block in self._picked_pieces(members):
            apart[block.block.features] = 1.0 if pivot is None else self._apart(pivot, block)[0]
        return apart[members]

    def scores(self, features: IndexArray) -> FloatArray:
        """The features as numbers, a row each: levels from -1 to 1, or the standardised column."""
        out = np.zeros((len(features), self.store.n_samples))
        place = places(features, self.n_features)
        for block in self.store.pick(features):
            out[place[block.features]] = self.measure.scores(block)
        return out

    def _apart(self, pivots: Prepared[BlockT], block: Prepared[BlockT]) -> FloatArray:
        """The distances of pivots and features of a block."""
        values = np.concatenate([self.measure.between(pivots, rows, block) for rows in calls(pivots, block)])
        return distance(values, self.measure.own(pivots)[:, None], self.measure.own(block)[None, :])

    def _picked_pieces(self, features: IndexArray) -> list[Prepared[BlockT]]:
        """The given features in blocks no wider than PIECE, so that what is asked of each stays small."""
        return [
            block.take(np.arange(len(block.block.features))[piece])
            for block in self._picked(features)
            for piece in strips(len(block.block.features), PIECE)
        ]

    def mean(self) -> Mean:
        """The mean over all pairs of features that vary, each with itself included."""
        tasks = [
            (number, rows)
            for number, block in enumerate(self.blocks)
            for rows in strips(len(block.block.features), STRIP)
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
        work = len(features) * len(self.varying) * (self.store.n_samples / 64)
        engine_map = map if work < SMALL else self.engine.map
        return zip(asked, engine_map(partial(question, self.measure), asked), strict=True)

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


def distance(shared: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """1 - shared / max(own, other), element by element; 0 where both are constant."""
    largest = np.maximum(own, other)
    ratio = np.divide(shared, largest, out=np.ones_like(shared), where=largest > 0)
    return np.clip(1.0 - ratio, 0.0, 1.0)


def calls(pivots: Prepared[BlockT], block: Prepared[BlockT]) -> Iterator[slice]:
    """The pivots in runs, each a call's worth with this block."""
    return strips(len(pivots.block.features), max(1, PAIRS // len(block.block.features)))


def strips(n: int, width: int) -> Iterator[slice]:
    """0..n in runs of `width`."""
    for start in range(0, n, width):
        yield slice(start, min(start + width, n))


def places(features: IndexArray, n_features: int) -> IndexArray:
    """Where each feature stands in a list of distinct ones."""
    place = np.zeros(n_features, np.intp)
    place[features] = np.arange(len(features))
    return place
