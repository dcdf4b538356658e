"""An encoded table as a problem: how `qpfs.data.open_problem` opens a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from qpfs.codes.decoding import decoded
from qpfs.codes.disk_table import EncodedTable, open_store
from qpfs.data import Problem, Reading, Table, UsageError
from qpfs.data.labels import LabelFile
from qpfs.data.opening import joint_target
from qpfs.data.samples import Samples
from qpfs.messages import Parameter

# Reading options that an encoded table allows.
AT_HAND = ("target", "further", "labels", "groups", "weights", "strict", "adjust", "categorical")


def stored_problem(source: str, reading: Reading, memory: int | None) -> Problem:
    """The problem of a store; its target is one of those kept in it, or in a file of labels."""
    reject_reading(reading)
    table = open_store(source, memory=memory)
    samples = Samples(table.n_samples)
    samples.names = None if table.samples is None else list(table.samples)
    samples.groups = table.groups
    samples.covariates = {name: table.targets[name] for name in reading.adjust if name in table.targets}
    labels = None if reading.labels is None else LabelFile(reading)
    elsewhere = labels is not None and labels.has_target(
        in_table=bool(table.targets) if reading.target is None else reading.target in table.targets
    )
    for asked in () if elsewhere else (reading.target, *reading.further):
        name = kept_target(table, asked, source)
        samples.add_target(name, table.targets[name])
    if labels is None:
        check_kept(table, reading.adjust, source)
    else:
        samples.join(labels, [], reading, targets=elsewhere)
        samples.drop_missing(strict=reading.strict, source=labels.source if elsewhere else source)
        samples.check_groups(reading, source)
    samples.name_categories(reading)
    target, y = joint_target(samples.targets, 1 + len(reading.further))
    of = f"those of {'standard input' if table.about.source == '-' else table.about.source} "
    held = f"the {table.form.name} are {of if table.about.source else ''}as encoded"
    return Problem(
        source,
        table if samples.rows is None else table[samples.rows],
        feature_names(table),
        samples.names,
        samples.groups,
        table.about.checksum or table.mark,
        "store",
        (*table.about.notes, f"{held} ({held_words(table)}); the numbers are not available", *samples.notes),
        y=y,
        target_name=target,
        weights=samples.weights,
        covariates=samples.covariates,
    )


def stored_columns(source: str, reading: Reading, names: Sequence[str]) -> Table:
    """Some columns of a store as arrays: levels, scores or labels; or targets kept in it."""
    reject_reading(reading)
    table = open_store(source)
    features = feature_names(table)
    places = {name: place for place, name in enumerate(features)}
    wanted = [name for name in dict.fromkeys(names) if name in places or name in table.targets]
    here = np.array([places[name] for name in wanted if name in places], np.intp)
    columns = {features[i]: column for i, column in zip(here.tolist(), decoded(table, here), strict=True)}
    columns |= {name: table.targets[name] for name in wanted if name not in columns}
    what = "levels, numbered from 0, the lowest," if table.form.name == "levels" else "normal scores"
    return Table(
        source,
        pa.table([as_arrow(columns[name]) for name in wanted], names=wanted),
        wanted,
        None if table.samples is None else list(table.samples),
        None,
        table.about.checksum or table.mark,
        "store",
        (f"{source} is encoded: {what} were written in place of numbers ({held_words(table)})",),
    )


def as_arrow(column: Any) -> pa.Array:
    """A column as an Arrow array; of integers if all present values are whole."""
    if not isinstance(column, np.ndarray):
        return pa.array([None if one is None else str(one) for one in column], pa.string())
    found = pa.array(column, from_pandas=True)
    whole = column.dtype.kind == "f" and (column == np.rint(column))[~np.isnan(column)].all()
    return found.cast(pa.int64()) if whole else found


def feature_names(table: EncodedTable) -> list[str]:
    """The names of the features; x0, x1, ... where they have none."""
    return [f"x{j}" for j in range(table.n_features)] if table.names is None else list(table.names)


def held_words(table: EncodedTable) -> str:
    """How the features of an encoded table were made, in words."""
    if table.form.name == "levels":
        return str(table.rule.words())
    return f"normal scores of ranks{', and their squares' if getattr(table.form, 'degree', 1) == 2 else ''}"


def reject_reading(reading: Reading) -> None:
    """Raises UsageError for options that apply only when a table is encoded."""
    usual: Any = Reading()
    for one in fields(reading):
        given = getattr(reading, one.name)
        late = one.name in AT_HAND and not (one.name in ("groups", "weights") and reading.labels is None)
        if not late and given != getattr(usual, one.name):
            what = " is for `qpfs encode`: the columns of a store cannot be changed."
            if one.name == "weights":
                what = ": a store holds no weights; give them with the target, in a file of labels ("
                raise UsageError(Parameter(one.name), what, Parameter("labels", "FILE"), ").")
            raise UsageError(Parameter(one.name), what)


def check_kept(table: EncodedTable, asked: tuple[str, ...], source: str) -> None:
    """Raises UsageError if a column to adjust for is not in the store."""
    for name in asked:
        if name not in table.targets:
            raise UsageError(
                Parameter("adjust", name),
                f": {source!r} holds {', '.join(map(repr, table.targets)) or 'nothing'} beside the "
                "features; give a file with it (",
                Parameter("labels", "FILE"),
                "), or encode again with ",
                Parameter("keep", name),
                ".",
            )


def kept_target(table: EncodedTable, asked: str | None, source: str) -> str:
    """The name of the requested target, or of the first one."""
    kept = list(table.targets)
    if not kept:
        raise UsageError(
            f"{source!r} holds no target; give one with ",
            Parameter("labels", "FILE"),
            ", or encode with ",
            Parameter("target"),
            ".",
        )
    if asked is not None and asked not in kept:
        raise UsageError(
            f"{source!r} holds the targets {', '.join(map(repr, kept))}, but not {asked!r}; features "
            "cannot be targets once they are encoded (",
            Parameter("labels", "FILE"),
            " gives another).",
        )
    return kept[0] if asked is None else asked
