"""What the options of a command say about reading."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from qpfs.cli.progress import Log
from qpfs.cli.stores import bytes_in, held_words, is_stored, stored_problem
from qpfs.methods import METHODS

TEXT_SPEED, PACKED_SPEED, BINARY_SPEED = 40e6, 15e6, 300e6  # bytes a second, about


def reading_of(options: dict[str, Any]) -> Any:
    """How a source is to be read, by the options of a command."""
    from qpfs.data import Reading, UsageError

    if options["features_in"] not in ("columns", "rows"):
        raise UsageError(f"--features-in {options['features_in']}; expected columns or rows.")
    single = ("target", "labels", "features_in", "index", "groups", "layer")
    several = ("drop", "missing", "categorical")
    given: dict[str, Any] = {name: options[name] for name in single if name in options}
    given |= {name: tuple(options[name] or ()) for name in several if name in options}
    return Reading(format=options["file_format"], keep=tuple(options.get("kept") or ()), **given)


def use_folder(folder: Path | None) -> None:
    """Looks for sets in a folder from now on."""
    from qpfs.data import UsageError

    if folder is None:
        return
    folder = Path(folder)  # an older Typer leaves text in the parameters of a context
    if not folder.is_dir():
        raise UsageError(f"--data {folder}: there is no such folder.")
    os.environ["QPFS_DATA"] = str(folder)


def check_out(
    folder: Path, names: list[str], options: dict[str, Any], log: Log, also: list[Path] | None = None
) -> None:
    """Raises FileExistsError if results may not be put into a folder; says so if that is a link."""
    from qpfs.data import files_read
    from qpfs.files import check_apart, check_folder_free, linked_folder, reject_link

    use_folder(options.get("folder"))
    read = files_read(options["data"], options.get("labels"))
    check_folder_free(folder, names, force=options["force"], read=read)
    check_apart(also or (), read)
    for path in also or ():
        reject_link(path)
    if (where := linked_folder(folder)) is not None:
        log.note(f"{folder} is a link to {where}; the files are written there")


def opened_problem(source: str, options: dict[str, Any], log: Log) -> Any:
    """The problem in a source, with what a person should know about it said."""
    use_folder(options.get("folder"))
    reading = reading_of(options)
    begun = time.perf_counter()
    fetch_first(source, log)
    with log.waiting(f"reading {source}", lambda: reading_seconds(source)):
        problem = problem_in(source, reading, options)
    shape = f"{problem.n_samples} samples, {problem.n_features} features"
    log.say(f"read {shape} in {time.perf_counter() - begun:.2f} s")
    for note in problem.notes:
        log.note(note)
    return problem


def problem_in(source: str, reading: Any, options: dict[str, Any]) -> Any:
    """The problem in a store, or in anything else that can be read."""
    from qpfs.data import UsageError, open_problem

    memory = options.get("memory_size")
    if is_stored(source):
        return stored_problem(source, options, None if memory is None else bytes_in(memory))
    if memory is not None:
        raise UsageError(
            f"--memory is for a store, and {source} is none: write one with `qpfs encode` first."
        )
    return open_problem(source, reading)


def fetch_first(source: str, log: Log) -> None:
    """Fetches what is at an address, so that reading finds it at hand."""
    if "://" not in source:
        return
    from qpfs.data import fetch

    with log.steps(f"fetching {source}") as tick:
        fetch(source, tick=tick)


def reading_seconds(source: str) -> float:
    """About how long reading a file takes; 0 if that cannot be said."""
    path = Path(source)
    if not path.is_file():
        return 0.0
    with path.open("rb") as file:
        head = file.read(1024)
    packed = head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
    speed = PACKED_SPEED if packed else BINARY_SPEED if b"\0" in head else TEXT_SPEED
    return 0.1 + path.stat().st_size / speed


def as_read(options: dict[str, Any]) -> dict[str, Any]:
    """What was said about reading, as plain data; what was not said is left out."""
    from dataclasses import asdict

    from qpfs.data import Reading

    given, usual = asdict(reading_of(options)), asdict(Reading())
    return {name: value for name, value in given.items() if value != usual[name]}


def facts(problem: Any, options: dict[str, Any], method: str | None = None) -> dict[str, Any]:
    """What a record says of the data."""
    scaled = method is not None and METHODS[method].scaled
    return {
        "source": problem.name,
        "format": problem.format,
        "checksum": problem.checksum,
        "target": problem.target_name,
        "reading": as_read(options),
        **store_facts(problem.X),
        "notes": [
            *problem.notes,
            *(["Columns were scaled to [-1, 1] for the linear machine."] if scaled else []),
        ],
    }


def store_facts(X: Any) -> dict[str, Any]:
    """What a store was made of; nothing of a table."""
    from qpfs.codes import table_kind

    if table_kind(X).has_numbers:
        return {}
    return {"store": {"source": X.about.source, "format": X.about.format, X.form.name: held_words(X)}}


def command_line() -> str:
    """What was typed, so that it can be typed again."""
    return shlex.join(["qpfs", *sys.argv[1:]])
