"""How much memory there is, so that tables that cannot fit are refused early, and how much a process uses."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


def memory_of_machine() -> int:
    """Bytes that a process can have: those of the computer, or its limit if that is lower."""
    known = [sys.maxsize, *limits()]
    for group in GROUPS:
        with suppress(OSError, ValueError):  # "max" is not a number
            known.append(int(Path(group).read_text(encoding="utf-8")))
    return min(known)


def limits() -> list[int]:
    """The memory of the system, and the limit of the process if there is one."""
    if sys.platform == "win32":
        status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
        found = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return [status.total] if found else []
    import resource

    known = []
    if "SC_PHYS_PAGES" in os.sysconf_names:
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return known if limit == resource.RLIM_INFINITY else [*known, limit]


def held_by_process() -> int:
    """Bytes that this process uses now, or if the system does not report that, its peak."""
    return working_sets().held if sys.platform == "win32" else peak_of_process()


def peak_of_process() -> int:
    """The peak memory of this process in bytes."""
    if sys.platform == "win32":
        return working_sets().peak
    import resource

    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class MemoryStatus(ctypes.Structure):
    """The report of Windows about the memory of a computer."""

    length: int
    total: int
    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


class WorkingSets(ctypes.Structure):
    """The report of Windows about the memory of a process."""

    size: int
    peak: int
    held: int
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("faults", ctypes.c_uint32),
        ("peak", ctypes.c_size_t),
        ("held", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 6),
    )


def working_sets() -> WorkingSets:
    """The current and peak memory of this process; zeros if Windows does not report them."""
    found = WorkingSets(size=ctypes.sizeof(WorkingSets))
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        process = ctypes.c_void_p(kernel.GetCurrentProcess())  # a handle, which is wider than an int
        kernel.K32GetProcessMemoryInfo(process, ctypes.byref(found), found.size)
    return found
