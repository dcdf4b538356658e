"""A source by its name -> a table, or a problem: a table with its target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray
from qpfs.data.catalogue import BUILT_IN, entries, known
from qpfs.data.downloads import downloaded, is_address, local_files
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats import FORMATS, format_of, read_sheet, told_as
from qpfs.data.labels import labels_in
from qpfs.data.named_sets import checksum_of, from_openml, made, stored_file
from qpfs.data.problem import Problem, Table
from qpfs.data.reading import Reading, matched
from qpfs.data.roles import as_numbers, complete, features, notes_on, sample_names, taken_out, values
from qpfs.data.sheet import Sheet, shortened, unique_names
from qpfs.data.stored import HEAD, stored_at_hand
from qpfs.infinity import first_infinite, infinity_message

DEFAULT = Reading()
STDIN = 0  # under which it is open


def open_problem(source: str, reading: Reading = DEFAULT) -> Problem:
    """The features and the target in a file, or under the name of a set.

    Parameters
    ----------
    source : str
        A file; ``-`` for standard input; a name of the catalogue (``wdbc``, ``colon``); an address that ends
        in ``#sha256=...``; or ``openml:ID``. The first of these that there is.
    reading : Reading
        Which column is what.

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
    opened = loaded(source, reading)
    table = table_of(
        opened, source, reading, None if reading.labels else wanted(opened.sheet, reading, source)
    )
    check_size(table, 2)
    check_numbers(table)
    y, target = target_of(opened.sheet, table, reading, source)
    return Problem(**vars(table), y=y, target_name=target)


