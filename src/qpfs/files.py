"""Files written whole or not at all, and never over others unasked."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO

from qpfs.messages import Message, Parameter

Named = str | os.PathLike[str] | int  # of a file: its name, or the number under which it is open

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENAMETOOLONG)  # said of what is written
FAR = 2**62  # a byte that no file has: a lock there keeps nobody from reading, where locks do that


def check_free(path: Path, *, force: bool, read: Iterable[Named | None] = ()) -> None:
    """Raises FileExistsError if a file may not be written at the path, or is one of those that are read."""
    check_apart([path], read)
    reject_link(path)
    if path.is_dir():
        raise FileExistsError(f"{path} is a folder; name a file.")
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is a device, a pipe or the like; name a file.")
    if path.exists() and not force:
        raise already_there(path)


def already_there(path: Path) -> FileExistsError:
    return FileExistsError(
        Message(f"{path} exists; choose another, or overwrite it with ", Parameter("force", True), ".")
    )


def check_apart(written: Iterable[Path], read: Iterable[Named | None]) -> None:
    """Raises FileExistsError if a file that is to be written is one that is read, by whatever name.

    Whatever reads and writes asks here, before anything else: nothing allows to write over what is read.
    """
    inputs = [one for one in read if one is not None]
    for path in written:
        if any(is_same(path, one) for one in inputs):
            raise FileExistsError(f"{path} is read, and cannot be written over; choose another name.")


def is_same(one: Path, other: Named) -> bool:
    """Whether two names are of one file: through links of either kind, and however they are spelled."""
    try:
        found = os.fstat(other) if isinstance(other, int) else Path(other).stat()
        return os.path.samestat(one.stat(), found)
    except OSError:  # one of them is not there
        return False


def reject_link(path: Path) -> None:
    """Raises FileExistsError for a link in place of a file: it, or what it names, may be meant."""
    if path.is_symlink():
        where = f"a link to {path.readlink()}" + ("" if path.exists() else ", which is not there")
        raise FileExistsError(f"{path} is {where}; remove the link, or name the file itself.")


def linked_folder(folder: Path) -> Path | None:
    """What a link in place of a folder leads to; None if it is no link."""
    return folder.resolve() if folder.is_symlink() else None


def check_folder_free(
    folder: Path, names: list[str], *, force: bool, read: Iterable[Named | None] = ()
) -> None:
    """Raises FileExistsError if the folder is no folder, or holds such files that may not be replaced."""
    check_apart([folder / name for name in names], read)
    if folder.is_symlink() and not folder.exists():
        raise FileExistsError(f"{folder} is a link to something that is not there; name a folder.")
    there = next((path for path in (folder, *folder.absolute().parents) if path.exists()), folder)
    if there.exists() and not there.is_dir():
        raise FileExistsError(f"{there} is a file; name a folder.")
    check_can_write(folder)
    for name in names:
        reject_link(folder / name)
        if (folder / name).is_dir():
            raise FileExistsError(
                f"{folder / name} is a folder, where a file is to be; choose another place."
            )
        if (folder / name).exists() and not force:
            raise already_there(folder / name)


def check_can_write(folder: Path) -> None:
    """Raises OSError, before hours of work, if nothing could be written into a folder, there or not yet."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        with beside(there) as staging:
            staging.mkdir()
    except OSError as error:
        raise OSError(error.errno, f"nothing can be written there ({error.strerror})", str(folder)) from error


@contextmanager
def beside(folder: Path, suffix: str = "") -> Iterator[Path]:
    """A name of our own in a folder; what is there at the end is removed.

    The name comes first, and what is made under it second: an interruption between them leaves nothing.
    """
    path = folder / f".qpfs-{token_hex(8)}{suffix}"
    try:
        yield path
    finally:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def written_whole(path: Path, *, force: bool = True) -> Iterator[Path]:
    """A path to write to; what is there at the end takes the wanted place, unless something went wrong.

    Without force, a file that another run has put there meanwhile stays, and FileExistsError is raised.
    """
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside(path.parent, path.suffix) as staged:
            staged.touch(0o600, exist_ok=False)
            yield staged
            settle(staged)
            staged.chmod(0o666 & ~umask())
            put(staged, path, force=force)


def put(staged: Path, path: Path, *, force: bool) -> None:
    """Moves a file to its place; without force only if there is none, which a link finds out in one step."""
    if not force:
        try:
            path.hardlink_to(staged)
            return  # the other name is removed by who gave it
        except FileExistsError:
            raise already_there(path) from None
        except OSError:  # a drive without links
            check_free(path, force=False)
    staged.replace(path)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system name what was to be written, and not the file beside it that nobody asked for."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        why = os.strerror(error.errno)  # which was perhaps said already of a file on the way
        raise OSError(error.errno, f"cannot be written ({why})", str(path)) from error


