"""How time and memory grow up to ten million features and a hundred thousand samples; what Dask costs.

Every fit is from a store, with two threads, or two workers of one thread. QPFS_BENCH_SCALE scales features.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import LEVELS
from benchmarks.rows import RESULTS, Row, duration, limited
from benchmarks.store import FEW, Levels, N, halves, job
from benchmarks.timing import exponent
from qpfs import IKMAQPFS, QPFS, ThreeSegments, open_store
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns
from qpfs.engines.cluster import Cluster

WIDTHS = [10_000, 100_000, 1_000_000, 10_000_000]
LENGTHS = [100, 1_000, 10_000, 100_000]
LONG_WIDTH = 2_000  # features where samples are many
ON_DASK = 1_000_000
EXPONENT, TIMES_THREADS = 1.1, 1.5
TENFOLD = 1.4  # what the last ten times as many features may take, over ten times the time
ANSWERED, BLOCK = 1_000_000, 2_000  # numbers that come back from workers, so many from a block
LONG = 120.0  # seconds of a fit that is not repeated
MORE = 3  # fits of one that takes less
SELECTORS = {
    "QPFS(theta=0.5)": lambda: QPFS(theta=0.5, **LEVELS, n_jobs=2),
    "IKMAQPFS()": lambda: IKMAQPFS(**LEVELS, n_jobs=2),
}


def main() -> Iterator[Row]:
    scale = float(os.environ.get("QPFS_BENCH_SCALE", "1"))
    grown: list[Growth] = []
    with tempfile.TemporaryDirectory() as folder:
        yield from on_dask(Path(folder), int(scale * ON_DASK))
        samples = [(n, LONG_WIDTH) for n in LENGTHS]
        features = [(FEW, int(scale * m)) for m in WIDTHS]
        for shapes, axis in ((samples, 0), (features, 1)):
            for name in SELECTORS:
                grown.append(growth(Path(folder), name, shapes, axis))
                yield from grown[-1].rows()
        yield grown[-1].last_step()
    yield Row("plotted", plotted(grown, RESULTS.with_name("growth.svg")).name)


def path_of(folder: Path, n: int, m: int) -> Path:
    return folder / f"{n}-{m}.qpfs"


def stored(folder: Path, n: int, m: int) -> Any:
    """A store of three levels, with planted copies."""
    path = path_of(folder, n, m)
    if not path.exists():
        write_columns(Levels(n, m), ThreeSegments(), path, About(targets={"y": halves(n)}))
    return open_store(path)


@dataclass(frozen=True)
class Growth:
    """How long a selector took at several sizes, all else being equal, and how much memory."""

    name: str
    what: str  # grows
    beside: str
    sizes: list[int]
    times: list[float]
    megabytes: list[float]  # of a process of its own, at most, above the start; pages of files not counted

    def exponent(self, amounts: list[float]) -> float:
        return exponent(self.sizes, amounts)

    def rows(self) -> Iterator[Row]:
        span = f"{self.what} = {self.sizes[0]:,} to {self.sizes[-1]:,} at {self.beside}"
        shown = {"time": ", ".join(map(duration, self.times)), "memory": megabytes_of(self.megabytes)}
        for amount, values in (("time", self.times), ("memory", self.megabytes)):
            what = f"{self.name}.fit, exponent of {amount} against {span}"
            yield limited(what, self.exponent(values), EXPONENT, shown[amount])

    def last_step(self) -> Row:
        """The time at the largest size over what the one before it would have taken in proportion."""
        (small, large), (few, many) = self.sizes[-2:], self.times[-2:]
        over = f"{self.what} = {large:,} over {large // small} x its time at {small:,}"
        what = f"{self.name}.fit at {self.beside}, {over}"
        return limited(what, many / (few * large / small), TENFOLD, duration(many), duration(few))


def megabytes_of(values: list[float]) -> str:
    return ", ".join(f"{value:,.0f}" for value in values) + " MB"


def growth(folder: Path, name: str, shapes: list[tuple[int, int]], axis: int) -> Growth:
    """A selector at several sizes."""
    times = [best(SELECTORS[name](), stored(folder, *shape)) for shape in shapes]
    megabytes = [max(job(name, path_of(folder, *shape)).megabytes, 1.0) for shape in shapes]
    beside = f"{'MN'[axis]} = {shapes[0][1 - axis]:,}"
    return Growth(name, "NM"[axis], beside, [shape[axis] for shape in shapes], times, megabytes)


def plotted(grown: list[Growth], path: Path) -> Path:
    """Time and memory against size, with a line for what is in proportion to it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.4), layout="constrained")
    amounts = (("seconds of a fit", lambda one: one.times), ("megabytes of a fit", lambda one: one.megabytes))
    for row, (label, of) in zip(figure.subplots(2, 2, sharex="col"), amounts, strict=True):
        for axes, what in zip(row, "MN", strict=True):
            draw(axes, [one for one in grown if one.what == what], of)
            axes.set_ylabel(label)
    for axes, what in zip(figure.axes[2:], "MN", strict=True):
        some = next(one for one in grown if one.what == what)
        axes.set_xlabel({"M": "features", "N": "samples"}[what] + f" ({some.beside})")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)
    return path


