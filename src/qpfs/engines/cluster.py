"""The Dask engine: objects are held by the workers of a cluster, and used there.

Objects are grouped on shelves, a few for each thread of the cluster, and a question is one task for each
shelf: only the question, its arguments and the answers are sent. Every shelf can be recomputed from its
sources, so a lost worker costs only time.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic
from typing import Any, Generic, Self, overload
from uuid import uuid4

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.engines.local import Engine, Held, Item, Result, Serial, Source, Task
from qpfs.engines.packing import packed, unpacked

SHELVES = 2  # per thread, so that a delayed one does not keep all others waiting
INLINE = 1 << 16  # bytes sent with each task; larger arguments are sent once to each worker
# The errors that show a lost scheduler, or a closed client.
LOST = {"CommClosedError", "FutureCancelledError", "CancelledError", "ClosedClientError"}
USABLE = 0.6  # of a worker's memory; beyond this share Dask writes objects to disk
LOOK, PATIENCE = 2.0, 60.0  # seconds between checks for workers, and until the wait for one ends
GONE = (
    "The Dask scheduler at {} is gone, or has dropped the work ({}). Start the cluster again, connect a new "
    "client, and fit again."
)
DESERTED = (
    "The Dask cluster at {} has lost all its workers, and none came back within {:g} seconds. Start some, "
    "and fit again."
)


def active_client() -> Any | None:
    """The active client of a Dask cluster, if there is one; found without importing Dask."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.default_client()
    except ValueError:
        return None


class Cluster:
    """Runs tasks on the workers of a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self.client = client
        if client.status != "running":
            raise ConnectionError(GONE.format(address_of(client), client.status))
        with reachable(client):
            self.n_workers = sum(client.nthreads().values())
        if not self.n_workers:
            raise ConnectionError(
                f"The Dask cluster at {address_of(client)} has no workers; start some, or close the client."
            )

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        return self.gathered([self.submitted(function, task) for task in tasks])

    def hold(self, sources: Sequence[Source], make: Callable[[Source], Item]) -> Held[Item]:
        if isinstance(sources, Distant):
            return sources.made(make)
        bounds = self._bounds(len(sources))
        shelves = [self.submitted(each_made, sources[i:j], make, name="load") for i, j in pairwise(bounds)]
        return Shelves(self, shelves, bounds)

    def computed(self, parts: Sequence[Any], make: Callable[[int, Any], Item]) -> Shelves[Item]:
        """An object made from each part of a Dask collection, and its number, where the part is computed."""
        from dask.delayed import delayed

        alone = delayed(made_alone, pure=False)
        lists = [alone(make, i, part, dask_key_name=key_for("encode")) for i, part in enumerate(parts)]
        with reachable(self.client):
            futures = self.client.compute(lists)
        bounds = self._bounds(len(futures))
        shelves = [self.submitted(one_after_another, futures[i:j]) for i, j in pairwise(bounds)]
        return Shelves(self, shelves, bounds)

    def _bounds(self, n: int) -> IndexArray:
        """The bounds of the shelves for n objects."""
        n_shelves = max(1, min(n, SHELVES * self.n_workers))
        return np.linspace(0, n, n_shelves + 1).astype(np.intp)

    def submitted(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Any:
        """A future of function(*args), with a readable name on the dashboard."""
        with reachable(self.client), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(function, *args, key=key_for(name or named(function)), pure=False)

    def gathered(self, futures: list[Any]) -> list[Any]:
        """The results in order; an error or an interrupt cancels all tasks."""
        try:
            with reachable(self.client):
                return list(self.client.sync(fetched, self.client, futures))
        except BaseException:
            with quiet():
                self.client.cancel(futures, force=True)
            raise

    def check_room(self, here: int, held: int) -> None:
        from psutil import virtual_memory

        free = virtual_memory().available
        if here > free:
            raise MemoryError(
                f"This needs about {gigabytes(here)} in the client's process, and {gigabytes(free)} are "
                "free. Run the client on a machine with more memory."
            )
        with reachable(self.client):
            workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [one["memory_limit"] for one in workers]
        if limits and all(limits) and held > USABLE * sum(limits):  # no workers yet: they are waited for
            raise MemoryError(
                f"The workers of the Dask cluster need about {gigabytes(held)} together, and may use "
                f"{gigabytes(USABLE * sum(limits))}. Use more workers, or give each more memory."
            )

    @property
    def here(self) -> Engine:
        return Serial()

    @property
    def after(self) -> Engine:
        """The cluster itself: the user closes it, and it continues to answer."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        return None


