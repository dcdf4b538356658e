"""A source by its name -> its columns, read some at a time, so that it need not fit into memory."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats import Format, first_line, format_of, read_sheet, told_as
from qpfs.data.formats.scratch import Scratch, ScratchColumns, poured
from qpfs.data.labels import labels_in
from qpfs.data.opening import loaded, located, still_to_drop
from qpfs.data.reading import Reading
from qpfs.data.roles import (
    as_labels,
    check_read,
    complete,
    matching,
    notes_on,
    sample_names,
    taken_out,
    truth_values,
    values,
)
from qpfs.data.sheet import Sheet, are_marked, as_integers, check_stored, numbers_among, shortened
from qpfs.data.stored import Stored, stored_at_hand
from qpfs.data.turning import turned


@dataclass(frozen=True, eq=False)
class Streamed:
    """The columns of a source, and what is known of its samples.

    Attributes
    ----------
    name : str
        The source as it was given.
    columns : SheetColumns
        The features, read when they are asked for.
    names : list of str or None
        Of the features; None where the source has none and they are all there.
    targets : dict of str to array
        The target and further columns that were asked for; empty if none was and none is known.
    samples, groups, checksum, format, notes
        As of a :class:`Table`.
    reading : Reading
        How it was read.
    check : callable
        Raises UnreadableError if the source was changed since.
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

    @property
    def shape(self) -> tuple[int, int]:
        return self.columns.n_samples, self.columns.n_features


class SheetColumns:
    """The features of a sheet whose numbers may stay in files: some columns at a time.

    Text that says true and false throughout is numbers, too.
    """

    def __init__(
        self,
        sheet: Sheet,
        keep: list[int],
        labelled: set[int],
        names: list[str],
        source: str,
        check: Callable[[], None],
    ) -> None:
        self.sheet = sheet
        self.source = source
        self.check = check
        self.names = names
        self.keep = np.array(keep, np.intp)
        self.n_samples, self.n_features = sheet.n_samples, len(keep)
        self.where = np.full(len(sheet.names), -1, np.intp)
        self.where[sheet.places] = np.arange(len(sheet.places))
        self.text: BoolArray = np.isin(self.keep, list(sheet.labels))
        self.numeric: BoolArray = ~np.isin(self.keep, list(labelled))
        for feature in np.flatnonzero(self.text & self.numeric):
            self.numeric[feature] = truth_values(sheet.labels[keep[feature]]) is not None
        integer = getattr(getattr(sheet.numbers, "dtype", None), "kind", "f") in "iu"
        self.integer = np.full(self.n_features, integer) & ~self.text
        self.row_wise = isinstance(sheet.numbers, np.ndarray)

    def numbers(self, features: IndexArray) -> FloatArray:
        return np.ascontiguousarray(self.part(features, slice(None)), np.float64)

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        """Some rows of the given columns."""
        with read_from(self.source):
            return self._part(features, rows)

    def _part(self, features: IndexArray, rows: slice) -> AnyArray:
        truths = np.flatnonzero(self.text[features])
        if len(truths) == 0:
            return self._read(self.keep[features], rows)
        tile = np.empty((len(range(self.n_samples)[rows]), len(features)))
        plain = np.flatnonzero(~self.text[features])
        tile[:, plain] = self._read(self.keep[features[plain]], rows)
        for slot in truths:
            tile[:, slot] = np.asarray(truth_values(self.sheet.labels[int(self.keep[features[slot]])]))[rows]
        return tile

    def _read(self, places: IndexArray, rows: slice) -> AnyArray:
        self.check()  # a mapped file that was cut short ends the process
        where, numbers = self.where[places], self.sheet.numbers
        if not isinstance(numbers, np.ndarray):
            some = numbers[:, where]
            return (some.toarray() if hasattr(some, "toarray") else some)[rows]
        follow = len(where) > 0 and bool((np.diff(where) == 1).all())
        return numbers[rows, where[0] : where[-1] + 1] if follow else numbers[rows, where]

    def labels(self, feature: int) -> list[Any]:
        with read_from(self.source):
            found: list[Any] = as_labels(self.sheet.column(int(self.keep[feature]))).to_pylist()
        return found

    def name(self, feature: int) -> str:
        return f"column {self.names[feature]!r}"


