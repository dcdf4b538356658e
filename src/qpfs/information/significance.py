"""Significance of relevance: p and q values under independence of feature and target.

Every measure is a classical test, up to a factor: mutual information the G test, the rank measure an analysis
of variance of normal scores, and so on. That gives a p value for each feature at no cost, where the counts
are large. Where they are small the target is shuffled. The null distribution of a feature depends only on how
often its values and those of the target occur; so features whose values occur equally often (all numbers
without ties, all bins of equal size) share their shuffles, and a few thousand are enough for a million
features. Beyond the most extreme shuffles the tail of the test is used.

Where relevance is the mean over several targets, a feature is tested against each, and its p value is the
smallest ratio of a p value to the target's share of the weight (weighted Bonferroni correction): valid for
any dependence between targets, and that of one target if it has all the weight.

Letters: B shuffles, s relevance, p and q values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import call
from typing import TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.target import Target
from qpfs.compiled import inner_part, kernel
from qpfs.groups import by_label
from qpfs.information.measures.measure import Margins
from qpfs.information.questions import AS_MUCH, strips
from qpfs.information.shuffling import Shuffles
from qpfs.information.table import FeatureTable
from qpfs.sorting import occurring, sorted_places

DRAWS = 9_999  # shuffles, if they cost little: a p value of 0.01 then has a relative error of a tenth,
FEWEST = 499  # else at least so many,
LITTLE = 4e7  # shuffles times margins times samples: hundredths of a second
MUCH = 2e9  # beyond this, the test is used although counts are small
GROUPED = 1_999  # shuffles where not all orders of the samples are equally probable
STRIP = 512  # margins that are shuffled at a time,
FEWEST_KINDS = 64  # or fewer, so that all threads have some, but at least so many
MOST_COMPARED = 1 << 19  # features that are compared with shuffles at a time: arrays of four megabytes
TESTED = 1 << 16  # features that are tested at a time: 3 to 7 ms
EDGE = 20  # with fewer shuffles as extreme, the tail of the test is used
TINY = 1e-300  # so that no probability is 0
LEVEL = 0.05  # the share of shuffles above the line of chance; also the threshold of q values


@dataclass(frozen=True, eq=False)
class Significance:
    """The p and q values of all features, and how they were computed."""

    pvalues: FloatArray  # (n_features,) 1 where constant; NaN: not known
    qvalues: FloatArray  # (n_features,) the false discovery rate at which a feature is among the discoveries
    shuffles: Shuffles  # of the target, under independence
    beats_chance: bool | None  # whether any feature is more relevant than the best of so many by chance
    n_shuffled: int = 0  # features whose p value comes from shuffles of the target
    n_permutations: int = 0  # shuffles of the target, for
    familywise: FloatArray | None = None  # (n_features,) family-wise p values
    line: FloatArray | None = None  # (n_features,) the relevance that the best of its kind reaches by chance


Job: TypeAlias = tuple[IndexArray, Callable[[], FloatArray]]  # features, and what computes their p values


@dataclass(frozen=True, eq=False)
class PendingSignificance:
    """p and q values of which other threads compute a part while the calling one does something else."""

    table: FeatureTable
    shuffles: Shuffles
    parts: Iterable[tuple[IndexArray, FloatArray]]  # p values; if a feature has several, the least is used
    n_shuffled: int
    n_permutations: int
    familywise: FloatArray | None
    line: FloatArray | None

    def result(self) -> Significance:
        """The p and q values of all features; the calling thread computes those that no other has begun."""
        table, familywise = self.table, self.familywise
        p = np.ones(table.n_features)
        for features, values in self.parts:
            p[features] = np.minimum(p[features], values)
        q = discovery_rates(p, table.varying)
        beats: bool | None = bool(q.min() <= LEVEL)
        if not table.measure.quick:  # p values from counts are too coarse for q values of many features
            if familywise is None or share(0, self.n_permutations) > LEVEL:
                beats = None
            else:
                beats = beats or bool(familywise.min() <= LEVEL)
        return Significance(
            p, q, self.shuffles, beats, self.n_shuffled, self.n_permutations, familywise, self.line
        )


def significance(
    table: FeatureTable, relevance: FloatArray, shuffles: Shuffles, n_permutations: int = 0
) -> Significance:
    """The p and q values of all features; also family-wise ones, if `n_permutations` is given."""
    return pending_significance(table, relevance, shuffles, n_permutations).result()


def pending_significance(
    table: FeatureTable, relevance: FloatArray, shuffles: Shuffles, n_permutations: int = 0
) -> PendingSignificance:
    """What `significance` returns, as its result: the engine's other threads begin to compute it."""
    apart = table.measure.measure.apart(shuffles.target) if shuffles.target.others else ()
    if len(apart) == 1:  # equal targets are merged
        shuffles, apart = replace(shuffles, target=apart[0][0]), ()
    test = Test(table, shuffles.target, apart)
    familywise = line = None
    reached, most = np.empty(0, np.intp), np.empty((0, 0))
    tested = table.measure.quick and (shuffles.groups is None or shuffles.free)
    # Where not all orders are equally probable, shuffles are always needed.
    bound = table.measure.quick and not tested
    n = max(n_permutations, GROUPED) if bound else n_permutations
    if n:
        reached, most = table.reached(shuffles.target, relevance, shuffles.orders(n))
    if n_permutations:
        familywise, line = of_the_most(test, relevance, most[:, :n_permutations])
    n_shuffled = len(table.varying)
    jobs: list[Job]
    if tested:
        jobs, n_shuffled = (by_targets if apart else by_test)(test, relevance, shuffles)
    elif bound:
        jobs = by_shuffles(test, relevance, shuffles, reached, n)
    elif n:
        jobs = [(table.varying, partial(share, reached[table.varying], n))]
    else:
        jobs, n_shuffled = [(np.arange(table.n_features), partial(np.full, table.n_features, np.nan))], 0
    values = table.engine.here.map(call, [one for _, one in jobs])
    parts = zip([one for one, _ in jobs], values, strict=True)
    return PendingSignificance(table, shuffles, parts, n_shuffled, n_permutations, familywise, line)


