"""The initial centres of clustering.

Each rule is an object called with (table, groups, k, relevance): members ascend within a group, and k is the
number of centres of each group. It returns at most k of each group, ascending, and how many distances it
computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.compiled import kernel
from qpfs.groups import Groups, bounds_of, n_pairs
from qpfs.information import FeatureTable
from qpfs.sorting import sorted_places

FirstCentres: TypeAlias = Callable[[FeatureTable, Groups, IndexArray, FloatArray], tuple[Groups, int]]


HEAD = 2  # members compared with one another, per leader
MOST = 256  # of these
ONE_PASS = 256  # centres of a group up to which one pass over its members finds them, instead of a sort


def first(table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> tuple[Groups, int]:
    """Initial centres: the first k columns, as published; the result depends on the order of columns."""
    return heads(groups, k), 0


def most_relevant(
    table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray
) -> tuple[Groups, int]:
    """Initial centres: the k most relevant members, ties to the lowest index."""
    return leading(groups, -relevance[groups.members], k), 0


@dataclass(frozen=True, eq=False)
class AtRandom:
    """Initial centres: the first k members in a random order of all features, drawn once."""

    rank: IndexArray  # (n_features,) the place of each in that order

    def __call__(
        self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray
    ) -> tuple[Groups, int]:
        return leading(groups, self.rank[groups.members], k), 0


@dataclass(frozen=True)
class Leaders:
    """Initial centres: members by relevance, without any within `radius` of one already chosen.

    Where that gives only one, the most relevant of the others is added: a split must have two parts.

    The first few of each group are compared with one another, which completes most groups; of the rest, those
    near the leaders are dropped, and the search is repeated.
    """

    radius: float

    def __call__(
        self, table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray
    ) -> tuple[Groups, int]:
        waiting = groups
        owner = np.arange(len(groups))  # the group of each that is not complete
        room = k.copy()  # how many leaders each group may still have
        taken, taken_by, n_distances = [], [], 0
        while len(waiting):
            few, rest = foremost(waiting, -relevance[waiting.members], np.minimum(HEAD * room[owner], MOST))
            apart = table.distances_before(few)
            lead = np.zeros(len(few.members), bool)
            mark_leaders(apart, few.bounds, room[owner], self.radius, lead)
            leaders, _ = kept(few, lead)
            taken.append(leaders.members)
            taken_by.append(owner[leaders.labels])
            room[owner] -= leaders.sizes
            open_ = np.flatnonzero((room[owner] > 0) & (rest.sizes > 0))
            owner, leaders, rest = owner[open_], leaders.take(open_), rest.take(open_)
            far, n_tried = beyond(table, rest, leaders, self.radius)
            n_distances += len(apart) + n_tried
            waiting, left = kept(rest, far)
            owner = owner[left]
        members, labels = np.concatenate(taken), np.concatenate(taken_by)
        alone = np.bincount(labels, minlength=len(groups)) == 1
        second = np.flatnonzero(alone & (np.minimum(k, groups.sizes) > 1))
        single = groups.take(second)
        two, _ = foremost(single, -relevance[single.members], np.full(len(second), 2))
        members = np.append(members, two.members[1::2])
        return ascending(Groups.labelled(members, np.append(labels, second), len(groups))), n_distances


@kernel
def mark_leaders(
    apart: FloatArray, bounds: IndexArray, room: IndexArray, radius: float, lead: BoolArray
) -> None:
    """Marks the leaders of each group, from the distances of each member to all before it."""
    t = 0
    for g in range(len(room)):
        n_leaders = 0
        for i in range(bounds[g], bounds[g + 1]):
            lead[i] = n_leaders < room[g]
            for j in range(bounds[g], i):
                if lead[j] and apart[t] <= radius:
                    lead[i] = False
                t += 1
            n_leaders += lead[i]


def beyond(table: FeatureTable, groups: Groups, leaders: Groups, radius: float) -> tuple[BoolArray, int]:
    """Which members are farther than the radius from every leader of their group; distances computed."""
    lo, hi = leaders.bounds[:-1][groups.labels], leaders.bounds[1:][groups.labels]
    return table.nearest(groups.members, lo, hi, leaders.members)[1] > radius, n_pairs(lo, hi)


def farthest(table: FeatureTable, groups: Groups, k: IndexArray, relevance: FloatArray) -> tuple[Groups, int]:
    """Initial centres: the most relevant, then repeatedly the member farthest from those chosen."""
    k = np.minimum(k, groups.sizes)
    owner = np.arange(len(groups))
    newest = groups.members[groups.best(-relevance[groups.members])]
    least = np.full(len(groups.members), np.inf)
    taken, taken_by, n_distances = [newest], [owner], 0
    for n_taken in range(1, int(k.max(initial=1))):
        open_ = k[owner] > n_taken
        places = groups.places(np.flatnonzero(open_))
        groups, owner, newest, least = (
            groups.take(np.flatnonzero(open_)),
            owner[open_],
            newest[open_],
            least[places],
        )
        apart = table.distance_to(groups.members, newest, groups.labels)
        n_distances += len(apart)
        least = np.minimum(least, apart)
        least[groups.members == newest[groups.labels]] = -1.0
        newest = groups.members[groups.best(-least)]
        taken.append(newest)
        taken_by.append(owner)
    members, labels = np.concatenate(taken), np.concatenate(taken_by)
    return ascending(Groups.labelled(members, labels, len(k))), n_distances


def leading(groups: Groups, keys: FloatArray | IndexArray, k: IndexArray) -> Groups:
    """The k members of each group with the smallest keys, ties by their order; members ascend."""
    if k.max(initial=0) > ONE_PASS:
        return ascending(heads(ordered(groups, keys), k))
    bounds = bounds_of(np.minimum(k, groups.sizes))
    places = foremost_places(groups, keys.astype(np.float64, copy=False), bounds)
    return ascending(Groups(groups.members[places], bounds))


def ordered(groups: Groups, keys: FloatArray | IndexArray) -> Groups:
    """The members of each group by ascending key of each, ties by their order."""
    order = sorted_places(keys)
    return Groups.labelled(groups.members[order], groups.labels[order], len(groups))


def ascending(groups: Groups) -> Groups:
    """The members of each group by index."""
    # Numbers that rise with the group and then with the member: of 7,129, sorted in 20 us.
    group = groups.labels * (int(groups.members.max(initial=0)) + 1)
    return Groups(np.sort(group + groups.members) - group, groups.bounds)


def heads(groups: Groups, k: IndexArray) -> Groups:
    """The first k of each group."""
    sizes = np.minimum(k, groups.sizes)
    head = np.arange(len(groups.members)) - groups.bounds[groups.labels] < sizes[groups.labels]
    return Groups(groups.members[head], bounds_of(sizes))


def foremost(groups: Groups, keys: FloatArray, n: IndexArray) -> tuple[Groups, Groups]:
    """The n members of each group with the smallest keys, ties by their order, and the rest."""
    bounds = bounds_of(np.minimum(n, groups.sizes))
    places = foremost_places(groups, keys, bounds)
    others = np.ones(len(groups.members), bool)
    others[places] = False
    return (
        Groups(groups.members[places], bounds),
        Groups(groups.members[others], groups.bounds - bounds),
    )


def foremost_places(groups: Groups, keys: FloatArray, bounds: IndexArray) -> IndexArray:
    """Where the members with the smallest keys of each group stand, as many as fit between its bounds."""
    places = np.empty(bounds[-1], np.intp)
    find_foremost(keys, groups.bounds, bounds, places)
    return places


@kernel
def find_foremost(keys: FloatArray, bounds: IndexArray, few: IndexArray, places: IndexArray) -> None:
    """The positions of the smallest keys of each group, as many as fit between its bounds in `few`."""
    for g in range(len(few) - 1):
        end = few[g]
        for i in range(bounds[g], bounds[g + 1]):
            if end < few[g + 1]:
                end += 1
            elif end == few[g] or not keys[i] < keys[places[end - 1]]:
                continue
            at = end - 1
            while at > few[g] and keys[i] < keys[places[at - 1]]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = i


def kept(groups: Groups, mask: BoolArray) -> tuple[Groups, BoolArray]:
    """The members in the mask, and which groups have any."""
    before = bounds_of(mask.astype(np.intp))
    sizes = before[groups.bounds[1:]] - before[groups.bounds[:-1]]
    return Groups(groups.members[mask], bounds_of(sizes[sizes > 0])), sizes > 0
