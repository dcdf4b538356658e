"""The roles of the columns of a sheet: target, groups, weights, covariates, names of samples, features."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.features import as_labels
from qpfs.data.reading import Reading, matched
from qpfs.data.sheet import Sheet, are_long, floats_in, has_no_zeros, places_named, shortened, texts
from qpfs.messages import Message, Parameter
from qpfs.wording import counted

MOST_SHOWN = 8  # columns in a message


def values(sheet: Sheet, parameter: str, asked: str, source: str) -> AnyArray:
    """A column, or an array beside the columns, by its name; missing values are None or NaN."""
    place = place_of(sheet, parameter, asked, source)
    if place is None:
        return sheet.beside[asked]
    check_read(sheet, [place], source)
    column = sheet.column(place)
    if isinstance(column, np.ndarray):
        return column
    return as_numbers(column, sheet.decimal_comma) if place in sheet.spelled else text_array(column)


def check_read(sheet: Sheet, places: Iterable[int], source: str) -> None:
    """Raises UnreadableError, which names all of them, if columns are neither numbers nor text."""
    reasons = [sheet.unread[place] for place in places if place in sheet.unread]
    if reasons:
        more = f"; and {len(reasons) - MOST_SHOWN} more" if len(reasons) > MOST_SHOWN else ""
        raise UnreadableError(
            f"{source!r} has unusable columns: {'; '.join(reasons[:MOST_SHOWN])}{more}. Expected "
            "numbers, truth values, dates or text: convert them, or leave them out (",
            Parameter("drop"),
            ").",
        )


def sample_names(sheet: Sheet, asked: str, source: str) -> list[str]:
    """A column as names, with the text of the file; integers as integers."""
    place = place_of(sheet, "index", asked, source)
    return texts(sheet.beside[asked] if place is None else as_labels(sheet.column(place)))


def place_of(sheet: Sheet, parameter: str, asked: str, source: str) -> int | None:
    """The index of a column, or None for an array beside the columns; raises UsageError if it is neither."""
    if asked in sheet.beside:
        return None
    places = places_named(asked, sheet.names, numbered=sheet.numbered)
    if len(places) == 1:
        return places[0]
    if places:
        meant = shortened([sheet.unique[place] for place in places])
        which = Parameter(parameter)
        raise UsageError(
            f"{source!r} has several columns named {asked!r} (", which, f"); choose one: {meant}."
        )
    raise no_column(parameter, asked, source, [*sheet.beside, *sheet.unique])


def no_column(parameter: str, asked: str, source: str, names: list[str]) -> UsageError:
    """The error for a missing column, with similar or existing names."""
    there = alike(asked, names)
    return UsageError(f"There is no column {asked!r} in {source!r} (", Parameter(parameter), f"); {there}")


def alike(asked: str, names: list[str]) -> str:
    """The names that are similar to the given one, or the first names."""
    if not names:
        return "it has none."
    close = get_close_matches(asked, names[:20_000], n=3)
    return f"did you mean {shortened(close)}?" if close else f"it has {shortened(names, 8)}."


def matching(sheet: Sheet, pattern: str, role: str, source: str) -> set[int]:
    """The columns that match a pattern; raises UsageError if none does."""
    found = {
        place
        for place, (name, unique) in enumerate(zip(sheet.names, sheet.unique, strict=True))
        if matched(pattern, name) or matched(pattern, unique)
    }
    beside = [name for name in sheet.beside if matched(pattern, name)]
    if beside and not found:
        what = f": {shortened(beside)} of {source!r} is not a feature anyway; leave this out."
        raise UsageError(Parameter(role, pattern), what)
    if not found:
        there = f": no column of {source!r} matches {pattern!r}; {alike(pattern, sheet.unique)}"
        raise UsageError(Parameter(role), there)
    return found


def taken_out(sheet: Sheet, reading: Reading, targets: Iterable[str | None], source: str) -> set[int]:
    """The columns that are not features; also checks that columns declared categorical exist."""
    asked = [("target", name) for name in targets]
    asked += [("index", reading.index), *(("keep", name) for name in reading.keep)]
    asked += [(role, name) for role, name in reading.beside if is_here(sheet, name, reading)]
    places = {place_of(sheet, role, name, source) for role, name in asked if name is not None}
    labelled(sheet, reading, source)
    out = {place for place in places if place is not None} | sheet.out
    return out | dropped(sheet, reading, source)


def dropped(sheet: Sheet, reading: Reading, source: str) -> set[int]:
    """The columns that the user leaves out."""
    return set().union(*(matching(sheet, pattern, "drop", source) for pattern in reading.drop))


def is_here(sheet: Sheet, asked: str, reading: Reading) -> bool:
    """Whether a column (groups, weights, a covariate) is read from the table, not from the labels."""
    return has_column(sheet, asked) or reading.labels is None


def has_column(sheet: Sheet, asked: str) -> bool:
    """Whether a name is that of a column, or of an array beside the columns."""
    return asked in sheet.beside or bool(places_named(asked, sheet.names, numbered=sheet.numbered))


def labelled(sheet: Sheet, reading: Reading, source: str) -> set[int]:
    """The columns whose numbers, dates and truth values are labels."""
    elsewhere = [name for name in reading.adjust if not is_here(sheet, name, reading)]
    patterns = [one for one in reading.categorical if not any(matched(one, name) for name in elsewhere)]
    return set(sheet.categories).union(*(matching(sheet, one, "categorical", source) for one in patterns))


def as_numbers(column: pa.Array, decimal_comma: bool = False) -> AnyArray:
    """Text as integers or floats, if all of it is numbers and different ones stay different."""
    if column.null_count == len(column) or floats_in(column, decimal_comma) is None:
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
    if column.null_count:
        return np.array(column.to_pylist(), object)
    found = column.dictionary_encode()  # labels repeat: each is converted only once
    return np.array(found.dictionary.to_pylist(), str)[found.indices.to_numpy()]


def is_missing(array: AnyArray) -> AnyArray:
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind != "O":
        return np.zeros(len(array), bool)
    return np.array([value is None or value != value for value in array], bool)


def usable_target(array: AnyArray, name: str, source: str) -> AnyArray:
    """The target; raises UnreadableError if some of it is infinite, or neither numbers nor text."""
    if array.dtype.kind in "cV":
        raise UnreadableError(
            f"The target {name!r} of {source!r} holds {array.dtype}; expected numbers or text."
        )
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    if array.dtype.kind == "f" and (infinite := int(np.isinf(array).sum())):
        raise UnreadableError(
            f"The target {name!r} of {source!r} is infinite in {infinite} of {len(array)} rows; drop or "
            "correct them first."
        )
    return array


def notes_on(sheet: Sheet, out: set[int], without: set[int]) -> list[str]:
    """Notes for the user about the columns: `out` are not features, of which `without` were dropped."""
    notes: list[str] = []
    if without:
        names = shortened([sheet.unique[place] for place in sorted(without)], most=20)
        notes.append(f"{counted(len(without), 'column was', 'columns were')} dropped, as asked for: {names}")
    renamed = [new for old, new in zip(sheet.names, sheet.unique, strict=True) if old != new]
    if renamed:
        notes.append(f"names that repeat or are empty were made unique: {shortened(renamed)}")
    if looks_like_index(sheet, out):
        notes.append(
            Message(
                "the first column has no name and all its values differ: it may be a row number; if so, "
                "leave it out with ",
                Parameter("index", sheet.unique[0]),
            )
        )
    return notes


def looks_like_index(sheet: Sheet, out: set[int]) -> bool:
    """Whether a feature is a first column without a name, all of whose values differ."""
    if 0 in out or not sheet.names or sheet.names[0] or has_no_zeros(sheet.numbers):
        return False
    return len(set(texts(sheet.column(0)))) == sheet.n_samples
