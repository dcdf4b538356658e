"""Reading the table that the options of a command name."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qpfs.cli.options import SourceOptions, TableOptions
from qpfs.cli.progress import Log
from qpfs.cli.running import in_options
from qpfs.cli.stores import LEAST, bytes_in
from qpfs.cli.terminal import Record
from qpfs.messages import UsageError
from qpfs.methods import METHODS
from qpfs.wording import counted

if TYPE_CHECKING:
    from qpfs.data import Problem

FEATURES = ("keep", "exclude")  # parameters of methods that name columns
NOTHING: Mapping[str, object] = MappingProxyType({})
TEXT_SPEED, PACKED_SPEED, BINARY_SPEED = 40e6, 15e6, 300e6  # bytes a second, about


def use_folder(folder: Path | None) -> None:
    """Looks for data sets in a folder from now on."""
    if folder is None:
        return
    if not folder.is_dir():
        raise UsageError(f"--data {folder}: there is no such folder.")
    os.environ["QPFS_DATA"] = str(folder)


def check_source(source: TableOptions, *, needs_target: bool = True) -> None:
    """Raises UsageError for mistakes that are quick to see: a missing file, a text file without a target."""
    use_folder(source.folder)
    path = Path(source.data)
    named = source.data == "-" or ":" in source.data or (not path.suffix and path.name == source.data)
    if not path.exists() and not named:  # it may be the name of a data set, which takes longer to look up
        beside = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, beside, 1, 0.8)
        hint = f" Did you mean {str(path.with_name(near[0]))!r}?" if near else ""
        raise UsageError(f"There is no file {source.data!r}.{hint}")
    is_text = path.is_file() and not source.file_format and {*path.suffixes} & {".csv", ".tsv"}
    if (
        is_text
        and needs_target
        and isinstance(source, SourceOptions)
        and not (source.target or source.labels)
    ):
        raise UsageError(f"Name the target column of {source.data!r} with --target COLUMN.")


def check_header(
    source: SourceOptions, given: Mapping[str, object] = NOTHING, *, needs_target: bool = True
) -> None:
    """Raises UsageError for an unknown data set, column or label file; imports only what reads a header.

    Among the given parameters of a method, those that name features are checked, too.
    """
    reading = source.reading()
    for labels in source.labels or ():
        if labels != "-" and not Path(labels).exists():
            raise UsageError(f"There is no file {labels!r}.")
    from qpfs.data import check_at_a_glance

    features = {name: some for name in FEATURES if isinstance(some := given.get(name), list)}
    check_at_a_glance(source.data, reading, needs_target=needs_target, features=features)


def check_out(
    folder: Path,
    names: list[str],
    source: SourceOptions,
    log: Log,
    *,
    force: bool,
    also: list[Path] | None = None,
) -> None:
    """Raises FileExistsError if results may not be written into a folder; reports if it is a link."""
    from qpfs.files import check_apart, check_folder_free, linked_folder, reject_link

    check_folder_free(folder, names, force=force)
    from qpfs.data import files_read  # slow, so it comes after the quick checks

    written = [*(folder / name for name in names), *(also or ())]
    for one in source.sources:
        check_apart(written, files_read(one, *(source.labels or ())))
    for path in also or ():
        reject_link(path)
    if (where := linked_folder(folder)) is not None:
        log.note(f"{folder} is a link to {where}; the files are written there")


def opened_problem(source: SourceOptions, log: Log, memory: str | None = None) -> Problem:
    """The problem in a source, or in several cohorts; notes about it are shown."""
    from qpfs.data import open_cohorts, open_problem

    use_folder(source.folder)
    reading = source.each[0].reading()
    room = None if memory is None else bytes_in(memory) - LEAST // 2
    begun = time.perf_counter()
    for one in source.sources:
        fetch_first(one, log)
    with log.waiting(
        f"reading {', '.join(source.sources)}", lambda: sum(map(reading_seconds, source.sources))
    ):
        if len(source.sources) == 1:
            problem = open_problem(source.data, reading, memory=room)
        else:
            problem = open_cohorts(source.sources, reading, labels=source.labels or ())
    shape = f"{counted(problem.n_samples, 'sample')}, {counted(problem.n_features, 'feature')}"
    log.say(f"read {shape} in {time.perf_counter() - begun:.2f} s")
    for note in problem.notes:
        log.note(in_options(note))
    return problem


def fetch_first(source: str, log: Log) -> None:
    """Downloads a source that is an address, before it is read."""
    if "://" not in source:
        return
    from qpfs.data import fetch

    with log.steps(f"fetching {source}") as tick:
        fetch(source, tick=tick)


def reading_seconds(source: str) -> float:
    """About how long reading a file takes; 0 if unknown."""
    path = Path(source)
    if not path.is_file():
        return 0.0
    with path.open("rb") as file:
        head = file.read(1024)
    packed = head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
    speed = PACKED_SPEED if packed else BINARY_SPEED if b"\0" in head else TEXT_SPEED
    return 0.1 + path.stat().st_size / speed


def as_read(source: SourceOptions) -> Record:
    """The options for reading that were given, as plain data."""
    from dataclasses import asdict

    from qpfs.data import Reading

    given, usual = asdict(source.each[0].reading()), asdict(Reading())
    if source.labels and len(source.labels) > 1:
        given["labels"] = source.labels
    return {name: value for name, value in given.items() if value != usual[name]}


def facts(problem: Problem, source: SourceOptions, method: str | None = None) -> Record:
    """The description of the data in a record."""
    scaled = method is not None and METHODS[method].scaled
    return {
        "source": problem.name,
        "format": problem.format,
        "checksum": problem.checksum,
        **labels_facts(source),
        "target": problem.target_name,
        "reading": as_read(source),
        **store_facts(problem.X),
        "notes": [
            *map(in_options, problem.notes),
            *(["Columns were scaled to [-1, 1] for the linear model."] if scaled else []),
        ],
    }


def labels_facts(source: SourceOptions) -> Record:
    """The checksums of files of labels; empty if there are none."""
    from qpfs.data.stored import sha256

    files = [one for one in source.labels or () if Path(one).is_file()]
    found = [{"source": one, "checksum": sha256(Path(one))} for one in files]
    return {"labels": found} if found else {}


def store_facts(X: Any) -> Record:
    """What a store was made from; empty for a table."""
    from qpfs.codes import table_kind
    from qpfs.codes.stored_problem import held_words

    if table_kind(X).has_numbers:
        return {}
    return {"store": {"source": X.about.source, "format": X.about.format, X.form.name: held_words(X)}}


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["qpfs", *sys.argv[1:]])
