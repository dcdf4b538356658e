"""Peak memory of a fit above its input, measured in a process of its own."""

from __future__ import annotations

import contextlib
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

STATUS = Path("/proc/self/status")


def peak_above_input(selector: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "selector.pickle").write_bytes(pickle.dumps(selector))
        np.save(Path(folder, "X.npy"), X)
        np.save(Path(folder, "y.npy"), y)
        command = [sys.executable, "-m", "benchmarks.memory", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def measured(folder: Path) -> float:
    """Megabytes by which a fit raises the peak, once everything is imported, compiled and read."""
    selector = pickle.loads((folder / "selector.pickle").read_bytes())
    selector.fit(np.random.default_rng(0).standard_normal((33, 50)), np.arange(33) % 2)
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    forget_peak()
    before = held()
    selector.fit(X, y)
    return peak() - before


def forget_peak() -> None:
    """Peaks of the set-up are no longer counted, where the system can do that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def held() -> float:
    """The megabytes this process holds now."""
    return status("VmRSS") if STATUS.exists() else peak()


def peak() -> float:
    """The most megabytes this process has held.

    The process's own status, for what getrusage tells on Linux includes the parent's size at the start.
    """
    if STATUS.exists():
        return status("VmHWM")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def status(field: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 2**10


if __name__ == "__main__":
    print(measured(Path(sys.argv[1])))
