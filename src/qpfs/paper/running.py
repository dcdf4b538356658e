"""Tasks carried out: side by side, each on record once it is done, none done twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib

from qpfs.evaluation import Records
from qpfs.evaluation.measuring import MeasuringError, measured
from qpfs.paper.methods import COMPARED
from qpfs.paper.plan import Plain
from qpfs.paper.sets import table_of
from qpfs.paper.work import done

# Called with the number of tasks done, their number in all, seconds left, and the name of the last one.
Tick = Callable[[int, int, float, str], None]
REPEATS, LONG = 3, 600.0  # fits that the time is the median of; seconds after which one is given up


class TaskProgress:
    """How far a list of tasks is, and how long the rest will take by what the like of it took."""

    def __init__(self, n_known: int, tasks: Sequence[Plain], n_jobs: int, tick: Tick | None) -> None:
        self.n_done, self.n_all = n_known, n_known + len(tasks)
        self.n_jobs, self.tick = joblib.effective_n_jobs(n_jobs), tick  # -1 is all cores
        self.left: dict[str, int] = defaultdict(int)
        self.took: dict[str, list[float]] = defaultdict(list)
        for task in tasks:
            self.left[kind(task)] += 1

    def advance(self, task: Plain, seconds: float) -> None:
        """One task more is done."""
        self.n_done += 1
        self.left[kind(task)] -= 1
        self.took[kind(task)].append(seconds)
        if self.tick is not None:
            self.tick(self.n_done, self.n_all, self.seconds_left(), name(task))

    def seconds_left(self) -> float:
        """By the mean of tasks of the same kind, or where none is done yet of all."""
        every = [seconds for some in self.took.values() for seconds in some]
        usual = sum(every) / len(every)
        known = {key: sum(some) / len(some) for key, some in self.took.items()}
        return sum(n * known.get(key, usual) for key, n in self.left.items()) / self.n_jobs


def kind(task: Plain) -> str:
    """What tasks of about the same length have in common."""
    return f"{task['task']}/{task['set']}/{task.get('method', '')}"


def name(task: Plain) -> str:
    """A task as a person would call it."""
    return ", ".join(filter(None, (task["task"], task["set"], task.get("method", ""))))


def carry_out(
    tasks: Sequence[Plain], path: Path, folder: Path | None, n_jobs: int, tick: Tick | None
) -> None:
    """Has every task on record that is not there yet."""
    with Records(path) as records:
        missing = [task for task in unique(tasks) if records.get(task) is None]
        progress = TaskProgress(len(unique(tasks)) - len(missing), missing, n_jobs, tick)
        pool = joblib.Parallel(n_jobs, batch_size=1, return_as="generator")
        finished = pool(joblib.delayed(timed)(task, folder) for task in missing)
        for task, (outcome, seconds) in zip(missing, finished, strict=True):
            records.add(task, outcome)
            progress.advance(task, seconds)


def unique(tasks: Sequence[Plain]) -> list[Plain]:
    """Each task once, in the order of the first."""
    return list({repr(sorted(task.items())): task for task in tasks}.values())


def timed(task: Plain, folder: Path | None) -> tuple[Plain, float]:
    """The outcome of a task, and the seconds it took."""
    start = perf_counter()
    return done(task, folder), perf_counter() - start


def measure_costs(tasks: Sequence[Plain], path: Path, folder: Path | None, tick: Tick | None) -> None:
    """Has time and memory on record: measured one after another, each in a process of its own."""
    with Records(path) as records:
        missing = [task for task in tasks if records.get(task) is None]
        progress = TaskProgress(len(tasks) - len(missing), missing, 1, tick)
        for task in missing:
            start = perf_counter()
            records.add(task, cost(task, folder))
            progress.advance(task, perf_counter() - start)


def cost(task: Plain, folder: Path | None) -> dict[str, Any]:
    """Seconds and megabytes of one selection, or why there are none."""
    table = table_of(task["set"], folder)
    selector = COMPARED[task["method"]].made(task["parameters"], table.n_features)
    try:
        found = measured(selector, table.scaled, table.y, repeats=REPEATS, timeout=LONG)
    except MeasuringError as error:
        return {"seconds": None, "megabytes": None, "why": str(error)}
    return {"seconds": found.seconds, "megabytes": found.megabytes, "why": ""}
