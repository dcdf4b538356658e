"""Disks that fail: at the k-th time that something is made, written or moved, or once so much is written."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from unittest.mock import patch

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CALLS = ("write", "fsync", "ftruncate", "posix_fallocate")  # by number of an open file


class full_at:  # noqa: N801 - it reads as what it is
    """A time in which the k-th step of writing below some folders fails, and from then on all but moving.

    Room for a name is soon found again, and what was moved has to be moved back.
    """

    def __init__(self, k: int, *folders: Path) -> None:
        self.left = k
        self.folders = tuple(map(str, folders))
        self.failed: list[str] = []

    def step(self, what: str, path: str) -> None:
        if not path.startswith(self.folders):
            return
        self.left -= 1
        if self.left == 0 or (self.left < 0 and what != "os.rename"):
            self.failed.append(f"{what} {path}")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    def __enter__(self) -> full_at:
        global DISK
        self.calls = patch.multiple(os, **{name: failing(name) for name in CALLS if hasattr(os, name)})
        self.calls.__enter__()
        DISK = self
        return self

    def __exit__(self, *reason: object) -> None:
        global DISK
        DISK = None
        self.calls.__exit__(*reason)


DISK: full_at | None = None


def heard(event: str, arguments: tuple[object, ...]) -> None:
    """Tells the disk of files that are opened to be written to or moved, and of folders that are made."""
    if DISK is None or event not in ("open", "os.rename", "os.mkdir"):
        return
    path = arguments[1] if event == "os.rename" else arguments[0]
    if isinstance(path, (str, bytes)) and (event != "open" or int(arguments[2]) & WRITING):
        DISK.step(event, os.path.abspath(os.fsdecode(path)))  # noqa: PTH100


sys.addaudithook(heard)  # which stays, and does nothing while there is no such disk


def failing(name: str):
    """A call of the system that can fail."""
    call = getattr(os, name)

    def called(number, *rest):
        if DISK is not None:
            DISK.step(name, str(Path(f"/proc/self/fd/{number}").resolve()))
        return call(number, *rest)

    return called
