"""MRMR(50) from codes against other packages, on two cores.

A peer runs in a process of its own, gets its data in the form it likes best before the clock starts, and is
stopped after LIMIT seconds. Ours starts from the array of codes and packs it while the clock runs.
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
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.datasets import LEVELS, codes_of, synthetic
from benchmarks.machine import installed
from benchmarks.rows import Row, duration, faster
from benchmarks.timing import race, seconds
from qpfs import MRMR

SHAPES = [(72, 7129), (33, 48_701)]
N_SELECTED = 50
BOUND = 5.0
LIMIT = 60
MEMORY = 14 << 30
ENOUGH = 3.0  # seconds after which a peer is not timed again


@dataclass(frozen=True)
class Peer:
    """A package; `prepare` makes its input, `select` is what is timed."""

    package: str
    criterion: str
    prepare: Callable[[np.ndarray, np.ndarray], Any]
    select: Callable[[Any, int], Any]


def main() -> list[Row]:
    here = {name: peer for name, peer in PEERS.items() if installed(peer.package)}
    for name in PEERS.keys() - here.keys():
        print(f"absent: {name} (pip install {PEERS[name].package})")
    too_slow: set[str] = set()
    rows = []
    for n, m in SHAPES:
        X, y = synthetic(n, m)
        codes = codes_of(X)
        rows.append(one_core(codes, y))
        for name in here:
            rows.append(row(name, codes, y, too_slow))
    return rows


def one_core(codes: np.ndarray, y: np.ndarray) -> Row:
    one, two = race(
        lambda: MRMR(N_SELECTED, **LEVELS, n_jobs=1).fit(codes, y),
        lambda: MRMR(N_SELECTED, **LEVELS, n_jobs=2).fit(codes, y),
    )
    return faster(f"{task(codes)}: n_jobs=2; reference: ours with n_jobs=1", two, one)


def row(name: str, codes: np.ndarray, y: np.ndarray, too_slow: set[str]) -> Row:
    """One peer at one shape, ours timed before and after it."""
    peer = PEERS[name]
    what = f"{task(codes)}; {name} {installed(peer.package)} ({peer.criterion})"
    before = ours(codes, y)
    if name in too_slow:
        return Row(f"{what}: not run, over {LIMIT} s on less", duration(before), bound=BOUND)
    answer = outcome(name, codes, y)
    best = min(before, ours(codes, y))
    if "error" in answer:
        return Row(f"{what}: {answer['error']}", duration(best), bound=BOUND)
    if answer["stopped"]:
        too_slow.add(name)
        return Row(what, duration(best), f"> {LIMIT} s", LIMIT / best, BOUND)
    return faster(what, best, answer["seconds"], BOUND)


def task(codes: np.ndarray) -> str:
    return f"MRMR({N_SELECTED}), {codes.shape[0]} x {codes.shape[1]:,}"


def ours(codes: np.ndarray, y: np.ndarray) -> float:
    return race(lambda: MRMR(N_SELECTED, **LEVELS, n_jobs=2).fit(codes, y), repeats=5)[0]


def outcome(name: str, codes: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """`seconds` or `error` as the peer's process tells it, and whether it was `stopped`."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "data.npz"), codes=codes, y=y)
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.peers", name, folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
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


def run(name: str, folder: str) -> None:
    """The part that happens in the peer's process."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    peer = PEERS[name]
    with np.load(Path(folder, "data.npz")) as data:
        codes, y = data["codes"].astype(np.int64), data["y"]
    try:
        peer.select(peer.prepare(codes[:, :60], y), 3)
        print("{}", flush=True)
        print(json.dumps({"seconds": least(peer, codes, y)}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:120]}), flush=True)


def least(peer: Peer, codes: np.ndarray, y: np.ndarray) -> float:
    data = peer.prepare(codes, y)
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
    return codes, y


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


PEERS = {
    "mrmrs": Peer("mrmrs", "F test over correlation", polars_frame, mrmrs),
    "fast-select": Peer("fast-select", "difference of mutual information", arrays, fast_select),
    "mrmr_selection": Peer("mrmr_selection", "F test over correlation", frame(float), mrmr_selection),
    "feature-engine": Peer("feature-engine", "F test over correlation", frame(float), feature_engine),
    "scikit-feature": Peer("skfeature-gli", "difference of mutual information", arrays, scikit_feature),
}

if __name__ == "__main__":
    run(*sys.argv[1:])