def open_table(source: str, reading: Reading = DEFAULT) -> Table:
    """The columns of a file, or of a set by its name; the target, if it is there, is left out.

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
    opened = loaded(source, reading)
    there = {*opened.sheet.beside, *opened.sheet.names, *opened.sheet.unique}
    opened = replace(opened, sheet=without_unread(opened.sheet))
    table = table_of(opened, source, reading, reading.target if reading.target in there else None)
    check_size(table, 1)
    return table


def open_columns(source: str, reading: Reading = DEFAULT, *, as_text: bool = False) -> Table:
    """The columns of a file as they are there, to be passed on: in their own types, or in their own spelling.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`.
    as_text : bool, default=False
        Whether the cells of a text file keep their spelling, in place of becoming numbers.

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
    with stored_at_hand(source) as stored:
        form = format_of(stored, reading)
        if form.as_arrow is not None:
            with told_as(stored, form):
                columns = form.as_arrow(stored.path)
            names = unique_names(columns.column_names)
            X = columns.rename_columns(names)
            return Table(source, X, names, None, None, stored.checksum, form.name, ())
        if form.is_text and as_text:
            reading = replace(reading, categorical=("*",))
        sheet, form = read_sheet(stored, reading)
        return table_of(Opened(with_points(sheet), stored.checksum, form.name), source, reading, None)


def with_points(sheet: Sheet) -> Sheet:
    """The sheet with decimal points: between commas a number with a decimal comma would be text."""
    if not sheet.decimal_comma:
        return sheet
    labels = {
        place: pc.replace_substring(column, ",", ".") if is_numeric(column) else column
        for place, column in sheet.labels.items()
    }
    return replace(sheet, labels=labels, decimal_comma=False)


def is_numeric(spelled: pa.Array) -> bool:
    """Whether a column is the spelling of numbers with decimal commas."""
    return as_numbers(spelled, decimal_comma=True).dtype.kind in "if"


def without_unread(sheet: Sheet) -> Sheet:
    """The sheet without the columns that could not be read; a note says which."""
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
        unread={},
        notes=(*sheet.notes, f"neither numbers nor text, and so left out: {gone}"),
    )


@dataclass(frozen=True)
class Opened:
    """A sheet, and where it came from."""

    sheet: Sheet
    checksum: str
    format: str


def loaded(source: str, reading: Reading) -> Opened:
    """The sheet of a file, of a named set, of an address or of OpenML; a file that is there wins."""
    path = located(source)
    if path is not None:
        return from_file(path, source, reading)
    if (found := known(source)) is not None:
        sheet = made(found)
        return Opened(sheet, checksum_of(sheet), "built-in")
    if source.lower().startswith("openml:"):
        sheet = from_openml(source.lower())
        return Opened(sheet, checksum_of(sheet), "openml")
    if Path(source).is_symlink():
        raise UsageError(f"{source!r} is a link to something that is not there.")
    raise UsageError(
        f"{source!r} is neither a file nor a built-in set ({', '.join(BUILT_IN)}), nor one that "
        f"`qpfs datasets list` names.{meant(source)}"
    )


def located(source: str) -> str | None:
    """The file of a source; None for a set that is made or fetched otherwise, and for what there is not."""
    if source == "-" or Path(source).is_file() or (Path(source).exists() and known(source) is None):
        return source
    if (found := known(source)) is not None:
        stored = stored_file(found)
        return str(stored) if stored is not None and found.loader is None else None
    return str(downloaded(source)) if is_address(source) else None


def files_read(source: str, *others: str | Path | None) -> list[Path | int]:
    """The files of this machine that a source is read from, companions included, and further ones.

    Parameters
    ----------
    source : str
        As for :func:`open_problem`; nothing is read or fetched.
    *others : str, Path or None
        Further files, such as one with labels.

    Returns
    -------
    paths : list of Path or int
        What must not be written over; standard input by its number, 0.

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
    if (found := known(source)) is not None:
        stored = stored_file(found)
        return [] if stored is None else [stored]
    return local_files(source) if is_address(source) else []


def with_companions(path: Path) -> list[Path]:
    """A file, and those that are read with it if it is what it seems to be."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:  # whoever reads it will say so
        return [path]
    accompanied = (form for form in FORMATS if form.companions and form.matches(head, path))
    return [path, *(path.with_suffix(suffix) for form in accompanied for suffix in form.companions)]


def meant(source: str) -> str:
    """A guess at what was meant: a file of the folder, or a name."""
    folder = Path(source).parent
    beside = [str(path) for path in islice(folder.iterdir(), 1000)] if folder.is_dir() else []
    close = get_close_matches(source, [*beside, *(one.name for one in entries())], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def from_file(path: str, source: str, reading: Reading) -> Opened:
    """The sheet of a file, which goes by another name where it stands for a set."""
    with stored_at_hand(path) as stored:
        sheet, form = read_sheet(replace(stored, name=source), reading)
        return Opened(sheet, stored.checksum, form.name)


def wanted(sheet: Sheet, reading: Reading, source: str) -> str:
    """The name of the target: the one asked for, or the one that the data know."""
    target = sheet.target if reading.target is None else reading.target
    if target is None:
        raise UsageError(f"Say which column of {source!r} is the target with --target COLUMN.")
    reject_several(sheet, target)
    return target


def reject_several(sheet: Sheet, target: str) -> None:
    """Raises UsageError if a target that is no column names several, parted by commas."""
    there = {*sheet.names, *sheet.beside}
    names = [name.strip() for name in target.split(",")]
    if target not in there and len(names) > 1 and there.issuperset(names):
        raise UsageError(
            f"--target {target} names {len(names)} columns; the command takes one target. Select for each by "
            "itself (--drop leaves the others out), or for all together in Python: "
            "QPFS(measure='rank').fit(X, y), with a column of y for each."
        )


def target_of(sheet: Sheet, table: Table, reading: Reading, source: str) -> tuple[AnyArray, str]:
    """The target and its name, from the sheet or from a file of labels."""
    if reading.labels is None:
        target = wanted(sheet, reading, source)
        return complete(values(sheet, target, source), target, source), target
    y, name = labels_in(reading.labels, table.samples, table.n_samples, reading.target)
    return complete(y, name, reading.labels), name


def table_of(opened: Opened, source: str, reading: Reading, target: str | None) -> Table:
    """The features of a sheet, with everything said about its samples."""
    sheet = opened.sheet
    if reading.in_rows:  # the names of features were taken in turning; columns were dropped there, too
        reading = replace(reading, index=None, drop=still_to_drop(sheet, reading))
    out = taken_out(sheet, reading, target, source)
    X, names = features(sheet, out, reading, source)
    return Table(
        source,
        X,
        names,
        sheet.samples if reading.index is None else sample_names(sheet, reading.index, source),
        sheet.groups if reading.groups is None else values(sheet, reading.groups, source),
        opened.checksum,
        opened.format,
        (*sheet.notes, *notes_on(sheet, out, X)),
        sheet.split,
    )


def check_size(table: Table, least: int) -> None:
    """Raises UnreadableError if there are too few samples, or no feature."""
    if table.n_samples >= least and table.n_features > 0:
        return
    raise UnreadableError(
        f"{table.name!r} has {table.n_samples} rows and {table.n_features} columns for features; expected at "
        f"least {least} rows and 1 column."
    )


def check_numbers(table: Table) -> None:
    """Raises UnreadableError if a feature has an infinite value, by the name it goes by."""
    if (found := first_infinite(table.X)) is not None:
        raise UnreadableError(f"{table.name!r} contains infinity: {infinity_message(found, table.names)}")


def still_to_drop(sheet: Sheet, reading: Reading) -> tuple[str, ...]:
    """The patterns that fit features of a table that was turned; the others were meant for its columns."""
    return tuple(one for one in reading.drop if any(matched(one, name) for name in sheet.names))
