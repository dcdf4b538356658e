"""Planted groups: 8 groups of 6 noisy copies, some turned round, among 2,000 columns of noise.

A method that looks for features that say different things finds all 8 groups with its first 8 features.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.rows import Row
from qpfs import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS
from qpfs.data import planted_groups

SEEDS, N_GROUPS = range(10), 8


@cache
def problems() -> list[Any]:
    return [planted_groups(random_state=seed) for seed in SEEDS]


def rows() -> list[Row]:
    """How many of the groups each method finds at its defaults, at the worst of ten seeds."""
    return [row(kind) for kind in (QPFS, TLKMQPFS, IKMQPFS, IKMAQPFS)]


def row(kind: type) -> Row:
    found = groups_found(lambda X, y: kind().fit(X, y).order_)
    what = f"{kind.__name__}(): planted groups in the first {N_GROUPS} features, least of {len(SEEDS)} seeds"
    return Row(
        what, f"{min(found)} of {N_GROUPS}", f"mean {sum(found) / len(found):.1f}", min(found), N_GROUPS
    )


def groups_found(order: Callable[[Any, Any], Any]) -> list[int]:
    """How many groups are among the first 8 features, for each seed."""
    return [len(set(one.group[order(one.X, one.y)[:N_GROUPS]]) - {-1}) for one in problems()]
