"""A source by its name -> a table, or a problem: a table with its target.

There is one way from a file to columns: a format gives a sheet whose numbers may stay in the file, the roles
of the columns are assigned, and the requested columns are read some at a time, or all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray, BoolArray, IndexArray
from qpfs.data.catalogue import BUILT_IN, known
from qpfs.data.downloads import downloaded, is_address, local_files
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.features import SheetColumns, Told
from qpfs.data.formats import FORMATS, first_line, format_of, read_sheet, told_as
from qpfs.data.formats.scratch import Scratch
from qpfs.data.labels import Joined, LabelFile
from qpfs.data.named_sets import built_in, checksum_of, from_openml, is_openml, stored_file, stored_names
from qpfs.data.problem import Problem, Table
from qpfs.data.reading import Reading, matched, reject_annotated
from qpfs.data.roles import (
    alike,
    as_numbers,
    check_read,
    dropped,
    has_column,
    is_here,
    is_missing,
    labelled,
    notes_on,
    sample_names,
    taken_out,
    usable_target,
    values,
)
from qpfs.data.sheet import (
    Sheet,
    as_integers,
    days_in,
    days_of,
    has_no_zeros,
    shortened,
    turned_dates,
    turned_spans,
    unique_names,
)
from qpfs.data.stored import HEAD, PACKED, STORE, STORE_SUFFIX, Stored, stored_at_hand
from qpfs.infinity import first_infinite, infinity_message
from qpfs.messages import Message, Parameter
from qpfs.wording import counted

DEFAULT = Reading()
LEAST = 2  # samples of a problem
STDIN = 0  # under which it is open
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
    source, reading = os.fspath(source), replace(reading, **roles)
    if is_stored(source):
        found: Problem = import_module(STORES).stored_problem(source, reading, memory)
        return found
    if memory is not None:
        raise UsageError(
            Message(
                Parameter("memory"),
                f" is for a store, but {source!r} is not one: write one with `qpfs encode` or "
                "qpfs.write_store.",
            )
        )
    return read_problem(source, reading, label_file(reading))


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
    with opened_sheet(source, reading, Scratch()) as opened:
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
    if reading.in_rows or (source != "-" and not Path(source).is_file()):
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
    labels = label_file(reading)
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


def unknown(source: str) -> UsageError:
    """The error for an unknown source."""
    if Path(source).is_symlink():
        return UsageError(f"{source!r} is a link to something that does not exist.")
    return UsageError(
        f"{source!r} is neither a file nor a built-in data set ({', '.join(BUILT_IN)}), nor is {source}.npz "
        f"in the folder that QPFS_DATA names.{meant(source)}"
    )


def located(source: str) -> str | None:
    """The file of a source; None for a data set without a file, and for an unknown source."""
    if source == "-" or Path(source).is_file() or (Path(source).exists() and known(source) is None):
        return source
    if is_address(source):
        return str(downloaded(source))
    stored = stored_file(source) if known(source) is None else None
    return None if stored is None else str(stored)


def check_at_a_glance(source: str, reading: Reading = DEFAULT, *, needs_target: bool = True) -> None:
    """Raise UsageError for mistakes visible before a source is read: it is unknown, or lacks a column.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`. Nothing is fetched; only the first lines of text files are read.
    needs_target : bool, default=True
        Whether a target has to be known.

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
        return
    with suppress(UnreadableError, OSError, UnicodeDecodeError):  # the error is raised when it is read
        stored = Stored(source, Path(source), checksum="")
        if stored.head().startswith((STORE, *PACKED)) or reading.in_rows:
            return
        form = format_of(stored, reading)
        reject_annotated(reading, source, form.name)
        if form.header is not None:
            check_asked(form.header(stored.path, reading), reading, source, needs_target=needs_target)


def reject_of_files(reading: Reading, source: str) -> None:
    """Raises UsageError if options for files are given for a named set."""
    reject_annotated(reading, source, "none")
    if reading.format is not None:
        raise UsageError(Message(Parameter("format", reading.format), f" is for files; {source!r} is none."))


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
        raise UsageError(
            Message(f"Name the target column of {source!r} with ", Parameter("target", "COLUMN"), ".")
        )
    reject_several(sheet, target)
    return target


def reject_several(sheet: Sheet, target: str) -> None:
    """Raises UsageError if a target is not a column but a list of columns separated by commas."""
    there = {*sheet.names, *sheet.beside}
    names = [name.strip() for name in target.split(",")]
    if target not in there and len(names) > 1 and there.issuperset(names):
        raise UsageError(
            Message(
                Parameter("target", target),
                f" names {len(names)} columns; for several targets give each on its own: ",
                Parameter("target", names[0]),
                " ",
                Parameter("target", names[1]),
                ".",
            )
        )


def label_file(reading: Reading) -> LabelFile | None:
    """The file of labels, if there is one, read before the table, since it is small."""
    return None if reading.labels is None else LabelFile(reading)


def streamed(
    opened: Opened, source: str, asked: Reading, labels: LabelFile | None = None, least: int = LEAST
) -> Streamed:
    """The features of a sheet, the samples that have a target, and all notes."""
    sheet = opened.sheet
    notes: list[str] = []
    if labels and asked.index is None and sheet.samples is None and (index := labels.index_in(sheet)):
        asked = replace(asked, index=index)
        said = f"labels were matched by the column {index!r}, which holds their names and is not a feature ("
        notes.append(Message(said, Parameter("index", index), ")"))
    reading = without_turning(asked, sheet)
    here = reading.target is not None and has_column(sheet, reading.target)
    elsewhere = labels is not None and labels.has_target(in_table=here)
    targets = () if elsewhere else (reading.target or sheet.target, *reading.further)
    out = taken_out(sheet, reading, targets, source)
    twice = labels.target_in(sheet) - out if elsewhere and labels else set()
    out |= twice
    places = [place for place in range(len(sheet.names)) if place not in out]
    check_size(sheet.n_samples, len(places), least, source)
    check_read(sheet, places, source)
    notes += notes_on(sheet, out, dropped(sheet, reading, source))
    if twice and labels:
        which = shortened([sheet.unique[place] for place in sorted(twice)])
        notes.append(f"{which} of {source!r} is not a feature: {labels.source!r} has the target of that name")
    if (asked_labels := labelled(sheet, reading, source) - out) and has_no_zeros(sheet.numbers):
        raise UsageError(f"{source!r} is sparse: its columns cannot be labels.")
    if hasattr(sheet.numbers, "tocsc"):
        sheet = replace(sheet, numbers=sheet.numbers.tocsc())
    with opened.told():
        columns = SheetColumns(sheet, places, asked_labels, opened.told, opened.check)
    of_samples = Samples(sheet.n_samples)
    of_samples.names = sheet.samples if reading.index is None else sample_names(sheet, reading.index, source)
    of_samples.split = sheet.split
    of_samples.groups = sheet.groups
    if reading.groups is not None and is_here(sheet, reading.groups, reading):
        of_samples.groups = values(sheet, "groups", reading.groups, source)
        of_samples.groups_from = source
    if reading.weights is not None and is_here(sheet, reading.weights, reading):
        of_samples.weights = values(sheet, "weights", reading.weights, source)
    for one in reading.adjust:
        if is_here(sheet, one, reading):
            of_samples.covariates[one] = values(sheet, "adjust", one, source)
    roles = [*(("target", name) for name in targets), *(("keep", name) for name in reading.keep)]
    for role, name in roles:
        if name is not None:
            y = whole_values(values(sheet, role, name, source), reading)
            of_samples.add_target(name, usable_target(y, name, source))
    if labels is not None:
        of_samples.join(labels, columns.names, reading, targets=elsewhere)
    of_samples.drop_missing(strict=reading.strict, source=labels.source if elsewhere and labels else source)
    of_samples.check_groups(reading, source)
    of_samples.name_categories(reading)
    columns.keep_rows(of_samples.rows)
    check_size(columns.n_samples, len(places), least, source)
    return Streamed(
        source,
        columns,
        None if sheet.numbered and not out else columns.names,
        of_samples.targets,
        of_samples.names,
        of_samples.groups,
        opened.checksum,
        opened.format,
        (*sheet.notes, *notes, *columns.notes, *of_samples.notes),
        asked,
        opened.check,
        of_samples.split,
        of_samples.weights,
        of_samples.covariates,
    )


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
        days = days_of(pa.array(y)) if y.dtype.kind in "mM" else None
        if y.dtype.kind in "UO" and are_texts(y):
            days = days_in(pa.array(y.tolist(), pa.string()))
        note = turned_spans if y.dtype.kind == "m" else turned_dates
        self.notes += note([] if days is None else [name])
        return y if days is None else days

    def join(self, labels: LabelFile, features: list[str], reading: Reading, *, targets: bool) -> None:
        """Adds the columns of a file of labels, and leaves out the samples that it does not name."""
        files = [labels, *map(labels.of, reading.further)] if targets else [labels.of(labels.rows[0][0])]
        found, *others = (one.joined(self.names, self.n, features) for one in files)
        if found.rows is not None:
            self.keep(found.rows)
        self.notes += found.notes
        for one in (found, *others) if targets else ():
            self.add_target(one.name, usable_target(one.y, one.name, labels.source))
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
            if strict or n - n_missing < LEAST:
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
            Message(Parameter("groups", reading.groups), said, "Fill them in, or leave these samples out.")
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


def are_texts(values: AnyArray) -> bool:
    return all(value is None or isinstance(value, str) for value in values.tolist())


def complete_kind(values: AnyArray) -> AnyArray:
    """Values without missing ones, in the type that they would have had without these."""
    if values.dtype.kind == "O":
        return np.array(values.tolist())
    return as_integers(values) if values.dtype.kind == "f" else values


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


def nowhere(role: str, asked: str, labels: LabelFile) -> UsageError:
    """That neither the table nor a file of labels has a column, and what the file has that looks like it."""
    there = alike(asked, labels.rows[0]) if labels.array is None else "it is an array."
    what = f": there is no such column in the table nor in {labels.source!r}; {there}"
    return UsageError(Message(Parameter(role, asked), what))
