"""One record for each set, fold and method, on disk as soon as it is known; none is made twice."""

from __future__ import annotations

import json
import signal
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.study.methods import Method
from benchmarks.study.sets import N_FOLDS, Half, half
from qpfs.files import write_whole

FOLDER = Path(__file__).parents[1] / "results" / "study"
LENGTHS = (5, 10, 20, 50)
PATIENCE = 300  # seconds of the processor for one selection
FIRST = 2  # folds that are done for all methods before any more are

Task = tuple[str, int, Method]


class OverTimeError(Exception):
    """A selection has taken more than the patience there is."""


def plan(sets: Iterable[str], methods: Iterable[Method]) -> Iterator[Task]:
    """All work, in an order that keeps what is there balanced.

    First a few folds of the headline, then of the variants, then the other folds; in a fold the cheap methods
    first, of all sets.
    """
    sets, methods = list(sets), list(methods)
    headline = [one for one in methods if one.headline]
    others = [one for one in methods if not one.headline]
    stages = [(headline, range(FIRST)), (others, range(FIRST)), (methods, range(FIRST, N_FOLDS))]
    for some, folds in stages:
        for fold in folds:
            for cost in sorted({one.cost for one in some}):
                for name in sets:
                    yield from ((name, fold, one) for one in some if one.cost == cost)


def path_of(name: str, fold: int, method: str, folder: Path = FOLDER) -> Path:
    return folder / name / f"{fold} {method}.json"


def run(tasks: Iterable[Task], folder: Path = FOLDER, patience: float = PATIENCE) -> Iterator[dict[str, Any]]:
    """Does what is not on record yet, and yields the new records."""
    open_: tuple[str, int] | None = None
    data: Half | None = None
    for name, fold, method in tasks:
        path = path_of(name, fold, method.name, folder)
        if path.exists():
            continue
        if open_ != (name, fold) or data is None:
            open_, data = (name, fold), half(name, fold)
        record = {"set": name, "fold": fold, "method": method.name} | measured(
            data, method, patience, was_slow(name, method.name, folder)
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(record) + "\n")
        yield record


def was_slow(name: str, method: str, folder: Path) -> bool:
    """Whether a method has lost patience on another fold of a set; it is not tried again."""
    paths = (path_of(name, fold, method, folder) for fold in range(N_FOLDS))
    return any("too_slow" in json.loads(path.read_text()) for path in paths if path.exists())


def measured(data: Half, method: Method, patience: float, slow: bool) -> dict[str, Any]:
    """The order, its errors and the seconds; or why there are none."""
    if slow:
        return {"too_slow": patience, "tried": False}
    start = time.process_time()  # of this process, so that others on the machine do not count
    try:
        with at_most(patience), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            order = method.order(data.X, data.y)
    except OverTimeError:
        return {"too_slow": patience, "tried": True}
    except Exception as error:  # a rival that refuses a set is on record, too
        return {"failed": f"{type(error).__name__}: {error}"[:300]}
    seconds = time.process_time() - start
    if seconds > patience:
        return {"too_slow": patience, "tried": True, "seconds": seconds}
    listed = [int(one) for one in order]
    return {"order": listed, "seconds": seconds, "errors": errors(data, listed)}


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises OverTimeError after so many seconds of this process's own time, as soon as Python has a say."""

    def stop(number: int, frame: Any) -> None:
        raise OverTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def errors(data: Half, order: list[int]) -> dict[str, dict[str, float]]:
    """The share of test rows that are wrong, by classifier and number of features.

    Lengths beyond the number of features are left out; a method that ranks fewer is judged by all it has.
    """
    found: dict[str, dict[str, float]] = {"svm": {}, "knn": {}}
    scaler = StandardScaler().fit(np.asarray(data.X[:, order], np.float64))
    X, X_test = (scaler.transform(np.asarray(one[:, order], np.float64)) for one in (data.X, data.X_test))
    for k in LENGTHS:
        if k > data.X.shape[1]:
            continue
        for classifier, model in classifiers():
            if k > len(order) and len(found[classifier]) and usable(k, order) in map(int, found[classifier]):
                found[classifier][str(k)] = found[classifier][str(usable(k, order))]
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                predicted = model.fit(X[:, :k], data.y).predict(X_test[:, :k])
            found[classifier][str(k)] = float(np.mean(predicted != data.y_test))
    return found


def usable(k: int, order: list[int]) -> int:
    return min(k, len(order))


def classifiers() -> list[tuple[str, Any]]:
    return [("svm", LinearSVC(C=0.1, random_state=0, max_iter=5000)), ("knn", KNeighborsClassifier(5))]
