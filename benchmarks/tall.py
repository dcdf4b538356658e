"""Memory maps, never held whole: encoded and fitted, against a pass of NumPy over the file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import LEVELS
from benchmarks.memory import anonymous_peak
from benchmarks.rows import Row, duration, limited
from benchmarks.timing import race
from qpfs import QPFS, ThreeSegments
from qpfs.codes import columns_of, encode
from qpfs.engines import Threads

N_SHIFTED = 10
SHIFTS = np.linspace(0.1, 1.0, N_SHIFTED, dtype=np.float32)
N_JOBS = 2
BLOCK_BYTES = 1 << 23  # given to NumPy at a time: about its best
REPEATS = 2

# Shape, what is done: how often the time of NumPy's pass, and how many megabytes beyond the page cache
BOUNDS = {
    (5_000_000, 200): {"encode": (8.0, 1_000), "fit": (20.0, 2_000)},
    (500, 1_000_000): {"encode": (8.0, 500)},
}


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [row for shape in BOUNDS for row in rows(Path(folder, "X.npy"), *shape)]


def rows(path: Path, n: int, m: int) -> Iterator[Row]:
    write(path, n, m)
    bounds = BOUNDS[n, m]
    jobs = [lambda job=job: JOBS[job](path) for job in bounds]
    reference, *times = race(lambda: moments(path), *jobs, repeats=REPEATS)
    for (job, (slowest, most)), time in zip(bounds.items(), times, strict=True):
        what = f"{n:,} x {m:,} float32 memory map, {job}"
        passes = f"{what}: time, in passes of mean and std by blocks in NumPy"
        yield limited(passes, time / reference, slowest, duration(time), duration(reference))
        used = memory(job, path)
        yield limited(f"{what}: peak memory beyond the page cache, MB", used, most, f"{used:.0f} MB")


def write(path: Path, n: int, m: int) -> None:
    """Noise; the first features are shifted between two classes, each more than the one before."""
    rng = np.random.default_rng(0)
    X, y = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, m)), target(n)
    for some in blocks(n, m):
        X[some] = rng.standard_normal(X[some].shape, dtype=np.float32)
        X[some, :N_SHIFTED] += y[some, None] * SHIFTS
    X.flush()


def target(n: int) -> np.ndarray:
    return np.arange(n) % 2


def blocks(n: int, m: int) -> Iterator[slice]:
    """Rows that NumPy is given at a time."""
    height = max(1, BLOCK_BYTES // (4 * m))
    return (slice(start, min(start + height, n)) for start in range(0, n, height))


def opened(path: Path) -> np.ndarray:
    return np.load(path, mmap_mode="r")


def moments(path: Path) -> None:
    """The mean and the standard deviation of blocks: of rows of a tall table, of columns of a wide one."""
    X = opened(path)
    if X.shape[0] < X.shape[1]:
        for some in blocks(X.shape[1], X.shape[0]):
            X[:, some].mean(0), X[:, some].std(0)
    else:
        for some in blocks(*X.shape):
            X[some].mean(0), X[some].std(0)


def encoded(path: Path) -> Any:
    with Threads(N_JOBS) as engine:
        return encode(columns_of(opened(path)), ThreeSegments(), engine)


def fitted(path: Path) -> QPFS:
    X = opened(path)
    selector = QPFS(theta=0.5, **LEVELS, n_jobs=N_JOBS).fit(X, target(len(X)))
    if set(selector.order_[: N_SHIFTED // 2]) != set(range(N_SHIFTED // 2, N_SHIFTED)):
        raise AssertionError(f"the features that say most are not first: {selector.order_[:N_SHIFTED]}")
    return selector


JOBS: dict[str, Callable[[Path], Any]] = {"encode": encoded, "fit": fitted}


def memory(job: str, path: Path) -> float:
    """Megabytes, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.tall", job, str(path)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    print(anonymous_peak(lambda: JOBS[sys.argv[1]](Path(sys.argv[2]))))
