"""Two threads against one: seconds of the clock, on the shapes of the other parts.

Where there is enough work two threads must pay; where there is not they must not cost. The first row shows
what two cores of this machine are worth at the moment: hashing, which shares nothing and holds no lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import Any

from benchmarks.datasets import LEVELS, cases, synthetic
from benchmarks.rows import Row, faster
from benchmarks.timing import race
from qpfs import IKMAQPFS, IKMQPFS, MRMR, QPFS, TLKMQPFS, MaxRel

NO_SLOWER, PAYS = 0.97, 1.7
RANK = {"measure": "rank"}
FITS: dict[str, tuple[type, dict[str, Any]]] = {
    "QPFS(theta=0.5), mi": (QPFS, {"theta": 0.5, **LEVELS}),
    "QPFS(), mi": (QPFS, LEVELS),
    "QPFS(theta=0.5), rank": (QPFS, {"theta": 0.5, **RANK}),
    "QPFS(), rank": (QPFS, RANK),
    "MaxRel(), rank": (MaxRel, RANK),
    "MRMR(50), mi": (MRMR, {"n_features_to_select": 50, **LEVELS}),
    "TLKMQPFS(), mi": (TLKMQPFS, LEVELS),
    "IKMQPFS(), mi": (IKMQPFS, LEVELS),
    "IKMAQPFS(), mi": (IKMAQPFS, LEVELS),
    "IKMAQPFS(), rank": (IKMAQPFS, RANK),
}
SMALL = ("QPFS(), mi", "QPFS(), rank", "MaxRel(), rank", "IKMAQPFS(), rank")
WORK = {("synthetic 72 x 7129", "QPFS(), mi"), ("leukemia 72 x 7129", "QPFS(), mi")}


def main() -> Iterator[Row]:
    yield control()
    yield from rows("synthetic 569 x 30", synthetic(569, 30), SMALL, 60)
    for name, data in cases(72, 7129, "leukemia").items():
        yield from rows(name, data, tuple(FITS), 15)
    yield from rows("synthetic 33 x 48,701", synthetic(33, 48_701), tuple(FITS)[:4], 9)
    yield from rows("synthetic 12,000 x 500", synthetic(12_000, 500), tuple(FITS)[:4], 9, PAYS)
    large = ("QPFS(theta=0.5), mi", "QPFS(theta=0.5), rank")
    yield from rows("synthetic 500 x 1,000,000", synthetic(500, 1_000_000), large, 3, PAYS)


def rows(
    name: str, data: Any, which: tuple[str, ...], repeats: int, bound: float = NO_SLOWER
) -> Iterator[Row]:
    for one in which:
        two, alone = race(*(partial(fit, one, data, n_jobs) for n_jobs in (2, 1)), repeats=repeats)
        yield faster(f"{one}, {name}", two, alone, PAYS if (name, one) in WORK else bound)


def fit(which: str, data: Any, n_jobs: int) -> None:
    selector, parameters = FITS[which]
    selector(**parameters, n_jobs=n_jobs).fit(*data)


def control() -> Row:
    data, n = bytes(1 << 22), 40

    def hashed(n_threads: int) -> None:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(lambda _: sha256(data).digest(), range(n)))

    two, alone = race(lambda: hashed(2), lambda: hashed(1), repeats=9)
    return faster("hashing, nothing of ours", two, alone)
