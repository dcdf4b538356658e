"""Files that are written completely or not at all, and never overwrite others unless asked to."""

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

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENAMETOOLONG)  # the file that is written
FAR = 2**62  # a byte behind the end of any file: a lock there does not prevent reading on Windows


def check_free(path: Path, *, force: bool, read: Iterable[Named | None] = ()) -> None:
    """Raises FileExistsError if a file may not be written at the path, or is one of the files read."""
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
    """Raises FileExistsError if a file to be written is one that is read, under any name."""
    # Every function that reads and writes calls this first: a file that is read is never overwritten.
    inputs = [one for one in read if one is not None]
    for path in written:
        if any(is_same(path, one) for one in inputs):
            raise FileExistsError(f"{path} is read, so it cannot be overwritten; choose another name.")


def is_same(one: Path, other: Named) -> bool:
    """Whether two names are of one file, through links or different spellings."""
    try:
        found = os.fstat(other) if isinstance(other, int) else Path(other).stat()
        return os.path.samestat(one.stat(), found)
    except OSError:  # one of them is not there
        return False


def reject_link(path: Path) -> None:
    """Raises FileExistsError for a link in place of a file: the link, or its target, could be meant."""
    if path.is_symlink():
        where = f"a link to {path.readlink()}" + ("" if path.exists() else ", which does not exist")
        raise FileExistsError(f"{path} is {where}; remove the link, or name the file itself.")


def linked_folder(folder: Path) -> Path | None:
    """The target of a link in place of a folder; None if it is not a link."""
    return folder.resolve() if folder.is_symlink() else None


def check_folder_free(
    folder: Path, names: list[str], *, force: bool, read: Iterable[Named | None] = ()
) -> None:
    """Raises FileExistsError if the path is not a folder, or holds such files, which may not be replaced."""
    check_apart([folder / name for name in names], read)
    if folder.is_symlink() and not folder.exists():
        raise FileExistsError(f"{folder} is a link to something that does not exist; name a folder.")
    there = next((path for path in (folder, *folder.absolute().parents) if path.exists()), folder)
    if there.exists() and not there.is_dir():
        raise FileExistsError(f"{there} is a file; name a folder.")
    check_can_write(folder)
    for name in names:
        reject_link(folder / name)
        if (folder / name).is_dir():
            raise FileExistsError(
                f"{folder / name} is a folder, but a file is to be written there; choose another place."
            )
        if (folder / name).exists() and not force:
            raise already_there(folder / name)


def check_can_write(folder: Path) -> None:
    """Raises OSError, before hours of work, if nothing can be written into a folder, existing or new."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        with beside(there) as staging:
            staging.mkdir()
    except OSError as error:
        raise OSError(error.errno, f"nothing can be written there ({error.strerror})", str(folder)) from error


@contextmanager
def beside(folder: Path, suffix: str = "") -> Iterator[Path]:
    """A temporary name in a folder; whatever has that name at the end is removed."""
    # The name is chosen before anything is made, so that an interruption in between leaves nothing.
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
    """A path to write to; at the end that file is moved to the wanted place, unless an error occurred."""
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside(path.parent, path.suffix) as staged:
            staged.touch(0o600, exist_ok=False)
            yield staged
            settle(staged)
            staged.chmod(0o666 & ~umask())
            # Without force, FileExistsError is raised for a file that another run has put there meanwhile.
            put(staged, path, force=force)


def put(staged: Path, path: Path, *, force: bool) -> None:
    """Moves a file to its place; without force only if there is none, which a hard link checks atomically."""
    if not force:
        try:
            path.hardlink_to(staged)
            return  # the caller removes the other name
        except FileExistsError:
            raise already_there(path) from None
        except OSError:  # a file system without links
            check_free(path, force=False)
    staged.replace(path)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Makes errors of the system name the wanted file, not the temporary one beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        why = os.strerror(error.errno)  # an inner call may have added it already
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
    """Writes files into a folder; the file `last` is present only while all of them belong together."""
    # A new folder appears with all files. In an existing one, `last` is removed first and written last, so
    # that its presence shows that the result is complete; after an error the earlier files are restored.
    with staged_folder(folder, texts, last=last, force=force) as move:
        return move()


@contextmanager
def staged_folder(
    folder: Path, texts: Texts, *, last: str, force: bool
) -> Iterator[Callable[[], list[Path]]]:
    """A folder written in two steps: files are written beside it, and moved there by the yielded function."""
    with naming(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        there = folder if folder.exists() else folder.parent  # an existing folder may be on another disk
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
    """Moves files to their places, the one named `last` at the end; other runs wait meanwhile."""
    if not appeared(staging, folder):
        with alone_in(folder):
            check_folder_free(folder, names, force=force)  # another run may have been faster
            exchange(staging, folder, names)


def appeared(staging: Path, folder: Path) -> bool:
    """Whether a new folder could be moved to its place, which works only if no folder with files is there."""
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
    """A context in which no other run moves files into a folder; without locks, no protection."""
    if sys.platform == "win32":
        yield
        return
    path = folder / ".qpfs-lock"
    file = path.open("wb")
    while locked(file, wait=True) and not lies_at(file, path):  # the run that held the lock has removed it
        file.close()
        file = path.open("wb")
    with file:
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def exchange(staging: Path, folder: Path, names: list[str]) -> None:
    """Moves files into a folder; if one cannot be moved, the earlier files are restored."""
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
    """Flushes a written file to the disk. Windows needs a file that is open for writing."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


class FileWatch:
    """Detects that a file has changed."""

    def __init__(self, path: Path, same: Callable[[], bool]) -> None:
        self.path = path
        self.same = same  # whether a file of another size or time still holds what was read
        self.state = state_of(path)

    def changed(self) -> bool:
        now = state_of(self.path)
        if now in (None, self.state):  # a removed file can still be read while it is open
            return False
        if not self.same():
            return True
        self.state = now
        return False


def state_of(path: Path) -> tuple[int, ...] | None:
    """The state of a file, which differs after a change; None if there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def umask() -> int:
    """The permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def locked(file: IO[bytes], *, wait: bool = False) -> bool | None:
    """Waits for a lock on a file until it is closed; whether it was obtained, None if there are no locks."""
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
    """A context in which no other process has the lock on an open file."""
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
    """Whether an open file is still the one at a path, and was not moved or removed."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
