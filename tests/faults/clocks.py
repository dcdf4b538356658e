"""Clocks that go back, run ahead or stand still."""

from __future__ import annotations

import datetime as dates
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from unittest.mock import patch

from qpfs import compiled
from qpfs.evaluation import comparing
from qpfs.report import record

NOW = 1_800_000_000.0
Clock = Callable[[], float]


def backwards() -> Clock:
    """An hour earlier each time that it is looked at."""
    hours = count()
    return lambda: NOW - 3600.0 * next(hours)


def leaping() -> Clock:
    """Ten years ahead and back again."""
    times = count()
    return lambda: NOW + 3.2e8 * (next(times) % 2)


CLOCKS: dict[str, Callable[[], Clock]] = {
    "goes back": backwards,
    "leaps": leaping,
    "stands still": lambda: lambda: NOW,
    "is at its beginning": lambda: lambda: 0.0,
    "is before its beginning": lambda: lambda: -1e9,
    "has too many seconds for four bytes": lambda: lambda: 1e10,
}


@contextmanager
def clock_that(name: str) -> Iterator[None]:
    """A time in which the clock on the wall is wrong; those that measure durations are not."""
    look = CLOCKS[name]()
    localtime, gmtime = time.localtime, time.gmtime

    class Dates(dates.datetime):
        @classmethod
        def now(cls, tz=None):
            return dates.datetime.fromtimestamp(look(), tz)

    with (
        patch.multiple(
            time,
            time=look,
            time_ns=lambda: int(1e9 * look()),
            localtime=lambda seconds=None: localtime(look() if seconds is None else seconds),
            gmtime=lambda seconds=None: gmtime(look() if seconds is None else seconds),
        ),
        patch.object(record, "datetime", Dates),
        patch.object(comparing, "datetime", Dates),
    ):
        yield


@contextmanager
def durations_of_nothing() -> Iterator[None]:
    """A time in which the clocks that measure durations are too coarse to see any."""
    with ExitStack() as stack:
        stack.enter_context(patch.multiple(time, perf_counter=lambda: 7.0, monotonic=lambda: 7.0))
        for module in (comparing, compiled):
            stack.enter_context(patch.object(module, "perf_counter", lambda: 7.0))
        yield
