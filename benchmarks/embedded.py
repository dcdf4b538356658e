"""FGM and GDM beside the figures of Prasad and Biswas (2015) and beside what scikit-learn offers instead.

Seconds are those of one selection, errors those of a linear SVM (LinearSVC, C = 1) trained on the top k
features, with all of it, the scaling to [-1, 1] included, inside each split: leave-one-out for the
microarrays, 60 / 40 for usps (10 splits here, 100 there), the official split for mnist38. The published
seconds are from another machine, and the published errors of these two methods from models of their own,
tuned as their authors say.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from reproduction import published
from reproduction.published import TOPS
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import LeaveOneOut, StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.datasets import is_train, stored
from benchmarks.rows import Row, duration, faster, limited
from benchmarks.timing import Job, race, seconds
from qpfs import FGM, GDM
from qpfs.evaluation.measuring import forget_peak, held, peak

SETS = ("colon", "leukemia", "usps", "mnist38")
MACHINE = "Intel Core i7 3.10 GHz, 8 GB"
METHODS = ("FGM", "GDM")
PAPER_SECONDS = {
    name: {one: published.SECONDS[one][list(published.METHODS).index(name.lower())] for one in SETS}
    for name in METHODS
}
PAPER_ERRORS = {name: {one: published.ERRORS[one][name.lower()] for one in SETS} for name in METHODS}
# Least ratios, well below what was seen; none against L1 on the microarrays, where it is as quick or quicker.
OVER_L1 = {"usps": 2.0, "mnist38": 10.0}
OVER_RFE = {"colon": 1.0, "leukemia": 1.0, "usps": 1.0, "mnist38": 5.0}
SPARSE_SHAPE = (6_000, 1_000_000)
PER_ROW = (100, 1_000)  # non-zeros
MEGABYTES, BYTES = 300.0, 40.0

Ranking = Callable[[np.ndarray, np.ndarray], np.ndarray]


def main() -> list[Row]:
    warnings.simplefilter("ignore", ConvergenceWarning)  # the rivals, at their own defaults
    with threadpool_limits(2):
        here = [name for name in SETS if stored(name) is not None]
        for name in set(SETS) - set(here):
            print(f"skipped: {name}.npz is not in the data folder (set QPFS_DATA)")
        times = [row for name in here for row in time_rows(name)]
        errors = [row for name in here for row in error_rows(name)]
        return [*times, *errors, *sparse_rows()]


def time_rows(name: str) -> list[Row]:
    """Ours in turns with each rival, on the training part, scaled beforehand."""
    X, y = training_part(name)
    fgm, gdm = race(lambda: FGM(100).fit(X, y), lambda: GDM(100).fit(X, y), repeats=5)
    l1, rfe = (least(lambda job=job: job(X, y)) for job in (by_l1, by_rfe))
    again = race(lambda: FGM(100).fit(X, y), repeats=3)[0]
    ours = min(fgm, again)
    shape = f"{name} {X.shape[0]} x {X.shape[1]}"
    return [
        Row(f"FGM().fit, {shape}; reference: the paper's, {MACHINE}", duration(ours), published("FGM", name)),
        Row(f"GDM().fit, {shape}; reference: the paper's, {MACHINE}", duration(gdm), published("GDM", name)),
        faster(f"FGM().fit, {shape}; SelectFromModel(L1 LinearSVC)", ours, l1, OVER_L1.get(name)),
        faster(f"FGM().fit, {shape}; RFE(LinearSVC, 100, step=0.5)", ours, rfe, OVER_RFE[name]),
    ]


def least(job: Job) -> float:
    """The least seconds of five runs, or of one where that takes long."""
    first = seconds(job)
    return first if first > 1.0 else min(first, *(seconds(job) for _ in range(4)))


def published(method: str, name: str) -> str:
    return f"{PAPER_SECONDS[method][name]:.2f} s"


def training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = data(name)
    if name == "mnist38":
        X, y = X[is_train(name)], y[is_train(name)]
    return MinMaxScaler((-1, 1)).fit_transform(X), y


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    found = stored(name)
    assert found is not None
    return found[0].astype(np.float64), found[1]


def by_fgm(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return FGM().fit(X, y).order_


def by_gdm(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return GDM().fit(X, y).order_


def by_l1(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Features by the weight that an L1 penalty leaves them, then by index."""
    svm = LinearSVC(penalty="l1", dual=False, random_state=0)
    fitted = SelectFromModel(svm, threshold=1e-5).fit(X, y).estimator_
    return np.argsort(-np.abs(fitted.coef_[0]), kind="stable")


