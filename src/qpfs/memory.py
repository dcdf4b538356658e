"""How much memory there is, so that what cannot fit is refused before it is asked for."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


def memory_of_machine() -> int:
    """Bytes that a process can have: those of the machine, or fewer if it is held to fewer."""
    known = [sys.maxsize]
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", ()):
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for group in GROUPS:
        with suppress(OSError, ValueError):  # "max" is no number
            known.append(int(Path(group).read_text()))
    with suppress(ImportError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        known.append(sys.maxsize if limit == resource.RLIM_INFINITY else limit)
    return min(known)