def draw(axes: Any, grown: list[Growth], of: Callable[[Growth], list[float]]) -> None:
    """One amount against one size."""
    for one in grown:
        axes.loglog(one.sizes, of(one), "o-", label=f"{one.name}, exponent {one.exponent(of(one)):.2f}")
    sizes, last = np.array(grown[0].sizes, float), max(of(one)[-1] for one in grown)
    axes.loglog(sizes, last * sizes / sizes[-1], ":", color="grey", label="in proportion")
    axes.legend(frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)


def best(selector: Any, table: Any) -> float:
    """The least seconds of some fits, the first of which may compile; the longer one takes, the fewer."""
    first = seconds(selector, table)
    n_more = int(np.clip(LONG // first, 0, MORE))
    return min([first, *(seconds(selector, table) for _ in range(n_more))])


def seconds(selector: Any, table: Any) -> float:
    start = perf_counter()
    selector.fit(table, halves(table.n_samples))
    return perf_counter() - start


def on_dask(folder: Path, m: int) -> Iterator[Row]:
    """Two workers of one thread against two threads, on the same store."""
    from distributed import Client, LocalCluster

    table = stored(folder, N, m)
    two = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**two) as cluster, Client(cluster, set_as_default=False) as client:
        yield from messages(client)
        for name, make in SELECTORS.items():
            threads, together = in_turns(make(), make(), table, client)
            what = f"{name}.fit, {N} x {m:,} from a store: 2 Dask workers as a multiple of 2 threads"
            yield limited(what, together / threads, TIMES_THREADS, duration(together), duration(threads))


def in_turns(alone: Any, together: Any, table: Any, client: Any) -> tuple[float, float]:
    """The least seconds of some fits without a cluster and with it, one after the other."""
    times = []
    for _ in range(1 + MORE):
        here = seconds(alone, table)
        with client.as_current():
            there = seconds(together, table)
        times.append((here, there))
        if here + there > LONG:
            break
    if not np.array_equal(alone.order_, together.order_):
        raise AssertionError(f"{alone!r} selects otherwise on Dask")
    return min(here for here, _ in times), min(there for _, there in times)


def messages(client: Any) -> Iterator[Row]:
    """What docs/scale.md reckons with: a question, a task, a byte that comes back."""
    engine = Cluster(client)
    blocks = engine.hold(list(np.array_split(np.arange(ANSWERED), ANSWERED // BLOCK)), np.sqrt)
    each = [(i, None) for i in range(ANSWERED // BLOCK)]
    asked = quickest(lambda: blocks.ask(nothing, each, None))
    yield Row("a question of four tasks to two workers, with an answer of no length", duration(asked))
    answered = quickest(lambda: blocks.ask(whole, each, None))
    rate = 8 * ANSWERED / max(answered - asked, 1e-9) / 1e9
    yield Row(f"the same with answers of {8 * ANSWERED / 1e6:.0f} MB", duration(answered), f"{rate:.2f} GB/s")
    yield Row("400 tasks", duration(quickest(lambda: list(engine.map(abs, range(400))))))


def quickest(work: Callable[[], Any]) -> float:
    """The least seconds of some calls."""
    times = []
    for _ in range(10):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def nothing(block: np.ndarray, common: None, args: None) -> None:
    return None


def whole(block: np.ndarray, common: None, args: None) -> np.ndarray:
    return block
