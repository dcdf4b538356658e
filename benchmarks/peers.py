"""Selecting 50 features against other packages.

MRMR, JMI and CMIM start from codes; HSIC Lasso, beside QPFS by ranks, from the numbers of Colon. A peer runs
in a process of its own, gets its data in the form it likes best before the clock starts, and is stopped
after LIMIT seconds. Ours starts from the array and packs it while the clock runs. Two cores for MRMR, one for
the others.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import LEVELS, codes_of, stored, synthetic
from benchmarks.machine import installed
from benchmarks.rows import Row, duration, faster
from benchmarks.timing import race, seconds
from qpfs import CMIM, JMI, MRMR, QPFS

SHAPES = [(72, 7129), (33, 48_701)]
N_SELECTED = 50
BOUND, BOUND_HSIC = 5.0, 100.0
LIMIT = 60
MEMORY = 14 << 30
ENOUGH = 3.0  # seconds after which a peer is not timed again
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "POLARS")}


@dataclass(frozen=True)
class Peer:
    """A package; `prepare` makes its input, `select` is what is timed."""

    package: str
    criterion: str
    prepare: Callable[[np.ndarray, np.ndarray], Any]
    select: Callable[[Any, int], Any]


@dataclass(frozen=True)
class Task:
    """One of our selectors, by the number of its threads, and who does the same."""

    ours: Callable[[int], Any]
    peers: dict[str, Peer]
    n_jobs: int = 1
    bound: float = BOUND


def main() -> Iterator[Row]:
    packages = {peer.package for task in TASKS.values() for peer in task.peers.values()}
    print(*(f"absent: pip install {one}" for one in sorted(packages) if not installed(one)), sep="\n")
    too_slow: set[tuple[str, str]] = set()
    for n, m in SHAPES:
        X, y = synthetic(n, m)
        codes = codes_of(X)
        yield one_core(codes, y)
        for name in ("MRMR(50)", "JMI(50)", "CMIM(50)"):
            yield from rows(name, codes, y, too_slow)
    colon = stored("colon")
    if colon is None:
        yield Row("skipped: colon.npz is not in the data folder (set QPFS_DATA)", "", bound=BOUND_HSIC)
    else:
        yield from rows("QPFS(50, measure='rank')", *colon, too_slow)


def one_core(codes: np.ndarray, y: np.ndarray) -> Row:
    make = TASKS["MRMR(50)"].ours
    one, two = race(lambda: make(1).fit(codes, y), lambda: make(2).fit(codes, y))
    return faster(f"{titled('MRMR(50)', codes)}: n_jobs=2; reference: ours with n_jobs=1", two, one)


def rows(name: str, X: np.ndarray, y: np.ndarray, too_slow: set[tuple[str, str]]) -> Iterator[Row]:
    for peer in TASKS[name].peers:
        if installed(TASKS[name].peers[peer].package):
            yield row(name, peer, X, y, too_slow)


def row(name: str, peer: str, X: np.ndarray, y: np.ndarray, too_slow: set[tuple[str, str]]) -> Row:
    """One peer at one shape, ours timed before and after it."""
    task, about = TASKS[name], TASKS[name].peers[peer]
    what = f"{titled(name, X)}; {peer} {installed(about.package)} ({about.criterion})"
    before = ours(task, X, y)
    if (name, peer) in too_slow:
        return Row(f"{what}: not run, over {LIMIT} s on less", duration(before), bound=task.bound)
    answer = outcome(name, peer, X, y)
    best = min(before, ours(task, X, y))
    if "error" in answer:
        return Row(f"{what}: {answer['error']}", duration(best), bound=task.bound)
    if answer["stopped"]:
        too_slow.add((name, peer))
        return Row(what, duration(best), f"> {LIMIT} s", LIMIT / best, task.bound)
    return faster(what, best, answer["seconds"], task.bound)


def titled(name: str, X: np.ndarray) -> str:
    return f"{name}, {X.shape[0]} x {X.shape[1]:,}"


def ours(task: Task, X: np.ndarray, y: np.ndarray) -> float:
    return race(lambda: task.ours(task.n_jobs).fit(X, y), repeats=5)[0]


def outcome(name: str, peer: str, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """`seconds` or `error` as the peer's process tells it, and whether it was `stopped`."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "data.npz"), X=X, y=y)
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.peers", name, peer, folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env=os.environ | (ONE_THREAD if TASKS[name].n_jobs == 1 else {}),
        )
        assert process.stdout is not None
        said = process.stdout.readline()  # it is warm, or it cannot run
        try:
            rest, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {"stopped": True}
    lines = (said + rest).splitlines()
    answers = [json.loads(line) for line in lines if line.startswith("{")]
    merged: dict[str, Any] = {"stopped": False}
    for answer in answers:
        merged |= answer
    return merged if len(merged) > 1 else {"error": f"ended with code {process.returncode}"}


