"""The rounds of a clustered selection as bars: one row a level, a cluster as wide as it has features.

Features stand side by side in one order for all levels, so that the parts of a cluster lie beneath it. A
cluster that was kept or discarded has nothing beneath. Among the parts of one cluster those that were split
come first, then those kept, then those discarded, the larger before the smaller.

What lies beneath what is read from the members, which every trace has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.groups import bounds_of
from qpfs.strategies.rounds import FATES, SPLIT, Fate, Level, Round, Trace

DRAWN_FATES: tuple[Fate, ...] = ("split", "kept", "discarded")
PLACE = np.array([DRAWN_FATES.index(fate) for fate in FATES])  # of what a level calls it
POOL = 4  # narrow bars are pooled over so many least widths: a mixture stays visible, and bars few


class Bar(NamedTuple):
    """A cluster, or several narrow ones side by side that share a fate."""

    level: int
    left: int
    width: int  # the number of features
    fate: Fate
    parent: int | None = None  # where in the tree's bars; None at the first level
    representative: int | None = None  # this, the radius and the weight: of one cluster only
    radius: float | None = None
    weight: float | None = None
    n_clusters: int = 1

    @property
    def right(self) -> int:
        return self.left + self.width


@dataclass(frozen=True, eq=False)
class DrawnClusters:
    """Clusters that were made together: all of a level, or those of a round."""

    level: int
    members: IndexArray  # cluster by cluster
    bounds: IndexArray
    representatives: IndexArray
    radii: FloatArray
    weights: FloatArray  # NaN where nothing asked for them
    fates: AnyArray  # by their codes
    rounds: IndexArray  # the number of each cluster's round,
    numbers: IndexArray  # and its own there

    @classmethod
    def of_level(cls, level: Level) -> DrawnClusters:
        made, owner = level.clusters, level.clusters.owner()
        return cls(
            level.number,
            *by_cluster(made.groups.members, made.labels, len(level.fates)),
            made.representatives,
            made.radii,
            level.weights,
            level.fates,
            level.first_round + owner,
            np.arange(len(owner)) - made.bounds[owner],
        )

    @classmethod
    def of_round(cls, made: Round) -> DrawnClusters:
        n = len(made.fates)
        return cls(
            made.level,
            *by_cluster(made.members, made.labels, n),
            made.representatives,
            made.radii,
            np.full(n, np.nan) if made.weights is None else made.weights,
            np.array([FATES.index(fate) for fate in made.fates]),
            np.full(n, made.number),
            np.arange(n),
        )

    def take(self, which: AnyArray) -> DrawnClusters:
        """Some of them."""
        sizes = np.diff(self.bounds)
        return DrawnClusters(
            self.level,
            self.members[np.repeat(which, sizes)],
            bounds_of(sizes[which]),
            self.representatives[which],
            self.radii[which],
            self.weights[which],
            self.fates[which],
            self.rounds[which],
            self.numbers[which],
        )


def by_cluster(members: IndexArray, labels: IndexArray, n: int) -> tuple[IndexArray, IndexArray]:
    """The members of one cluster after another, and where each begins and ends."""
    return members[np.argsort(labels, kind="stable")], bounds_of(np.bincount(labels, minlength=n))


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """All clusters of a trace, parents before their parts; `features[bar.left : bar.right]` are a bar's."""

    features: IndexArray
    level: IndexArray  # of each cluster, as all that follows
    left: IndexArray
    width: IndexArray
    fate: IndexArray  # its place in FATES
    parent: IndexArray  # -1 at the first level
    representative: IndexArray
    radius: FloatArray
    weight: FloatArray  # NaN where nothing asked for it

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        return tuple(self._bars(np.arange(len(self.level))))

    def _bars(self, some: IndexArray) -> list[Bar]:
        shape = (self.level, self.left, self.width, self.fate, self.parent)
        of_one = (self.representative, self.radius, self.weight)
        each: Any = zip(*(column[some].tolist() for column in (*shape, *of_one)), strict=True)
        return [
            Bar(
                level,
                left,
                width,
                DRAWN_FATES[fate],
                None if parent < 0 else parent,
                head,
                radius,
                number(weight),
            )
            for level, left, width, fate, parent, head, radius, weight in each
        ]

    @property
    def levels(self) -> list[int]:
        return np.unique(self.level).tolist()

    def row(self, level: int) -> list[Bar]:
        """The bars of a level, left to right."""
        some = np.flatnonzero(self.level == level)
        return self._bars(some[np.argsort(self.left[some], kind="stable")])

    def final(self, feature: int) -> Bar:
        """The last cluster that a feature was in."""
        for place in np.flatnonzero(self.features == feature).tolist():
            over = np.flatnonzero((self.left <= place) & (place < self.left + self.width))
            return self._bars(over[-1:])[0]
        raise ValueError(f"Feature {feature} is in no cluster of the trace.")

    def n_clusters(self, fate: Fate) -> int:
        return int((self.fate == DRAWN_FATES.index(fate)).sum())

    def n_features(self, fate: Fate) -> int:
        """How many features met this fate, each counted once however often it was split."""
        met = self.fate == DRAWN_FATES.index(fate)
        return int(self.width[met & (self.parent < 0) if fate == "split" else met].sum())


