"""The rank measure beside mutual information, and the greedy rules beside one another; one core each."""

from __future__ import annotations

from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, cases, synthetic
from benchmarks.rows import Row, faster, limited
from benchmarks.timing import race
from qpfs import CMIM, IKMAQPFS, IKMQPFS, JMI, MRMR, QPFS, TLKMQPFS

TIMES_FIXED, TIMES_AUTO = 2.0, 1.0  # at most so much of what mutual information takes
RANK = {"measure": "rank", "n_jobs": 1}
MI = LEVELS | {"n_jobs": 1}
THREE = {"discretizer": LEVELS["discretizer"], "n_jobs": 1}


def main() -> list[Row]:
    wide = synthetic(33, 48_701)
    shapes = cases(72, 7129, "leukemia") | {"synthetic 33 x 48,701": wide}
    with threadpool_limits(1):
        exact = [
            row for name, data in shapes.items() for row in [*programs(name, *data), *greedy(name, *data)]
        ]
        return [*exact, *clustered("synthetic 33 x 48,701", *wide)]


def programs(name: str, X: Any, y: Any) -> list[Row]:
    fixed, ranked, auto, ranked_auto = race(
        lambda: QPFS(theta=0.5, **MI).fit(X, y),
        lambda: QPFS(theta=0.5, **RANK).fit(X, y),
        lambda: QPFS(**MI).fit(X, y),
        lambda: QPFS(**RANK).fit(X, y),
        repeats=9,
    )
    return [
        times(f"QPFS(theta=0.5, measure='rank'), {name}; reference: 'mi'", ranked, fixed, TIMES_FIXED),
        times(f"QPFS(measure='rank'), exact theta, {name}; reference: 'mi'", ranked_auto, auto, TIMES_AUTO),
    ]


def greedy(name: str, X: Any, y: Any) -> list[Row]:
    mrmr, near, jmi, cmim = race(
        lambda: MRMR(50, **MI).fit(X, y),
        lambda: MRMR(50, scheme="nearest", **RANK).fit(X, y),
        lambda: JMI(50, **THREE).fit(X, y),
        lambda: CMIM(50, **THREE).fit(X, y),
        repeats=5,
    )
    beside = f"{name}; reference: MRMR(50, measure='mi')"
    return [
        faster(f"MRMR(50, 'nearest', 'rank'), {beside}", near, mrmr),
        faster(f"JMI(50), {beside}", jmi, mrmr),
        faster(f"CMIM(50), {beside}", cmim, mrmr),
    ]


def clustered(name: str, X: Any, y: Any) -> list[Row]:
    """No bound: clusters by ranks are others than those of levels, and as many as they are."""
    found = []
    for method in (TLKMQPFS, IKMQPFS, IKMAQPFS):
        by_levels, by_ranks = method(**MI), method(**RANK)
        levels, ranks = race(
            lambda one=by_levels: one.fit(X, y), lambda one=by_ranks: one.fit(X, y), repeats=3
        )
        found.append(faster(f"{method.__name__}(measure='rank'), {name}; reference: 'mi'", ranks, levels))
    return found


def times(what: str, ours: float, reference: float, bound: float) -> Row:
    """How much longer ours takes."""
    return limited(what, ours / reference, bound, f"{ours * 1e3:.2f} ms", f"{reference * 1e3:.2f} ms")