def share(reached: AnyArray | int, n: int) -> FloatArray:
    """The p value: the share of shuffles that reach the observed value, which is counted as one."""
    return np.asarray((1.0 + reached) / (n + 1.0))


def discovery_rates(p: FloatArray, varying: IndexArray) -> FloatArray:
    """The q values of the features that vary (Benjamini and Hochberg)."""
    q = p.copy()
    order = varying[sorted_places(-p[varying])]  # least probable last
    n = len(order)
    q[order] = np.minimum.accumulate(p[order] * (n / np.arange(n, 0, -1)))
    return np.minimum(q, 1.0)


@dataclass(frozen=True, eq=False)
class Test:
    """The classical test of a table's measure, against a target."""

    table: FeatureTable
    target: Target
    apart: tuple[tuple[Target, float], ...] = ()  # with their shares, where relevance is a mean

    @cached_property
    def margins(self) -> Margins:
        """The margins of each feature: how often its values occur."""
        measure = self.table.measure
        expected = measure.least_expected if self.known else np.inf
        weights, n = measure.weights, float(self.table.store.n_samples)
        n = n if weights is None else weights.unit * weights.total  # counts are in that unit
        return self.table.margins(expected * n / measure.rarest(self.target), self.target)

    @cached_property
    def known(self) -> bool:
        """Whether the measure has a test; a mean over targets has none."""
        if self.apart:
            return False
        none = np.empty(0)
        return self.table.measure.tail(none, none.astype(np.intp), none, self.target) is not None

    def __call__(self, features: IndexArray, relevance: FloatArray) -> FloatArray:
        """The p values of some features by the test; NaN where there is no test."""
        measure, levels = self.table.measure, self.table.levels[features]
        found = measure.tail(relevance, levels, self.margins.scale[features], self.target)
        return np.full(len(features), np.nan) if found is None else found


