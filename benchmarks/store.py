"""A million features on one machine: from a file of floats, and from the encoded store.

Every job has a process of its own, whose anonymous memory is watched; the file is not in memory when it
begins. The size of all is scaled by QPFS_BENCH_SCALE, or by the argument of `python -m benchmarks.store`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import LEVELS
from benchmarks.rows import Row, duration, faster, limited
from qpfs import IKMAQPFS, QPFS, ThreeSegments, open_store, write_store
from qpfs.codes.disk_table import About
from qpfs.codes.disk_writing import write_columns

N, M = 500, 1_000_000
FEW, MANY = 100, 10_000_000
GROUPS, COPIES = 20, 10
SHIFT, SPOIL = 1.2, 0.5
BLOCK = 4096
SELECTORS = {
    "QPFS(theta=0.5)": lambda: QPFS(theta=0.5, **LEVELS, n_jobs=2),
    "IKMAQPFS()": lambda: IKMAQPFS(**LEVELS, n_jobs=2),
}
RANKED = "QPFS(theta=0.5, measure='rank')"
TIMES_NUMPY, TIMES_STORE, TIMES_WIDER = 20.0, 4.0, 1.5
BYTES_A_FEATURE = 400  # that a fit may keep of a very wide store
MEGABYTES, MEGABYTES_WIDER = 1000.0, 6000.0
MEGABYTES_RANKED = 1500.0  # of which the scores are 1,000: 16 bits of a value


def main(scale: float | None = None) -> Iterator[Row]:
    scale = float(os.environ.get("QPFS_BENCH_SCALE", "1")) if scale is None else scale
    with tempfile.TemporaryDirectory() as folder:
        yield from from_floats(Path(folder), int(scale * M))
        yield from wider(Path(folder), int(scale * MANY))


def from_floats(folder: Path, m: int) -> Iterator[Row]:
    """Both selectors from floats and from the store, against the mean and deviation of each column."""
    floats, store = folder / "floats.npy", folder / "floats.qpfs"
    planted = write_floats(floats, m)
    size = f"{N} x {m:,}"
    moments, encoding = job("moments", floats), job("encode", floats, store)
    yield Row(f"{size}: mean and deviation by NumPy", duration(moments.seconds))
    ranked = job(RANKED, floats)
    yield multiple(f"{size}: {RANKED} from floats", ranked, moments, TIMES_NUMPY)
    yield memory(f"{size}: {RANKED} from floats", ranked, MEGABYTES_RANKED)
    yield found(f"{size}: {RANKED}", ranked, planted)
    yield multiple(f"{size}: encoded into {store.stat().st_size / 1e6:.0f} MB", encoding, moments)
    for name in SELECTORS:
        cold, stored = job(name, floats), job(name, store)
        yield multiple(f"{size}: {name} from floats", cold, moments, TIMES_NUMPY)
        yield memory(f"{size}: {name} from floats", cold, MEGABYTES)
        what = f"{size}: {name} from the store, against floats"
        yield faster(what, stored.seconds, cold.seconds, TIMES_STORE)
        yield memory(f"{size}: {name} from the store", stored, MEGABYTES)
        yield found(f"{size}: {name}", stored, planted)
        if stored.order != cold.order:
            raise AssertionError(f"{name} selects otherwise from the store")


def wider(folder: Path, m: int) -> Iterator[Row]:
    """Ten times as many features, from the store alone: the time of a feature, and memory."""
    narrow, wide = folder / "narrow.qpfs", folder / "wide.qpfs"
    for path, width in ((narrow, m // 10), (wide, m)):
        write_columns(Levels(FEW, width), ThreeSegments(), path, About(targets={"y": halves(FEW)}))
    for name in SELECTORS:
        few, many = job(name, narrow), job(name, wide)
        what, beside = f"{FEW} x {m:,} levels: {name}", f"as a multiple of that at {m // 10:,}"
        shown = duration(many.seconds), duration(few.seconds)
        each = many.seconds / 10 / few.seconds
        yield limited(f"{what}, time of a feature {beside}", each, TIMES_WIDER, *shown)
        if few.distances:
            shown = f"{many.distances / m:.0f}", f"{few.distances / (m // 10):.0f}"
            each = many.distances / 10 / few.distances
            yield Row(f"{what}, distances of a feature {beside}", *shown, each)
        yield memory(what, many, MEGABYTES_WIDER)
        yield found(what, many, Levels(FEW, m).planted.tolist())


@dataclass(frozen=True)
class Done:
    """What a job took, and what it selected."""

    seconds: float
    megabytes: float
    order: list[int]
    distances: int


def job(name: str, *paths: Path) -> Done:
    """A job in a process of its own, whose file is not in memory at the start."""
    forget(paths[0])
    command = [sys.executable, "-m", "benchmarks.store", "--job", name, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Done(**json.loads(done.stdout))


def forget(path: Path) -> None:
    """Asks the system to drop what it holds of a file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def multiple(what: str, one: Done, other: Done, bound: float | None = None) -> Row:
    ratio = one.seconds / other.seconds
    title = f"{what}, as a multiple of NumPy's mean and deviation"
    return Row(title, duration(one.seconds), duration(other.seconds), ratio, bound, "at most")


def memory(what: str, done: Done, bound: float) -> Row:
    return limited(f"{what}: MB beyond the page cache", done.megabytes, bound, f"{done.megabytes:.0f} MB")


