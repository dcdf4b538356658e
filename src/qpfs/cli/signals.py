"""Ctrl-C and similar signals at any moment: one exception, one line, and nothing half-done.

The first signal raises `Stopped` wherever the main thread is, and unfinished files are removed on the way
out. During that, and once the command is over, further signals are ignored, since they would interrupt the
clean-up; several more end the process immediately. Inside a compiler an exception would leave native memory
in an undefined state: there the signal is repeated until the compiler is done.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
PATIENCE = 2.0  # seconds within which a further signal counts as the same one
SOON = 0.01  # seconds after which a signal that was lost is repeated
INSISTS = 3  # so many signals during the clean-up end the process immediately
DELICATE = ("llvmlite", "numba", __name__)  # packages in which an exception does harm
NOTHING = "nothing was written"


class Stopped(BaseException):
    """A signal was received. Not a KeyboardInterrupt, which some libraries catch."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        self.number = number


class Watch:
    """The handling of signals, and the message about a run that a signal ends."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        self.says: str | Callable[[], str] = NOTHING  # what remains of a run that is stopped
        self.is_over = False
        self.ignored = 0
        self.raised_at = float("-inf")
        self.held: list[int] | None = None  # signals that wait until the end of a block
        self.late: int | None = None  # a signal that comes again
        self.code: int | None = None  # the exit code of a run that was stopped

    def begin(self) -> None:
        """Handles signals from now on, except those that were already ignored at the start."""
        self.begin_anew()
        if threading.current_thread() is not threading.main_thread():
            return
        sys.unraisablehook = self.again
        for number in numbers():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.heed)
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self.repeat)
        atexit.unregister(self.end)
        atexit.register(self.end)  # runs last: functions registered later run before

    def heed(self, number: int, frame: FrameType | None) -> None:
        """Handles a signal."""
        if self.held is not None:
            self.held.append(number)
        elif self.is_over or self.late is not None or time.monotonic() - self.raised_at < PATIENCE:
            self.ignored += 1
            if self.ignored >= INSISTS:
                os._exit(128 + number)
        elif sys.platform != "win32" and is_delicate(frame):
            self.come_again(number)
        else:
            self.raised_at = time.monotonic()
            raise Stopped(number)

    def again(self, lost: Any) -> None:
        """Repeats a signal whose exception Python would only print, as in a destructor."""
        if isinstance(lost.exc_value, Stopped):
            if not self.is_over:
                self.come_again(lost.exc_value.number)
        # After a signal the destructor of what it left half-made may fail, which is no mistake of ours.
        elif self.raised_at == float("-inf"):
            sys.__unraisablehook__(lost)

    def come_again(self, number: int) -> None:
        """Repeats a signal by a timer (not on Windows), not by a thread, which may just be starting."""
        if sys.platform != "win32":
            self.late = number
            signal.setitimer(signal.ITIMER_REAL, SOON)

    def repeat(self, _: int, frame: FrameType | None) -> None:
        number, self.late = self.late, None
        if number is not None and not self.is_over:
            self.raised_at = float("-inf")
            self.heed(number, frame)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Signals wait until the end of the block."""
        self.held = []
        try:
            yield
        finally:
            came, self.held = self.held, None
        if came:
            self.heed(came[0], None)

    def over(self) -> None:
        """Ignores signals from now on: the command has ended, and Python is about to."""
        self.is_over = True
        if sys.platform != "win32":  # a signal that is to come again would end the process once Python ends
            signal.setitimer(signal.ITIMER_REAL, 0)

    def last_words(self, stop: BaseException) -> int:
        """The one line about a run that was stopped, and its exit code."""
        self.over()
        number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
        how = "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
        with suppress(OSError, ValueError, AttributeError):  # standard error may be closed
            says = self.says if isinstance(self.says, str) else self.says()
            sys.stderr.write(f"qpfs: {how}; {says}.\n")
            sys.stderr.flush()
        self.code = 128 + number
        return self.code

    def end(self) -> None:
        """Ends the process without Python's own shutdown, which restores the default action of signals."""
        for number in numbers():
            signal.signal(number, signal.SIG_IGN)
        if self.code is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            # It also frees objects of libraries, which a signal may have left in an undefined state.
            os._exit(self.code)


def numbers() -> list[int]:
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


def is_delicate(frame: FrameType | None) -> bool:
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.startswith(DELICATE):
            return True
        frame = frame.f_back
    return False


WATCH = Watch()
