"""Several tables of one kind, each a cohort: one problem, of the columns that all of them have.

Columns are matched by name and are in the order of the first table. A separate file of labels holds those of
all cohorts, matched by the names of samples, or there is one for each cohort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.labels import Joined, LabelFile, unmatched
from qpfs.data.opening import DEFAULT, is_stored, label_file, read_problem, with_roles
from qpfs.data.problem import CohortSource, Problem
from qpfs.data.reading import Reading
from qpfs.data.sheet import as_integers, has_no_zeros, shortened
from qpfs.messages import Message, Parameter
from qpfs.wording import counted, some_of

LEAST_COMMON = 2  # columns: from one there is nothing to select


def open_cohorts(
    sources: Sequence[str], reading: Reading = DEFAULT, *, labels: Sequence[str] = ()
) -> Problem:
    r"""The features that several tables have in common, and their target: one problem, each table a cohort.

    Parameters
    ----------
    sources : sequence of str
        At least two, each as for :func:`open_problem`; no stores.
    reading : Reading
        The roles of the columns, in all of them.
    labels : sequence of str
        Files with the target: one for all tables, matched by names of samples, or one for each.

    Returns
    -------
    problem : Problem
        With `cohorts`, the cohort of each sample, and `cohort_sources`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from qpfs.data import Reading, open_cohorts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder) / name for name in ("a.csv", "b.csv")]
    ...     _ = paths[0].write_text("x,z,w,y\n1,2,3,a\n4,5,6,b\n")
    ...     _ = paths[1].write_text("z,x,y\n1,2,a\n4,5,b\n")
    ...     problem = open_cohorts([str(path) for path in paths], Reading(target="y"))
    >>> problem.names, problem.cohorts.tolist()
    (['x', 'z'], ['a.csv', 'a.csv', 'b.csv', 'b.csv'])
    """
    reading = with_roles(reading)
    check_sources(sources, labels)
    files: list[LabelFile | None]
    if len(labels) > 1:
        files = [label_file(replace(reading, labels=one)) for one in labels]
    elif labels:
        files = [SharedLabels(replace(reading, labels=labels[0]))] * len(sources)
    else:
        files = [None] * len(sources)
    readings = [replace(reading, labels=None if one is None else one.source) for one in files]
    problems = [read_problem(*each) for each in zip(sources, readings, files, strict=True)]
    if not labels:  # a file of labels need not name them
        check_target_names(problems)
    shared = files[0].notes_on_all() if isinstance(files[0], SharedLabels) else []
    return together(problems, shared)


def check_sources(sources: Sequence[str], labels: Sequence[str] = ()) -> None:
    """Raises UsageError, before anything is read, for tables that cannot be cohorts."""
    for one, other in combinations(sources, 2):
        if one == other or (Path(one).exists() and Path(other).exists() and Path(one).samefile(other)):
            raise UsageError(
                f"{one!r} and {other!r} are the same file; expected a different table for each cohort."
            )
    for source in filter(is_stored, sources):
        raise UsageError(
            f"{source!r} is an encoded store: its columns were discretised on its own samples alone, and do "
            "not match those of another table. Name the tables themselves."
        )
    if len(labels) not in (0, 1, len(sources)):
        raise UsageError(
            f"There are {len(sources)} tables and {len(labels)} files of labels; give ",
            Parameter("labels"),
            " once, for all of them, or once for each.",
        )


class SharedLabels(LabelFile):
    """A file with the labels of several tables: a label without a sample here may have one in another."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.met: Counter[str] = Counter()  # samples, and how many tables have them
        self.named: dict[str, None] = {}  # samples that have a label

    def joined(
        self, samples: list[str] | None, n: int, features: list[str], index: str | None = None
    ) -> Joined:
        if samples is None or self.array is not None or len(self.rows[0]) == 1:
            raise UsageError(
                f"{self.source!r} holds the labels of several tables, which are matched by the names of "
                "samples, but ",
                "it has no names" if samples is not None else "a table does not name its samples",
                ". Give ",
                Parameter("labels"),
                " once for each table, or name the samples with ",
                Parameter("index", "COLUMN"),
                ".",
            )
        self.met.update({name for one in samples if (name := one.strip())})
        if twice := [one for one in samples if self.met[one.strip()] > 1]:
            raise UsageError(
                f"Several tables have the samples {shortened(twice)}, so the labels in {self.source!r} "
                "are ambiguous; give ",
                Parameter("labels"),
                " once for each table.",
            )
        return super().joined(samples, n, features, index)

    def _by_name(
        self,
        rows: list[list[str]],
        samples: list[str],
        names: int,
        place: int,
        name: str,
        features: list[str],
    ) -> Joined:
        self.named |= {row[names].strip(): None for row in rows}
        known = {one.strip() for one in samples}
        some = [row for row in rows if row[names].strip() in known]
        return super()._by_name(some or rows, samples, names, place, name, features)

    def notes_on_all(self) -> list[str]:
        """A note on labels without a sample in any table; raises UnreadableError if reading is strict."""
        unknown = [one for one in self.named if one not in self.met]
        n = len(self.named)
        notes = unmatched(unknown, f"{some_of(n - len(unknown), n, 'label', 'is', 'are')} of a sample")
        if notes and self.reading.strict:
            raise UnreadableError(
                f"{self.source!r}: {notes[0]}, but ", Parameter("strict", True), " was given."
            )
        return notes


