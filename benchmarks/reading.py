"""Reading CSV files: numbers into a matrix of float64, against NumPy and pandas; and a table of numbers with
missing values, integers, categories, text, dates and truth values, against pandas and polars."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.rows import Row, faster, limited
from benchmarks.timing import race
from qpfs.data import Reading, open_problem
from qpfs.evaluation.measuring import forget_peak, held, peak

SHAPES = {(72, 7_129): 7, (500, 50_000): 1, (100_000, 20): 3}  # and how often each is timed
BOUNDS = {(72, 7_129): (None, 1.0), (500, 50_000): (1.0, 1.0), (100_000, 20): (1.0, 1 / 1.5)}
MIXED, LATE = (5_000, 403), 3  # a table of all kinds; rows before its text shows,
QUOTED = [2_500, 4_500]  # and before it is text in quotes: within what is parsed at first, and behind it
MIXED_BOUND = 1 / 3
MOST = 3.0  # matrices that reading may hold above the start, where the matrix is large
LARGE = 1e8


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        numbers = [row for shape in SHAPES for row in rows(Path(folder, "data.csv"), *shape)]
        path = Path(folder, "mixed.csv")
        mixed = [row for late in (0, LATE) for row in mixed_rows(path, "of all kinds", write_mixed, late)]
        quoted = [row for late in QUOTED for row in mixed_rows(path, "and some quoted", write_quoted, late)]
        return [*numbers, *mixed, *quoted]


def mixed_rows(path: Path, what: str, write: Callable[[Path, int], None], late: int) -> list[Row]:
    """A table with text, in seconds of the processor: polars uses all there are."""
    write(path, late)
    from pandas import read_csv
    from polars import read_csv as polars_csv

    ways = (
        lambda: open_problem(str(path), Reading(target="y")),
        lambda: read_csv(path),
        lambda: polars_csv(path, infer_schema_length=None),
    )
    ours, pandas, polars = race(*ways, repeats=5, clock=process_time)
    what = f"{MIXED[0]:,} x {MIXED[1]} {what}, text from row {late:,} on"
    return [
        faster(f"{what}: against pandas.read_csv, CPU", ours, pandas, MIXED_BOUND),
        faster(f"{what}: against polars.read_csv, CPU", ours, polars),
    ]


def write_mixed(path: Path, late: int) -> None:
    """Numbers with missing values, integers, categories, text, dates, truth values, and a target."""
    n, rng = MIXED[0], np.random.default_rng(0)
    days = np.datetime64("2010-01-01") + rng.integers(0, 4000, (n, 12))
    kinds = [
        np.where(rng.random((n, 250)) < 0.05, "", np.char.mod("%.5g", rng.standard_normal((n, 250)))),
        rng.integers(0, 1000, (n, 60)).astype(str),
        np.char.mod("c%d", rng.integers(0, 150, (n, 40))),
        np.char.mod("name %x", rng.integers(0, 1 << 40, (n, 20))),
        days.astype(str),
        np.where(rng.random((n, 20)) < 0.5, "True", "False"),
    ]
    for text in kinds[2:]:
        text[:late] = ""
    table = np.hstack([*kinds, np.array([["good"], ["bad"]])[rng.integers(0, 2, n)]])
    header = [*(f"column_{j}" for j in range(MIXED[1] - 1)), "y"]
    path.write_text("\n".join([",".join(header), *map(",".join, table.tolist())]) + "\n")


def write_quoted(path: Path, late: int) -> None:
    """Numbers, of which each twentieth column turns to text in quotes, and a target."""
    n, m = MIXED
    table = np.char.mod("%.5g", np.random.default_rng(0).standard_normal((n, m))).astype("<U12")
    table[late:, ::20] = [[f'"a, b{i % 7}"'] for i in range(late, n)]
    table[:, -1] = np.where(np.arange(n) % 2, "good", "bad")
    header = [*(f"column_{j}" for j in range(m - 1)), "y"]
    path.write_text("\n".join([",".join(header), *map(",".join, table.tolist())]) + "\n")


def rows(path: Path, n: int, m: int) -> list[Row]:
    write(path, n, m)
    check(path)
    ways = (lambda way=way: way(path) for way in WAYS.values())
    ours, numpy, pandas = race(*ways, repeats=SHAPES[n, m], clock=process_time)  # of few laps on a busy disk
    size = f"{n:,} x {m:,}, {path.stat().st_size / 1e6:.0f} MB"
    over_numpy, over_pandas = BOUNDS[n, m]
    return [
        faster(f"{size}: against numpy.loadtxt, CPU", ours, numpy, over_numpy),
        faster(f"{size}: against pandas.read_csv, CPU", ours, pandas, over_pandas),
        *([] if 8 * n * m < LARGE else [memory(way, path, size, n * m / 2**17) for way in WAYS]),
    ]


def write(path: Path, n: int, m: int) -> None:
    """Numbers to four digits, and a target of labels."""
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(",".join([*(f"feature_{j}" for j in range(m)), "y"]) + "\n")
        for i in range(n):
            file.write(",".join(np.char.mod("%.4f", rng.standard_normal(m))) + f",{'ab'[i % 2]}\n")


def ours(path: Path) -> np.ndarray:
    return open_problem(str(path), Reading(target="y")).X


def numpy(path: Path) -> np.ndarray:
    """The numbers alone: the target is left out."""
    with path.open() as file:
        width = file.readline().count(",")
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(width))


def pandas(path: Path) -> np.ndarray:
    from pandas import read_csv

    return read_csv(path).drop(columns="y").to_numpy()


WAYS: dict[str, Callable[[Path], np.ndarray]] = {"ours": ours, "numpy": numpy, "pandas": pandas}


def check(path: Path) -> None:
    if not np.array_equal(ours(path), numpy(path)):
        raise AssertionError("the numbers differ from NumPy's")


def memory(way: str, path: Path, size: str, matrix: float) -> Row:
    """Peak memory of a reader in a process of its own, in matrices (megabytes of one are given)."""
    command = [sys.executable, "-m", "benchmarks.reading", way, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    used = float(done.stdout)
    what = f"{size}: peak memory of {way}, in matrices"
    if way == "ours":
        return limited(what, used / matrix, MOST, f"{used:.0f} MB", f"{matrix:.0f} MB")
    return Row(what, f"{used:.0f} MB", f"{matrix:.0f} MB", used / matrix)


def measured(way: str, path: Path) -> float:
    """Megabytes by which reading raises the peak, once everything is imported."""
    small = path.with_name("small.csv")
    write(small, 10, 5)
    WAYS[way](small)
    forget_peak()
    before = held()
    WAYS[way](path)
    return peak() - before


if __name__ == "__main__":
    print(measured(sys.argv[1], Path(sys.argv[2])))