def by_rfe(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Half of the features dropped at a time, down to 100; these by the weight of the last model."""
    n = min(100, X.shape[1])
    fitted = RFE(LinearSVC(random_state=0), n_features_to_select=n, step=0.5).fit(X, y)
    weight = np.zeros(X.shape[1])
    weight[fitted.support_] = np.abs(fitted.estimator_.coef_[0])
    return np.lexsort((-weight, fitted.ranking_))


METHODS: dict[str, Ranking] = {
    "FGM": by_fgm,
    "GDM": by_gdm,
    "L1 LinearSVC": by_l1,
    "RFE(LinearSVC)": by_rfe,
}


def error_rows(name: str) -> list[Row]:
    X, y = data(name)
    tops = ", ".join(map(str, TOPS))
    what = f"error %, {name}, top {tops}"
    rows = []
    for method, rank in METHODS.items():
        wrong = errors(X, y, list(splits(name, X, y)), rank)
        paper = PAPER_ERRORS.get(method, {}).get(name)
        rows.append(Row(f"{what}: {method}", listed(wrong), f"paper: {listed(paper)}" if paper else ""))
    return rows


def listed(percent: Iterable[float]) -> str:
    return " ".join(f"{one:.1f}" for one in percent)


def splits(name: str, X: np.ndarray, y: np.ndarray) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    if name == "mnist38":
        train = is_train(name)
        return [(np.flatnonzero(train), np.flatnonzero(~train))]
    if name == "usps":
        return StratifiedShuffleSplit(10, train_size=0.6, random_state=0).split(X, y)
    return LeaveOneOut().split(X)


def errors(X: np.ndarray, y: np.ndarray, parts: list[Any], rank: Ranking) -> np.ndarray:
    """Percent wrong at each of TOPS, the mean over the splits."""
    wrong = np.zeros((len(parts), len(TOPS)))
    for i, (train, test) in enumerate(parts):
        scaler = MinMaxScaler((-1, 1)).fit(X[train])
        inside, outside = scaler.transform(X[train]), scaler.transform(X[test])
        order = rank(inside, y[train])
        for j, k in enumerate(TOPS):
            top = order[:k]
            svm = LinearSVC(dual=False, random_state=0).fit(inside[:, top], y[train])
            wrong[i, j] = (svm.predict(outside[:, top]) != y[test]).mean()
    return 100 * wrong.mean(axis=0)


def sparse_rows() -> list[Row]:
    """Time and memory at a million features; what one more non-zero costs."""
    n, m = SPARSE_SHAPE
    tables = [sparse_table(per_row) for per_row in PER_ROW]
    few, many = (peak_above_input(X, y) for X, y in tables)
    X, y = tables[0]
    took = race(lambda: FGM(50).fit(X, y), repeats=3)[0]
    each = 2**20 * (many - few) / (tables[1][0].nnz - X.nnz)
    what = f"FGM().fit, sparse {n:,} x {m:,}"
    dense = f"{8 * n * m / 2**20:,.0f} MB as an array"
    return [
        Row(f"{what}, {X.nnz:,} non-zeros", duration(took)),
        limited(
            f"{what}, {X.nnz:,} non-zeros: peak memory above the input, MB",
            few,
            MEGABYTES,
            f"{few:.0f} MB",
            dense,
        ),
        limited(f"{what}: bytes for each further non-zero", each, BYTES, f"{each:.1f}"),
    ]


def sparse_table(per_row: int) -> tuple[Any, np.ndarray]:
    """Non-zeros strewn at random, and 50 columns of a twentieth each that are larger in one class."""
    n, m = SPARSE_SHAPE
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    strewn = rng.integers(50, m, n * per_row, dtype=np.int32)
    X = sparse.csr_array(
        (rng.random(n * per_row), strewn, np.arange(0, n * per_row + 1, per_row)), shape=(n, m)
    )
    X.sum_duplicates()
    said = sparse.random_array((n, 50), density=0.05, rng=rng, format="csr").multiply(
        np.where(y, 1.0, 0.3)[:, None]
    )
    return sparse.csr_array(sparse.hstack((said, X[:, 50:]))), y


def peak_above_input(X: Any, y: np.ndarray) -> float:
    """Megabytes, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        sparse.save_npz(Path(folder, "X.npz"), X)
        np.save(Path(folder, "y.npy"), y)
        command = [sys.executable, "-m", "benchmarks.embedded", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def measured(folder: Path) -> float:
    """Megabytes by which a fit raises the peak, once everything is imported, compiled and read."""
    rng = np.random.default_rng(0)
    selector = FGM(5).fit(sparse.random_array((50, 30), density=0.3, rng=rng), np.arange(50) % 2)
    X, y = sparse.load_npz(folder / "X.npz"), np.load(folder / "y.npy")
    forget_peak()
    before = held()
    selector.set_params(n_features_to_select=50).fit(X, y)
    return peak() - before


if __name__ == "__main__":
    print(measured(Path(sys.argv[1])))
