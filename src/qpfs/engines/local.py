"""Engines of one computer: serial, or with threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from time import perf_counter
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from qpfs.arrays import IndexArray

Task = TypeVar("Task")
Result = TypeVar("Result")
Source = TypeVar("Source")
Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)

LITTLE = 5e-4  # seconds of work that are not shared: a waiting thread takes some hundredths of them to wake


class Held(Protocol[Item_co]):
    """Objects that stay where they were made, and are used there."""

    @property
    def items(self) -> Sequence[Item_co] | None:
        """The objects themselves; None: they are in other processes."""

    def ask(
        self,
        question: Callable[[Item_co, Any, Any], Result],
        asked: Sequence[tuple[int, Any]],
        common: Any,
        *,
        run: int = 1,
    ) -> Iterable[Result]:
        """The results of question(item, common, args) for each (number of an item, args), in their order.

        If the objects are in this process, a thread answers a run of so many one after another; 0: the
        calling thread answers all.
        """

    def inside(
        self, within: Callable[[Any], Sequence[Source]], stand_ins: Sequence[Source], bounds: IndexArray
    ) -> Sequence[Source]:
        """The parts inside of the objects, held where they are.

        `stand_ins` describe the parts in this process; `bounds` define which are inside of each object.
        """


class Engine(Protocol):
    """Applies a function to tasks; the results come back in the order of the tasks."""

    n_workers: int

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]: ...

    def hold(self, sources: Sequence[Source], make: Callable[[Source], Item]) -> Held[Item]:
        """Objects made from the sources, held where they are used."""

    def computed(self, parts: Sequence[Any], make: Callable[[int, Any], Item]) -> Held[Item]:
        """An object made from each part of a Dask collection, and its number, where the part is computed."""

    def check_room(self, here: int, held: int) -> None:
        """Raises MemoryError if so many bytes do not fit in this process, or where objects are held."""

    @property
    def here(self) -> Engine:
        """The engine for work in this process."""

    @property
    def after(self) -> Engine:
        """The engine that is used after this one is closed."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, eq=False)
class Here(Generic[Item]):
    """Objects in this process, used through an engine."""

    items: Sequence[Item]
    engine: Engine

    def ask(
        self,
        question: Callable[[Item, Any, Any], Result],
        asked: Sequence[tuple[int, Any]],
        common: Any,
        *,
        run: int = 1,
    ) -> Iterable[Result]:
        def answers(some: Sequence[tuple[int, Any]]) -> list[Result]:
            return [question(self.items[number], common, args) for number, args in some]

        if not run:
            return answers(asked)
        runs = [asked[first : first + run] for first in range(0, len(asked), run)]
        return chain.from_iterable(self.engine.map(answers, runs))

    def inside(
        self, within: Callable[[Any], Sequence[Source]], stand_ins: Sequence[Source], bounds: IndexArray
    ) -> Sequence[Source]:
        return [one for item in self.items for one in within(item)]


class Local(AbstractContextManager[Any]):
    """The base of engines of one process, where objects are held directly."""

    after: ClassVar[Engine]  # the serial one, below

    def hold(self: Engine, sources: Sequence[Source], make: Callable[[Source], Item]) -> Held[Item]:
        """Objects made from the sources: threads are woken for the others if the first takes long."""
        # Blocks take 0.02 to 0.1 ms each; of a sparse table that is adjusted for a number, 20 ms.
        begun = perf_counter()
        first = [make(source) for source in sources[:1]]
        work = (perf_counter() - begun) * (len(sources) - 1)
        rest = self.map(make, sources[1:]) if work > LITTLE else map(make, sources[1:])
        return Here([*first, *rest], self)

    def computed(self: Engine, parts: Sequence[Any], make: Callable[[int, Any], Item]) -> Held[Item]:
        def made(numbered: tuple[int, Any]) -> Item:
            number, part = numbered
            return make(number, part.compute(scheduler="synchronous"))

        return Here(list(self.map(made, enumerate(parts))), self)

    def check_room(self, here: int, held: int) -> None:
        """Checks nothing: memory of one computer is allocated when it is needed."""

    @property
    def here(self: Engine) -> Engine:
        return self


