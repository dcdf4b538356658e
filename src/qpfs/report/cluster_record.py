"""The trace of a clustered selection as plain data: the bars that a picture of it shows, one row per level.

The width of a bar is a number of features. Features are side by side in one order for all levels, so that the
parts of a cluster are below it. A cluster that was kept or discarded has nothing below it. Among the parts of
one cluster those that were split come first, then those kept, then those discarded, larger ones before
smaller ones.

Which cluster is below which is determined from the members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.groups import Groups
from qpfs.report.names import checked_names
from qpfs.report.schema import BarRecord, ClustersRecord, FateRecord
from qpfs.selectors.reporting import ReportMixin
from qpfs.strategies.rounds import FATES, SPLIT, Fate, Trace
from qpfs.wording import counted

LEVELS = 10  # drawn
LABELLED = 12  # selected features whose place is marked
SLIVERS = 240  # a bar narrower than one part in so many is merged with its neighbours
DRAWN_FATES: tuple[Fate, ...] = ("split", "kept", "discarded")
PLACE = np.array([DRAWN_FATES.index(fate) for fate in FATES])  # fates, in the order of drawing
POOL = 4  # narrow bars are pooled over so many minimum widths: mixtures stay visible, and bars few


def cluster_record(selector: ReportMixin, names: Sequence[str]) -> ClustersRecord | None:
    """The clusters level by level, side by side; None for a selector that made none."""
    if not (hasattr(selector, "rounds_") and hasattr(selector, "radius_")):
        return None
    order = selector.fitted_.asked.units(selector.order_)
    chosen = order[selector.support_[order]][:LABELLED]
    radius = None if selector.radius_ is None else float(selector.radius_)
    return clusters_of(selector.rounds_, names, chosen.tolist(), radius)[0]


def clusters_of(
    rounds: Trace,
    names: Sequence[str] | None,
    chosen: Sequence[int],
    radius: float | None,
    n_levels: int = LEVELS,
) -> tuple[ClustersRecord, str]:
    """The clusters of a trace, and a summary of the levels that are not drawn."""
    tree = cluster_tree(rounds)
    known = checked_names(names, int(tree.features.max()) + 1)
    least, levels = len(tree.features) / SLIVERS, tree.levels[:n_levels]

    def met(fate: Fate) -> FateRecord:
        return {"clusters": tree.n_clusters(fate), "features": tree.n_features(fate)}

    found: ClustersRecord = {
        "n_features": len(tree.features),
        "n_levels": len(tree.levels),
        "n_rounds": len(rounds),
        "radius": radius,
        "fates": {"split": met("split"), "kept": met("kept"), "discarded": met("discarded")},
        "levels": [
            {"level": level, "bars": [bar_facts(b, known) for b in without_slivers(tree.row(level), least)]}
            for level in levels
        ],
        "selected": [int(np.flatnonzero(tree.features == feature)[0]) for feature in chosen],
    }
    return found, left_out(tree, len(levels))


def left_out(tree: ClusterTree, n_drawn: int) -> str:
    """A summary of the levels that are not drawn; empty if there are none."""
    deeper = tree.levels[n_drawn:]
    if not deeper:
        return ""
    n_clusters = sum(len(tree.row(level)) for level in deeper)
    n_features = sum(bar.width for bar in tree.row(deeper[0]))
    which = f"level {deeper[0]} is" if len(deeper) == 1 else f"levels {deeper[0]} to {deeper[-1]} are"
    return f"{which} not drawn: {counted(n_clusters, 'cluster')} of {counted(n_features, 'feature')}"


def bar_facts(bar: Bar, names: Sequence[str]) -> BarRecord:
    return {
        "left": bar.left,
        "width": bar.width,
        "fate": bar.fate,
        "n_clusters": bar.n_clusters,
        "representative": None if bar.representative is None else names[bar.representative],
        "radius": bar.radius,
        "weight": bar.weight,
    }


class Bar(NamedTuple):
    """A cluster, or several narrow ones side by side that share a fate."""

    level: int
    left: int
    width: int  # the number of features
    fate: Fate
    parent: int | None = None  # where in the tree's bars; None at the first level
    representative: int | None = None  # this, the radius and the weight are of a single cluster only
    radius: float | None = None
    weight: float | None = None
    n_clusters: int = 1

    @property
    def right(self) -> int:
        return self.left + self.width


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
    weight: FloatArray  # NaN if it was not computed

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
                None if weight != weight else weight,
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
        """How many features had this fate, each counted once however often it was split."""
        met = self.fate == DRAWN_FATES.index(fate)
        return int(self.width[met & (self.parent < 0) if fate == "split" else met].sum())


def cluster_tree(rounds: Trace) -> ClusterTree:
    """The layout of a trace: each cluster below the one that it is a part of; final clusters appear once."""
    if not rounds:
        raise ValueError("There are no rounds; expected the trace of a fitted selector, its rounds_.")
    n = 1 + max(int(level.clusters.groups.members.max()) for level in rounds.levels)
    holder, is_split = np.zeros(n, np.intp), np.ones(1, bool)  # cluster 0 is that of all features
    parts, columns = [], []
    for level in rounds.levels:
        made = level.clusters.parts()
        above = holder[made.members[made.bounds[:-1]]]
        new = np.flatnonzero(is_split[above])
        parts.append(made.take(new))
        holder[parts[-1].members] = len(is_split) + parts[-1].labels
        is_split = np.append(is_split, level.fates[new] == SPLIT)
        heads = level.clusters.representatives[new].astype(np.intp)
        shape = (np.full(len(new), level.number), parts[-1].sizes, PLACE[level.fates[new]], above[new] - 1)
        columns.append((*shape, heads, level.clusters.radii[new], level.weights[new]))
    number, width, fate, parent, *of_one = map(np.concatenate, zip(*columns, strict=True))
    left = lefts(width, fate, of_one[0], parent)
    features = features_at(parts, left, width, int(width[parent < 0].sum()))
    return ClusterTree(features, number, left, width, fate, parent, *of_one)


def lefts(width: IndexArray, fate: IndexArray, heads: IndexArray, parent: IndexArray) -> IndexArray:
    """Where each cluster begins: parts by fate, larger ones first, side by side below the whole."""
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
    """The clusters that are parts of others, one depth at a time."""
    here = np.flatnonzero(parent < 0)
    while len(here):
        inside = np.zeros(len(parent), bool)
        inside[here] = True
        here = np.flatnonzero((parent >= 0) & inside[parent])
        if len(here):
            yield here


def features_at(parts: list[Groups], left: IndexArray, width: IndexArray, n: int) -> IndexArray:
    """The features side by side: parts come after the whole, so they overwrite it."""
    features: IndexArray = np.empty(n, np.intp)
    before = 0
    for one in parts:
        mine = slice(before, before + len(one))
        begin = np.repeat(left[mine] - one.bounds[:-1], width[mine])
        features[begin + np.arange(len(one.members))] = one.members
        before = mine.stop
    return features


def without_slivers(row: Iterable[Bar], least: float) -> list[Bar]:
    """The bars of a level in which neighbours narrower than `least` are merged by their fate."""
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
    # If the fates of narrow neighbours differ, each gets its share of their common space, so that every fate
    # stays visible and there are at most about 2 / least bars for each feature.
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