@dataclass(frozen=True, eq=False)
class Shelves(Generic[Item]):
    """Objects on the workers of a cluster: shelf i holds those from bounds[i] to bounds[i + 1] - 1."""

    cluster: Cluster
    shelves: list[Any]
    bounds: IndexArray

    items = None

    def ask(
        self,
        question: Callable[[Item, Any, Any], Result],
        asked: Sequence[tuple[int, Any]],
        common: Any,
        *,
        run: int = 1,
    ) -> Iterable[Result]:
        told, name = self._told(common), named(question)
        number = np.array([one for one, _ in asked], np.intp)
        order = np.argsort(number, kind="stable")
        begin = np.searchsorted(number[order], self.bounds)
        places = [order[begin[i] : begin[i + 1]] for i in range(len(self.shelves))]
        futures = [
            self.cluster.submitted(
                answers, self.shelves[i], question, told, self._tasks(i, some, asked), name=name
            )
            for i, some in enumerate(places)
            if len(some)
        ]
        found: list[Any] = [None] * len(asked)
        for some, results in zip(filter(len, places), self.cluster.gathered(futures), strict=True):
            for place, result in zip(some, unpacked(results), strict=True):
                found[place] = result
        return found

    def _tasks(self, shelf: int, some: IndexArray, asked: Sequence[tuple[int, Any]]) -> bytes:
        """The tasks for the objects of a shelf, by their positions there."""
        return packed([(asked[i][0] - int(self.bounds[shelf]), asked[i][1]) for i in some])

    def inside(
        self, within: Callable[[Item], Sequence[Source]], stand_ins: Sequence[Source], bounds: IndexArray
    ) -> Distant[Source]:
        return Distant(stand_ins, self, within, bounds[self.bounds])

    def _told(self, common: Any) -> Any:
        """The common arguments of a question: sent with each task, or once if they are large."""
        if len(pickle.dumps(common, protocol=5)) <= INLINE:
            return common
        return self.cluster.submitted(as_it_is, common, name="told")


@dataclass(frozen=True, eq=False)
class Distant(Sequence[Source]):
    """The parts inside of remote objects, object after object, with stand-ins for them in this process."""

    stand_ins: Sequence[Source]
    holders: Shelves[Any]
    within: Callable[[Any], Sequence[Source]]
    bounds: IndexArray  # of the parts inside each shelf

    @overload
    def __getitem__(self, place: int) -> Source: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Source]: ...

    def __getitem__(self, place: int | slice) -> Any:
        return self.stand_ins[place]

    def __len__(self) -> int:
        return len(self.stand_ins)

    def made(self, make: Callable[[Source], Item]) -> Shelves[Item]:
        """Objects made from the parts, held where they are."""
        cluster = self.holders.cluster
        futures = [
            cluster.submitted(all_made_inside, shelf, self.within, make, name="prepare")
            for shelf in self.holders.shelves
        ]
        return Shelves(cluster, futures, self.bounds)


def each_made(sources: Iterable[Source], make: Callable[[Source], Item]) -> list[Item]:
    """A shelf of objects made from sources."""
    return [make(one) for one in sources]


def one_after_another(shelves: Iterable[list[Item]]) -> list[Item]:
    """One shelf from several."""
    return [one for shelf in shelves for one in shelf]


def made_alone(make: Callable[[int, Any], Item], number: int, part: Any) -> list[Item]:
    """A shelf with one object on it."""
    return [make(number, part)]


def all_made_inside(
    things: Iterable[Any], within: Callable[[Any], Iterable[Source]], make: Callable[[Source], Item]
) -> list[Item]:
    """A shelf of objects made from the parts inside the objects of another."""
    return [make(one) for thing in things for one in within(thing)]


def answers(
    shelf: Sequence[Item], question: Callable[[Item, Any, Any], Result], common: Any, tasks: bytes
) -> bytes:
    """The answers of the objects of a shelf."""
    return packed([question(shelf[place], common, args) for place, args in unpacked(tasks)])


def as_it_is(thing: Item) -> Item:
    return thing


def named(function: Any) -> str:
    """A readable name of a function."""
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", "task")).removesuffix("_of").replace("_", " ")


def key_for(name: str) -> str:
    """A unique key that begins with a name."""
    return f"qpfs {name}-{uuid4().hex}"


def gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.3g} GB"


def address_of(client: Any) -> str:
    return str(getattr(client.scheduler, "address", "its address"))


async def fetched(client: Any, futures: list[Any]) -> Any:
    """The results; raises ConnectionError once no worker has been available for a while.

    Dask itself would wait for a new worker indefinitely.
    """
    fetching = asyncio.ensure_future(client.gather(futures, asynchronous=True))
    watching = asyncio.ensure_future(deserted(client))
    try:
        await asyncio.wait({fetching, watching}, return_when=asyncio.FIRST_COMPLETED)
        if fetching.done():
            return fetching.result()
    finally:
        watching.cancel()
    fetching.add_done_callback(lambda one: one.cancelled() or one.exception())  # its result is not needed
    raise ConnectionError(watching.result())


async def deserted(client: Any) -> str:
    """Why nothing is computed, once that has lasted for a while."""
    seen = monotonic()
    while True:
        await asyncio.sleep(LOOK)
        why = await absence(client)
        if why is None:
            seen = monotonic()
        elif monotonic() - seen > PATIENCE:
            return why


async def absence(client: Any) -> str | None:
    """Why no worker is available; None if one is."""
    try:
        if await client.scheduler.ncores():
            return None
    except Exception as error:  # a lost scheduler may raise any error
        return GONE.format(address_of(client), error)
    return DESERTED.format(address_of(client), PATIENCE)


@contextmanager
def quiet() -> Iterator[None]:
    """Within this context errors are ignored: another one is already being raised."""
    try:
        yield
    except Exception:
        return


@contextmanager
def reachable(client: Any) -> Iterator[None]:
    """Raises readable errors if the scheduler is gone, or if workers die of their tasks."""
    try:
        yield
    except Exception as error:
        kind = type(error).__name__
        if kind in LOST:
            reason = getattr(error, "reason", None) or error
            raise ConnectionError(GONE.format(address_of(client), reason)) from error
        if kind == "KilledWorker":
            raise MemoryError(
                f"Workers of the Dask cluster at {address_of(client)} died repeatedly on the same "
                "work, most likely for lack of memory. Use more workers, or give each more memory."
            ) from error
        raise