@contextmanager
def read_from(source: str) -> Iterator[None]:
    """Whatever goes wrong while columns are read names their source: libraries raise what they run into."""
    try:
        yield
    except (UsageError, UnreadableError):
        raise
    except MemoryError as error:
        raise UnreadableError(f"{source!r} does not fit into memory.") from error
    except Exception as error:
        reason = getattr(error, "strerror", None) or first_line(error)
        raise UnreadableError(f"{source!r} cannot be read: {reason}. It may be damaged.") from error


class Marked:
    """A matrix without the numbers that mean "not known"."""

    def __init__(self, matrix: Any, marks: list[float]) -> None:
        self.matrix = matrix
        self.marks = marks
        self.shape = matrix.shape

    def __getitem__(self, key: Any) -> AnyArray:
        some = np.asarray(self.matrix[key])
        return np.where(are_marked(some, self.marks), np.nan, some.astype(np.float64))


class MarkedLabels(Mapping[int, pa.Array]):
    """Columns of labels without those that mean "not known"."""

    def __init__(self, labels: Mapping[int, pa.Array], marks: tuple[str, ...]) -> None:
        self.labels = labels
        self.gone = pa.array(marks, pa.string())

    def __getitem__(self, place: int) -> pa.Array:
        column = self.labels[place]
        return pc.if_else(pc.is_in(column, self.gone), pa.scalar(None, pa.string()), column)

    def __iter__(self) -> Iterator[int]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)


