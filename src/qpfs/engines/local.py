"""Engines of one machine: in turn, or over threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from qpfs.arrays import IndexArray

Task = TypeVar("Task")
Result = TypeVar("Result")
Source = TypeVar("Source")
Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Held(Protocol[Item_co]):
    """Things that stay where they were made, and are asked there."""

    @property
    def items(self) -> Sequence[Item_co] | None:
        """The things themselves; None: they are elsewhere."""

    def ask(
        self,
        question: Callable[[Item_co, Any, Any], Result],
        asked: Sequence[tuple[int, Any]],
        common: Any,
        *,
        at_once: bool = True,
    ) -> Iterable[Result]:
        """question(item, common, args) for each (number of an item, args), in their order.

        At once where the work is worth it; else one after another, if the things are here.
        """

    def inside(
        self, within: Callable[[Any], Sequence[Source]], stand_ins: Sequence[Source], bounds: IndexArray
    ) -> Sequence[Source]:
        """What is inside of the things, to be held in turn where it is.

        Stand-ins tell about it where it is not; bounds say which are inside of each thing.
        """


class Engine(Protocol):
    """Applies a function to tasks; the results come back in the order of the tasks."""

    n_workers: int

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]: ...

    def hold(self, sources: Sequence[Source], make: Callable[[Source], Item]) -> Held[Item]:
        """Things made of the sources, kept where they can be asked."""

    def computed(self, parts: Sequence[Any], make: Callable[[int, Any], Item]) -> Held[Item]:
        """A thing made of each part of a Dask collection, and of its number, where the part is computed."""

    def check_room(self, here: int, held: int) -> None:
        """Raises MemoryError if there is no room for so many bytes here, and for those of things held."""

    @property
    def here(self) -> Engine:
        """Who works in this process."""

    @property
    def after(self) -> Engine:
        """Who answers once this one is closed."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(frozen=True, eq=False)
class Here(Generic[Item]):
    """Things in this process, asked through an engine."""

    items: Sequence[Item]
    engine: Engine

    def ask(
        self,
        question: Callable[[Item, Any, Any], Result],
        asked: Sequence[tuple[int, Any]],
        common: Any,
        *,
        at_once: bool = True,
    ) -> Iterable[Result]:
        if not at_once:
            return [question(self.items[number], common, args) for number, args in asked]

        def answer(task: tuple[int, Any]) -> Result:
            return question(self.items[task[0]], common, task[1])

        return self.engine.map(answer, asked)

    def inside(
        self, within: Callable[[Any], Sequence[Source]], stand_ins: Sequence[Source], bounds: IndexArray
    ) -> Sequence[Source]:
        return [one for item in self.items for one in within(item)]


class Local(AbstractContextManager[Any]):
    """What engines of one process share: things are held as they are."""

    def hold(self: Engine, sources: Sequence[Source], make: Callable[[Source], Item]) -> Held[Item]:
        return Here(list(self.map(make, sources)), self)

    def computed(self: Engine, parts: Sequence[Any], make: Callable[[int, Any], Item]) -> Held[Item]:
        def made(numbered: tuple[int, Any]) -> Item:
            number, part = numbered
            return make(number, part.compute(scheduler="synchronous"))

        return Here(list(self.map(made, enumerate(parts))), self)

    def check_room(self, here: int, held: int) -> None:
        """Memory of one machine is asked for as it is needed."""

    @property
    def here(self: Engine) -> Engine:
        return self

    @property
    def after(self) -> Engine:
        return Serial()


class Serial(Local):
    """One task after another, in the calling thread."""

    n_workers = 1

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        return map(function, tasks)

    def __exit__(self, *reason: object) -> None:
        return None


class Threads(Local):
    """Tasks shared between the calling thread and others.

    Whoever is free takes the next task. The calling thread works, too, so that one that starts late, or finds
    nothing left, costs next to nothing. A single task stays where it is: small tables have no others.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool = ThreadPoolExecutor(max(1, n_workers - 1), thread_name_prefix="qpfs")

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        tasks = list(tasks)
        if len(tasks) < 2:
            return map(function, tasks)
        results: deque[Future[Result]] = deque(Future() for _ in tasks)
        left = deque(zip(tasks, results, strict=True))

        def work() -> None:
            while pair := taken(left):
                run(function, *pair)

        for _ in range(min(self.n_workers, len(tasks)) - 1):
            self._pool.submit(work)
        return shared(function, left, results)

    def __exit__(self, *reason: object) -> None:
        self._pool.shutdown(cancel_futures=True)


def shared(
    function: Callable[[Task], Result],
    left: deque[tuple[Task, Future[Result]]],
    results: deque[Future[Result]],
) -> Iterator[Result]:
    """The results in order, as they come; while one is not there, tasks that are left are done here."""
    try:
        while results:
            while not results[0].done() and (pair := taken(left)):
                run(function, *pair)
            yield results.popleft().result()
    finally:
        left.clear()


def taken(left: deque[Item]) -> Item | None:
    """The first of what is left, which nobody else then gets; None: nothing is."""
    with suppress(IndexError):
        return left.popleft()
    return None


def run(function: Callable[[Task], Result], task: Task, result: Future[Result]) -> None:
    """Does a task; what goes wrong is raised where its result is asked for, an interrupt here as well."""
    try:
        result.set_result(function(task))
    except BaseException as error:
        result.set_exception(error)
        if not isinstance(error, Exception):
            raise
