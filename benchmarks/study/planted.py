"""Planted groups: 8 groups of 6 noisy copies, some turned round, among 2,000 columns of noise.

A method that looks for features that say different things finds all 8 groups with its first 8 features.
"""

from __future__ import annotations

from typing import Any

from benchmarks.rows import Row
from qpfs import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS
from qpfs.data import planted_groups

SEEDS, N_GROUPS = range(10), 8


def rows() -> list[Row]:
    """How many of the groups each method finds at its defaults, at the worst of ten seeds."""
    problems = [planted_groups(random_state=seed) for seed in SEEDS]
    return [row(kind, problems) for kind in (QPFS, TLKMQPFS, IKMQPFS, IKMAQPFS)]


def row(kind: type, problems: list[Any]) -> Row:
    found = [groups_found(kind(), problem) for problem in problems]
    what = f"{kind.__name__}(): planted groups in the first {N_GROUPS} features, least of {len(SEEDS)} seeds"
    return Row(
        what, f"{min(found)} of {N_GROUPS}", f"mean {sum(found) / len(found):.1f}", min(found), N_GROUPS
    )


def groups_found(selector: Any, problem: Any) -> int:
    order = selector.fit(problem.X, problem.y).order_[:N_GROUPS]
    return len(set(problem.group[order]) - {-1})
