"""A source by its name -> a table, or a problem: a table with its target.

There is one way from a file to columns: a format gives a sheet whose numbers may stay in the file, the roles
of the columns are assigned, and the requested columns are read some at a time, or all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray, BoolArray
from qpfs.checks import unfit
from qpfs.data.catalogue import known
from qpfs.data.downloads import is_address
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.features import SheetColumns, Told
from qpfs.data.formats import first_line, format_of, read_sheet, told_as
from qpfs.data.formats.scratch import Scratch
from qpfs.data.labels import LabelFile
from qpfs.data.named_sets import built_in, checksum_of, from_openml, is_openml, stored_file
from qpfs.data.problem import Problem, Table
from qpfs.data.reading import Reading, matched, reject_annotated
from qpfs.data.roles import (
    alike,
    as_numbers,
    check_read,
    dropped,
    has_column,
    is_here,
    labelled,
    matching,
    notes_on,
    sample_names,
    taken_out,
    usable_target,
    values,
)
from qpfs.data.samples import LEAST_SAMPLES, Samples, nowhere
from qpfs.data.sheet import Sheet, as_integers, has_no_zeros, shortened, unique_names
from qpfs.data.sources import located, unknown
from qpfs.data.stored import PACKED, STORE, STORE_SUFFIX, Stored, stored_at_hand
from qpfs.infinity import first_infinite, infinity_message
from qpfs.messages import Message, Parameter
from qpfs.wording import counted

DEFAULT = Reading()
STORES = "qpfs.codes.stored_problem"  # imported by name, since it is in a higher layer: a store holds codes


def open_problem(
    source: str | Path, reading: Reading = DEFAULT, *, memory: int | None = None, **roles: Any
) -> Problem:
    """The features and the target in a file, or of a named data set.

    Parameters
    ----------
    source : str or Path
        A file (also a store of :func:`qpfs.write_store`); ``-`` for standard input; a built-in data set
        (``wdbc``); the name of an archive ``NAME.npz`` in the folder QPFS_DATA; an address that ends in
        ``#sha256=...``; or ``openml:ID``. The first of these that exists is used.
    reading : Reading
        The roles of the columns.
    memory : int or None
        Bytes that a fit may keep of a store; any other source is read completely.
    **roles
        Fields of :class:`Reading`, in place of those of `reading`: ``open_problem("a.csv", target="ill")``.

    Returns
    -------
    problem : Problem
        Ready for the ``fit`` of a selector.

    Examples
    --------
    >>> from qpfs import QPFS
    >>> from qpfs.data import open_problem
    >>> problem = open_problem("wine")
    >>> [problem.names[f] for f in QPFS(2).fit(problem.X, problem.y).order_[:2]]
    ['flavanoids', 'color_intensity']
    """
    source, reading = os.fspath(source), with_roles(reading, **roles)
    if is_stored(source):
        found: Problem = import_module(STORES).stored_problem(source, reading, memory)
        return found
    if memory is not None:
        raise UsageError(
            Parameter("memory"),
            f" is for a store, but {source!r} is not one: write one with `qpfs encode` or qpfs.write_store.",
        )
    return read_problem(source, reading, label_file(reading))


def with_roles(reading: Reading, /, **roles: Any) -> Reading:
    """A reading with other roles; raises UsageError if it is none, or for a role that does not exist."""
    if not isinstance(reading, Reading):
        target = reading if isinstance(reading, str) else "COLUMN"
        raise unfit("reading", reading, f"a Reading, such as Reading(target={target!r}).", UsageError)
    names = [one.name for one in fields(Reading)]
    for name, given in roles.items():
        if name not in names:
            raise UsageError(Parameter(name, given), f": there is no such role; {alike(name, names)}")
    return replace(reading, **roles)


def read_problem(source: str, reading: Reading, labels: LabelFile | None) -> Problem:
    """The features and the target of a table, which is read completely."""
    check = partial(check_asked, reading=reading, source=source)
    with opened_sheet(source, reading, Scratch(glance=check)) as opened:
        check(opened.sheet)
        with read_from(source):
            all_of_it = streamed(opened, source, reading, labels)
        target, y = joint_target(all_of_it.targets, 1 + len(reading.further))
        problem = Problem(**vars(all_of_it.table()), y=y, target_name=target)
    check_numbers(problem)
    return problem


def joint_target(targets: Mapping[str, AnyArray], n: int) -> tuple[str, Any]:
    """The name and the values of the first target, or of the first n as a table, a column for each."""
    names = list(targets)[:n]
    if n == 1:
        return names[0], targets[names[0]]
    return ", ".join(names), pa.table({name: targets[name] for name in names})


def open_table(source: str, reading: Reading = DEFAULT) -> Table:
    """The columns of a file, or of a named data set; the target, if it is there, is left out.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`.

    Returns
    -------
    table : Table
        The features.

    Examples
    --------
    >>> from qpfs.data import open_table
    >>> open_table("iris").names[:2]
    ['sepal length (cm)', 'sepal width (cm)']
    """
    with opened_sheet(source, with_roles(reading), Scratch()) as opened:
        sheet = opened.sheet
        there = {*sheet.beside, *sheet.names, *sheet.unique}
        reading = replace(reading, target=reading.target if reading.target in there else None, labels=None)
        opened = replace(opened, sheet=without_unread(replace(sheet, target=None)))
        return streamed(opened, source, reading, least=1).table()


def open_columns(source: str, reading: Reading = DEFAULT, *, as_text: bool = False) -> Table:
    """The unchanged columns of a file, to be written elsewhere: in their own types, or as their own text.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`.
    as_text : bool, default=False
        Whether the cells of a text file stay text instead of becoming numbers.

    Returns
    -------
    table : Table
        All columns.

    Examples
    --------
    >>> from qpfs.data import open_columns
    >>> open_columns("iris").n_features
    4
    """
    if with_roles(reading).in_rows or (source != "-" and not Path(source).is_file()):
        return open_table(source, reading)
    with stored_at_hand(source) as stored, Scratch() as scratch:
        form = format_of(stored, reading)
        if form.as_arrow is not None:
            with told_as(stored, form):
                columns = form.as_arrow(stored.path, scratch)
            names = unique_names(columns.column_names)
            X = columns.rename_columns(names)
            return Table(source, X, names, None, None, stored.checksum, form.name, ())
        if form.is_text and as_text:
            reading = replace(reading, categorical=("*",))
        sheet = replace(with_points(read_sheet(stored, form, reading, scratch)), target=None)
        opened = Opened(sheet, stored.checksum, form.name, partial(told_as, stored, form), stored.check)
        return streamed(opened, source, reading, least=0).table()


@contextmanager
def open_stream(source: str, reading: Reading, *, scratch: Path, memory: int) -> Iterator[Streamed]:
    """The columns of a file, or of a named data set, to be read some at a time within a memory limit.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`; the target may be left out.
    scratch : Path
        Temporary files are in a separate folder beside this path, which is removed at the end.
    memory : int
        Bytes that reading may take, about. A file that needs more is refused.

    Yields
    ------
    streamed : Streamed
        Valid until the end of the block.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from qpfs.data import Reading, open_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_stream("iris", Reading(), scratch=Path(folder) / "iris", memory=10**8) as streamed:
    ...         streamed.shape, list(streamed.targets)
    ((150, 4), ['target'])
    """
    labels = label_file(with_roles(reading))
    check = partial(check_asked, reading=reading, source=source, needs_target=False)
    with opened_sheet(source, reading, Scratch(scratch, memory, check)) as opened:
        check(opened.sheet)
        with read_from(source):
            found = streamed(opened, source, reading, labels)
        yield found


@dataclass(frozen=True, eq=False)
class Streamed:
    """The columns of a source, and what is known about its samples.

    Attributes
    ----------
    name : str
        The source as it was given.
    columns : SheetColumns
        The features, read on access.
    names : list of str or None
        The names of the features; None if the source has none and all columns are features.
    targets : dict of str to array
        The target and further requested columns; empty if none was requested and none is known.
    samples, groups, checksum, format, notes, split, weights, covariates
        As of a :class:`Table`.
    reading : Reading
        How it was read.
    check : callable
        Raises UnreadableError if the source has changed since.
    """

    name: str
    columns: SheetColumns
    names: list[str] | None
    targets: Mapping[str, AnyArray]
    samples: list[str] | None
    groups: AnyArray | None
    checksum: str
    format: str
    notes: tuple[str, ...]
    reading: Reading
    check: Callable[[], None]
    split: BoolArray | None
    weights: AnyArray | None = None
    covariates: Mapping[str, AnyArray] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        return self.columns.n_samples, self.columns.n_features

    def table(self) -> Table:
        """All of it, in memory."""
        return Table(
            self.name,
            self.columns.whole(),
            self.columns.names,
            self.samples,
            self.groups,
            self.checksum,
            self.format,
            self.notes,
            self.split,
            self.weights,
            self.covariates,
            not self.columns.sheet.numbered,
            tuple(np.flatnonzero(np.isin(self.columns.keep, list(self.columns.sheet.kept))).tolist()),
        )


def with_points(sheet: Sheet) -> Sheet:
    """The sheet with decimal points, since in CSV a number with a decimal comma would be text."""
    if not sheet.decimal_comma:
        return sheet
    labels = {
        place: pc.replace_substring(column, ",", ".") if is_numeric(column) else column
        for place, column in sheet.labels.items()
    }
    return replace(sheet, labels=labels, decimal_comma=False)


def is_numeric(spelled: pa.Array) -> bool:
    """Whether a column is the text of numbers with decimal commas."""
    return as_numbers(spelled, decimal_comma=True).dtype.kind in "if"


def is_stored(source: str) -> bool:
    """Whether a source is the file of a store, by its content.

    Raises StoreError for a file that has the suffix of a store but is not one.
    """
    path, head = Path(source), b""
    if not path.is_file():
        return False
    with suppress(OSError), path.open("rb") as file:  # the error is raised when it is read
        head = file.read(len(STORE))
    if path.suffix == STORE_SUFFIX and head != STORE:
        import_module(STORES).open_store(source)
    return head == STORE


def without_unread(sheet: Sheet) -> Sheet:
    """The sheet without the columns that could not be read, which a note lists."""
    if not sheet.unread:
        return sheet
    keep = [place for place in range(len(sheet.names)) if place not in sheet.unread]
    now = {place: new for new, place in enumerate(keep)}
    gone = shortened([sheet.unique[place] for place in sheet.unread])
    return replace(
        sheet,
        names=[sheet.unique[place] for place in keep],
        places=np.array([now[place] for place in sheet.places.tolist()], np.intp),
        labels={now[place]: column for place, column in sheet.labels.items()},
        spelled=frozenset(),
        categories=frozenset(now[place] for place in sheet.categories if place in now),
        unread={},
        notes=(*sheet.notes, f"columns that are neither numbers nor text were left out: {gone}"),
    )


@dataclass(frozen=True)
class Opened:
    """A sheet, and where it came from."""

    sheet: Sheet
    checksum: str
    format: str
    told: Told = nullcontext  # a context in which errors name the file
    check: Callable[[], None] = lambda: None  # raises UnreadableError if the source has changed since


@contextmanager
def opened_sheet(source: str, reading: Reading, scratch: Scratch) -> Iterator[Opened]:
    """The sheet of a file, of a named set, of an address or of OpenML; an existing file has priority."""
    path = located(source)
    if path is None:
        reject_of_files(reading, source)
        yield loaded(source)
        return
    with stored_at_hand(path) as stored, scratch:
        named = replace(stored, name=source)
        form = format_of(named, reading)
        reject_annotated(reading, source, form.name)
        sheet = read_sheet(named, form, reading, scratch)
        yield Opened(sheet, stored.checksum, form.name, partial(told_as, named, form), named.check)


@contextmanager
def read_from(source: str) -> Iterator[None]:
    """A context in which any other error names the source of the columns."""
    try:
        yield
    except (UsageError, UnreadableError):
        raise
    except MemoryError as error:
        raise UnreadableError(f"{source!r} does not fit into memory.") from error
    except Exception as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise UnreadableError(f"{source!r} cannot be read: {reason}. It may be damaged.") from error


def loaded(source: str) -> Opened:
    """The sheet of a source that is not a file."""
    if (found := known(source)) is not None:
        sheet = built_in(found)
        return Opened(sheet, checksum_of(sheet), "built-in")
    if is_openml(source):
        sheet = from_openml(source.lower())
        return Opened(sheet, checksum_of(sheet), "openml")
    raise unknown(source)


def check_at_a_glance(
    source: str,
    reading: Reading = DEFAULT,
    *,
    needs_target: bool = True,
    features: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Raise UsageError for mistakes visible before a source is read: it is unknown, or lacks a column.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`. Nothing is fetched; only the file of labels, and the first lines of text
        files, are read.
    needs_target : bool, default=True
        Whether a target has to be known.
    features : mapping of str to sequence of str
        By parameter (such as ``keep``), names and patterns of columns that have to exist.

    Examples
    --------
    >>> from qpfs.data import check_at_a_glance
    >>> check_at_a_glance("wdbcc")
    Traceback (most recent call last):
    ...
    qpfs.messages.UsageError: 'wdbcc' is neither a file nor ... Did you mean 'wdbc'?
    """
    if not Path(source).is_file():
        there = source == "-" or Path(source).exists() or is_address(source) or is_openml(source)
        if not (there or known(source) or stored_file(source)):
            raise unknown(source)
        if known(source):
            reject_of_files(reading, source)
    labels = label_file(reading) if reading.labels is not None and Path(reading.labels).is_file() else None
    if not Path(source).is_file():
        return
    with suppress(UnreadableError, OSError, UnicodeDecodeError):  # the error is raised when it is read
        stored = Stored(source, Path(source), checksum="")
        if stored.head().startswith((STORE, *PACKED)) or reading.in_rows:
            return
        form = format_of(stored, reading)
        reject_annotated(reading, source, form.name)
        if form.header is not None:
            header = form.header(stored.path, reading)
            check_asked(header, reading, source, needs_target=needs_target)
            if labels is not None:
                check_in_either(header, labels, reading)
            for parameter, patterns in features.items():
                for pattern in patterns:
                    matching(header, pattern, parameter, source)


def check_in_either(header: Sheet, labels: LabelFile, reading: Reading) -> None:
    """Raises UsageError for a column that is neither in a table nor in its file of labels."""
    if labels.has_target(in_table=reading.target is not None and has_column(header, reading.target)):
        labels.check_targets()
    for role, asked in reading.beside:
        if not has_column(header, asked) and not labels.has(asked):
            raise nowhere(role, asked, labels)


def reject_of_files(reading: Reading, source: str) -> None:
    """Raises UsageError if options for files are given for a named set."""
    reject_annotated(reading, source, "none")
    if reading.format is not None:
        raise UsageError(Parameter("format", reading.format), f" is for files; {source!r} is none.")


def check_asked(sheet: Sheet, reading: Reading, source: str, *, needs_target: bool = True) -> None:
    """Raises UsageError if a requested column is missing, as soon as the names of the columns are known."""
    if reading.in_rows and not sheet.n_samples:  # the names in the first column are not known yet
        return
    targets: tuple[str | None, ...] = ()
    if reading.labels is None:
        target = wanted(sheet, reading, source) if needs_target else reading.target or sheet.target
        targets = (target, *reading.further)
    taken_out(sheet, without_turning(reading, sheet), targets, source)


def without_turning(reading: Reading, sheet: Sheet) -> Reading:
    """The rest of a reading: transposing a table has already used the index and dropped columns."""
    if not reading.in_rows:
        return reading
    drop = tuple(one for one in reading.drop if any(matched(one, name) for name in sheet.names))
    return replace(reading, index=None, drop=drop)


def wanted(sheet: Sheet, reading: Reading, source: str) -> str:
    """The name of the target: the one given, or the default of the data."""
    target = sheet.target if reading.target is None else reading.target
    if target is None:
        raise UsageError(f"Name the target column of {source!r} with ", Parameter("target", "COLUMN"), ".")
    reject_several(sheet, target)
    return target


def reject_several(sheet: Sheet, target: str) -> None:
    """Raises UsageError if a target is not a column but a list of columns separated by commas."""
    there = {*sheet.names, *sheet.beside}
    names = [name.strip() for name in target.split(",")]
    if target not in there and len(names) > 1 and there.issuperset(names):
        raise UsageError(
            Parameter("target", target),
            f" names {len(names)} columns; for several targets give each on its own: ",
            Parameter("target", names[0]),
            " ",
            Parameter("target", names[1]),
            ".",
        )


def label_file(reading: Reading) -> LabelFile | None:
    """The file of labels, if there is one, read before the table, since it is small."""
    return None if reading.labels is None else LabelFile(reading)


def streamed(
    opened: Opened, source: str, asked: Reading, labels: LabelFile | None = None, least: int = LEAST_SAMPLES
) -> Streamed:
    """The features of a sheet, the samples that have a target, and all notes."""
    sheet, notes = opened.sheet, list(opened.sheet.notes)
    if labels and asked.index is None and sheet.samples is None and (index := labels.index_in(sheet)):
        asked = replace(asked, index=index)
        notes.append(index_note(index))
    reading = without_turning(asked, sheet)
    named = reading.target or sheet.target
    here = named is not None and has_column(sheet, named)
    elsewhere = labels if labels and labels.has_target(in_table=here) else None  # the file with the target
    targets = () if elsewhere else (named, *reading.further)
    out = taken_out(sheet, reading, targets, source)
    twice = elsewhere.target_in(sheet) - out if elsewhere else set()
    out |= twice
    columns = feature_columns(opened, reading, out, source, least)
    notes += notes_on(sheet, out, dropped(sheet, reading, source))
    if twice and elsewhere:
        which = shortened([sheet.unique[place] for place in sorted(twice)])
        notes.append(
            f"{which} of {source!r} is not a feature: {elsewhere.source!r} has the target of that name"
        )
    samples = samples_of(columns.sheet, reading, targets, source)
    if labels:
        samples.join(labels, columns.names, reading, targets=elsewhere is not None)
    samples.drop_missing(strict=reading.strict, source=elsewhere.source if elsewhere else source)
    samples.check_groups(reading, source)
    samples.name_categories(reading)
    columns.keep_rows(samples.rows)
    check_size(columns.n_samples, columns.n_features, least, source)
    return Streamed(
        source,
        columns,
        None if sheet.numbered and not out else columns.names,
        samples.targets,
        samples.names,
        samples.groups,
        opened.checksum,
        opened.format,
        (*notes, *columns.notes, *samples.notes),
        asked,
        opened.check,
        samples.split,
        samples.weights,
        samples.covariates,
    )


def index_note(index: str) -> str:
    """A note that a column of the table, which was not named, holds the names in a file of labels."""
    said = f"labels were matched by the column {index!r}, which holds their names and is not a feature ("
    return Message(said, Parameter("index", index), ")")


def feature_columns(opened: Opened, reading: Reading, out: set[int], source: str, least: int) -> SheetColumns:
    """The columns of a sheet without those of other roles; raises UsageError if they cannot be features."""
    sheet = opened.sheet
    places = [place for place in range(len(sheet.names)) if place not in out]
    check_size(sheet.n_samples, len(places), least, source)
    check_read(sheet, places, source)
    asked_labels = labelled(sheet, reading, source) - out
    if asked_labels and has_no_zeros(sheet.numbers):
        raise UsageError(f"{source!r} is sparse: its columns cannot be labels.")
    if hasattr(sheet.numbers, "tocsc"):
        sheet = replace(sheet, numbers=sheet.numbers.tocsc())
    with opened.told():
        return SheetColumns(sheet, places, asked_labels, opened.told, opened.check)


def samples_of(sheet: Sheet, reading: Reading, targets: Sequence[str | None], source: str) -> Samples:
    """What a table itself has for its samples: names, targets, groups, weights and covariates."""
    samples = Samples(sheet.n_samples)
    samples.names = sheet.samples if reading.index is None else sample_names(sheet, reading.index, source)
    samples.split, samples.groups = sheet.split, sheet.groups
    if reading.groups is not None and is_here(sheet, reading.groups, reading):
        samples.groups = values(sheet, "groups", reading.groups, source)
        samples.groups_from = source
    if reading.weights is not None and is_here(sheet, reading.weights, reading):
        samples.weights = values(sheet, "weights", reading.weights, source)
    here = (name for name in reading.adjust if is_here(sheet, name, reading))
    samples.covariates = {name: values(sheet, "adjust", name, source) for name in here}
    for role, names in (("target", targets), ("keep", reading.keep)):
        for name in names:
            if name is not None:
                y = whole_values(values(sheet, role, name, source), reading)
                samples.add_target(name, usable_target(y, name, source))
    return samples


def whole_values(found: AnyArray, reading: Reading) -> AnyArray:
    """A row of a transposed table as integers, if all of it is."""
    return as_integers(found) if reading.in_rows and found.dtype.kind == "f" else found


def check_size(n_samples: int, n_features: int, least: int, source: str) -> None:
    """Raises UnreadableError if there are too few samples, or no feature."""
    if n_samples < least or n_features == 0:
        raise UnreadableError(
            f"{source!r} has {counted(n_samples, 'row')} and {counted(n_features, 'column')} for features; "
            f"expected at least {counted(least, 'row')} and 1 column."
        )


def check_numbers(table: Table) -> None:
    """Raises UnreadableError, with the names of columns, if features have infinite values."""
    X, names = table.X, table.names
    if isinstance(X, pa.Table):
        places = [i for i, column in enumerate(X.columns) if pa.types.is_floating(column.type)]
        X, names = (
            np.column_stack([X.column(i).to_numpy() for i in places] or [np.empty((0, 0))]),
            [names[i] for i in places],
        )
    if (found := first_infinite(X)) is None:
        return
    also = [names[i] for i in infinite_columns(X) if i != found[1]]
    more = f" There is infinity in {shortened(also)}, too." if also else ""
    raise UnreadableError(f"{table.name!r} contains infinity: {infinity_message(found, names)}{more}")


def infinite_columns(X: Any) -> list[int]:
    """The columns of an array or sparse matrix with infinite values."""
    infinite = abs(X) == np.inf
    return np.flatnonzero(np.asarray(infinite.sum(axis=0)).ravel()).tolist()