def run(name: str, peer: str, folder: str) -> None:
    """The part that happens in the peer's process."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    about = TASKS[name].peers[peer]
    with np.load(Path(folder, "data.npz")) as data:
        X, y = data["X"], data["y"]
    try:
        with redirect_stdout(sys.stderr):  # some peers print
            about.select(about.prepare(X[:, :60], y), 3)
        print("{}", flush=True)
        with redirect_stdout(sys.stderr):
            took = least(about, X, y)
        print(json.dumps({"seconds": took}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:120]}), flush=True)


def least(peer: Peer, X: np.ndarray, y: np.ndarray) -> float:
    data = peer.prepare(X, y)
    times: list[float] = []
    start = perf_counter()
    while len(times) < 5 and (not times or perf_counter() - start < ENOUGH):
        times.append(seconds(lambda: peer.select(data, N_SELECTED)))
    return min(times)


def frame(kind: type) -> Callable[[np.ndarray, np.ndarray], Any]:
    def prepare(codes: np.ndarray, y: np.ndarray) -> Any:
        import pandas as pd

        names = [f"f{i}" for i in range(codes.shape[1])]
        return pd.DataFrame(codes.astype(kind), columns=names), pd.Series(y, name="y")

    return prepare


def polars_frame(codes: np.ndarray, y: np.ndarray) -> Any:
    import polars as pl

    columns = np.asfortranarray(codes.astype(np.float64))
    return pl.DataFrame({f"f{i}": column for i, column in enumerate(columns.T)}), pl.Series("y", y)


def arrays(codes: np.ndarray, y: np.ndarray) -> Any:
    return codes.astype(np.int64), y


def mrmrs(data: Any, k: int) -> Any:
    from mrmrs import mrmr

    return mrmr(*data, k, "classification")


def fast_select(data: Any, k: int) -> Any:
    from fast_select import mRMR

    return mRMR(n_features_to_select=k, method="MID", backend="cpu").fit(*data)


def mrmr_selection(data: Any, k: int) -> Any:
    from mrmr import mrmr_classif

    return mrmr_classif(*data, k, n_jobs=1, show_progress=False)  # quicker here than over processes


def feature_engine(data: Any, k: int) -> Any:
    from feature_engine import selection

    return selection.MRMR(method="FCQ", max_features=k, regression=False).fit(*data)


def scikit_feature(data: Any, k: int) -> Any:
    mrmr = import_module("skfeature.function.information_theoretical_based.MRMR").mrmr
    return mrmr(*data, mode="index", n_selected_features=k)


def scikit_feature_by(name: str) -> Callable[[Any, int], Any]:
    """JMI or CMIM."""

    def select(data: Any, k: int) -> Any:
        module = import_module(f"skfeature.function.information_theoretical_based.{name}")
        return getattr(module, name.lower())(*data, mode="index", n_selected_features=k)

    return select


def itmo_by(name: str) -> Callable[[Any, int], Any]:
    def select(data: Any, k: int) -> Any:
        from ITMO_FS.filters.multivariate import MultivariateFilter

        return MultivariateFilter(name, k).fit(*data)

    return select


def hsic_lasso(data: Any, k: int) -> Any:
    """At its defaults: blocks of 20 samples, permuted three times."""
    from pyHSICLasso import HSICLasso

    lasso = HSICLasso()
    lasso.input(*data)
    lasso.classification(k, n_jobs=1)
    return lasso.get_index()


def numbers(X: np.ndarray, y: np.ndarray) -> Any:
    return X.astype(np.float64), y


MRMR_PEERS = {
    "mrmrs": Peer("mrmrs", "F test over correlation", polars_frame, mrmrs),
    "fast-select": Peer("fast-select", "difference of mutual information", arrays, fast_select),
    "mrmr_selection": Peer("mrmr_selection", "F test over correlation", frame(float), mrmr_selection),
    "feature-engine": Peer("feature-engine", "F test over correlation", frame(float), feature_engine),
    "scikit-feature": Peer("skfeature-gli", "difference of mutual information", arrays, scikit_feature),
}


def greedy_peers(name: str) -> dict[str, Peer]:
    """Those that have JMI and CMIM."""
    return {
        "scikit-feature": Peer("skfeature-gli", name, arrays, scikit_feature_by(name)),
        "ITMO_FS": Peer("ITMO_FS", name, arrays, itmo_by(name)),
    }


THREE = LEVELS["discretizer"]
TASKS = {
    "MRMR(50)": Task(lambda n_jobs: MRMR(N_SELECTED, **LEVELS, n_jobs=n_jobs), MRMR_PEERS, 2),
    "JMI(50)": Task(lambda n_jobs: JMI(N_SELECTED, discretizer=THREE, n_jobs=n_jobs), greedy_peers("JMI")),
    "CMIM(50)": Task(lambda n_jobs: CMIM(N_SELECTED, discretizer=THREE, n_jobs=n_jobs), greedy_peers("CMIM")),
    "QPFS(50, measure='rank')": Task(
        lambda n_jobs: QPFS(N_SELECTED, measure="rank", n_jobs=n_jobs),
        {"pyHSICLasso": Peer("pyHSICLasso", "HSIC Lasso", numbers, hsic_lasso)},
        bound=BOUND_HSIC,
    ),
}

if __name__ == "__main__":
    run(*sys.argv[1:])
