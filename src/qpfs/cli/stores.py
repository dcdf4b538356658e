"""A table that was encoded, as a source of the command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from qpfs.cli.methods import rule_words

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SIZE = re.compile(r"\s*+(\d++(?:\.\d*+)?+|\.\d++)\s*+([kmgt]?)(i?)b?\s*+", re.I)
LEAST, MOST = 256 * 10**6, 2.0**60  # what can be asked for
BASE = 220 * 10**6  # what Python and its libraries take before anything is read, about
OURS = {  # options that say how a table is read, which is over once it is encoded
    "features_in": "columns",
    "drop": None,
    "index": None,
    "groups": None,
    "missing": None,
    "categorical": None,
    "layer": None,
    "file_format": None,
}


def bytes_in(text: str) -> int:
    """The number of bytes that a text such as 1GB or 512MiB means."""
    from qpfs.data import UsageError

    found = SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"--memory {text}; expected a size such as 512MB or 2GB.")
    number, unit, binary = found.groups()
    power = "kmgt".index(unit.lower()) + 1 if unit else 0
    size = float(number) * (1024**power if binary else UNITS[unit.lower()])
    if size > MOST:
        raise UsageError(f"--memory {text[:40]}; that is more than any machine has.")
    if size < LEAST:
        raise UsageError(f"--memory {text}; expected at least {LEAST // 10**6}MB.")
    return int(size)


def is_stored(source: str) -> bool:
    """Whether a source is the file of a store, by its content.

    Raises StoreError for one that is called so and is none: it would be read as bad text else.
    """
    path = Path(source)
    if not path.is_file():
        return False
    from qpfs.codes.disk_format import ALIGNED, SUFFIX, Head, is_store

    with path.open("rb") as file:
        head = file.read(ALIGNED)
    if path.suffix == SUFFIX and not is_store(head):
        Head.read(head, path)
    return is_store(head)


def stored_problem(source: str, options: dict[str, Any], memory: int | None) -> Any:
    """The problem in a store; its target is one of those kept in it, or in a file of labels."""
    from qpfs.codes import open_store
    from qpfs.data import Problem
    from qpfs.report.names import source_name

    reject_reading(options)
    table = open_store(source, memory=None if memory is None else memory - LEAST // 2)
    y, target = target_in(table, options.get("target"), options.get("labels"), source)
    names = [f"x{j}" for j in range(table.n_features)] if table.names is None else list(table.names)
    of = source_name(table.about.source)
    held = f"the {table.form.name} are {'' if of is None else f'those of {of} '}as encoded"
    return Problem(
        source,
        table,
        names,
        None if table.samples is None else list(table.samples),
        table.groups,
        table.about.checksum or table.mark,
        "store",
        (*table.about.notes, f"{held} ({held_words(table)}); no numbers are at hand"),
        y=y,
        target_name=target,
    )


def held_words(table: Any) -> str:
    """How what an encoded table holds came about."""
    if table.form.name == "levels":
        return rule_words(table.rule)
    return f"normal scores of ranks{', and their squares' if table.form.degree == 2 else ''}"


def reject_reading(options: dict[str, Any]) -> None:
    """Raises UsageError for what can be said only when a table is encoded."""
    from qpfs.cli.methods import option
    from qpfs.data import UsageError

    for name, usual in OURS.items():
        if options.get(name) and options[name] != usual:
            said = "--format" if name == "file_format" else option(name)
            raise UsageError(f"{said} is for `qpfs encode`: the columns of a store are what they are.")


def target_in(table: Any, asked: str | None, labels: str | None, source: str) -> tuple[Any, str]:
    """The target and its name."""
    from qpfs.data import UsageError

    if labels is not None:
        from qpfs.data.labels import labels_in
        from qpfs.data.roles import complete

        samples = None if table.samples is None else list(table.samples)
        y, name = labels_in(labels, samples, table.n_samples, asked)
        return complete(y, name, labels), name
    kept = list(table.targets)
    if not kept:
        raise UsageError(f"{source!r} holds no target; give one with --labels FILE, or encode with --target.")
    name = kept[0] if asked is None else asked
    if name not in kept:
        raise UsageError(
            f"{source!r} holds the targets {', '.join(map(repr, kept))}, but not {name!r}; features cannot "
            "be targets once they are encoded (--labels FILE gives another)."
        )
    return table.targets[name], name


def reject_store(source: str, why: str) -> None:
    """Raises UsageError if a source is a store."""
    from qpfs.data import UsageError

    if is_stored(source):
        raise UsageError(f"{source} is an encoded store, which holds no numbers; {why}")
