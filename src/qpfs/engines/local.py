"""Engines of one machine: in turn, or over threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Protocol, Self, TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")


class Engine(Protocol):
    """Applies a function to tasks; the results come back in the order of the tasks."""

    n_workers: int

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Serial:
    """One task after another, in the calling thread."""

    n_workers = 1

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        return map(function, tasks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        return None


class Threads:
    """Tasks over a pool of threads."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool = ThreadPoolExecutor(n_workers, thread_name_prefix="qpfs")

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        return self._pool.map(function, tasks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self._pool.shutdown(cancel_futures=True)


def engine_for(n_jobs: int | None) -> Engine:
    """The engine that scikit-learn's `n_jobs` asks for."""
    n_workers = effective_n_jobs(n_jobs)
    return Serial() if n_workers == 1 else Threads(n_workers)
