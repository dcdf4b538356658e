"""The questions that the feature table puts to a block.

A question is a function of a block under its measure, of arguments common to all blocks, and of arguments for
this block. It returns its answer and changes nothing, so that a block may be in another process; only
`put_shared` writes, and is used only for blocks in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.store import Block
from qpfs.codes.target import Target
from qpfs.groups import bounds_of
from qpfs.information.kernels import scatter
from qpfs.information.measures import Listed, Prepared, ReadyMeasure, Runs
from qpfs.information.measures.measure import PAIRS, Margins
from qpfs.information.runs import apart_along, keep_nearest, nearest_along
from qpfs.scratch import scratch
from qpfs.sums import add_weighted

AS_MUCH = 1 - 1e-12  # times a number: the least that equals it up to rounding
STRIP = 256  # pivots whose rows are kept at a time

Some: TypeAlias = tuple[IndexArray, IndexArray, IndexArray]  # slots, and the run of each: lo, hi


@dataclass(frozen=True, eq=False)
class Answering:
    """A block with its measure, to which questions are put."""

    measure: ReadyMeasure
    block: Prepared

    @classmethod
    def under(cls, measure: ReadyMeasure, block: Block) -> Answering:
        return cls(measure, measure.prepare(block))

    @cached_property
    def begin(self) -> int | None:
        """The number of the first feature, if the numbers are consecutive; else None."""
        features = self.block.block.features
        side_by_side = len(features) > 0 and np.array_equal(features, features[0] + np.arange(len(features)))
        return int(features[0]) if side_by_side else None


@dataclass(frozen=True, eq=False)
class Pivots:
    """Features that all others are compared with, in blocks, with their places among those given."""

    groups: tuple[tuple[Prepared, IndexArray], ...]
    size: int

    @cached_property
    def in_order(self) -> bool:
        """Whether they are in one block in the given order."""
        if len(self.groups) != 1:
            return False
        return self.size == 1 or np.array_equal(self.groups[0][1], np.arange(self.size))


def own_of(one: Answering, common: None, args: None) -> FloatArray:
    """What each feature shares with itself."""
    return one.block.own


def relevance_of(one: Answering, target: Target, args: None) -> FloatArray:
    """What each feature shares with the target."""
    if target.others:
        return over_targets(one, target, lambda part: one.measure.relevance(part, one.block))
    return one.measure.relevance(target, one.block)


def over_targets(one: Answering, target: Target, of: Callable[[Target], FloatArray]) -> FloatArray:
    """The weighted mean over several targets, unless the measure uses them jointly."""
    (first, share), *others = one.measure.measure.apart(target)
    total = share * of(first)
    for part, share in others:
        total += share * of(part)
    return total


def margins_of(one: Answering, common: tuple[float, Target], args: None) -> Margins:
    """The margins of each feature: how often its values occur."""
    return one.measure.margins(one.block, *common)


def shuffled_of(one: Answering, common: tuple[Target, IndexArray], share: slice) -> FloatArray:
    """What each feature shares with the target in several orders of its samples: (orders, k)."""
    target, orders = common[0], common[1][share]
    if target.others:
        return over_targets(one, target, lambda part: one.measure.shuffled(part, orders, one.block))
    return one.measure.shuffled(target, orders, one.block)


def reached_of(
    one: Answering, common: tuple[Target, IndexArray], args: tuple[slice, FloatArray]
) -> tuple[IndexArray, FloatArray]:
    """In how many orders each feature reaches its relevance, and the largest relevance in each order."""
    share, relevance = args
    found = shuffled_of(one, common, share)
    return (found >= AS_MUCH * relevance).sum(axis=0), found.max(axis=1)


def shared(one: Answering, pivots: Pivots, args: None) -> list[tuple[IndexArray, FloatArray]]:
    """What each pivot shares with the features of the block: which pivots, and a row for each."""
    return [(places, values.copy()) for places, values in rows_of(one, pivots)]


def put_shared(one: Answering, common: tuple[Pivots, FloatArray], share: slice) -> None:
    """Writes the result of `shared` into an array of all features (given, n_features), in this process."""
    pivots, out = common
    begin = one.begin if one.measure.puts and pivots.in_order else None
    for group, places, rows in calls_of(one, pivots)[share]:
        if begin is not None:
            one.measure.put(group, rows, one.block, out[rows], begin)
        else:
            scatter(one.measure.between(group, rows, one.block), places[rows], one.block.block.features, out)


def shared_in_all(one: Answering, pivots: Pivots, args: None) -> list[tuple[IndexArray, AnyArray]]:
    """What each pivot shares with all features of the block in sum, in units of 1 / sum_unit."""
    return [(places, one.measure.row_sums(values)) for places, values in rows_of(one, pivots)]


def weighted(one: Answering, common: list[tuple[Pivots, FloatArray]], args: None) -> FloatArray:
    """The sum over pivots, strip after strip, of weight times what each shares with the features."""
    total = np.zeros(len(one.block.block.features))
    for pivots, weights in common:
        if pivots.in_order:
            for places, values in rows_of(one, pivots):
                add_weighted(values, np.arange(len(values)), weights[places], total)
            continue
        strip = scratch("strip", (pivots.size, len(total)), np.float64)
        strip[:] = 0.0
        for places, values in rows_of(one, pivots):
            strip[places] = values
        add_weighted(strip, np.arange(pivots.size), weights, total)
    return total


def rows_of(one: Answering, pivots: Pivots) -> Iterator[tuple[IndexArray, FloatArray]]:
    """What pivots share with a block, some at a time: which ones, and rows valid until the next."""
    for group, places, rows in calls_of(one, pivots):
        yield places[rows], one.measure.between(group, rows, one.block)


def calls_of(one: Answering, pivots: Pivots) -> list[tuple[Prepared, IndexArray, slice]]:
    """The calls for the pairs of pivots with a block: a block of pivots, their places, and its rows."""
    step = max(1, PAIRS // len(one.block.block.features))
    return [(group, places, rows) for group, places in pivots.groups for rows in strips(0, len(places), step)]


def pair_sum(one: Answering, pivots: list[Prepared], args: tuple[int, int]) -> int:
    """The sum over pairs of a strip with a block's features: each once with the strip's own, else twice."""
    strip, end = args
    some, slots = pivots[strip], np.arange(len(one.block.block.features))
    n = len(some.block.features)
    # The strip's own features end at `end`, those before them do not count; 0: it is in another block.
    own = n if end else 0
    rest = one.block.take(slots[end - own :]) if end > own else one.block
    # One call for all: pairs of the strip alone are too few for loops over planes, four times as fast.
    rows = (values for _, values in rows_of(Answering(one.measure, rest), Pivots(((some, np.arange(n)),), n)))
    return sum(2 * sum_of(one.measure, values) - sum_of(one.measure, values[:, :own]) for values in rows)


def sum_of(measure: ReadyMeasure, values: FloatArray) -> int:
    """The sum of what features share, in units of 1 / sum_unit."""
    return sum(measure.row_sums(np.ascontiguousarray(values)).tolist())


def gram_of(one: Answering, common: None, args: None) -> AnyArray:
    """What a block adds to the products of samples."""
    return one.measure.gram(one.block)


def runs_of(one: Answering, some: Some) -> Runs:
    return Runs(one.block, *some)


def shared_of(one: Answering, others: Listed, some: Some) -> FloatArray:
    """What features share with those of their runs."""
    return one.measure.along(runs_of(one, some), others)


def apart_of(one: Answering, others: Listed, some: Some) -> FloatArray:
    """The distances of features to those of their runs."""
    slots, lo, hi = some
    values = shared_of(one, others, some)
    apart_along(values, one.block.own[slots], lo, hi, others.own)
    return values


def nearest_of(one: Answering, others: Listed, some: Some) -> tuple[IndexArray, FloatArray]:
    """The nearest of each feature's run, and its distance."""
    slots, lo, hi = some
    values = shared_of(one, others, some)
    found, least = np.empty(len(slots), np.intp), np.empty(len(slots))
    nearest_along(values, one.block.own[slots], lo, hi, others.own, found, least)
    return found, least


