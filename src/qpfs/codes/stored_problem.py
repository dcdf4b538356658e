"""A table that was encoded, as a problem: what `qpfs.data.open_problem` opens a store with."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from qpfs.codes.disk_table import EncodedTable, open_store
from qpfs.data import Problem, Reading, UsageError
from qpfs.data.labels import LabelFile
from qpfs.data.opening import Samples, joint_target
from qpfs.messages import Message, Parameter

AT_HAND = (
    "target",
    "further",
    "labels",
    "groups",
    "strict",
)  # what can be said of a table that is encoded already


def stored_problem(source: str, reading: Reading, memory: int | None) -> Problem:
    """The problem in a store; its target is one of those kept in it, or in a file of labels."""
    reject_reading(reading)
    table = open_store(source, memory=memory)
    samples = Samples(table.n_samples)
    samples.names = None if table.samples is None else list(table.samples)
    samples.groups = table.groups
    if reading.labels is None:
        for asked in (reading.target, *reading.further):
            name = kept_target(table, asked, source)
            samples.add_target(name, table.targets[name])
    else:
        samples.join(LabelFile(reading), [], reading)
        samples.drop_missing(strict=reading.strict, source=reading.labels)
        samples.check_groups(reading)
    target, y = joint_target(samples.targets, 1 + len(reading.further))
    of = f"those of {'standard input' if table.about.source == '-' else table.about.source} "
    held = f"the {table.form.name} are {of if table.about.source else ''}as encoded"
    names = [f"x{j}" for j in range(table.n_features)] if table.names is None else list(table.names)
    return Problem(
        source,
        table if samples.rows is None else table[samples.rows],
        names,
        samples.names,
        samples.groups,
        table.about.checksum or table.mark,
        "store",
        (*table.about.notes, f"{held} ({held_words(table)}); no numbers are at hand", *samples.notes),
        y=y,
        target_name=target,
    )


def held_words(table: EncodedTable) -> str:
    """How what an encoded table holds came about."""
    if table.form.name == "levels":
        return str(table.rule.words())
    return f"normal scores of ranks{', and their squares' if getattr(table.form, 'degree', 1) == 2 else ''}"


def reject_reading(reading: Reading) -> None:
    """Raises UsageError for what can be said only when a table is encoded."""
    usual: Any = Reading()
    for one in fields(reading):
        given = getattr(reading, one.name)
        late = one.name in AT_HAND and not (one.name == "groups" and reading.labels is None)
        if not late and given != getattr(usual, one.name):
            raise UsageError(
                Message(
                    Parameter(one.name), " is for `qpfs encode`: the columns of a store are what they are."
                )
            )


def kept_target(table: EncodedTable, asked: str | None, source: str) -> str:
    """The name of the target that is asked for, or of the first."""
    kept = list(table.targets)
    if not kept:
        raise UsageError(
            Message(
                f"{source!r} holds no target; give one with ",
                Parameter("labels", "FILE"),
                ", or encode with ",
                Parameter("target"),
                ".",
            )
        )
    if asked is not None and asked not in kept:
        raise UsageError(
            Message(
                f"{source!r} holds the targets {', '.join(map(repr, kept))}, but not {asked!r}; features "
                "cannot be targets once they are encoded (",
                Parameter("labels", "FILE"),
                " gives another).",
            )
        )
    return kept[0] if asked is None else asked