def together(problems: Sequence[Problem], notes: Sequence[str] = ()) -> Problem:
    """Problems of one kind as one."""
    sources = [one.name for one in problems]
    called = cohort_names(sources)
    check_contents(problems)
    names = common_names(problems)
    sizes = [one.n_samples for one in problems]
    samples = [one.samples for one in problems]
    every = None if None in samples else [name for some in samples for name in some or ()]
    return Problem(
        ", ".join(sources),
        stacked_tables(problems, names),
        names,
        every,
        stacked_groups(problems),
        sha256("\n".join(one.checksum for one in problems).encode()).hexdigest(),
        ", ".join(dict.fromkeys(one.format for one in problems)),
        (
            *columns_notes(problems, called, names),
            *cohort_notes(problems, called),
            *notes,
            *repeated_samples(every or []),
        ),
        weights=stacked_weights(problems),
        covariates=stacked_covariates(problems),
        y=stacked_targets(problems),
        target_name=problems[0].target_name,
        cohorts=np.repeat(called, sizes),
        cohort_sources=tuple(
            CohortSource(name, one.name, one.checksum, one.format, one.n_features)
            for name, one in zip(called, problems, strict=True)
        ),
    )


def cohort_names(sources: Sequence[str]) -> list[str]:
    """The names of cohorts: their files without folders, if these differ."""
    short = [Path(one).name or one for one in sources]
    return short if len(set(short)) == len(short) else list(sources)


def check_contents(problems: Sequence[Problem]) -> None:
    """Raises UsageError for tables that are identical, have no column names, or another target."""
    for one, other in combinations(problems, 2):
        if one.checksum == other.checksum:
            raise UsageError(
                f"{one.name!r} and {other.name!r} hold the same bytes; expected other samples in each cohort."
            )
    for one in problems:
        if not one.named:
            raise UsageError(
                f"{one.name!r} does not name its columns, but cohorts are matched by column names; give it a "
                "header."
            )
    first = problems[0]
    for one in problems[1:]:
        check_alike(f"The target {first.target_name!r}", first, first.y, one, one.y)
        for name, values in first.covariates.items():
            check_alike(f"The covariate {name!r}", first, values, one, one.covariates[name])


def check_target_names(problems: Sequence[Problem]) -> None:
    """Raises UsageError if the targets that tables name are not the same."""
    first = problems[0]
    for one in problems[1:]:
        if one.target_name != first.target_name:
            raise UsageError(
                f"The target is {first.target_name!r} in {first.name!r} and {one.target_name!r} in "
                f"{one.name!r}; expected the same in each cohort. Name it with ",
                Parameter("target", "COLUMN"),
                ".",
            )


def check_alike(what: str, first: Problem, values: AnyArray, one: Problem, others: AnyArray) -> None:
    """Raises UsageError for values that are text in one table and numbers in another."""
    kinds = ["text" if is_text(some) else "numbers" for some in (values, others)]
    if kinds[0] != kinds[1]:
        raise UsageError(
            f"{what} holds {kinds[0]} in {first.name!r} and {kinds[1]} in {one.name!r}; expected the same "
            "labels, or the same quantity, in each cohort."
        )


def is_text(y: AnyArray) -> bool:
    return y.dtype.kind not in "biuf"


def common_names(problems: Sequence[Problem]) -> list[str]:
    """The columns that all tables have; raises UsageError if there are too few."""
    others = [set(one.names) for one in problems[1:]]
    names = [name for name in problems[0].names if all(name in some for some in others)]
    if len(names) < LEAST_COMMON:
        there = "; ".join(f"{one.name!r} has {shortened(one.names, 3)}" for one in problems)
        raise UsageError(
            f"The cohorts have {len(names) or 'no'} column name{'s' * (len(names) != 1)} in common; "
            f"expected at least {LEAST_COMMON}: {there}. If features are rows, add ",
            Parameter("features_in", "rows"),
            ".",
        )
    return names


def columns_notes(problems: Sequence[Problem], called: list[str], names: list[str]) -> list[str]:
    """How many columns are common, and which are left out."""
    common = set(names)
    extra = [[name for name in one.names if name not in common] for one in problems]
    left = "; ".join(
        f"{name}: {len(some)} ({shortened(some, 3)})"
        for name, some in zip(called, extra, strict=True)
        if some
    )
    if not left:
        return []
    those = counted(len(names), "column is", "columns are")
    return [f"{those} in all {len(problems)} cohorts; left out, as only in some: {left}"]


