"""The clustered methods at their defaults, beside exact QPFS and the reference's Q; two cores."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, Data, cases, codes_of, synthetic
from benchmarks.memory import peak_above_input
from benchmarks.reference import matrix_jobs
from benchmarks.rows import Row, duration, faster, limited
from benchmarks.timing import exponent, race
from qpfs import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS

METHODS = (TLKMQPFS, IKMQPFS, IKMAQPFS)
NARROW, WIDE, GROWTH = 10.0, 3.0, 1.15
HIGHER = {(IKMQPFS, "leukemia 72 x 7129"): 15.0}  # bounds of methods on data where more is asked
WIDTHS = [2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000]
MEGABYTES = 300.0


def main() -> list[Row]:
    with threadpool_limits(2):
        narrow = [
            row for name, data in cases(72, 7129, "leukemia").items() for row in rows(name, data, NARROW)
        ]
        return [*narrow, *rows("synthetic 33 x 48,701", synthetic(33, 48_701), WIDE), *growth(), *memory()]


def rows(name: str, data: Data, bound: float) -> list[Row]:
    """Each method's time; the reference is always Q at 72 x 7129."""
    X, y = data
    made = [method(**LEVELS, n_jobs=2) for method in METHODS]
    *ours, exact, one, two = race(
        *(lambda selector=selector: selector.fit(X, y) for selector in made),
        lambda: QPFS(**LEVELS, n_jobs=2).fit(X, y),
        *matrix_jobs(codes_of(X if X.shape == (72, 7129) else synthetic(72, 7129)[0])),
        repeats=5,
    )
    against_q = [
        faster(
            f"{type(selector).__name__}().fit, {name}; reference: Q at 72 x 7129",
            time,
            min(one, two),
            HIGHER.get((type(selector), name), bound),
        )
        for selector, time in zip(made, ours, strict=True)
    ]
    beside = [
        faster(f"{type(selector).__name__}().fit, {name}; reference: QPFS().fit", time, exact)
        for selector, time in zip(made, ours, strict=True)
    ]
    return [*against_q, *beside]


def growth() -> list[Row]:
    found = []
    for method in METHODS:
        jobs = []
        for m in WIDTHS:
            X, y = synthetic(100, m)
            jobs.append(lambda X=X, y=y, method=method: method(**LEVELS, n_jobs=2).fit(X, y))
        times = race(*jobs, repeats=2)
        shown = ", ".join(map(duration, times))
        what = f"{method.__name__}().fit, exponent of time against M = 2,000 to 200,000 at N = 100"
        found.append(limited(what, exponent(WIDTHS, times), GROWTH, shown))
    return found


def memory() -> list[Row]:
    X, y = synthetic(33, 48_701)
    found = []
    for method in METHODS:
        above = peak_above_input(method(**LEVELS, n_jobs=2), X, y)
        what = f"{method.__name__}().fit, synthetic 33 x 48,701: peak memory above the input, MB"
        found.append(limited(what, above, MEGABYTES, f"{above:.0f} MB"))
    return found
