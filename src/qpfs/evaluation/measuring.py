"""Time and peak memory of a fit, in a separate process.

The process is a new Python, so that earlier work does not count. It reads the data, fits the selector to some
columns of them, so that imports and compilation do not count either, and then measures the fit: its seconds,
and the peak memory of the process above its memory with the data read.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from qpfs.checks import checked_count
from qpfs.codes import some_columns
from qpfs.compiled import clock, compiled_at_once
from qpfs.evaluation.named_methods import checked_selector
from qpfs.evaluation.parameter_texts import documented
from qpfs.evaluation.sample import sample_of
from qpfs.memory import held_by_process, peak_of_process

STATUS = Path("/proc/self/status")
WARM_UP = 200  # columns


class MeasuringError(RuntimeError):
    """The fit that was to be measured did not finish."""


@dataclass(frozen=True)
class Cost:
    """The cost of a fit.

    Attributes
    ----------
    seconds : float
        The median over the repeats.
    megabytes : float
        The peak memory during the first repeat, above that with the data read.
    """

    seconds: float
    megabytes: float


@documented
def measured(
    selector: Any,
    X: Any,
    y: Any,
    *,
    covariates: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    repeats: int = 1,
    timeout: float | None = None,
) -> Cost:
    """The time and the peak memory of a fit, measured in a separate process.

    Parameters
    ----------
    selector : object or str
        An object with `fit(X, y)`, or a method of the command by its name.
    {X}
    {one_y}
    covariates : array-like or data frame of shape (n_samples,) or (n_samples, c), or None, default=None
        What the selector adjusts for, as in its `fit`; ignored by a selector that does not.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weights of samples; ignored by a selector that does not take them.
    groups : array-like of shape (n_samples,) or None, default=None
        Which samples belong together; ignored by a selector that does not take them.
    repeats : int, default=1
        The number of fits; the time is their median.
    timeout : float or None, default=None
        Seconds after which the process is ended, including its start and all fits.

    Returns
    -------
    cost : Cost
        Seconds and megabytes.

    Raises
    ------
    MeasuringError
        If the fit fails, takes longer than `timeout`, or its process is killed, as when memory runs out.

    See Also
    --------
    compare : Errors of several methods, with the seconds of their fits.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS
    >>> from qpfs.evaluation import measured
    >>> cost = measured(QPFS(), *load_breast_cancer(return_X_y=True))
    >>> cost.seconds > 0 and cost.megabytes >= 0
    True
    """
    selector = checked_selector(selector, X)
    checked_count("repeats", repeats, 1)
    sample = sample_of(X, y, groups, covariates, sample_weight)
    name = type(selector).__name__
    with tempfile.TemporaryDirectory(prefix="qpfs-") as folder:
        Path(folder, "selector").write_bytes(packed(sample.prepared(selector), repeats))
        joblib.dump((sample.X, sample.y, sample.given_to(selector)), Path(folder, "data"))
        return cost(Path(folder), name, timeout)


def packed(selector: Any, repeats: int) -> bytes:
    """A pickled selector; raises MeasuringError for one that another process cannot import."""
    try:
        if type(selector).__module__ == "__main__":
            raise pickle.PicklingError("its class is defined in the script that runs")
        return pickle.dumps((selector, repeats))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise MeasuringError(
            f"{type(selector).__name__} cannot be passed to another process ({error}); define its class "
            "in a module that can be imported."
        ) from error


def cost(folder: Path, name: str, timeout: float | None) -> Cost:
    """The cost that a process measures in a folder."""
    code = f"from qpfs.evaluation.measuring import measure; measure({str(folder)!r})"
    # -P: the current folder, which may hold untrusted files, is searched only if it is here, too
    command = [sys.executable, "-P", "-W", "ignore", "-c", code]
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(one or str(Path.cwd()) for one in sys.path)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=there, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MeasuringError(f"{name} did not finish within {timeout:g} s.") from error
    found = folder / "found.json"
    if done.returncode != 0 or not found.exists():
        raise MeasuringError(f"{name} {why(done.returncode, done.stderr)}")
    return Cost(**json.loads(found.read_text(encoding="utf-8")))


def why(code: int, said: str) -> str:
    """How a process that failed has ended."""
    if code == -9:  # SIGKILL, which not every system has a name for
        return "was killed by the system, most likely because memory ran out."
    if code < 0:
        return f"was ended by the signal {signal.Signals(-code).name}."
    last = said.strip().splitlines()[-1:] or ["no message"]
    return f"could not be measured: {last[0]}"


def measure(folder: str) -> None:
    """Measures the fit that is described in a folder, and writes the result there."""
    try:
        selector, repeats = pickle.loads(Path(folder, "selector").read_bytes())
        X, y, known = joblib.load(Path(folder, "data"))
        with compiled_at_once():
            warm_up(selector, X, y, known)
            found = fits(selector, X, y, known, repeats)
    except Exception as error:
        traceback.print_exc()
        sys.exit(f"{type(error).__name__}: {error}")
    Path(folder, "found.json").write_text(json.dumps(found), encoding="utf-8")


def fits(selector: Any, X: Any, y: Any, known: dict[str, Any], repeats: int) -> dict[str, float]:
    """The median time of some fits, and the memory that the first took."""
    forget_peak()
    before = held()
    seconds = [timed(selector, X, y, known)]
    megabytes = max(peak() - before, 0.0)
    seconds += [timed(selector, X, y, known) for _ in range(repeats - 1)]
    return {"seconds": median(seconds), "megabytes": megabytes}


def timed(selector: Any, X: Any, y: Any, known: dict[str, Any]) -> float:
    """The seconds of a fit."""
    fresh = clone(selector) if hasattr(selector, "get_params") else selector
    start = clock()
    fresh.fit(X, y, **known)
    return clock() - start


def warm_up(selector: Any, X: Any, y: Any, known: dict[str, Any]) -> None:
    """Imports and compiles everything: by a fit to some columns, or if that fails to all."""
    n = X.shape[1]
    some = tuple(np.unique(np.linspace(0, n - 1, min(n, WARM_UP)).astype(int)).tolist())
    with contextlib.suppress(Exception):
        timed(selector, some_columns(X, some), y, known)
        return
    timed(selector, X, y, known)


def forget_peak() -> None:
    """Resets the peak memory, if the system can do that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def held() -> float:
    """The megabytes that this process uses now."""
    return status("VmRSS") if STATUS.exists() else held_by_process() / 2**20


def peak() -> float:
    """The peak memory of this process in megabytes."""
    # On Linux from its own status, since getrusage there includes the size of the parent at the start.
    return status("VmHWM") if STATUS.exists() else peak_of_process() / 2**20


def status(field: str) -> float:
    line = next(line for line in STATUS.read_text(encoding="utf-8").splitlines() if line.startswith(field))
    return int(line.split()[1]) / 2**10
