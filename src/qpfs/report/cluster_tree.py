"""The rounds of a clustered selection as bars: one row a level, a cluster as wide as it has features.

Features stand side by side in one order for all levels, so that the parts of a cluster lie beneath it. A
cluster that was kept or discarded has nothing beneath. Among the parts of one cluster those that were split
come first, then those kept, then those discarded, the larger before the smaller.

What lies beneath what is read from the members, which every trace has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.strategies.rounds import Fate, Round

FATES: tuple[Fate, ...] = ("split", "kept", "discarded")
POOL = 4  # narrow bars are pooled over so many least widths: a mixture stays visible, and bars few


@dataclass(frozen=True)
class Bar:
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
class ClusterTree:
    """All clusters of a trace, parents before their parts; `features[bar.left : bar.right]` are a bar's."""

    bars: tuple[Bar, ...]
    features: IndexArray

    @property
    def levels(self) -> list[int]:
        return sorted({bar.level for bar in self.bars})

    def row(self, level: int) -> list[Bar]:
        """The bars of a level, left to right."""
        return sorted((bar for bar in self.bars if bar.level == level), key=lambda bar: bar.left)

    def final(self, feature: int) -> Bar:
        """The last cluster that a feature was in."""
        for place in np.flatnonzero(self.features == feature).tolist():
            return next(bar for bar in reversed(self.bars) if bar.left <= place < bar.right)
        raise ValueError(f"Feature {feature} is in no cluster of the trace.")

    def n_clusters(self, fate: Fate) -> int:
        return sum(bar.fate == fate for bar in self.bars)

    def n_features(self, fate: Fate) -> int:
        """How many features met this fate, each counted once however often it was split."""
        met = (b for b in self.bars if b.fate == fate and (fate != "split" or b.parent is None))
        return sum(bar.width for bar in met)


def cluster_tree(rounds: Sequence[Round]) -> ClusterTree:
    """The layout of a trace; raises ValueError if a part is not of one cluster, or parts lose features."""
    if not rounds:
        raise ValueError("There are no rounds; expected the trace of a fitted selector, its rounds_.")
    bars, members = unplaced(rounds)
    parts: dict[int | None, list[int]] = {None: []}
    for i, bar in enumerate(bars):
        parts.setdefault(bar.parent, []).append(i)
    lefts = [0] * len(bars)
    for parent in [None, *range(len(bars))]:
        left = 0 if parent is None else lefts[parent]
        mine = parts.get(parent, [])
        check_complete(bars, parent, mine)
        for i in sorted(mine, key=lambda i: among_siblings(bars[i])):
            lefts[i] = left
            left += bars[i].width
    features = np.empty(sum(bars[i].width for i in parts[None]), np.intp)
    for left, held in zip(lefts, members, strict=True):
        features[left : left + len(held)] = held  # parts come after the whole, and so write last
    placed = (replace(bar, left=left) for bar, left in zip(bars, lefts, strict=True))
    return ClusterTree(tuple(placed), features)


def unplaced(rounds: Sequence[Round]) -> tuple[list[Bar], list[IndexArray]]:
    """The bars and their members, level by level; a cluster that was final before is not listed again."""
    bars: list[Bar] = []
    held: list[IndexArray] = []
    holder: dict[int, int] = {}  # feature: the last bar that holds it
    for made in sorted(rounds, key=lambda made: (made.level, made.number)):
        for c, members in enumerate(clusters_of(made)):
            listed = members.tolist()
            parents = set(map(holder.get, listed))
            if len(parents) != 1:
                raise ValueError(
                    f"Cluster {c} of round {made.number} holds features of {len(parents)} clusters of the "
                    "level above, but it must be a part of one."
                )
            parent = parents.pop()
            if parent is None or bars[parent].fate == "split":
                holder.update(dict.fromkeys(listed, len(bars)))
                bars.append(bar_of(made, c, parent, len(members)))
                held.append(members)
    return bars, held


def clusters_of(made: Round) -> list[IndexArray]:
    """The members of each cluster of a round."""
    ends = np.cumsum(np.bincount(made.labels, minlength=len(made.fates)))
    return np.split(made.members[np.argsort(made.labels, kind="stable")], ends[:-1])


def check_complete(bars: list[Bar], parent: int | None, parts: list[int]) -> None:
    """Raises ValueError if the parts of a cluster do not hold all of its features."""
    n_parts = sum(bars[i].width for i in parts)
    if parent is not None and parts and n_parts != bars[parent].width:
        raise ValueError(
            f"A cluster of {bars[parent].width} features at level {bars[parent].level} was split into parts "
            f"that hold {n_parts}: rounds are missing from the trace."
        )


def among_siblings(bar: Bar) -> tuple[int, int, int]:
    """What the parts of a cluster are ordered by."""
    return FATES.index(bar.fate), -bar.width, bar.representative or 0


def bar_of(made: Round, c: int, parent: int | None, width: int) -> Bar:
    """The bar of a cluster of a round, not placed yet."""
    weight = None if made.weights is None else float(made.weights[c])
    representative, radius = int(made.representatives[c]), float(made.radii[c])
    return Bar(made.level, 0, width, made.fates[c], parent, representative, radius, weight)


def without_slivers(row: Iterable[Bar], least: float) -> list[Bar]:
    """The bars of a level in which neighbours narrower than `least` are put together by their fate.

    Where the fates of narrow neighbours differ, each gets its share of the space they take together, so that
    every fate stays visible and there are at most about 2 / least bars for each feature.
    """
    drawn: list[Bar] = []
    pool: list[Bar] = []
    for bar in row:
        full = pool and pool[-1].right - pool[0].left >= POOL * least
        if pool and (full or bar.width >= least or bar.left > pool[-1].right):
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
    for fate in FATES:
        if mine := [bar for bar in pool if bar.fate == fate]:
            bars.append(replace(together(mine), left=left))
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
