"""Results on disk: one line each, appended in one step, found again by the key of what produced them.

A file of records is a header line and then one line of JSON for each record: its key, which is everything
that determines the result, and its value. A line is written by one call at the end of the file, under a lock,
and is on disk before `add` returns. A process that is killed leaves at most one line without an end, which
the next process to open the file removes; so an interrupted run continues where it stopped. Results are used
in the order of the plan, not in that of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from qpfs.files import alone_with, naming
from qpfs.kinds import Fields, Kind, MismatchError, told

SCHEMA, VERSION = "qpfs-records", 1
Plain = dict[str, Any]  # what JSON has
RECORD = Fields({"key": Fields({}), "value": Fields({})})


class RecordsError(ValueError):
    """The file is not a file of records, has another version, or was changed by another program."""


class Records:
    """A file of results that a run can be continued from.

    Several processes may append to the same file. Of two results with the same key the first counts.

    Parameters
    ----------
    path : str or path
        The file; it is made if there is none, and its folder too.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from qpfs.evaluation import Records
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> with Records(path) as records:
    ...     records.add({"method": "QPFS", "fold": 0}, {"wrong": 3})
    {'wrong': 3}
    >>> with Records(path) as records:
    ...     records.get({"fold": 0, "method": "QPFS"})
    {'wrong': 3}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._values: dict[str, Any] = {}
        self._lines: dict[str, int] = {}  # of the file, on which the values are
        self._read = 0  # bytes of the file that are known,
        self._n_lines = 0  # and their lines
        self._lock = Lock()
        with naming(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(
                self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666
            )
        try:
            with naming(self.path), alone_with(self._file):
                self._begin()
                self._catch_up()
        except BaseException:
            self.close()
            raise

    def get(self, key: Plain, kind: Kind | None = None) -> Any:
        """The value on record under a key, or None; raises RecordsError if it is of another kind."""
        return self._checked(canonical(key), kind)

    def add(self, key: Plain, value: Plain, kind: Kind | None = None) -> Any:
        """Put a value on record, and return what is now there: another process may have been first."""
        check_objects(key, value)
        name = canonical(key)
        line = f'{{"key":{name},"value":{canonical(value)}}}\n'.encode()
        with naming(self.path), self._lock, alone_with(self._file):
            self._catch_up()
            if name in self._values:
                return self._checked(name, kind)
            check_kind(value, kind)
            append(self._file, line)
            self._catch_up()
            return self._values[name]

    def _checked(self, name: str, kind: Kind | None) -> Any:
        """The value under a canonical key, or None; raises RecordsError if it is not of a kind."""
        value = self._values.get(name)
        if value is None or kind is None:
            return value
        try:
            kind.check(value)
        except MismatchError as wrong:
            raise self._changed(self._lines[name], f"is not as it was written ({wrong})") from None
        return value

    def _changed(self, line: int, words: str) -> RecordsError:
        """The error about a line that was changed."""
        return RecordsError(
            f"{str(self.path)!r}, line {line:,}, {words}. It was changed by another program; delete that "
            "line, or give the name of another file."
        )

    def rows(self) -> Iterator[tuple[Plain, Any]]:
        """Every key with its value, in the order of the canonical keys."""
        return ((json.loads(name), self._values[name]) for name in sorted(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Plain) -> bool:
        return canonical(key) in self._values

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """Reads the header, or writes it where there is none yet."""
        header = f'{{"schema":"{SCHEMA}","version":{VERSION}}}\n'.encode()
        begun = read(self._file, 0, 4096)
        if b"\n" not in begun and header.startswith(begun):  # new, or killed while it was made
            os.ftruncate(self._file, 0)
            append(self._file, header)
            begun = header
        self._check_header(begun.split(b"\n", 1)[0])
        self._read = begun.index(b"\n") + 1
        self._n_lines = 1

    def _check_header(self, line: bytes) -> None:
        """Raises RecordsError unless the line is the header of records that this version can read."""
        header = parsed(line)
        if not isinstance(header, dict) or header.get("schema") != SCHEMA:
            raise RecordsError(
                f"{str(self.path)!r} exists and is not a file of records; give the name of another file."
            )
        if header.get("version") != VERSION:
            raise RecordsError(
                f"{str(self.path)!r} holds records of version {header.get('version')!r}, but this version of "
                f"qpfs reads version {VERSION}; give another file, or use the qpfs that wrote it."
            )

    def _catch_up(self) -> None:
        """Reads what was appended since; an incomplete last line is removed."""
        size = os.fstat(self._file).st_size
        new = read(self._file, self._read, size)
        whole = new.rfind(b"\n") + 1
        if whole < len(new):
            os.ftruncate(self._file, self._read + whole)
        for line in new[:whole].splitlines():
            self._take(line)
        self._read += whole

    def _take(self, line: bytes) -> None:
        self._n_lines += 1
        record = parsed(line)
        try:
            RECORD.check(record)
            name = canonical(record["key"])
        except (ValueError, RecursionError):
            raise self._changed(self._n_lines, f"is not a record: {line[:60]!r}") from None
        if name not in self._values:
            self._values[name] = record["value"]
            self._lines[name] = self._n_lines


RecordsIn = Records | str | os.PathLike[str] | None  # as a user gives them


def opened_records(records: RecordsIn) -> AbstractContextManager[Records | None]:
    """Given records unchanged, those of a path until the end of the block, or none."""
    if records is None or isinstance(records, Records):
        return nullcontext(records)
    return Records(records)


def check_objects(key: Any, value: Any) -> None:
    """Raises TypeError for a value that could not be read again as a record."""
    for name, one in (("key", key), ("value", value)):
        if not isinstance(one, dict):
            raise TypeError(f"{name} is {told(one)}; expected a dict, as records hold.")


def check_kind(value: Plain, kind: Kind | None) -> None:
    """Raises ValueError for a result that would be refused when it is read again."""
    try:
        if kind is not None:
            kind.check(value)
    except MismatchError as wrong:
        raise ValueError(f"The result does not fit the records ({wrong}), and was not written.") from None


def canonical(value: Any) -> str:
    """A value as JSON in its canonical form."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parsed(line: bytes) -> Any:
    """The value of a line of JSON; None if it is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def append(file: int, line: bytes) -> None:
    """Writes a line at the end of the file, to the disk; or, if that fails, nothing."""
    size = os.fstat(file).st_size
    try:
        while line:  # a full disk takes a part of it, and then raises
            line = line[os.write(file, line) :]
        os.fsync(file)
    except BaseException:
        os.ftruncate(file, size)
        raise


def read(file: int, start: int, end: int) -> bytes:
    """The bytes of a file from start to end."""
    os.lseek(file, start, os.SEEK_SET)
    parts = []
    while start < end and (part := os.read(file, end - start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)