def write_whole(path: Path, text: str, *, force: bool = True) -> None:
    """Writes a text file."""
    with written_whole(path, force=force) as staged:
        write_text(staged, [text])


def write_text(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(parts)


Texts = Mapping[str, str | Iterable[str]]  # of files by their names, whole or in parts


def write_folder(folder: Path, texts: Texts, *, last: str, force: bool = True) -> list[Path]:
    """Writes files into a folder; the file `last` is there only while all of them belong together.

    A folder that is new appears whole. In one that is there, `last` goes first and comes last, so that
    whoever finds it finds a whole result; if that fails, what was there before is there again.
    """
    with staged_folder(folder, texts, last=last, force=force) as move:
        return move()


@contextmanager
def staged_folder(
    folder: Path, texts: Texts, *, last: str, force: bool
) -> Iterator[Callable[[], list[Path]]]:
    """The same in two steps: files are written beside the folder, and moved there when that is called."""
    with naming(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        there = folder if folder.exists() else folder.parent  # a folder that is there may be another disk
        with beside(there) as staging:
            staging.mkdir(0o700)

            def move() -> list[Path]:
                move_into(staging, folder, sorted(texts, key=lambda name: name == last), force)
                return [folder / name for name in texts]

            for name, text in texts.items():
                write_text(staging / name, [text] if isinstance(text, str) else text)
                settle(staging / name)
            staging.chmod(0o777 & ~umask())
            yield move


def move_into(staging: Path, folder: Path, names: list[str], force: bool) -> None:
    """Moves files to their places, the last of them last; other runs that do so wait, or came first."""
    if not appeared(staging, folder):
        with alone_in(folder):
            check_folder_free(folder, names, force=force)  # another run may have been faster
            exchange(staging, folder, names)


def appeared(staging: Path, folder: Path) -> bool:
    """Whether a folder could take its place in one step, as it can where there is none with files."""
    if folder.exists():
        return False
    try:
        staging.replace(folder)
    except OSError as error:
        # Another run was faster. Windows then denies access, which it may do for other reasons.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES) or not folder.exists():
            raise
        return False
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """A time in which no other run moves files into a folder; where there are no locks, any time."""
    if sys.platform == "win32":
        yield
        return
    path = folder / ".qpfs-lock"
    file = path.open("wb")
    while locked(file, wait=True) and not lies_at(file, path):  # whoever had it has removed it
        file.close()
        file = path.open("wb")
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def exchange(staging: Path, folder: Path, names: list[str]) -> None:
    """Moves files into a folder; if one cannot be moved, what was there before is there again."""
    old = staging / "old"
    old.mkdir()
    try:
        for name in reversed(names):
            if (folder / name).exists():
                (folder / name).replace(old / name)
        for name in names:
            (staging / name).replace(folder / name)
    except BaseException:
        for name in names:
            if not (staging / name).exists():
                (folder / name).unlink(missing_ok=True)
            if (old / name).exists():
                (old / name).replace(folder / name)
        raise


def settle(path: Path) -> None:
    """What was written reaches the disk. Windows wants a file that could be written to."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


class FileWatch:
    """Notices that a file is no longer what it was.

    A file that is as long and as old as it was is not looked at again; of another, `same` tells whether it
    still holds what was read.
    """

    def __init__(self, path: Path, same: Callable[[], bool]) -> None:
        self.path = path
        self.same = same
        self.state = state_of(path)

    def changed(self) -> bool:
        now = state_of(self.path)
        if now in (None, self.state):  # one that was removed can be read on by whoever has it open
            return False
        if not self.same():
            return True
        self.state = now
        return False


def state_of(path: Path) -> tuple[int, ...] | None:
    """What tells a file from what it is after a change; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def umask() -> int:
    """Which permissions new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def locked(file: IO[bytes], *, wait: bool = False) -> bool | None:
    """Whether a file could be locked until it is closed, once nobody else has it; None: no locks."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # as on some network drives
        return None
    return True


@contextmanager
def alone_with(file: int) -> Iterator[None]:
    """A time in which no other process has the lock on an open file."""
    if sys.platform == "win32":
        import msvcrt

        while not locked_at_a_distance(file):
            pass  # each try takes ten seconds
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


def locked_at_a_distance(file: int) -> bool:
    """Whether Windows has locked a byte of an open file, behind its end, within ten seconds."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        except OSError as error:
            if error.errno != errno.EDEADLK:  # another process has it
                raise
            return False
    return True


def lies_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is the one at a path, from where it may have been moved or removed since."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