def cohort_notes(problems: Sequence[Problem], called: list[str]) -> list[str]:
    """The notes on each table, with its name; a note on all of them appears once."""
    n = Counter(note for one in problems for note in one.notes)
    found: dict[str, None] = {}
    for name, one in zip(called, problems, strict=True):
        for note in one.notes:
            found[note if n[note] == len(problems) else Message(f"{name}: ", note)] = None
    return [*found]


def repeated_samples(samples: list[str]) -> list[str]:
    """A note if cohorts may share samples."""
    twice = [one for one, times in Counter(samples).items() if times > 1]
    if not twice:
        return []
    some = f"several cohorts have samples called {shortened(twice, 3)}"
    return [f"{some}; if these are the same, each counts several times, and errors are underestimated"]


def stacked_targets(problems: Sequence[Problem]) -> AnyArray:
    """The targets one below the other."""
    y = np.concatenate([one.y for one in problems])
    return as_integers(y) if len({one.y.dtype.kind for one in problems}) > 1 and y.dtype.kind == "f" else y


def stacked_covariates(problems: Sequence[Problem]) -> dict[str, AnyArray]:
    """The covariates one below the other."""
    return {
        name: np.concatenate([one.covariates[name] for one in problems]) for name in problems[0].covariates
    }


def stacked_weights(problems: Sequence[Problem]) -> AnyArray | None:
    """The weights one below the other, where there are any."""
    found = [one.weights for one in problems if one.weights is not None]
    return np.concatenate(found) if found else None


def stacked_groups(problems: Sequence[Problem]) -> AnyArray | None:
    """Groups within cohorts, numbered consecutively; in a cohort without groups each sample is one."""
    if all(one.groups is None for one in problems):
        return None
    found, n = [], 0
    for one in problems:
        groups = np.arange(one.n_samples) if one.groups is None else one.groups
        codes = np.unique(groups, return_inverse=True)[1]
        found.append(n + codes)
        n += int(codes.max()) + 1
    return np.concatenate(found)


def stacked_tables(problems: Sequence[Problem], names: list[str]) -> Any:
    """The common columns one below the other: sparse where some are, an Arrow table where some are labels."""
    where = ({name: place for place, name in enumerate(one.names)} for one in problems)
    places = [[at[name] for name in names] for at in where]
    tables = [one.X for one in problems]
    if any(isinstance(X, pa.Table) for X in tables):
        return stacked_columns(problems, names, places)
    some = [X[:, columns] for X, columns in zip(tables, places, strict=True)]
    if any(map(has_no_zeros, some)):
        from scipy import sparse  # takes half a second to import, so mistakes are reported first

        return sparse.vstack([sparse.csc_array(X) for X in some], format="csc")
    return np.concatenate(some)


def stacked_columns(problems: Sequence[Problem], names: list[str], places: list[list[int]]) -> pa.Table:
    """Columns of numbers and of labels; raises UsageError where one is both."""
    for one in problems:
        if has_no_zeros(one.X):
            raise UsageError(
                f"{one.name!r} is sparse, but other cohorts have columns of text; leave these out, or "
                "write it with all its zeros."
            )
    found = []
    for slot, name in enumerate(names):
        columns = [column_at(each.X, at[slot]) for each, at in zip(problems, places, strict=True)]
        text = [isinstance(column, pa.Array) for column in columns]
        if not any(text):
            found.append(pa.array(np.concatenate(columns)))
            continue
        for column, problem in zip(columns, problems, strict=True):
            if not isinstance(column, pa.Array) and not np.isnan(column).all():
                raise of_two_kinds(name, problems[text.index(True)].name, problem.name)
        found.append(pa.concat_arrays([as_text(column) for column in columns]))
    return pa.table(found, names=names)


def column_at(X: Any, place: int) -> AnyArray | pa.Array:
    """A column as numbers, or as labels."""
    if not isinstance(X, pa.Table):
        return np.asarray(X[:, place])
    column = X.column(place).combine_chunks()
    return column if pa.types.is_string(column.type) else column.to_numpy(zero_copy_only=False)


def as_text(column: AnyArray | pa.Array) -> pa.Array:
    """A column of labels; one with missing values only looks like numbers."""
    return column if isinstance(column, pa.Array) else pa.nulls(len(column), pa.string())


def of_two_kinds(name: str, text: str, numbers: str) -> UsageError:
    """The error for a column that holds text in one table and numbers in another."""
    return UsageError(
        f"The column {name!r} holds text in {text!r} and numbers in {numbers!r}; leave it out with ",
        Parameter("drop", name),
        ", or treat its numbers as labels with ",
        Parameter("categorical", name),
        ".",
    )
