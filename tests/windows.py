"""Windows as far as Linux can act it: its rules for files, in the modules that ask for the system.

Libraries keep the real system: only the name `sys` of the modules given is exchanged.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

MODULES = ("qpfs.files", "qpfs.codes.disk_draft")


def pretend(patch, *modules):
    """Has modules take the system for Windows."""
    for name in modules:
        patch.setattr(import_module(name), "sys", Elsewhere())


class Elsewhere(SimpleNamespace):
    """The module `sys` with another platform."""

    def __init__(self):
        super().__init__(platform="win32")

    def __getattr__(self, name):
        return getattr(sys, name)


def strict_files(patch):
    """Files that are open or mapped cannot be moved or removed; only what can be written can be synced."""
    replace, unlink, fsync = os.replace, os.unlink, os.fsync

    def replaced(source, target, **known):
        refuse_open(source)
        if Path(target).exists():
            refuse_open(target)
            if Path(target).is_dir():
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return replace(source, target, **known)

    def unlinked(path, **known):
        if known.get("dir_fd") is None:
            refuse_open(path)
        return unlink(path, **known)

    def synced(file):
        import fcntl

        number = file if isinstance(file, int) else file.fileno()
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return fsync(file)

    for name, rule in (("replace", replaced), ("rename", replaced), ("unlink", unlinked), ("fsync", synced)):
        patch.setattr(os, name, rule)


def refuse_open(path):
    """Raises PermissionError for a file, or a folder with one, that this process has open or mapped."""
    place = str(Path(path).absolute())
    if any(one == place or one.startswith(place + os.sep) for one in held_by_this_process()):
        raise PermissionError(errno.EACCES, "open in this process", place)


def held_by_this_process():
    """Paths of files that are open or mapped."""
    for number in Path("/proc/self/fd").iterdir():
        try:
            yield str(number.readlink())
        except FileNotFoundError:  # the listing itself
            continue
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        yield line.split(maxsplit=5)[-1]
