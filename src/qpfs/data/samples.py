"""What is known about the samples of a table: names, targets, groups, weights and covariates."""

from __future__ import annotations

from types import NoneType

import numpy as np
import pyarrow as pa

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.data.dates import days_in, spelling
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.labels import Joined, LabelFile
from qpfs.data.reading import Reading, matched
from qpfs.data.roles import alike, is_missing, usable_target
from qpfs.data.sheet import GLANCE, as_integers, days_of, shortened, turned_dates, turned_spans
from qpfs.messages import Message, Parameter

LEAST_SAMPLES = 2  # of a problem


class Samples:
    """What is known about the samples of a table; those without a label or a target are left out."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.rows: IndexArray | None = None  # those that are kept; None: all
        self.names: list[str] | None = None
        self.groups: AnyArray | None = None
        self.groups_from: str | None = None  # the file that has the groups
        self.covariates: dict[str, AnyArray] = {}
        self.split: BoolArray | None = None
        self.weights: AnyArray | None = None
        self.targets: dict[str, AnyArray] = {}
        self.notes: list[str] = []

    def add_target(self, name: str, y: AnyArray) -> None:
        """Adds a target; dates, also those that are text, become days."""
        self.targets[name] = self._in_days(name, y)

    def _in_days(self, name: str, y: AnyArray) -> AnyArray:
        """Dates, also those that are text, as days, with a note; other values unchanged."""
        days = days_of(pa.array(y)) if y.dtype.kind in "mM" else text_days(y)
        note = turned_spans if y.dtype.kind == "m" else turned_dates
        self.notes += note([] if days is None else [name])
        return y if days is None else days

    def join(self, labels: LabelFile, features: list[str], reading: Reading, *, targets: bool) -> None:
        """Adds the columns of a file of labels, and leaves out the samples that it does not name."""
        files = [labels, *map(labels.of, reading.further)] if targets else [labels.of(labels.rows[0][0])]
        found, *others = (one.joined(self.names, self.n, features, reading.index) for one in files)
        if found.rows is not None:
            self.keep(found.rows)
        self.notes += found.notes
        if targets:
            kept, self.targets = self.targets, {}  # further columns of the table, which follow the targets
            for one in (found, *others):
                self.add_target(one.name, usable_target(one.y, one.name, labels.source))
            self.targets = {**self.targets, **{name: kept[name] for name in kept if name not in self.targets}}
        if found.groups is not None and self.groups_from is None:
            self.groups, self.groups_from = found.groups, labels.source
        elif found.groups is not None:
            left = f" was read from the table; the column in {labels.source!r} was not used"
            self.notes.append(Message(Parameter("groups", reading.groups), left))
        self.weights = found.weights if self.weights is None else self.weights
        for role in ("groups", "weights"):
            if getattr(reading, role) is None or getattr(self, role) is not None:
                continue
            raise nowhere(role, getattr(reading, role), labels)
        self._join_covariates(found, labels, reading)

    def _join_covariates(self, found: Joined, labels: LabelFile, reading: Reading) -> None:
        """Adds the covariates that only the labels have; raises UsageError for those that are missing."""
        for name in reading.adjust:
            if name in self.covariates:
                continue
            if name not in found.covariates:
                raise nowhere("adjust", name, labels)
            self.covariates[name] = found.covariates[name]

    def name_categories(self, reading: Reading) -> None:
        """Makes labels of the numbers of covariates that are declared categorical, and days of dates."""
        for name, given in self.covariates.items():
            found = self._in_days(name, given)
            self.covariates[name] = found
            if found.dtype.kind in "iuf" and any(matched(one, name) for one in reading.categorical):
                gone = is_missing(found)
                spelled = [None if no else f"{one:.17g}" for one, no in zip(found, gone, strict=True)]
                self.covariates[name] = np.array(spelled, object)

    def drop_missing(self, *, strict: bool, source: str) -> None:
        """Leaves out the samples without a target, with a note; raises UnreadableError if `strict`."""
        for name in list(self.targets):
            missing = is_missing(self.targets[name])
            n_missing, n = int(missing.sum()), len(missing)
            if not n_missing:
                # 0.0 is 0, as where others are missing
                self.targets[name] = complete_kind(self.targets[name])
                continue
            said = f"the target {name!r} of {source!r} is missing in {n_missing} of {n} samples"
            if strict or n - n_missing < LEAST_SAMPLES:
                raise UnreadableError(f"{said[0].upper()}{said[1:]}; drop or fill them first.")
            gone = [] if self.names is None else [self.names[i] for i in np.flatnonzero(missing)]
            self.keep(np.flatnonzero(~missing))
            self.targets[name] = complete_kind(self.targets[name])
            self.notes.append(f"{said}, which are left out{f': {shortened(gone)}' if gone else ''}")

    def check_groups(self, reading: Reading, source: str) -> None:
        """Raises UnreadableError if some samples have no group."""
        if self.groups is None or not is_missing(self.groups).any():
            return
        places = np.flatnonzero(is_missing(self.groups)).tolist()
        which = "" if self.names is None else f": {shortened([self.names[i] for i in places])}"
        file = self.groups_from or source
        said = f": {file!r} has no group for {len(places)} of {len(self.groups)} samples{which}. "
        raise UnreadableError(
            Parameter("groups", reading.groups), said, "Fill them in, or leave these samples out."
        )

    def keep(self, rows: IndexArray) -> None:
        """Keeps only some samples."""
        self.rows = rows if self.rows is None else self.rows[rows]
        self.targets = {name: y[rows] for name, y in self.targets.items()}
        self.names = None if self.names is None else [self.names[i] for i in rows.tolist()]
        self.groups = None if self.groups is None else self.groups[rows]
        self.split = None if self.split is None else self.split[rows]
        self.weights = None if self.weights is None else self.weights[rows]
        self.covariates = {name: found[rows] for name, found in self.covariates.items()}


def text_days(y: AnyArray) -> FloatArray | None:
    """Dates that are text as days; None for anything else."""
    if y.dtype.kind == "U":  # without missing values, so that the first few show it
        return days_in(as_texts(y)) if spelling(as_texts(y[:GLANCE])) is not None else None
    return days_in(as_texts(y)) if y.dtype.kind == "O" and are_texts(y) else None


def as_texts(y: AnyArray) -> pa.Array:
    return pa.array(y.tolist(), pa.string())


def are_texts(values: AnyArray) -> bool:
    # By types, which are few: one by one, 100,000 values take four times as long.
    return all(issubclass(kind, str | NoneType) for kind in set(map(type, values.tolist())))


def complete_kind(values: AnyArray) -> AnyArray:
    """Values without missing ones, in the type that they would have had without these."""
    if values.dtype.kind == "O":
        return np.array(values.tolist())
    return as_integers(values) if values.dtype.kind == "f" else values


def nowhere(role: str, asked: str, labels: LabelFile) -> UsageError:
    """That neither the table nor a file of labels has a column, and what the file has that looks like it."""
    there = alike(asked, labels.rows[0]) if labels.array is None else "it is an array."
    what = f": there is no such column in the table nor in {labels.source!r}; {there}"
    return UsageError(Parameter(role, asked), what)
