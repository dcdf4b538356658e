"""Ctrl-C and its like at any moment: one exception, one line, and nothing half-done.

The first signal raises `Stopped` wherever the main thread is, and what is written there is cleaned up on the
way out. While that goes on, and once the command is over, further signals are not heeded, or they would break
the cleaning up; who insists ends the process at once. Inside a compiler an exception leaves native memory
half-made: there it comes again until the compiler is done.
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
PATIENCE = 2.0  # seconds for cleaning up in which another signal is taken for the same
SOON = 0.01  # seconds until a signal that was lost comes again
INSISTS = 3  # signals while the command ends that end it at once
DELICATE = ("llvmlite", "numba", __name__)  # packages in which an exception does harm
NOTHING = "nothing was written"


class Stopped(BaseException):
    """A signal has come. No KeyboardInterrupt, which libraries make something else of."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        self.number = number


class Watch:
    """What is done about signals, and what is left of a run that one of them ends."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        self.says: str | Callable[[], str] = NOTHING  # what is left of a run that is stopped
        self.is_over = False
        self.ignored = 0
        self.raised_at = float("-inf")
        self.held: list[int] | None = None  # signals that wait until the end of a block
        self.late: int | None = None  # a signal that comes again
        self.code: int | None = None  # what a run that was stopped ends with

    def begin(self) -> None:
        """Heeds signals from now on, but those that whoever started the process had it ignore."""
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
        atexit.register(self.end)  # the last thing: whatever registers later is done before

    def heed(self, number: int, frame: FrameType | None) -> None:
        """The answer to a signal."""
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
        """Where Python would print an exception and go on, as in a destructor, a signal comes once more."""
        if not isinstance(lost.exc_value, Stopped):
            sys.__unraisablehook__(lost)
        elif sys.platform != "win32" and not self.is_over:
            self.come_again(lost.exc_value.number)

    def come_again(self, number: int) -> None:
        """By the clock, which Windows has not, and by no thread: the signal may come while one is started."""
        if sys.platform != "win32":
            self.late = number
            signal.setitimer(signal.ITIMER_REAL, SOON)

    def repeat(self, _: int, frame: FrameType | None) -> None:
        number, self.late, self.raised_at = self.late, None, float("-inf")
        if number is not None and not self.is_over:
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
        """From now on no signal raises anything: the command has ended, and Python is about to."""
        self.is_over = True

    def last_words(self, stop: BaseException) -> int:
        """The one line about a run that was stopped, and its exit code."""
        self.over()
        number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
        how = "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
        with suppress(OSError, ValueError, AttributeError):  # there may be nobody who reads it
            says = self.says if isinstance(self.says, str) else self.says()
            sys.stderr.write(f"qpfs: {how}; {says}.\n")
            sys.stderr.flush()
        self.code = 128 + number
        return self.code

    def end(self) -> None:
        """Python gives signals back to the system when it ends, which would end the process by them.

        And it takes apart what libraries have made, which a signal may have left half-made.
        """
        for number in numbers():
            signal.signal(number, signal.SIG_IGN)
        if self.code is not None:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
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