def number(value: float) -> float | None:
    return None if value != value else value


def cluster_tree(rounds: Sequence[Round]) -> ClusterTree:
    """The layout of a trace; raises ValueError if a part is not of one cluster, or parts lose features."""
    if not rounds:
        raise ValueError("There are no rounds; expected the trace of a fitted selector, its rounds_.")
    listed, parent = newly_listed(list(clusters_in(rounds)))
    width = np.concatenate([np.diff(one.bounds) for one in listed])
    level = np.repeat([one.level for one in listed], [len(one.fates) for one in listed])
    fate = PLACE[np.concatenate([one.fates for one in listed])]
    heads = np.concatenate([one.representatives for one in listed]).astype(np.intp)
    check_complete(level, width, parent)
    left = lefts(width, fate, heads, parent)
    return ClusterTree(
        features_at(listed, left, width, int(width[parent < 0].sum())),
        level,
        left,
        width,
        fate,
        parent,
        heads,
        np.concatenate([one.radii for one in listed]),
        np.concatenate([one.weights for one in listed]),
    )


def clusters_in(rounds: Sequence[Round]) -> Iterator[DrawnClusters]:
    """The clusters of a trace, level by level, or round by round where the rounds are all there is."""
    if isinstance(rounds, Trace):
        yield from map(DrawnClusters.of_level, rounds.levels)
    else:
        yield from map(DrawnClusters.of_round, sorted(rounds, key=lambda made: (made.level, made.number)))


def newly_listed(made: list[DrawnClusters]) -> tuple[list[DrawnClusters], IndexArray]:
    """The clusters without those that were final before, and the cluster that each is a part of, or -1."""
    holder = np.full(1 + max(int(one.members.max(initial=-1)) for one in made), -1)
    listed, parents = [], [np.zeros(0, np.intp)]
    may_be_split = np.zeros(0, bool)
    for one in made:
        held = holder[one.members]
        parent = held[one.bounds[:-1]]
        check_parts(one, held, parent)
        new = parent < 0
        new[~new] = may_be_split[parent[~new]]
        some = one.take(new)
        number = len(may_be_split) + np.arange(len(some.fates))
        holder[some.members] = np.repeat(number, np.diff(some.bounds))
        may_be_split = np.append(may_be_split, some.fates == SPLIT)
        listed.append(some)
        parents.append(parent[new])
    return listed, np.concatenate(parents)


def check_parts(made: DrawnClusters, held: IndexArray, parent: IndexArray) -> None:
    """Raises ValueError if a cluster holds features of several clusters of the level above."""
    other = np.flatnonzero(held != np.repeat(parent, np.diff(made.bounds)))
    if len(other):
        c = int(np.searchsorted(made.bounds, other[0], side="right")) - 1
        n = len(np.unique(held[made.bounds[c] : made.bounds[c + 1]]))
        raise ValueError(
            f"Cluster {made.numbers[c]} of round {made.rounds[c]} holds features of {n} clusters of the "
            "level above, but it must be a part of one."
        )