def by_targets(test: Test, relevance: FloatArray, shuffles: Shuffles) -> tuple[list[Job], int]:
    """Jobs for p values where relevance is a mean over targets, and how many features are shuffled."""
    found: list[Job] = []
    most = 0
    for target, share in test.apart:
        alone = Test(test.table, target)
        jobs, n = by_test(alone, test.table.relevance(target), replace(shuffles, target=target))
        found += [(some, partial(divided, job, share)) for some, job in jobs]
        most = max(most, n)
    return found, most


def divided(job: Callable[[], FloatArray], share: float) -> FloatArray:
    """The p values of a job, divided by a share of the weight."""
    return job() / share


def by_test(test: Test, relevance: FloatArray, shuffles: Shuffles) -> tuple[list[Job], int]:
    """Jobs for p values by the test, or by shuffles where counts are small, and how many features that is."""
    tested = test.table.varying
    is_rare = test.margins.key[tested] != 0
    jobs = by_margins(test, tested[is_rare], relevance, shuffles) if is_rare.any() else []
    tested = tested[~is_rare] if jobs else tested
    for some in strips(0, len(tested), TESTED):
        jobs.append((tested[some], partial(test, tested[some], relevance[tested[some]])))
    return jobs, len(test.table.varying) - len(tested)


def by_margins(test: Test, rare: IndexArray, relevance: FloatArray, shuffles: Shuffles) -> list[Job]:
    """Jobs for p values of features with small counts by shuffles; none if these cost too much."""
    table = test.table
    keys, first, kind = occurring(test.margins.key[rare])
    work = len(keys) * table.store.n_samples * table.measure.degrees(shuffles.target)
    if work * FEWEST > MUCH and test.known:
        return []
    orders = list(shuffles.orders(int(np.clip(LITTLE / work, FEWEST, DRAWS))))
    by_kind, bounds = by_label(kind, len(keys))

    def shuffled(mine: IndexArray) -> FloatArray:
        start, stop = kind[mine[0]], kind[mine[-1]] + 1  # each kind between has a feature
        null = table.part(rare[first[start:stop]]).shuffled(shuffles.target, orders)
        p = of_kinds(test, rare[mine], kind[mine] - start, relevance[rare[mine]], null)
        return np.maximum(p, shuffles.least)

    jobs: list[Job] = []
    share = max(FEWEST_KINDS, -(-len(keys) // table.engine.here.n_workers))
    for some in strips(0, len(keys), min(STRIP, share)):
        for part in strips(bounds[some.start], bounds[some.stop], MOST_COMPARED):
            jobs.append((rare[by_kind[part]], partial(shuffled, by_kind[part])))
    return jobs


def by_shuffles(
    test: Test, relevance: FloatArray, shuffles: Shuffles, reached: IndexArray, n: int
) -> list[Job]:
    """Jobs for p values by n shuffles, of which `reached` had at least the relevance of each feature."""
    table = test.table
    is_far = reached[table.varying] < EDGE
    near, far = table.varying[~is_far], table.varying[is_far]
    orders = list(shuffles.orders(n)) if len(far) else []

    def shuffled(features: IndexArray) -> FloatArray:
        null = table.part(features).shuffled(shuffles.target, orders)
        p = of_kinds(test, features, np.arange(len(features)), relevance[features], null, bound=True)
        return np.maximum(p, shuffles.least)

    parts = [far[some] for some in strips(0, len(far), STRIP)]
    return [(near, partial(share, reached[near], n)), *((some, partial(shuffled, some)) for some in parts)]


def of_kinds(
    test: Test,
    features: IndexArray,
    kind: IndexArray,
    relevance: FloatArray,
    null: FloatArray,
    *,
    bound: bool = False,
) -> FloatArray:
    """The p values of features, each compared with a column of relevances of shuffles."""
    n, columns = len(null), np.ascontiguousarray(null.T)
    ascending = sorted_places(relevance)
    by_kind, bounds = by_label(kind[ascending], len(columns))
    order = ascending[by_kind]
    reached, edges = np.zeros(len(order), np.intp), np.empty(len(columns))
    at_edge = np.empty(len(columns), np.intp)
    count_reached(columns, AS_MUCH * relevance[order], bounds, EDGE, reached, edges, at_edge)
    p = np.empty(len(order))
    p[order] = share(reached, n)
    far = np.flatnonzero(relevance > edges[kind])
    if not test.known or len(far) == 0:
        return p
    # Where few shuffles reach as much, the tail of the test is used.
    highest, mine = share(at_edge, n)[kind[far]], features[far]
    edge = np.maximum(test(mine, edges[kind[far]]), TINY)
    tail = np.minimum(test(mine, relevance[far]) / edge, 1.0)
    # Grouped samples count as fewer, so that their tail decreases more slowly; how many fewer is estimated
    # from the most extreme shuffles.
    if bound:  # log p is about proportional to the number of samples
        tail **= np.minimum(np.log(highest) / np.minimum(np.log(edge), -TINY), 1.0)
    p[far] = highest * tail
    return p


@kernel
def count_reached(
    columns: FloatArray,
    least: FloatArray,
    bounds: IndexArray,
    few: int,
    reached: IndexArray,
    edges: FloatArray,  # the number that `few` of a column reach,
    at_edge: IndexArray,  # and how many do
) -> None:
    """How many numbers of column k reach each of one or more ascending least[bounds[k] : bounds[k + 1]]."""
    places, top = np.empty(columns.shape[1], np.int64), np.empty(few)
    for k in range(len(columns)):
        column, size = columns[k], bounds[k + 1] - bounds[k]
        some, times = least[bounds[k] : bounds[k + 1]], reached[bounds[k] : bounds[k + 1]]
        for i in range(len(column)):
            places[i] = 0
        # Numbers are looked up among the least ones, all of them one step after another: as vector
        # instructions that takes 4 ns for each, branches would take 25, and to sort them 36.
        while size > 1:
            half = size // 2
            for i in range(len(column)):  # unsigned indices need no check for negative values
                places[i] += half & -np.int64(some[np.uint64(places[i] + half)] <= column[i])
            size -= half
        for i in range(len(column)):
            times[np.uint64(places[i])] += some[np.uint64(places[i])] <= column[i]
        for i in range(len(times) - 2, -1, -1):
            times[i] += times[i + 1]
        find_highest(column, top)
        edges[k], at_edge[k] = top[0], 0
        for i in range(len(column)):
            at_edge[k] += column[i] >= top[0]


@inner_part
def find_highest(column: FloatArray, top: FloatArray) -> None:
    """The highest numbers of a column, ascending."""
    top[:] = -np.inf
    for number in column:
        if number > top[0]:
            i = 1
            while i < len(top) and top[i] < number:
                top[i - 1] = top[i]
                i += 1
            top[i - 1] = number


def of_the_most(test: Test, relevance: FloatArray, most: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Family-wise p values (Westfall and Young), and the line of chance, from the best of each shuffle."""
    # `most` is the largest relevance among features with equally many levels: (kinds, shuffles).
    table, n = test.table, most.shape[1]
    familywise, line = np.ones(table.n_features), np.full(table.n_features, np.nan)
    kinds = [np.flatnonzero(table.levels == one) for one in table.kinds]
    kinds = [features[np.isin(features, table.varying)] for features in kinds]
    # Features with more levels reach more by chance, so kinds are compared by the p value of the test.
    found = [standing(test, features, relevance[features]) for features in kinds]
    extreme = [standing(test, features, row) for features, row in zip(kinds, most, strict=True)]
    lowest = np.sort(np.min(extreme, axis=0))
    for features, own, row in zip(kinds, found, most, strict=True):
        familywise[features] = share(np.searchsorted(lowest, own, side="right"), n)
        line[features] = np.sort(row)[int(np.ceil((1 - LEVEL) * n)) - 1]
    return familywise, line


def standing(test: Test, kind: IndexArray, relevance: FloatArray) -> FloatArray:
    """A value comparable between kinds of features: the lower, the less probable the relevance is."""
    if not test.known:
        return -relevance
    scale = np.repeat(test.margins.scale[kind].mean(axis=0, keepdims=True), len(relevance), axis=0)
    levels = np.full(len(relevance), test.table.levels[kind[0]])
    found = test.table.measure.tail(relevance, levels, scale, test.target)
    return np.asarray(found)
