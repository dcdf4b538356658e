"""Progress on standard error: bars with the time left on a terminal, lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol

from qpfs.cli.terminal import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

WIDE = 80  # columns of a terminal that has room for the bar itself
ROOM = 18  # columns that the spinner and the time left take
PAUSE = 60.0  # seconds between lines where there is no terminal


class Tick(Protocol):
    """Called with the number of steps done, their total, the last one, and the seconds left if known."""

    def __call__(self, done: int, of: int, step: str, left: float | None = None) -> None: ...


class LogNotes(logging.Handler):
    """Shows log messages of the package as notes."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        self.log.note(record.getMessage())


class Log:
    """Messages and progress on standard error; silent if so requested."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.live = not quiet and sys.stderr.isatty()
        package = logging.getLogger("qpfs")  # reports when the user waits for the compiler
        package.handlers = [LogNotes(self)]
        package.setLevel(logging.INFO)

    def say(self, text: str) -> None:
        """One line."""
        if not self.quiet:
            sys.stderr.write(printable(text) + "\n")

    def note(self, text: str) -> None:
        """One line that the user should know."""
        self.say(f"qpfs: note: {text}")

    @contextmanager
    def steps(self, what: str) -> Iterator[Tick]:
        """A bar over counted steps, with the time that is left."""
        if not self.live:
            yield self._lines(what)
            return
        with bars() as progress:
            task, begun = progress.add_task(what, total=None, rest=""), time.monotonic()

            def tick(done: int, of: int, step: str, left: float | None = None) -> None:
                words = f"{what}: {step}" if step else what
                if left is None and done:
                    left = (time.monotonic() - begun) / done * (of - done)
                progress.update(task, completed=done, total=of, description=words, rest=rest_words(left))

            yield tick

    def _lines(self, what: str) -> Tick:
        """A line now and then for the log of a long run."""
        last = time.monotonic()

        def tick(done: int, of: int, step: str, left: float | None = None) -> None:
            nonlocal last
            if time.monotonic() - last >= PAUSE:
                last = time.monotonic()
                rest = "" if left is None else f", {rest_words(left)}"
                self.say(f"{what}: {done:,} of {of:,}{rest}")

        return tick

    @contextmanager
    def waiting(self, what: str, expected: Callable[[], float] | None = None) -> Iterator[None]:
        """A bar over the seconds that something should take, if they can be estimated."""
        if not self.live:
            yield
            return
        with bars() as progress:
            task = progress.add_task(what, total=None, rest="")
            seconds = None if expected is None else expected()
            done = Event()
            mover = Thread(target=move, args=(progress, task, seconds, done), daemon=True)
            mover.start()
            try:
                yield
            finally:
                done.set()
                mover.join()


def move(progress: Progress, task: TaskID, expected: float | None, done: Event) -> None:
    """Moves a bar with the clock: linear at first, never quite to the end."""
    begun = time.monotonic()
    while expected and not done.wait(0.1):
        share = (time.monotonic() - begun) / expected
        shown = share if share < 0.8 else 1 - 0.2 / (1 + 5 * (share - 0.8))
        progress.update(task, total=1.0, completed=shown, rest=rest_words((1 / shown - 1) * share * expected))


def rest_words(seconds: float | None) -> str:
    return "" if seconds is None else f"{clock(seconds)} left"


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours in front if there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def bars() -> Progress:
    """An empty set of bars on standard error, gone when they are done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = Console(stderr=True)
    one_line = Column(no_wrap=True, overflow="ellipsis", max_width=max(8, console.width - ROOM))
    wide = [BarColumn(bar_width=24), TimeElapsedColumn()] if console.width >= WIDE else []
    rest = TextColumn("{task.fields[rest]}", style="cyan", table_column=Column(no_wrap=True))
    words = TextColumn("{task.description}", markup=False, table_column=one_line)
    return Progress(SpinnerColumn(), words, *wide, rest, console=console, transient=True)
