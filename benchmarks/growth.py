"""How the time of a fit grows with features and with samples, theta fixed, two cores."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, synthetic
from benchmarks.rows import Row, duration, limited
from benchmarks.timing import exponent, race
from qpfs import QPFS

BOUND = 1.15
WIDTHS = [2_000, 5_000, 10_000, 20_000, 50_000]
LENGTHS = [64, 250, 1_000, 4_000, 16_000]
N_SAMPLES, N_FEATURES = 64, 2_000  # above 1,024 no proof of convexity is tried


def main() -> list[Row]:
    with threadpool_limits(2):
        by_width = times([(N_SAMPLES, m) for m in WIDTHS])
        by_length = times([(n, N_FEATURES) for n in LENGTHS])
    return [
        *rows(f"M = 2,000 to 50,000 at N = {N_SAMPLES}", WIDTHS, by_width),
        *rows(f"N = 64 to 16,000 at M = {N_FEATURES:,}", LENGTHS, by_length),
    ]


def times(shapes: list[tuple[int, int]]) -> list[float]:
    jobs = []
    for n, m in shapes:
        X, y = synthetic(n, m)
        jobs.append(lambda X=X, y=y: QPFS(theta=0.5, **LEVELS, n_jobs=2).fit(X, y))
    return race(*jobs, repeats=5)


def rows(what: str, sizes: list[int], times: list[float]) -> list[Row]:
    """The exponent over all sizes, and between the last two, where fixed costs weigh least."""
    shown = ", ".join(duration(time) for time in times)
    e, last = exponent(sizes, times), exponent(sizes[-2:], times[-2:])
    return [
        limited(f"QPFS(theta=0.5).fit, exponent of time against {what}", e, BOUND, shown),
        Row("the same between the two largest", ", ".join(map(duration, times[-2:])), "", last),
    ]
