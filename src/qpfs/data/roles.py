"""Which column of a sheet is what: target, groups, names of samples, left out, features."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.reading import Reading, matched
from qpfs.data.sheet import EXACT, Sheet, are_long, places_named, shortened, stacked, texts


def values(sheet: Sheet, asked: str, source: str) -> AnyArray:
    """A column, or what is said beside the columns, by its name; missing values are None or NaN."""
    place = place_of(sheet, asked, source)
    if place is None:
        return sheet.beside[asked]
    check_read(sheet, place, source)
    column = sheet.column(place)
    if isinstance(column, np.ndarray):
        return column
    return as_numbers(column, sheet.decimal_comma) if place in sheet.spelled else text_array(column)


def check_read(sheet: Sheet, place: int, source: str) -> None:
    if place in sheet.unread:
        raise UnreadableError(f"{source!r} cannot be used so: {sheet.unread[place]}")


def sample_names(sheet: Sheet, asked: str, source: str) -> list[str]:
    """A column as names, spelled as in the file."""
    place = place_of(sheet, asked, source)
    return texts(sheet.beside[asked] if place is None else sheet.column(place))


def place_of(sheet: Sheet, asked: str, source: str) -> int | None:
    """The place of a column, or None for what is beside the columns; raises UsageError if it is neither."""
    if asked in sheet.beside:
        return None
    places = places_named(asked, sheet.names, numbered=sheet.numbered)
    if len(places) == 1:
        return places[0]
    if places:
        meant = shortened([sheet.unique[place] for place in places])
        raise UsageError(f"{source!r} has several columns named {asked!r}; say which: {meant}.")
    raise UsageError(f"There is no column {asked!r} in {source!r}; {alike(asked, sheet)}")


def alike(asked: str, sheet: Sheet) -> str:
    """What there is that looks like the name asked for, or the first names."""
    names = [*sheet.beside, *sheet.unique]
    if not names:
        return "it has none."
    close = get_close_matches(asked, names[:20_000], n=3)
    return f"did you mean {shortened(close)}?" if close else f"it has {shortened(names, 8)}."


def matching(sheet: Sheet, pattern: str, role: str, source: str) -> set[int]:
    """The columns that fit a pattern; raises UsageError if none does."""
    found = {
        place
        for place, (name, unique) in enumerate(zip(sheet.names, sheet.unique, strict=True))
        if matched(pattern, name) or matched(pattern, unique)
    }
    if not found:
        raise UsageError(f"{role}: no column of {source!r} is or fits {pattern!r}; {alike(pattern, sheet)}")
    return found


def taken_out(sheet: Sheet, reading: Reading, target: str | None, source: str) -> set[int]:
    """The columns that are no features."""
    asked = [name for name in (target, reading.index, reading.groups, *reading.keep) if name is not None]
    places = {place_of(sheet, name, source) for name in asked}
    out = {place for place in places if place is not None}
    return out.union(*(matching(sheet, pattern, "--drop", source) for pattern in reading.drop))


def features(sheet: Sheet, out: set[int], reading: Reading, source: str) -> tuple[Any, list[str]]:
    """The features, and their names: an array or sparse matrix of numbers, a table if some are labels."""
    keep = [place for place in range(len(sheet.names)) if place not in out]
    names = [sheet.unique[place] for place in keep]
    for place in keep:
        check_read(sheet, place, source)
    labelled = set().union(*(matching(sheet, one, "--categorical", source) for one in reading.categorical))
    columns = {place: array for place, array in sheet.labels.items() if place not in out}
    truths = {place: truth for place in columns.keys() - labelled if (truth := truth_values(columns[place]))}
    columns = {**columns, **truths}
    if not labelled - out and len(truths) == len(columns):
        return all_numbers(sheet, keep, truths), names
    if not isinstance(sheet.numbers, np.ndarray):
        raise UsageError(f"{source!r} is sparse: its columns cannot be labels.")
    columns |= {place: as_labels(sheet.column(place)) for place in labelled - out}
    numbers = dict(zip(sheet.places.tolist(), range(len(sheet.places)), strict=True))
    arrays = [columns[p] if p in columns else pa.array(sheet.numbers[:, numbers[p]]) for p in keep]
    return pa.table(arrays, names=names), names


def all_numbers(sheet: Sheet, keep: list[int], truths: dict[int, pa.Array]) -> Any:
    """The features as one matrix, without a copy where they are all of the sheet's numbers."""
    if truths:
        columns = [truths.get(place, sheet.column(place)) for place in keep]
        return stacked([np.asarray(column, np.float64) for column in columns], sheet.n_samples)
    if len(keep) == len(sheet.places):
        return sheet.numbers
    return sheet.numbers[:, np.isin(sheet.places, keep)]


