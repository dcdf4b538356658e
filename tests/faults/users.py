"""A user who is not root, as whom a folder that is read-only is read-only."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import contextmanager

import pytest

OVERRIDE = (1 << 1) | (1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what makes root stronger than modes
VERSION = 0x20080522
CAPBSET_DROP = 24
ROOT = sys.platform != "win32" and os.geteuid() == 0


@contextmanager
def as_user():
    """A time in which modes hold for this thread, too, whoever has started it."""
    if not ROOT:
        yield
        return
    before = capabilities()
    set_capabilities([before[0] & ~OVERRIDE, *before[1:]])
    try:
        yield
    finally:
        set_capabilities(before)


def never_root() -> None:
    """The same for good, in a process that is about to become another program."""
    if ROOT:
        libc = ctypes.CDLL(None, use_errno=True)
        for bit in (1, 2):
            libc.prctl(CAPBSET_DROP, bit, 0, 0, 0)


def capabilities() -> list[int]:
    """Effective, permitted and inheritable, each in a lower and an upper half."""
    head, data = (ctypes.c_uint32 * 2)(VERSION, 0), (ctypes.c_uint32 * 6)()
    called("capget", head, data)
    return list(data)


def set_capabilities(data: list[int]) -> None:
    called("capset", (ctypes.c_uint32 * 2)(VERSION, 0), (ctypes.c_uint32 * 6)(*data))


def called(name: str, head: object, data: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if not sys.platform.startswith("linux") or getattr(libc, name)(head, data):
        pytest.skip("root cannot be made a user here; run the tests as one")


@contextmanager
def mode(number: int, *paths):
    """A time in which files or folders have other permissions."""
    before = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(number)
    try:
        yield
    finally:
        for path, old in before.items():
            path.chmod(old)
