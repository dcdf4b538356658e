"""How time grows up to ten million features and a hundred thousand samples, and what a Dask cluster costs.

Every fit is from a store, with two threads, or two workers of one thread. QPFS_BENCH_SCALE scales features.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.rows import Row, duration, limited
from benchmarks.store import FEW, Levels, N, halves
from benchmarks.timing import exponent
from qpfs import IKMAQPFS, QPFS, ThreeSegments, open_store
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns

WIDTHS = [10_000, 100_000, 1_000_000, 10_000_000]
LENGTHS = [100, 1_000, 10_000, 100_000]
LONG_WIDTH = 2_000  # features where samples are many
ON_DASK = 1_000_000
EXPONENT, TIMES_THREADS = 1.1, 1.5
SELECTORS = {"QPFS(theta=0.5)": lambda: QPFS(theta=0.5, n_jobs=2), "IKMAQPFS()": lambda: IKMAQPFS(n_jobs=2)}


def main() -> list[Row]:
    scale = float(os.environ.get("QPFS_BENCH_SCALE", "1"))
    with tempfile.TemporaryDirectory() as folder:
        wide = [(FEW, int(scale * m)) for m in WIDTHS]
        long = [(n, LONG_WIDTH) for n in LENGTHS]
        return [
            *growth(Path(folder), wide, 1, f"M = {wide[0][1]:,} to {wide[-1][1]:,} at N = {FEW}"),
            *growth(Path(folder), long, 0, f"N = 100 to 100,000 at M = {LONG_WIDTH:,}"),
            *on_dask(Path(folder), int(scale * ON_DASK)),
        ]


def stored(folder: Path, n: int, m: int) -> Any:
    """A store of three levels, with planted copies."""
    path = folder / f"{n}-{m}.qpfs"
    if not path.exists():
        write_columns(Levels(n, m), ThreeSegments(), path, About(targets={"y": halves(n)}))
    return open_store(path)


def growth(folder: Path, shapes: list[tuple[int, int]], axis: int, what: str) -> list[Row]:
    """The exponent of each selector's time."""
    rows = []
    for name, make in SELECTORS.items():
        times = [best(make(), stored(folder, *shape)) for shape in shapes]
        sizes = [shape[axis] for shape in shapes]
        shown = ", ".join(map(duration, times))
        rows.append(
            limited(f"{name}.fit, exponent of time against {what}", exponent(sizes, times), EXPONENT, shown)
        )
    return rows


def best(selector: Any, table: Any, repeats: int = 2) -> float:
    """The least seconds of a few fits, the first of which may compile."""
    return min(seconds(selector, table) for _ in range(repeats))


def seconds(selector: Any, table: Any) -> float:
    start = perf_counter()
    selector.fit(table, halves(table.n_samples))
    return perf_counter() - start


def on_dask(folder: Path, m: int) -> list[Row]:
    """Two workers of one thread against two threads, on the same store."""
    from distributed import Client, LocalCluster

    table = stored(folder, N, m)
    alone = {
        name: (best(make(), table), make().fit(table, halves(N)).order_) for name, make in SELECTORS.items()
    }
    rows = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        for name, make in SELECTORS.items():
            threads, order = alone[name]
            together = best(make(), table)
            if not np.array_equal(make().fit(table, halves(N)).order_, order):
                raise AssertionError(f"{name} selects otherwise on Dask")
            what = f"{name}.fit, {N} x {m:,} from a store: 2 Dask workers as a multiple of 2 threads"
            rows.append(
                limited(what, together / threads, TIMES_THREADS, duration(together), duration(threads))
            )
    return rows
