"""A mixed data frame of pandas, as companies have them, against the same frame in polars."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import clone

from benchmarks.rows import Row, duration, faster, limited
from benchmarks.timing import cpu_race, exponent
from qpfs import QPFS
from qpfs.codes import scores
from qpfs.evaluation.measuring import forget_peak, held, peak

SIZES = [20_000, 40_000, 80_000]
MOST = 1.5  # times the frame of polars
GROWTH = 1.15  # of CPU time against rows
KINDS = {"float32": 250, "Int64": 60, "boolean": 20, "category": 40, "text": 22}


def main() -> list[Row]:
    frames = [mixed(n) for n in SIZES]
    by_ranks = ratio("QPFS()", frames[1], *times(QPFS(), frames[1], repeats=1))
    return [*levels(frames), by_ranks, categories_by_ranks(frames[0]), memory(frames[1])]


def categories_by_ranks(frame: pd.DataFrame) -> Row:
    """Products of features of categories: by contingency tables, and by their columns, to the same bits."""
    X, y = frame.select_dtypes("category"), classes(frame)

    def fit(counted: float) -> None:
        with patch.object(scores, "COUNTED", counted):
            QPFS().fit(X, y)

    ours, columns = cpu_race(lambda: fit(scores.COUNTED), lambda: fit(np.inf), repeats=3)
    n, m = X.shape
    return faster(f"QPFS(), {n:,} x {m} categories: contingency tables over columns, CPU", ours, columns)


def levels(frames: list[pd.DataFrame]) -> list[Row]:
    """By levels, where reading is most of a fit: each column is read several times."""
    what, both = 'QPFS(measure="mi")', [times(QPFS(measure="mi"), frame, repeats=2) for frame in frames]
    ours = [pandas for pandas, _ in both]
    growth = exponent(SIZES, ours)
    name = f"{what}, exponent of CPU time against 20,000 to 80,000 rows"
    return [
        *(ratio(what, frame, *one) for frame, one in zip(frames, both, strict=True)),
        limited(name, growth, GROWTH, ", ".join(map(duration, ours))),
    ]


def times(selector: QPFS, frame: pd.DataFrame, repeats: int) -> list[float]:
    """Seconds of CPU of a fit to the frame of pandas, and to the same in polars."""
    y = classes(frame)
    jobs = [lambda X=X: clone(selector).fit(X, y) for X in (frame, pl.from_pandas(frame))]
    return cpu_race(*jobs, repeats=repeats)


def ratio(what: str, frame: pd.DataFrame, pandas: float, polars: float) -> Row:
    n, m = frame.shape
    name = f"{what}, {n:,} x {m}: CPU of a fit, pandas over polars"
    return limited(name, pandas / polars, MOST, duration(pandas), duration(polars))


def memory(frame: pd.DataFrame) -> Row:
    """Memory above the start of a fit, beside that of the frame."""
    y, size = classes(frame), frame.memory_usage(index=False, deep=True).sum() / 2**20
    QPFS(measure="mi").fit(frame[:2_000], y[:2_000])
    forget_peak()
    before = held()
    QPFS(measure="mi").fit(frame, y)
    used = peak() - before
    return Row(
        'QPFS(measure="mi"), 40,000 rows: peak, in frames', f"{used:.0f} MB", f"{size:.0f} MB", used / size
    )


def mixed(n: int) -> pd.DataFrame:
    """Columns of every kind in turn, a twentieth of the values missing; labels of 2 to 300 categories."""
    rng = np.random.default_rng(0)
    makers = {"float32": floats, "Int64": integers, "boolean": truths, "category": categories, "text": texts}
    names = [(kind, i) for kind, number in KINDS.items() for i in range(number)]
    rng.shuffle(names)
    return pd.DataFrame({f"{kind}_{i}": makers[kind](rng, n, int(i)) for kind, i in names})


def floats(rng: np.random.Generator, n: int, i: int) -> Any:
    return np.where(gaps(rng, n), np.nan, rng.standard_normal(n)).astype(np.float32)


def integers(rng: np.random.Generator, n: int, i: int) -> Any:
    return pd.arrays.IntegerArray(rng.integers(0, 50, n), gaps(rng, n))


def truths(rng: np.random.Generator, n: int, i: int) -> Any:
    return pd.arrays.BooleanArray(rng.random(n) < 0.3, gaps(rng, n))


def categories(rng: np.random.Generator, n: int, i: int) -> Any:
    k = int(np.geomspace(2, 300, KINDS["category"])[i])
    codes = np.where(gaps(rng, n), -1, rng.integers(0, k, n))
    return pd.Categorical.from_codes(codes, [f"c{j}" for j in range(k)])


def texts(rng: np.random.Generator, n: int, i: int) -> Any:
    words = np.array([None, *(f"s{j}" for j in range(30))], object)
    return words[np.where(gaps(rng, n), 0, rng.integers(1, 31, n))]


def gaps(rng: np.random.Generator, n: int) -> Any:
    return rng.random(n) < 0.05


def classes(frame: pd.DataFrame) -> Any:
    """Two classes that some of the columns tell about."""
    noise = np.random.default_rng(1).standard_normal(len(frame))
    return (frame["float32_0"].fillna(0).to_numpy() + noise > 0).astype(int)
