"""One column of mutual information against all features, one core on each side."""

from __future__ import annotations

from collections import deque

import numpy as np
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

from benchmarks.datasets import codes_of, synthetic
from benchmarks.reference import Dropped, Logarithms, OneHot, Single
from benchmarks.rows import Row, denser, limited, rate
from benchmarks.timing import cpu_race
from qpfs.codes import AsCodes, columns_of, encode
from qpfs.information import FeatureTable, MutualInformation

SHAPES = {(64, 48_701): 8.0, (12_000, 784): 8.0}
SINGLE_RATIO = 2.0  # of the rate of many columns at a time over that of one
BLOCK = 128  # columns asked of the reference at a time: its best
FEW = 32  # columns asked of the reference one by one: it takes 13 ms for each of 12,000 samples

TOLERANCE = 1e-12


def main() -> list[Row]:
    with threadpool_limits(1):
        return [row for shape, bound in SHAPES.items() for row in rows(*shape, bound)]


def rows(n: int, m: int, bound: float) -> list[Row]:
    codes = codes_of(synthetic(n, m)[0])
    table, plain = ready(codes), OneHot(codes)
    check(codes, table, plain)
    block = min(BLOCK, m)
    many, few = np.arange(block), range(FEW)
    one, all_, plain_one, plain_all = cpu_race(
        lambda: deque((table.rows(np.array([j])) for j in range(block)), maxlen=0),
        lambda: table.rows(many),
        lambda: [plain.columns(slice(j, j + 1), width=8192) for j in few],
        lambda: plain.columns(slice(0, block)),
        repeats=7,
    )
    one, plain_one = block * m / one, FEW * m / plain_one
    all_, plain_all = block * m / all_, block * m / plain_all
    shape = f"MI, N={n:,} M={m:,}, one core"
    return [
        denser(f"{shape}: one column on both sides", one, plain_one, bound),
        denser(f"{shape}: {block} columns at a time on both sides", all_, plain_all, bound),
        limited(
            f"{shape}: {block} columns at a time over one", all_ / one, SINGLE_RATIO, rate(all_), rate(one)
        ),
        denser(f"{shape}: one column; reference {block} at a time", one, plain_all),
        *other_forms(codes, all_, shape, block),
    ]


def other_forms(codes: np.ndarray, ours: float, shape: str, block: int) -> list[Row]:
    """Further ways to write the reference, for orientation."""
    forms = {
        "the reference in float32, good to 1e-5": Single(codes),
        "the reference with logarithms in place of a table": Logarithms(codes),
        "the reference in float32, without products for level 0": Dropped(codes),
    }
    jobs = [lambda form=form: form.columns(slice(0, block)) for form in forms.values()]
    times = cpu_race(*jobs, repeats=3)
    pairs = block * codes.shape[1]
    return [denser(f"{shape}: {name}", ours, pairs / time) for name, time in zip(forms, times, strict=True)]


def ready(codes: np.ndarray) -> FeatureTable:
    store, _ = encode(columns_of(codes), AsCodes())
    return FeatureTable(store, MutualInformation().on(len(codes)))


def check(codes: np.ndarray, table: FeatureTable, plain: OneHot) -> None:
    """Both sides against the definition, on a few pairs."""
    for i, j in ((0, 1), (3, 3), (5, 700), (11, 42)):
        truth = mutual_info_score(codes[:, i], codes[:, j])
        ours = table.between(np.array([i]), np.array([j]))[0, 0]
        theirs = plain.block(slice(i, i + 1), slice(j, j + 1))[0, 0]
        if abs(ours - truth) > 1e-12 or abs(theirs - truth) > TOLERANCE:
            raise AssertionError(f"I({i}; {j}) is {truth}: ours {ours}, reference {theirs}")
