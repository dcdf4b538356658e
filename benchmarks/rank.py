"""The rank measure beside mutual information, and the greedy rules beside one another; one core each."""

from __future__ import annotations

from benchmarks.datasets import cases, synthetic
from benchmarks.rows import Row, faster, limited
from benchmarks.timing import race
from qpfs import CMIM, JMI, MRMR, QPFS

TIMES_FIXED, TIMES_AUTO = 2.0, 1.0  # at most so much of what mutual information takes


def main() -> list[Row]:
    shapes = cases(72, 7129, "leukemia") | {"synthetic 33 x 48,701": synthetic(33, 48_701)}
    return [row for name, data in shapes.items() for row in rows(name, *data)]


def rows(name: str, X: object, y: object) -> list[Row]:
    fixed, ranked, auto, ranked_auto = race(
        lambda: QPFS(theta=0.5, n_jobs=1).fit(X, y),
        lambda: QPFS(theta=0.5, measure="rank", n_jobs=1).fit(X, y),
        lambda: QPFS(n_jobs=1).fit(X, y),
        lambda: QPFS(measure="rank", n_jobs=1).fit(X, y),
        repeats=5,
    )
    mrmr, near, jmi, cmim = race(
        lambda: MRMR(50, n_jobs=1).fit(X, y),
        lambda: MRMR(50, scheme="nearest", measure="rank", n_jobs=1).fit(X, y),
        lambda: JMI(50, n_jobs=1).fit(X, y),
        lambda: CMIM(50, n_jobs=1).fit(X, y),
        repeats=5,
    )
    return [
        times(
            f"QPFS(theta=0.5, measure='rank'), {name}; reference: measure='mi'", ranked, fixed, TIMES_FIXED
        ),
        times(f"QPFS(measure='rank'), exact theta, {name}; reference: QPFS()", ranked_auto, auto, TIMES_AUTO),
        faster(f"MRMR(50, 'nearest', 'rank'), {name}; reference: MRMR(50)", near, mrmr),
        faster(f"JMI(50), {name}; reference: MRMR(50)", jmi, mrmr),
        faster(f"CMIM(50), {name}; reference: MRMR(50)", cmim, mrmr),
    ]


def times(what: str, ours: float, reference: float, bound: float) -> Row:
    """How much longer ours takes."""
    return limited(what, ours / reference, bound, f"{ours * 1e3:.2f} ms", f"{reference * 1e3:.2f} ms")