def nearest_pivot(one: Answering, pivots: Pivots, share: slice) -> tuple[IndexArray, FloatArray]:
    """The nearest of some pivots to each feature, the first on ties, and its distance."""
    found, least = np.zeros(len(one.block.own), np.intp), np.full(len(one.block.own), np.inf)
    # The layout that all calls need is made once, and not kept: it takes as much memory as the block.
    one = replace(one, block=one.block.by_words())
    for group, places, rows in calls_of(one, pivots)[share]:
        shared = one.measure.between(group, rows, one.block)
        keep_nearest(shared, group.own[rows], places[rows], one.block.own, found, least)
    return found, least


def total_of(one: Answering, others: Listed, some: Some) -> FloatArray:
    """The sum of the distances of each feature to those of its run."""
    _, lo, hi = some
    return np.add.reduceat(apart_of(one, others, some), bounds_of(hi - lo)[:-1])


def scores_of(one: Answering, centres: Listed, some: tuple[IndexArray, IndexArray]) -> tuple[IndexArray, Any]:
    """The ascending groups of some features, and the sums of their features' scores."""
    slots, group = some
    begins = np.append(True, group[1:] != group[:-1])
    labels = group[begins]
    total = np.zeros((len(labels), one.measure.n_samples), np.int64)
    row = np.cumsum(begins) - 1
    one.block.block.add_scores(slots, centres.features, group, row, total, one.measure.weights)
    return labels, total


def strips(start: int, stop: int, width: int) -> Iterator[slice]:
    """The range start..stop in parts of `width`."""
    for first in range(start, stop, width):
        yield slice(first, min(first + width, stop))
