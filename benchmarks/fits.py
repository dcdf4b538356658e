"""QPFS from floats to ranking, against what the reference needs for its matrix alone; two cores."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.datasets import LEVELS, Data, cases, codes_of, synthetic
from benchmarks.memory import peak_above_input
from benchmarks.reference import Dropped, matrix_jobs
from benchmarks.rows import Row, duration, faster, limited
from benchmarks.timing import cpu_race, race
from qpfs import QPFS, EqualFrequency, NystromQPFS

FIXED, AUTO, WIDE = 20.0, 8.0, 5.0
MEGABYTES = 300.0
LEVELS_RATIO = 4.0
NYSTROM_RATIO = 3.0  # three seconds where the products take one


def main() -> list[Row]:
    with threadpool_limits(2):
        return [*narrow(), *wide(), many_levels(), *nystrom()]


def narrow() -> list[Row]:
    return [row for name, data in cases(72, 7129, "leukemia").items() for row in rows(name, data)]


def rows(name: str, data: Data) -> list[Row]:
    X, y = data
    codes = codes_of(X)
    fixed, fixed_one, auto, auto_one, *plain = race(
        lambda: QPFS(theta=0.5, **LEVELS, n_jobs=2).fit(X, y),
        lambda: QPFS(theta=0.5, **LEVELS, n_jobs=1).fit(X, y),
        lambda: QPFS(**LEVELS, n_jobs=2).fit(X, y),
        lambda: QPFS(**LEVELS, n_jobs=1).fit(X, y),
        *matrix_jobs(codes),
        *matrix_jobs(codes, Dropped),
        repeats=3,
    )
    Q, less = min(plain[:2]), min(plain[2:])
    return [
        faster(f"QPFS(theta=0.5).fit, {name}; reference: Q alone", fixed, Q, FIXED),
        faster(f"QPFS().fit, {name}; reference: Q alone", auto, Q, AUTO),
        faster(f"QPFS(theta=0.5, **LEVELS, n_jobs=1).fit, {name}", fixed_one, Q),
        faster(f"QPFS(n_jobs=1).fit, {name}", auto_one, Q),
        faster(f"QPFS(theta=0.5).fit, {name}; no products for level 0", fixed, less),
        faster(f"QPFS().fit, {name}; no products for level 0", auto, less),
    ]


def wide() -> list[Row]:
    X, y = synthetic(33, 48_701)
    codes = codes_of(synthetic(72, 7129)[0])
    two, one, *plain = race(
        lambda: QPFS(theta=0.5, **LEVELS, n_jobs=2).fit(X, y),
        lambda: QPFS(theta=0.5, **LEVELS, n_jobs=1).fit(X, y),
        *matrix_jobs(codes),
        repeats=3,
    )
    Q = min(plain)
    what = "QPFS(theta=0.5).fit, synthetic 33 x 48,701"
    above = peak_above_input(QPFS(theta=0.5, **LEVELS, n_jobs=2), X, y)
    return [
        faster(f"{what}; reference: Q at 72 x 7129", two, Q, WIDE),
        faster(f"{what}, n_jobs=1", one, Q),
        limited(f"{what}: peak memory above the input, MB", above, MEGABYTES, f"{above:.0f} MB"),
    ]


def many_levels() -> Row:
    """60 levels against 10: a step for each sample, whatever the levels, and one for each cell."""
    X, y = synthetic(3000, 500)
    many, few = cpu_race(
        lambda: QPFS(measure="mi", discretizer=EqualFrequency(60), n_jobs=1).fit(X, y),
        lambda: QPFS(measure="mi", discretizer=EqualFrequency(10), n_jobs=1).fit(X, y),
        repeats=3,
    )
    what = "QPFS(measure='mi') at 3,000 x 500, 60 levels over 10, one core"
    return limited(what, many / few, LEVELS_RATIO, duration(many), duration(few))


def nystrom() -> list[Row]:
    """The Nystrom fit against two products of an M x r matrix with an r x r one, of which it needs some."""
    X, y = synthetic(33, 48_701)
    columns = np.random.default_rng(0).standard_normal((X.shape[1], X.shape[1] // 100))
    square = columns[: columns.shape[1]].copy()
    what = "NystromQPFS(sampling_rate=0.01) at 33 x 48,701 over two products 48,701 x 487 x 487, one core"

    def products() -> None:
        with threadpool_limits(1):
            columns @ square
            columns @ square

    found = []
    for name, how in (("mutual information", LEVELS), ("ranks", {"measure": "rank"})):
        ours, reference = cpu_race(
            lambda how=how: NystromQPFS(20, sampling_rate=0.01, n_jobs=1, **how).fit(X, y),
            products,
            repeats=3,
        )
        row = limited(f"{what}, {name}", ours / reference, NYSTROM_RATIO, duration(ours), duration(reference))
        found.append(row)
    return found
