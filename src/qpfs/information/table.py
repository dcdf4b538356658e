"""The feature table: the only interface of the algorithms to the data.

Each question is a map over blocks of features with a small result, so that every storage and every engine can
answer it. Answers are indexed by feature, in the order of the user's columns; a constant feature shares
nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil, inf
from typing import Any, Generic, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import Rule, block_width
from qpfs.codes.merging import unions
from qpfs.codes.store import SCORE_UNIT, BlockT, Lookup, MemoryStore, PartStore, Store
from qpfs.codes.target import Target
from qpfs.engines import Engine, Held, Here, Serial
from qpfs.groups import Groups, bounds_of, n_pairs
from qpfs.information import questions
from qpfs.information.kernels import scatter, turn_means
from qpfs.information.measures import Listed, Part, Prepared, ReadyMeasure
from qpfs.information.measures.measure import PAIRS, Margins
from qpfs.information.questions import STRIP, Answering, Pivots, strips
from qpfs.information.runs import longest, put_runs

PIECE_BYTES = 1 << 24  # bytes of scores that one task adds up
ROW_BYTES = 1 << 24  # bytes of rows of Q that are kept at a time
FEW_BLOCKS = 3  # with fewer, packing again gains nothing
TASKS = 4  # of each worker, at least, where a question can be divided
SMALL = 1e6  # pairs times words below which threads cost more than they save: two to four milliseconds
ONE_RUN = (
    0.1  # share of that for each thread at a time: 500 tasks of 0.06 ms took 32 ms, in two threads 72 ms
)
MOST_KEPT = 1024  # features of which all rows may be kept: 8 MB
PRODUCTS = 10  # products of two samples that take as long as a pair of features takes per sample
FEW = 64  # features of which all pairs may be computed, however slow the measure is
# Centres from which on rows of Q are faster than single pairs, if all features are compared with them: 3.4 ns
# a pair against 12 to 15 (mutual information, 72 samples, a hundred centres).
MANY_CENTRES = 16
MOST_PAIRS = 1 / 3  # share of these pairs that has to be asked for
SCORE_COST = 32  # pairs of a row that take as long as adding the scores of a feature: 62 ns of 64 samples,
COUNTED = 25  # or as counting the margins of a feature: 50 ns,
SINGLE_COST = 4  # or as a single pair: 5 to 15 ns, where one of a row takes 1.5 to 6

Result = TypeVar("Result")
Question = Callable[[Answering, Any, Any], Result]


@dataclass(frozen=True)
class Mean:
    """A mean, with its standard error; 0 where every pair was computed."""

    value: float
    standard_error: float = 0.0


class FeatureTable(Generic[BlockT]):
    """The features of a table under a measure, queried through an engine."""

    def __init__(self, store: Store[BlockT], measure: ReadyMeasure, engine: Engine | None = None) -> None:
        self.store = store
        self.measure = measure
        self.engine = engine or Serial()
        self.n_features = store.n_features
        self.varying = store.varying  # the features that are not constant, ascending
        # pairs that are worth several threads
        self._many = SMALL / max(1.0, store.n_samples / 64) if measure.quick else inf
        self._all: FloatArray | None = None  # the rows of all features, once they have been computed

    def __reduce__(self) -> Any:
        """A pickle of the table uses the serial engine."""
        return FeatureTable, (self.store, self.measure)

    @cached_property
    def _lookup(self) -> Lookup:
        """The places of features in blocks."""
        return Lookup(self.store)

    @cached_property
    def held(self) -> Held[Answering]:
        """The blocks with their measure, held by the engine."""
        return self.engine.hold(self.store.blocks, partial(Answering.under, self.measure))

    @cached_property
    def features(self) -> list[IndexArray]:
        """The features of each block."""
        return [block.features for block in self.store.blocks]

    @cached_property
    def levels(self) -> IndexArray:
        """The number of levels of each feature; 0 where constant, or kept as numbers."""
        levels = np.zeros(self.n_features, np.intp)
        for block in self.store.blocks:
            levels[block.features] = block.n_levels
        return levels

    @cached_property
    def self_information(self) -> FloatArray:
        """What each feature shares with itself; for mutual information its entropy."""
        return self._assembled(questions.own_of, None, 0)

    def relevance(self, target: Target) -> FloatArray:
        """What each feature shares with the target."""
        return self._assembled(questions.relevance_of, target, len(self.varying))

    @cached_property
    def kinds(self) -> IndexArray:
        """The numbers of levels that features have, ascending."""
        return np.unique([block.n_levels for block in self.store.blocks])

    def margins(self, least: float, target: Target) -> Margins:
        """The margins of each feature; a value is rare if fewer than `least` samples have it."""
        asked = [(number, None) for number in range(len(self.features))]
        n_pairs = COUNTED * len(self.varying)
        parts = list(self._ask(questions.margins_of, asked, (least, target), n_pairs))
        shape = parts[0].scale.shape[1:] if parts else ()
        key, scale = np.zeros(self.n_features, np.uint64), np.ones((self.n_features, *shape))
        for features, part in zip(self.features, parts, strict=True):
            key[features], scale[features] = part
        return Margins(key, scale)

    def shuffled(self, target: Target, orders: Iterable[IndexArray]) -> FloatArray:
        """What each feature shares with the target in several orders of its samples: (orders, n_features)."""
        found = []
        for some in orders:
            part = np.zeros((self.n_features, len(some)))  # so that the answers about a feature are adjacent
            asked = self._shared_out(len(some))
            n_pairs = len(some) * len(self.varying)
            answers = self._ask(questions.shuffled_of, asked, (target, some), n_pairs)
            for (number, share), values in zip(asked, answers, strict=True):
                part[self.features[number], share] = values.T
            found.append(part)
        return (found[0] if len(found) == 1 else np.concatenate(found, axis=1)).T

    def reached(
        self, target: Target, relevance: FloatArray, orders: Iterable[IndexArray]
    ) -> tuple[IndexArray, FloatArray]:
        """In how many orders each feature reaches a relevance; the largest in each order, for each kind."""
        times, most = np.zeros(self.n_features, np.intp), []
        own = [relevance[features] for features in self.features]
        kind = [np.searchsorted(self.kinds, block.n_levels) for block in self.store.blocks]
        for some in orders:
            part = np.zeros((len(self.kinds), len(some)))
            asked = [(number, (share, own[number])) for number, share in self._shared_out(len(some))]
            n_pairs = len(some) * len(self.varying)
            answers = self._ask(questions.reached_of, asked, (target, some), n_pairs)
            for (number, (share, _)), (reached, largest) in zip(asked, answers, strict=True):
                times[self.features[number]] += reached
                row = part[kind[number], share]
                np.maximum(row, largest, out=row)
            most.append(part)
        return times, np.concatenate(most, axis=1)

    def _shared_out(self, n_given: int) -> list[tuple[int, slice]]:
        """Each block with a share of what is given: several shares where blocks are few and there is work."""
        n_blocks, n_workers, n = len(self.features), self.engine.n_workers, 1
        n_pairs = n_given * len(self.varying)
        # Two workers and three blocks would leave one of them idle for a third of the time.
        if n_workers > 1 and self.held.items is not None and n_pairs >= self._many:
            most = int(n_pairs / max(1.0, ONE_RUN * self._many * n_blocks))
            n = min(n_given, max(1, most), ceil(TASKS * n_workers / max(1, n_blocks)))
        return [(number, slice(first, None, n)) for number in range(n_blocks) for first in range(n)]

    def only(self, features: IndexArray) -> FeatureTable:
        """A table of some features under the same numbers; all others count as constant.

        Blocks in this process of which all features are used are not copied.
        """
        blocks = list(self._parted(features)) if self.held.items is not None else self.store.part(features)
        return self._of_blocks(list(blocks))

    def _parted(self, features: IndexArray) -> Iterator[BlockT]:
        """The blocks of some features; blocks of which all features are used are not copied."""
        asked = np.zeros(self.n_features, bool)
        asked[features] = True
        for block in self.store.blocks:
            slots = np.flatnonzero(asked[block.features])
            if len(slots):
                yield block if len(slots) == len(block.features) else block.part(slots)

    def _of_blocks(self, blocks: list[BlockT]) -> FeatureTable:
        """A table of other blocks of these features in this process, with the same memory limit."""
        store = MemoryStore(blocks, self.store.n_samples, self.n_features)
        store.room = self.store.room
        return FeatureTable(store, self.measure, self.engine.here)

    def can_do_without(self, features: IndexArray) -> bool:
        """Whether memory allows the copy that is needed if some features are left out."""
        out = np.zeros(self.n_features, bool)
        out[features] = True
        here = self.held.items is not None
        return self._has_room(sum(len(some) for some in self.features if out[some].any() or not here))

    def united(self, alone: IndexArray, groups: Sequence[IndexArray], leads: Sequence[int]) -> FeatureTable:
        """A table of some features, and of groups of others as one feature each, under the numbers `leads`.

        Only for measures of scores.
        """
        united: list[Any] = unions(self.store, groups, leads, self.measure.weights)
        return self._of_blocks([*self.only(alone).store.blocks, *united])

    def with_feature(self, target: Target, feature: int) -> Target:
        """A target combined of another and the levels of a feature, for conditional information."""
        block: Any = self.store.pick(np.array([feature]))[0]
        levels = block.codes()[:, 0].astype(np.int64)
        first, *others = (
            Target(
                np.unique(levels * len(one.counts) + one.codes, return_inverse=True)[1].astype(np.int32),
                None,
                weights=one.weights,
            )
            for one in target.targets
        )
        return replace(first, others=tuple(others), importance=target.importance)

    def rows(self, features: IndexArray) -> FloatArray:
        """What each of some distinct features shares with all: (given, n_features)."""
        if self._all is not None:
            return self._all[features]
        out = np.zeros((len(features), self.n_features))
        pivots = self._pivots(features)
        if self.held.items is not None:
            n_pairs = len(features) * len(self.varying)
            asked = self._shared_out(len(features))
            deque(self._ask(questions.put_shared, asked, (pivots, out), n_pairs), maxlen=0)
            return out
        for block, answer in self._everywhere(questions.shared, pivots, len(features)):
            for places, values in answer:
                scatter(values, places, block, out)
        return out

    def each(self, features: IndexArray, *, distances: bool = False) -> Iterator[tuple[int, FloatArray]]:
        """Each of some distinct features with its row, or its distances to all; few are held at a time."""
        ask = self.distances if distances else self.rows
        width = max(1, ROW_BYTES // (8 * self.n_features))
        for start in range(0, len(features), width):
            some = features[start : start + width]
            yield from zip(some.tolist(), ask(some), strict=True)

    def between(self, features: IndexArray, others: IndexArray) -> FloatArray:
        """What each of some distinct features shares with each of other distinct ones."""
        out = np.zeros((len(features), len(others)))
        pivots = self._pivots(features)
        for other, columns in self._pivots(others).groups:
            for places, values in questions.shared(Answering(self.measure, other), pivots, None):
                scatter(values, places, columns, out)
        return out

    def weighted_sum(self, features: IndexArray, weights: FloatArray) -> FloatArray:
        """The sum over the given features of weight times what each shares with all: (n_features,).

        Added up in the given order, so it equals the weighted sum of `rows`, without keeping the rows.
        """
        parts = [(self._pivots(features[some]), weights[some]) for some in strips(0, len(features), STRIP)]
        return self._assembled(questions.weighted, parts, len(features) * len(self.varying))

    def distances(self, features: IndexArray) -> FloatArray:
        """The distances 1 - I / max(H, H') of given features to all: 0 between constants, 1 to a constant."""
        return distance(
            self.rows(features), self.self_information[features][:, None], self.self_information[None, :]
        )

    def nearest(
        self, features: IndexArray, lo: IndexArray, hi: IndexArray, centres: IndexArray
    ) -> tuple[IndexArray, FloatArray]:
        """Each feature's nearest centre from its lo to its hi - 1, the first on ties, and the distance.

        The centre is lo and the distance infinite where there is none.
        """
        if self._asks_all(features, lo, hi, centres):
            found, least = self._nearest_of_all(centres)
            if len(features) < self.n_features:
                found, least = found[features], least[features]
            none = hi <= lo
            # In place: of ten million features each further array would have to be cleared by the system.
            np.copyto(found, lo, where=none)
            np.copyto(least, np.inf, where=none)
            return found, least
        found, least = np.zeros(len(features), np.intp), np.zeros(len(features))
        for part, answer in self._along(features, lo, hi, self._listed(centres), questions.nearest_of):
            found[part], least[part] = answer
        return found, least

    def _asks_all(self, features: IndexArray, lo: IndexArray, hi: IndexArray, centres: IndexArray) -> bool:
        """Whether features are compared with all of many centres, which vary, or, but for few, with none."""
        n = len(centres)
        if n < MANY_CENTRES or not self.measure.quick or not np.array_equal(features, self.varying):
            return False
        whole = (lo == 0) & (hi == n)
        most = whole.sum() >= MOST_PAIRS * len(features) and (whole | (hi <= lo)).all()
        return bool(most and np.isin(centres, features).all())

    def _nearest_of_all(self, centres: IndexArray) -> tuple[IndexArray, FloatArray]:
        """For all features the nearest centre, the first on ties, and the distance: (n_features,)."""
        found, least = np.zeros(self.n_features, np.intp), np.full(self.n_features, np.inf)
        asked, pivots = self._shared_out(len(centres)), self._pivots(centres)
        answers = self._ask(questions.nearest_pivot, asked, pivots, len(centres) * len(self.varying))
        for (number, _), (place, apart) in zip(asked, answers, strict=True):
            features = self.features[number]
            before, own = found[features], least[features]
            closer = (apart < own) | ((apart == own) & (place < before))
            found[features], least[features] = np.where(closer, place, before), np.where(closer, apart, own)
        return found, least

    def distance_to(self, features: IndexArray, others: IndexArray, which: IndexArray) -> FloatArray:
        """The distance of each feature to others[which]."""
        return self._apart(features, which, self._listed(others))

    def distance_to_points(
        self, features: IndexArray, tile: FloatArray, which: IndexArray, rule: Rule
    ) -> FloatArray:
        """The distance of each feature to a column outside the table, discretised by the rule if needed."""
        packed = self.measure.measure.form.packed(tile, rule, self.measure.weights)
        blocks = [self.measure.prepare(block) for block in packed]
        parts = [Part(one.block.features, one, np.arange(len(one.block.features))) for one in blocks]
        return self._apart(features, which, self.measure.listed(parts, tile.shape[1]))

    def distance_sums(self, groups: Groups) -> FloatArray:
        """The sum of the distances of each member to all of its group."""
        lo, hi = groups.bounds[:-1][groups.labels], groups.bounds[1:][groups.labels]
        out = np.zeros(len(groups.members))
        others = self._listed(groups.members)
        for part, answer in self._along(groups.members, lo, hi, others, questions.total_of):
            out[part] = answer
        return out

    def redundancy_within(self, groups: Groups) -> FloatArray:
        """What the members of each group share with one another: the matrices row by row, concatenated."""
        lo, hi = groups.bounds[:-1][groups.labels], groups.bounds[1:][groups.labels]
        return self._flat(groups.members, lo, hi, questions.shared_of)

    def distances_within(self, groups: Groups) -> FloatArray:
        """The distances of the members of each group to one another: matrices row by row, concatenated."""
        lo, hi = groups.bounds[:-1][groups.labels], groups.bounds[1:][groups.labels]
        return self._flat(groups.members, lo, hi, questions.apart_of)

    def distances_before(self, groups: Groups) -> FloatArray:
        """The distances of each member to those before it in its group, concatenated over members."""
        own = np.arange(len(groups.members))
        return self._flat(groups.members, groups.bounds[groups.labels], own, questions.apart_of)

    def means(self, groups: Groups, centres: IndexArray) -> FloatArray:
        """The mean of each group's members, with signs matched to its centre: (n_samples, groups).

        A feature is represented by its levels, scaled to -1 to 1, or by its standardised column.
        """
        total = np.zeros((len(groups), self.store.n_samples), np.int64)
        others = self._listed(centres)
        parts = self._parts(groups.members, PIECE_BYTES // (8 * self.store.n_samples) + 1)
        asked = [(number, (slots, groups.labels[places])) for number, places, slots in parts]
        n_pairs = SCORE_COST * len(groups.members)
        for labels, sums in self._ask(questions.scores_of, asked, others, n_pairs):
            total[labels] += sums
        means = np.empty(total.shape[::-1])
        turn_means(total, groups.sizes.astype(np.float64) * SCORE_UNIT, means)
        return means

    def part(self, features: IndexArray) -> FeatureTable:
        """A table of some features only, none of them constant, renumbered from 0 in their order."""
        return FeatureTable(PartStore(self.store, features), self.measure, self.engine)

    def packed_anew(self, features: IndexArray) -> FeatureTable:
        """A table of some features under the same numbers, packed in this process in the given order.

        For algorithms that continue with these features alone: features that are queried together are then
        adjacent, in full blocks. The table itself, if it has few blocks in this process, or memory does not
        allow a copy.
        """
        few = len(self.features) < FEW_BLOCKS and self.held.items is not None
        if few or not self._has_room(len(features)):
            return self
        engine = self.engine.here
        some = [features[rows] for rows in strips(0, len(features), block_width(self.store.n_samples, 3))]
        blocks = [block.turned() for found in engine.map(self.store.part, some) for block in found]
        store = MemoryStore(blocks, self.store.n_samples, self.n_features)
        table = FeatureTable(store, self.measure, engine)
        table._lookup.note_all(features)
        return table

    @property
    def task_engine(self) -> Engine:
        """The engine for tasks that ask questions; a user's function is not called by several threads."""
        return self.engine.here if self.measure.quick else Serial()

    def undivided(self) -> FeatureTable:
        """The table with a serial engine, for tasks of several threads; what is cached so far is shared."""
        items = self.held.items
        if items is None:
            return self
        found = FeatureTable(self.store, self.measure)
        found.__dict__.update(self.__dict__, engine=found.engine, held=Here(items, found.engine))
        return found

    def turned(self) -> FeatureTable:
        """The table with transposed blocks, for questions about pairs, if it is here; nothing is cached."""
        few = len(self.features) < FEW_BLOCKS
        if few or self.held.items is None or not self._has_room(len(self.varying)):
            return self
        blocks = list(self.engine.map(lambda block: block.turned(), self.store.blocks))
        return FeatureTable(
            MemoryStore(blocks, self.store.n_samples, self.n_features), self.measure, self.engine
        )

    def _has_room(self, n_features: int) -> bool:
        """Whether memory allows a copy of so many features."""
        needed = self.measure.measure.form.cell_bytes * n_features * self.store.n_samples
        return self.store.room is None or needed <= self.store.room

    def mean(self, *, keep: bool = False) -> Mean:
        """The mean over all pairs of features that vary, including each with itself.

        If features are few, their rows are kept for later use. They are computed as by `rows`, each pair from
        both sides: a user's measure may round the two differently.
        """
        n = max(len(self.varying), 1)
        weights = self.measure.weights
        n_samples = self.store.n_samples if weights is None else weights.size
        if n_samples <= min(n, self.measure.most_samples):
            return Mean(self.measure.sum_of_pairs(self._gram()) / n**2)
        if keep and self.n_features <= MOST_KEPT:
            self._all = self.rows(np.arange(self.n_features))
            total = sum(self.measure.row_sums(self._all).tolist())
        else:
            total = self._sum_of_pairs()
        return Mean(total / self.measure.sum_unit / n**2)

    @property
    def mean_work(self) -> float:
        """The cost of `mean`, in pairs of features times samples."""
        weights, m = self.measure.weights, len(self.varying)
        n_samples = self.store.n_samples if weights is None else weights.size
        if n_samples <= min(m, self.measure.most_samples):
            return m * n_samples**2 / PRODUCTS
        return m * m / 2 * max(n_samples, self.measure.fewest)

    @property
    def proof_size(self) -> int:
        """Up to how many features all of Q may be read to prove it convex; rows already kept are free."""
        return MOST_KEPT if self.measure.quick or self._all is not None else FEW

    def _gram(self) -> AnyArray:
        """The products of samples over all features: integers, so the order of blocks does not matter."""
        total = np.zeros((self.store.n_samples, self.store.n_samples), np.int64)
        for some in strips(0, len(self.features), STRIP):
            asked = [(number, None) for number in range(some.start, some.stop)]
            for part in self._ask(questions.gram_of, asked, None, len(self.varying) * self.store.n_samples):
                total += part
        return total

    def _sum_of_pairs(self) -> int:
        """The sum of what all features share, in units of 1 / sum_unit; each pair is computed once."""
        pivots: list[Prepared] = []
        asked: list[tuple[int, tuple[int, int]]] = []
        for number, features in enumerate(self.features):
            for rows in strips(0, len(features), STRIP):
                asked.append((number, (len(pivots), rows.stop)))
                asked += [(later, (len(pivots), 0)) for later in range(number + 1, len(self.features))]
                pivots += [one for one, _ in self._pivots(features[rows]).groups]
        return sum(self._ask(questions.pair_sum, asked, pivots, len(self.varying) ** 2))

    def totals(self, features: IndexArray) -> FloatArray:
        """The sum of what each of some distinct features shares with all."""
        total = np.zeros(len(features), object)  # integers of any size
        for _, answer in self._everywhere(questions.shared_in_all, self._pivots(features), len(features)):
            for places, sums in answer:
                total[places] += sums.tolist()
        return np.array([one / self.measure.sum_unit for one in total])

    def _listed(self, features: IndexArray) -> Listed:
        """The given features as a list."""
        return self.measure.listed(list(self._near(features)), len(features))

    def _near(self, features: IndexArray) -> Iterator[Part]:
        """The given features block by block, in this process."""
        if self.held.items is None:
            for block, places in self._pivots(features).groups:
                yield Part(places, block, np.arange(len(places)))
            return
        for number, places, slots in self._parts(features, self.n_features):
            yield Part(places, self.held.items[number].block, slots)

    def _pivots(self, features: IndexArray) -> Pivots:
        """Some distinct features copied into blocks, and the place of each among those given."""
        blocks = [self.measure.prepare(block) for block in self.store.pick(features)]
        order = np.argsort(features)
        places = [order[np.searchsorted(features, one.block.features, sorter=order)] for one in blocks]
        return Pivots(tuple(zip(blocks, places, strict=True)), len(features))

    def _flat(
        self, features: IndexArray, lo: IndexArray, hi: IndexArray, question: Question[FloatArray]
    ) -> FloatArray:
        """An answer for each pair of a feature and its run of the same features, concatenated over runs."""
        bounds = bounds_of(hi - lo)
        out = np.empty(bounds[-1])
        for part, answer in self._along(features, lo, hi, self._listed(features), question):
            put_runs(answer, part, bounds, out)
        return out

    def _apart(self, features: IndexArray, which: IndexArray, others: Listed) -> FloatArray:
        out = np.zeros(len(features))
        for part, answer in self._along(features, which, None, others, questions.apart_of):
            out[part] = answer
        return out

    def _along(
        self,
        features: IndexArray,
        lo: IndexArray,
        hi: IndexArray | None,  # None: each run is one feature
        others: Listed,
        question: Question[Result],
    ) -> Iterator[tuple[IndexArray, Result]]:
        """A question about each feature and its run of the others: which features, and the answer."""
        size, n = (1, len(lo)) if hi is None else (longest(lo, hi), n_pairs(lo, hi))
        parts = list(self._parts(features, max(1, PAIRS // size)))
        begins = [lo[places] for _, places, _ in parts]
        ends = [one + 1 for one in begins] if hi is None else [hi[places] for _, places, _ in parts]
        runs = zip(parts, begins, ends, strict=True)
        asked = [(number, (slots, first, last)) for (number, _, slots), first, last in runs]
        answers = self._ask(question, asked, others, SINGLE_COST * n)
        return zip([places for _, places, _ in parts], answers, strict=True)

    def _parts(self, features: IndexArray, width: int) -> Iterator[tuple[int, IndexArray, IndexArray]]:
        """The given features block by block, at most `width` at a time: the block, their places and slots."""
        order, bounds, slots = self._lookup(features)
        for number in np.flatnonzero(bounds[1:] > bounds[:-1]).tolist():
            for some in strips(bounds[number], bounds[number + 1], width):
                yield number, order[some], slots[some]

    def _ask(
        self, question: Question[Result], asked: Sequence[tuple[int, Any]], common: Any, n_pairs: int
    ) -> Iterable[Result]:
        """The answers in order, computed in parallel if there is much work, by runs that are worth it."""
        run = 0
        if n_pairs >= self._many:
            most = len(asked) // (TASKS * self.engine.n_workers)
            run = max(1, min(most, ceil(ONE_RUN * self._many * len(asked) / max(1, n_pairs))))
        return self.held.ask(question, asked, common, run=run)

    def _everywhere(
        self, question: Question[Result], common: Any, n_given: int
    ) -> Iterator[tuple[IndexArray, Result]]:
        """A question about some features to all blocks: the features of each, and its answer."""
        asked = [(number, None) for number in range(len(self.features))]
        answers = self._ask(question, asked, common, n_given * len(self.varying))
        return zip(self.features, answers, strict=True)

    def _assembled(self, question: Question[FloatArray], common: Any, n_pairs: int) -> FloatArray:
        """A number for each feature, 0 for the constant ones."""
        out = np.zeros(self.n_features)
        asked = [(number, None) for number in range(len(self.features))]
        for features, part in zip(self.features, self._ask(question, asked, common, n_pairs), strict=True):
            out[features] = part
        return out


def distance(shared: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """The distance 1 - shared / max(own, other), element by element; 0 where both are constant."""
    largest = np.maximum(own, other)
    ratio = np.divide(shared, largest, out=np.ones_like(shared), where=largest > 0)
    return np.clip(1.0 - ratio, 0.0, 1.0)