def check_complete(level: IndexArray, width: IndexArray, parent: IndexArray) -> None:
    """Raises ValueError if the parts of a cluster do not hold all of its features."""
    inner = parent >= 0
    total = np.bincount(parent[inner], width[inner], len(width)).astype(np.intp)
    lost = np.flatnonzero((total > 0) & (total != width))
    if len(lost):
        raise ValueError(
            f"A cluster of {width[lost[0]]} features at level {level[lost[0]]} was split into parts "
            f"that hold {total[lost[0]]}: rounds are missing from the trace."
        )


def lefts(width: IndexArray, fate: IndexArray, heads: IndexArray, parent: IndexArray) -> IndexArray:
    """Where each cluster begins: parts by fate, the larger first, side by side beneath the whole."""
    order = np.lexsort((heads, -width, fate, parent))
    end = np.cumsum(width[order])
    first = np.flatnonzero(np.append(True, np.diff(parent[order]) != 0)) if len(order) else order
    before = np.repeat((end - width[order])[first], np.diff(np.append(first, len(order))))
    left: IndexArray = np.empty(len(width), np.intp)
    left[order] = end - width[order] - before  # from where the whole begins
    for depth in by_depth(parent):
        left[depth] += left[parent[depth]]
    return left


def by_depth(parent: IndexArray) -> Iterator[IndexArray]:
    """The clusters that have a whole above them, those of a depth at a time."""
    here = np.flatnonzero(parent < 0)
    while len(here):
        inside = np.zeros(len(parent), bool)
        inside[here] = True
        here = np.flatnonzero((parent >= 0) & inside[parent])
        if len(here):
            yield here


def features_at(listed: list[DrawnClusters], left: IndexArray, width: IndexArray, n: int) -> IndexArray:
    """The features side by side: parts come after the whole, and so write last."""
    features: IndexArray = np.empty(n, np.intp)
    before = 0
    for one in listed:
        mine = slice(before, before + len(one.fates))
        begin = np.repeat(left[mine] - one.bounds[:-1], width[mine])
        features[begin + np.arange(len(one.members))] = one.members
        before = mine.stop
    return features


def without_slivers(row: Iterable[Bar], least: float) -> list[Bar]:
    """The bars of a level in which neighbours narrower than `least` are put together by their fate.

    Where the fates of narrow neighbours differ, each gets its share of the space they take together, so that
    every fate stays visible and there are at most about 2 / least bars for each feature.
    """
    drawn: list[Bar] = []
    pool: list[Bar] = []
    for bar in row:
        full = pool and pool[-1].right - pool[0].left >= POOL * least
        if pool and (full or bar.width >= least or bar.left - pool[-1].right >= least):
            drawn += pooled(pool)
            pool = []
        if bar.width < least:
            pool.append(bar)
        else:
            drawn.append(bar)
    return joined([*drawn, *pooled(pool)], least)


def pooled(pool: list[Bar]) -> list[Bar]:
    """One bar for each fate in the pool, side by side where the pool was."""
    bars: list[Bar] = []
    left = pool[0].left if pool else 0
    for fate in DRAWN_FATES:
        if mine := [bar for bar in pool if bar.fate == fate]:
            bars.append(together(mine)._replace(left=left))
            left = bars[-1].right
    return bars


def together(bars: list[Bar]) -> Bar:
    """Bars of one fate as one."""
    if len(bars) == 1:
        return bars[0]
    n_clusters = sum(bar.n_clusters for bar in bars)
    return Bar(bars[0].level, bars[0].left, sum(b.width for b in bars), bars[0].fate, n_clusters=n_clusters)


def joined(bars: list[Bar], least: float) -> list[Bar]:
    """The bars, with pools that touch and share a fate made one."""
    out: list[Bar] = []
    for bar in bars:
        alike = out and out[-1].fate == bar.fate and out[-1].right == bar.left
        if alike and is_pool(out[-1], least) and is_pool(bar, least):
            out[-1] = together([out[-1], bar])
        else:
            out.append(bar)
    return out


def is_pool(bar: Bar, least: float) -> bool:
    return bar.n_clusters > 1 or bar.width < least