class Serial(Local):
    """The engine that runs one task after another in the calling thread."""

    n_workers = 1

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        return map(function, tasks)

    def __exit__(self, *reason: object) -> None:
        return None


Local.after = Serial()


class Threads(Local):
    """The engine that shares tasks between the calling thread and others.

    A free thread takes the next task, from the call of `map` on; the calling thread takes tasks, too, as it
    reads results, so that a thread that starts late, or has nothing to do, costs almost nothing. A single
    task runs in the calling thread: small tables have no others. Tasks may have tasks of their own shared
    out, and results need not be read: the rest is cancelled when the engine is closed.

    The other threads belong to one engine at a time; once it is closed they wait for the next. With new ones
    for each fit, whose memory is in no cache, two were 1.08 to 1.37 times as fast as one at 12,000 x 500; now
    they are 1.24 to 1.35 times as fast (three runs each).
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool: ThreadPoolExecutor | None = None
        # Tasks that nobody has taken, and who takes them; a task may have others shared, too.
        self._begun: list[tuple[deque[Any], Future[None]]] = []
        self._lock = Lock()
        self._closed = False

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        tasks = list(tasks)
        if len(tasks) < 2 and not self._closed:
            return map(function, tasks)
        results: deque[Future[Result]] = deque(Future() for _ in tasks)
        left = deque(zip(tasks, results, strict=True))

        def work() -> None:
            while pair := taken(left):
                run(function, *pair)

        with self._lock:
            if self._closed:
                raise RuntimeError("The engine is closed.")
            self._begun = [one for one in self._begun if not one[1].done()]
            for _ in range(min(self.n_workers, len(tasks)) - 1):
                self._pool = self._pool or pool_of(self.n_workers - 1)
                self._begun.append((left, self._pool.submit(work)))
        return shared(function, left, results)

    def __exit__(self, *reason: object) -> None:
        with self._lock:
            self._closed, begun = True, list(self._begun)
        # Cancelled, not forgotten: a task of another thread may wait for them.
        for left, _ in begun:
            while pair := taken(left):
                pair[1].cancel()
        wait([one for _, one in begun])
        if self._pool is not None:
            put_back(self._pool, self.n_workers - 1)


IDLE: dict[int, ThreadPoolExecutor] = {}  # a pool of no engine, by its number of threads
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=IDLE.clear)  # a fork has no other threads


def pool_of(n_threads: int) -> ThreadPoolExecutor:
    """A pool of so many threads that no other engine uses."""
    return IDLE.pop(n_threads, None) or ThreadPoolExecutor(n_threads, thread_name_prefix="qpfs")


def put_back(pool: ThreadPoolExecutor, n_threads: int) -> None:
    """Keeps a pool for the next engine, or ends it if one is kept already."""
    if IDLE.setdefault(n_threads, pool) is not pool:
        pool.shutdown(wait=False)


def shared(
    function: Callable[[Task], Result],
    left: deque[tuple[Task, Future[Result]]],
    results: deque[Future[Result]],
) -> Iterator[Result]:
    """The results in order; while waiting for one, this thread runs the remaining tasks."""
    try:
        while results:
            while not results[0].done() and (pair := taken(left)):
                run(function, *pair)
            yield results.popleft().result()
    finally:
        left.clear()


def taken(left: deque[Item]) -> Item | None:
    """Removes and returns the first remaining task; None if there is none."""
    with suppress(IndexError):
        return left.popleft()
    return None


def run(function: Callable[[Task], Result], task: Task, result: Future[Result]) -> None:
    """Runs a task; an error is raised where its result is read, an interrupt also here."""
    try:
        result.set_result(function(task))
    except BaseException as error:
        result.set_exception(error)
        if not isinstance(error, Exception):
            raise