def found(what: str, done: Done, planted: list[int]) -> Row:
    """How many of the best are planted, and from how many groups; no bound."""
    best = done.order[:GROUPS]
    group = {feature: place // COPIES for place, feature in enumerate(planted)}
    hits = [group[feature] for feature in best if feature in group]
    text = f"{len(hits)} of {len(best)}, {len(set(hits))} of {GROUPS} groups"
    return Row(f"{what}: planted among the best {GROUPS}", text)


def halves(n: int) -> np.ndarray:
    return np.arange(n) % 2


def hidden(n: int) -> np.ndarray:
    """What each group is a copy of."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, GROUPS)) + SHIFT * halves(n)[:, None]


def places(m: int) -> np.ndarray:
    """Where the copies are, group after group."""
    return np.random.default_rng(2).choice(m, GROUPS * COPIES, replace=False)


def write_floats(path: Path, m: int) -> list[int]:
    """Noise with some noisy copies of hidden columns; where those are."""
    X = np.lib.format.open_memmap(path, "w+", np.float32, (N, m))
    rng = np.random.default_rng(0)
    for start in range(0, m, BLOCK):
        width = min(BLOCK, m - start)
        X[:, start : start + width] = rng.standard_normal((N, width), np.float32)
    planted = places(m)
    X[:, planted] = np.repeat(hidden(N), COPIES, axis=1) + SPOIL * X[:, planted]
    X.flush()
    return planted.tolist()


class Levels:
    """Columns of three levels made when they are asked for, some of them noisy copies of hidden ones."""

    def __init__(self, n: int, m: int) -> None:
        self.n_samples, self.n_features = n, m
        self.numeric, self.integer, self.row_wise = np.ones(m, bool), np.ones(m, bool), False
        self.planted = places(m)
        self.copies = np.repeat(hidden(n), COPIES, axis=1)

    def numbers(self, features: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng([3, int(features[0])])
        noise = rng.standard_normal((self.n_samples, len(features)))
        here = np.flatnonzero(np.isin(self.planted, features))
        noise[:, self.planted[here] - features[0]] *= SPOIL
        noise[:, self.planted[here] - features[0]] += self.copies[:, here] - SHIFT / 2
        return np.ascontiguousarray(np.digitize(noise, (-0.6, 0.6)).astype(np.float64))

    def part(self, features: np.ndarray, rows: slice) -> np.ndarray:
        return self.numbers(features)[rows]

    def labels(self, feature: int) -> list[Any]:
        return self.numbers(np.array([feature]))[:, 0].tolist()

    def name(self, feature: int) -> str:
        return f"column {feature}"


def moments(path: Path) -> None:
    """By blocks of columns."""
    X = np.load(path, mmap_mode="r")
    for start in range(0, X.shape[1], BLOCK):
        X[:, start : start + BLOCK].mean(0)
        X[:, start : start + BLOCK].std(0)


def fitted(selector: Any, path: Path) -> Any:
    """A selection from floats or from a store."""
    if path.suffix == ".npy":
        X = np.load(path, mmap_mode="r")
        return selector.fit(X, halves(len(X)))
    n_features = open_store(path, verify=False).n_features
    table = open_store(path, memory=max(1 << 30, BYTES_A_FEATURE * n_features))
    return selector.fit(table, halves(table.n_samples))


def written(X: np.ndarray, path: Path) -> Path:
    """A store of three levels."""
    return write_store(X, path, discretizer=ThreeSegments(), force=True, n_jobs=2)


def task(name: str) -> Callable[[list[Path]], Any]:
    if name == "moments":
        return lambda paths: moments(paths[0])
    if name == "encode":
        return lambda paths: written(np.load(paths[0], mmap_mode="r"), paths[1])
    if name == RANKED:
        return lambda paths: fitted(QPFS(theta=0.5, measure="rank", n_jobs=2), paths[0])
    return lambda paths: fitted(SELECTORS[name](), paths[0])


def small(paths: list[Path], folder: Path) -> list[Path]:
    """The same kind of file with few features, for kernels to be compiled on."""
    X = np.random.default_rng(0).standard_normal((N, 3000), np.float32)
    np.save(folder / "small.npy", X)
    if paths[0].suffix == ".npy":
        return [folder / "small.npy", folder / "small.qpfs"]
    n = open_store(paths[0], verify=False).n_samples  # which leaves it out of memory
    return [written(X[:n], folder / "small.qpfs")]


class Watch:
    """The most anonymous memory of this process while it is watched, in megabytes."""

    def __init__(self) -> None:
        self.most = 0.0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self.ended.wait(0.01):
            self.most = max(self.most, anonymous())

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def anonymous() -> float:
    found = re.search(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1e3 if found else float("nan")


def run(name: str, paths: list[Path]) -> dict[str, Any]:
    work = task(name)
    with tempfile.TemporaryDirectory() as folder:
        work(small(paths, Path(folder)))
    before = anonymous()
    start = perf_counter()
    with Watch() as watch:
        done = work(paths)
    return {
        "seconds": perf_counter() - start,
        "megabytes": watch.most - before,
        "order": list(map(int, getattr(done, "order_", [])[:1000])),
        "distances": int(getattr(done, "n_distances_", 0)),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        print(json.dumps(run(sys.argv[2], [Path(one) for one in sys.argv[3:]])))
    else:
        for row in main(float(sys.argv[1]) if len(sys.argv) > 1 else None):
            print(row.what, row.ours, row.reference, row.ratio, row.verdict, sep=" | ")
