"""The name of a source -> its files: a file has priority, then built-in sets, addresses and archives."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from qpfs.data.catalogue import BUILT_IN, known
from qpfs.data.downloads import downloaded, is_address, local_files
from qpfs.data.errors import UsageError
from qpfs.data.formats import FORMATS
from qpfs.data.named_sets import stored_file, stored_names
from qpfs.data.stored import HEAD

STDIN = 0  # under which it is open


def located(source: str) -> str | None:
    """The file of a source; None for a data set without a file, and for an unknown source."""
    if source == "-" or Path(source).is_file() or (Path(source).exists() and known(source) is None):
        return source
    if is_address(source):
        return str(downloaded(source))
    stored = stored_file(source) if known(source) is None else None
    return None if stored is None else str(stored)


def files_read(source: str, *others: str | Path | None) -> list[Path | int]:
    """The local files that a source is read from, companions included, and further ones.

    Parameters
    ----------
    source : str
        As for :func:`open_problem`; nothing is read or fetched.
    *others : str, Path or None
        Further files, such as one with labels.

    Returns
    -------
    paths : list of Path or int
        Files that must not be overwritten; standard input by its number, 0.

    Examples
    --------
    >>> from qpfs.data import files_read
    >>> [str(path) for path in files_read("wdbc", "labels.csv")]
    ['labels.csv']
    """
    further = [Path(one) for one in others if one is not None]
    if source == "-":
        return [STDIN, *further]
    return [*(path for one in local_paths(source) for path in with_companions(one)), *further]


def local_paths(source: str) -> list[Path]:
    if Path(source).exists():
        return [Path(source)]
    if is_address(source):
        return local_files(source)
    stored = stored_file(source) if known(source) is None else None
    return [] if stored is None else [stored]


def with_companions(path: Path) -> list[Path]:
    """A file, and the companion files of its format."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:  # the error is raised when it is read
        return [path]
    accompanied = (form for form in FORMATS if form.companions and form.matches(head, path))
    return [path, *(path.with_suffix(suffix) for form in accompanied for suffix in form.companions)]


def meant(source: str) -> str:
    """A guess at what was meant: a file of the folder, or a name."""
    folder = Path(source).parent
    beside = [str(path) for path in islice(folder.iterdir(), 1000)] if folder.is_dir() else []
    close = get_close_matches(source, [*beside, *BUILT_IN, *stored_names()], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown(source: str) -> UsageError:
    """The error for an unknown source."""
    if Path(source).is_symlink():
        return UsageError(f"{source!r} is a link to something that does not exist.")
    return UsageError(
        f"{source!r} is neither a file nor a built-in data set ({', '.join(BUILT_IN)}), nor is {source}.npz "
        f"in the folder that QPFS_DATA names.{meant(source)}"
    )