@contextmanager
def open_stream(source: str, reading: Reading, *, scratch: Path, memory: int) -> Iterator[Streamed]:
    """The columns of a file, or of a set by its name, to be read some at a time within a budget of bytes.

    Parameters
    ----------
    source, reading
        As for :func:`open_problem`; the target may be left out.
    scratch : Path
        Files that are needed on the way lie beside this path, in a folder of their own that goes again.
    memory : int
        Bytes that reading may take, about. What cannot be read so is refused.

    Yields
    ------
    streamed : Streamed
        Good until the end of the block.

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
    path = located(source)
    if path is None:
        opened = loaded(source, reading)
        yield streamed(opened.sheet, source, reading, opened.checksum, opened.format, lambda: None)
        return
    with stored_at_hand(path) as stored, Scratch(scratch, memory) as room:
        named = replace(stored, name=source)
        form = format_of(named, reading)
        sheet = streamed_sheet(named, form, reading, room)
        with read_from(source):
            found = streamed(sheet, source, reading, stored.checksum, form.name, named.check)
        yield found


def streamed_sheet(stored: Stored, form: Format, reading: Reading, scratch: Scratch) -> Sheet:
    """What a file holds, its numbers left where they are if the format allows."""
    if form.stream is None:
        check_fits(stored, form, scratch.memory)
        return read_sheet(stored, reading)[0]
    with told_as(stored, form):
        sheet = without_marks(form.stream(stored.path, reading, scratch), reading.missing)
        if not (reading.in_rows and form.is_table):
            return sheet
        if len(sheet.labels) > 1 + bool(sheet.labels.keys() - {0}):  # text among the samples
            check_fits(stored, form, scratch.memory)
            return read_sheet(stored, reading)[0]
        if not isinstance(sheet.numbers, np.ndarray):
            sheet = replace(sheet, numbers=poured(sheet.numbers, scratch))
        return turned(sheet, replace(reading, target=None))


def check_fits(stored: Stored, form: Format, memory: int) -> None:
    """Raises UnreadableError if a file that has to be read whole is too large for that."""
    size = stored.path.stat().st_size
    if zipfile.is_zipfile(stored.path):
        with told_as(stored, form), zipfile.ZipFile(stored.path) as archive:
            size = max(size, sum(one.file_size for one in archive.infolist()))
    needed = form.times * size
    if needed > memory:
        raise UnreadableError(
            f"{stored.name!r} is {form.title}, which is read whole and takes about {needed / 1e6:,.0f} MB, "
            f"but only {memory / 1e6:,.0f} MB may be taken. Allow more (--memory), or save it as .npy or "
            "Parquet."
        )


def without_marks(sheet: Sheet, marks: tuple[str, ...]) -> Sheet:
    """The sheet without the values that mean "not known", also where it is read later."""
    if not marks:
        return sheet
    sheet = replace(sheet, labels=MarkedLabels(sheet.labels, marks))
    numbers = numbers_among(marks)
    if not numbers:
        return sheet
    if is_sparse(sheet.numbers):
        check_stored(numbers)
    return replace(sheet, numbers=Marked(sheet.numbers, numbers))


def is_sparse(numbers: Any) -> bool:
    """Whether a matrix, with or without marks, was stored without its zeros."""
    inner = numbers.matrix if isinstance(numbers, Marked) else numbers
    return isinstance(inner, ScratchColumns) or hasattr(inner, "tocsc")


def streamed(
    sheet: Sheet, source: str, reading: Reading, checksum: str, form: str, check: Callable[[], None]
) -> Streamed:
    """The features of a sheet, with everything said about its samples."""
    asked = reading
    if reading.in_rows:  # the names of features were taken in turning; columns were dropped there, too
        reading = replace(reading, index=None, drop=still_to_drop(sheet, reading))
    target = None if reading.labels else reading.target or sheet.target
    out = taken_out(sheet, reading, target, source)
    places = [place for place in range(len(sheet.names)) if place not in out]
    check_size(sheet, places, source)
    for place in places:
        check_read(sheet, place, source)
    labelled = set().union(*(matching(sheet, one, "--categorical", source) for one in reading.categorical))
    if labelled - out and is_sparse(sheet.numbers):
        raise UsageError(f"{source!r} is sparse: its columns cannot be labels.")
    if hasattr(sheet.numbers, "tocsc"):
        sheet = replace(sheet, numbers=sheet.numbers.tocsc())
    names = [sheet.unique[place] for place in places]
    columns = SheetColumns(sheet, places, labelled - out, names, source, check)
    samples = sheet.samples if reading.index is None else sample_names(sheet, reading.index, source)
    targets = {}
    if reading.labels is not None:
        y, name = labels_in(reading.labels, samples, columns.n_samples, reading.target)
        targets[name] = complete(y, name, reading.labels)
    for name in (*([target] if target else []), *reading.keep):
        targets[name] = complete(whole_values(values(sheet, name, source), reading), name, source)
    return Streamed(
        source,
        columns,
        None if sheet.numbered and not out else names,
        targets,
        samples,
        sheet.groups if reading.groups is None else values(sheet, reading.groups, source),
        checksum,
        form,
        (*sheet.notes, *notes_on(sheet, out, None), *notes_on_labels(columns)),
        asked,
        check,
    )


def whole_values(found: AnyArray, reading: Reading) -> AnyArray:
    """A row of a table that lies on its side as integers, if it is."""
    return as_integers(found) if reading.in_rows and found.dtype.kind == "f" else found


def check_size(sheet: Sheet, places: list[int], source: str) -> None:
    if sheet.n_samples < 2 or not places:
        raise UnreadableError(
            f"{source!r} has {sheet.n_samples} rows and {len(places)} columns for features; expected at "
            "least 2 rows and 1 column."
        )


def notes_on_labels(columns: SheetColumns) -> list[str]:
    labelled = [columns.names[i] for i in np.flatnonzero(~columns.numeric)]
    if not labelled:
        return []
    return [
        f"{len(labelled)} of {columns.n_features} features hold text or categories: {shortened(labelled)}"
    ]
