"""A lock on a file between processes, let go by the system if its holder dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

FAR = 2**62  # a byte that no file has: a lock there keeps nobody from reading, where locks do that


@contextmanager
def locked(file: int) -> Iterator[None]:
    """A time in which no other process has the lock on an open file."""
    if sys.platform == "win32":
        import msvcrt
        import os

        os.lseek(file, FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(file, FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
