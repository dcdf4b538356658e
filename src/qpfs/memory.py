"""How much memory there is, so that what cannot fit is refused early, and how much a process holds."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


def memory_of_machine() -> int:
    """Bytes that a process can have: those of the machine, or fewer if it is held to fewer."""
    known = [sys.maxsize, *limits()]
    for group in GROUPS:
        with suppress(OSError, ValueError):  # "max" is no number
            known.append(int(Path(group).read_text(encoding="utf-8")))
    return min(known)


def limits() -> list[int]:
    """What the system tells: the memory there is, and what a process may have of it."""
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
    """Bytes that this process holds now, or where the system does not tell, the most it has held."""
    return working_sets().held if sys.platform == "win32" else peak_of_process()


def peak_of_process() -> int:
    """The most bytes that this process has held."""
    if sys.platform == "win32":
        return working_sets().peak
    import resource

    unit = 1 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class MemoryStatus(ctypes.Structure):
    """What Windows tells about the memory of a machine."""

    length: int
    total: int
    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


class WorkingSets(ctypes.Structure):
    """What Windows tells about the memory of a process."""

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
    """What this process holds and has held; zeros where Windows does not tell."""
    found = WorkingSets(size=ctypes.sizeof(WorkingSets))
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        process = ctypes.c_void_p(kernel.GetCurrentProcess())  # a handle, which is not of the size of an int
        kernel.K32GetProcessMemoryInfo(process, ctypes.byref(found), found.size)
    return found