def truth_values(column: pa.Array) -> pa.Array | None:
    """A column of text as numbers 0 and 1, if it says true and false throughout."""
    lower = pc.utf8_lower(column)
    truths = pc.is_in(lower, pa.array(["true", "false"]))
    if column.null_count == len(column) or not pc.all(pc.or_(truths, pc.is_null(column))).as_py():
        return None
    return pc.equal(lower, "true").cast(pa.float64()).fill_null(np.nan)


def as_labels(column: Any) -> pa.Array:
    """A column as text."""
    if not isinstance(column, np.ndarray):
        return column
    array = pa.array(column, from_pandas=True)
    exact = (column == np.rint(column)) & (np.abs(column) < EXACT) if column.dtype.kind == "f" else False
    whole = column.dtype.kind == "f" and (np.isnan(column) | exact).all()
    return (array.cast(pa.int64()) if whole else array).cast(pa.string())


def as_numbers(column: pa.Array, decimal_comma: bool = False) -> AnyArray:
    """Text as integers or floats, if all of it is that and can be told apart so."""
    if column.null_count == len(column):
        return text_array(column)
    spelled = pc.replace_substring(column, ",", ".") if decimal_comma else column
    for kind in (pa.int64(), pa.float64()):
        try:
            numbers = spelled.cast(kind).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            continue
        if numbers.dtype.kind != "f" or not are_long(spelled, numbers):
            return numbers
    return text_array(column)


def text_array(column: pa.Array) -> AnyArray:
    """Text as an array; with missing values an array of objects, where they are None."""
    cells = column.to_pylist()
    return np.array(cells, object) if column.null_count else np.array(cells, str)


def is_missing(array: AnyArray) -> AnyArray:
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind != "O":
        return np.zeros(len(array), bool)
    return np.array([value is None or value != value for value in array], bool)


def is_infinite(array: AnyArray) -> AnyArray:
    return np.isinf(array) if array.dtype.kind == "f" else np.zeros(len(array), bool)


def complete(array: AnyArray, name: str, source: str) -> AnyArray:
    """The target; raises UnreadableError if some of it is missing, infinite or nothing that can be told."""
    if array.dtype.kind in "cV":
        raise UnreadableError(
            f"The target {name!r} of {source!r} holds {array.dtype}; expected numbers or text."
        )
    if array.dtype.kind in "mM" and not is_missing(array).any():
        raise UnreadableError(
            f"The target {name!r} of {source!r} holds {array.dtype}; expected numbers, truth values or text. "
            "Convert it (a date to a number, say)."
        )
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    missing, infinite = int(is_missing(array).sum()), int(is_infinite(array).sum())
    if infinite:
        raise UnreadableError(
            f"The target {name!r} of {source!r} is infinite in {infinite} of {len(array)} rows; drop or mend "
            "them first."
        )
    if missing:
        raise UnreadableError(
            f"The target {name!r} of {source!r} is missing in {missing} of {len(array)} rows; drop or fill "
            "them first."
        )
    return array


def notes_on(sheet: Sheet, out: set[int], X: Any) -> list[str]:
    """What a person should know about the columns."""
    notes = []
    renamed = [new for old, new in zip(sheet.names, sheet.unique, strict=True) if old != new]
    if renamed:
        notes.append(f"names that repeat or are empty were made unique: {shortened(renamed)}")
    if looks_like_index(sheet, out):
        notes.append(
            f"the first column has no name and no value twice: it may be a row number; if so, leave it out "
            f"with index={sheet.unique[0]!r}"
        )
    if isinstance(X, pa.Table):
        labelled = [field.name for field in X.schema if pa.types.is_string(field.type)]
        notes.append(
            f"{len(labelled)} of {X.num_columns} features hold text or categories: {shortened(labelled)}"
        )
    return notes


def looks_like_index(sheet: Sheet, out: set[int]) -> bool:
    """Whether a feature is a first column without a name, all of whose values differ."""
    if 0 in out or not sheet.names or sheet.names[0] or not isinstance(sheet.numbers, np.ndarray):
        return False
    return len(set(texts(sheet.column(0)))) == sheet.n_samples
