"""A sheet: the contents of a file, before columns are given roles.

All numbers are in one matrix, so that fifty thousand columns are one array and not fifty thousand; columns
of labels are stored one by one. Arrays about the samples outside the columns (a vector y in an `.npz` file,
`obs` of an `.h5ad` file) are kept by name, as `beside`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.room import COLUMN, check_room
from qpfs.messages import Parameter
from qpfs.sparse import sound_sparse

EXACT = 2.0**53  # from here on float64 does not have all integers
LETTERS = 80  # characters of a name in a message
GLANCE = 64  # cells that are tried first, since a cast that fails takes as long as one that succeeds
INTEGER = r"^\s*[-+]?[0-9]+\s*$"
PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
# A mark of missing values that is a number. Possessive (++, *+): no backtracking.
MARK = re.compile(
    r"\s*+[-+]?(?:(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+|(?i:inf(?:inity)?+))\s*+", re.ASCII
)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns of numbers and of labels, and further arrays about the samples."""

    names: list[str]  # of the columns, as in the file
    numbers: Any  # (n_samples, k) array, sparse matrix, or an object that returns columns on access
    places: IndexArray  # (k,) which column each column of numbers is
    labels: Mapping[int, pa.Array] = field(default_factory=dict)  # the other columns, by place
    beside: dict[str, AnyArray] = field(default_factory=dict)  # of the samples, outside the columns
    target: str | None = None  # the target, if none is given
    groups: AnyArray | None = None
    samples: list[str] | None = None
    split: BoolArray | None = None  # True: the sample is meant for training
    spelled: frozenset[int] = frozenset()  # columns of labels that hold the text of possible numbers
    categories: frozenset[int] = frozenset()  # columns of labels that are neither dates nor truth values
    decimal_comma: bool = False  # in the text of numbers
    numbered: bool = False  # the names were made up: x0, x1, ...
    out: frozenset[int] = frozenset()  # columns that are not features, as determined while reading
    kept: frozenset[int] = frozenset()  # columns that must be selected
    # Columns that are neither numbers nor labels, with the reason.
    unread: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def n_samples(self) -> int:
        return int(self.numbers.shape[0])

    @cached_property
    def unique(self) -> list[str]:
        """The names of the columns, none empty and no two alike."""
        return unique_names(self.names)

    def column(self, place: int) -> AnyArray | pa.Array:
        """One column, as it was read; raises UnreadableError if it could not be read."""
        if place in self.unread:
            raise UnreadableError(self.unread[place])
        if place in self.labels:
            return self.labels[place]
        where = int(np.flatnonzero(self.places == place)[0])
        column = self.numbers[:, [where]]
        return np.asarray(column.todense() if hasattr(column, "todense") else column).ravel()

    def taken(self) -> Sheet:
        """The sheet with all of it in memory."""
        return replace(self, numbers=in_memory(self.numbers), labels=dict(self.labels))


def of_matrix(matrix: Any, names: list[str] | None = None, **beside: Any) -> Sheet:
    """The sheet of a matrix of numbers, checked if it is sparse; without names its columns are x0, x1, ..."""
    n = matrix.shape[1]
    check_room(COLUMN * n, f"a table of {n:,} columns")
    matrix = sound_sparse(matrix)
    if names is not None and len(names) != n:
        raise UnreadableError(f"there are {n} columns but {len(names)} names for them.")
    made_up = names is None
    names = [f"x{j}" for j in range(n)] if names is None else names
    return Sheet(names, matrix, np.arange(n), numbered=made_up, **beside)


def is_whole(kind: pa.DataType) -> bool:
    """Whether a type is that of integers."""
    return pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale <= 0)


def long_integers(names: list[str]) -> tuple[str, ...]:
    """A note if integers were read as labels."""
    if not names:
        return ()
    return (f"integers too long to be numbers were read as labels: {shortened(names)}",)


def turned_dates(names: list[str]) -> tuple[str, ...]:
    """A note if dates were read as numbers."""
    return (f"dates were read as days since 1970-01-01: {shortened(names)}",) if names else ()


def turned_spans(names: list[str]) -> tuple[str, ...]:
    """A note if times of day and durations were read as numbers."""
    return (f"times of day and durations were read in days: {shortened(names)}",) if names else ()


def shortened(names: list[str], most: int = 5) -> str:
    """Some names for a message, each shortened, since a name can be very long."""
    clipped = (name if len(name) <= LETTERS else f"{name[:LETTERS]}..." for name in names[:most])
    return ", ".join(map(repr, clipped)) + (f" and {len(names) - most} more" if len(names) > most else "")


def stacked(columns: list[AnyArray], n_samples: int) -> AnyArray:
    """Columns side by side, in the smallest type that holds them all."""
    if not columns:
        return np.empty((n_samples, 0))
    matrix = np.empty((n_samples, len(columns)), np.result_type(*columns), order="F")
    for j, column in enumerate(columns):
        matrix[:, j] = column
    return matrix


def plain_column(column: pa.ChunkedArray, name: str) -> AnyArray | pa.Array:
    """A column as numbers (missing ones NaN) or as labels; raises UnreadableError for lists and the like."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), np.nan)
    if pa.types.is_dictionary(kind):
        return array.dictionary_decode().cast(pa.string())
    if pa.types.is_boolean(kind):
        return numbers_of(array.cast(pa.uint8()))
    if is_whole(kind) and not fits(array):
        return array.cast(pa.string())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return numbers_of(array)
    if pa.types.is_decimal(kind):
        return numbers_of(array.cast(pa.float64()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return array.cast(pa.string())
    if is_date(kind):
        return days_of(array)
    raise UnreadableError(f"column {name!r} holds {kind}")


def is_date(kind: pa.DataType) -> bool:
    """Whether a type is that of dates, timestamps, times of day or durations."""
    return bool(pa.types.is_temporal(kind)) and not pa.types.is_interval(kind)


def is_span(kind: pa.DataType) -> bool:
    """Whether a type is that of times of day or durations."""
    return bool(pa.types.is_time(kind) or pa.types.is_duration(kind))


def days_of(array: pa.Array) -> FloatArray:
    """Dates and timestamps as days since 1970-01-01, times and durations in days; missing ones are NaN."""
    kind = array.type
    if pa.types.is_date(kind):
        return array.cast(pa.date32()).cast(pa.int32()).cast(pa.float64()).to_numpy(zero_copy_only=False)
    units = PER_DAY[kind.unit]
    counts = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    return counts.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) / units


def fits(array: pa.Array) -> bool:
    """Whether all integers of an array are exact in float64."""
    ends = pc.min_max(array)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is None or (low > -EXACT and high < EXACT)


def are_long(spelled: pa.Array, numbers: AnyArray) -> bool:
    """Whether some numbers, by their text, are integers beyond the precision of float64."""
    large = np.abs(numbers) >= EXACT
    if not large.any():
        return False
    return bool(pc.any(pc.match_substring_regex(spelled.filter(pa.array(large)), INTEGER)).as_py())


def floats_in(spelled: pa.Array, decimal_comma: bool = False) -> FloatArray | None:
    """Text as numbers, missing ones NaN; None if some cell is not a number."""
    if len(spelled) > GLANCE and floats_in(spelled[:GLANCE], decimal_comma) is None:
        return None
    cells = pc.replace_substring(spelled, ",", ".") if decimal_comma else spelled
    with suppress(pa.ArrowInvalid):
        return cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
    # Arrow reads a number with spaces around it, or a plus before it, as text.
    plain = pc.replace_substring_regex(pc.ascii_trim_whitespace(cells), r"^\+([0-9.])", r"\1")
    with suppress(pa.ArrowInvalid):
        return None if plain.equals(cells) else plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return None


def numbers_of(array: pa.Array) -> AnyArray:
    """Numbers as an array; missing values, if any, are NaN."""
    if array.null_count == 0:
        return array.to_numpy(zero_copy_only=False)
    wide = pa.float32() if array.type in (pa.float16(), pa.float32()) else pa.float64()
    return array.cast(wide).to_numpy(zero_copy_only=False)


def places_named(asked: str, names: list[str], *, numbered: bool = False) -> list[int]:
    """The columns that a name may mean: as in the file, made unique, or counted from 0."""
    spelled = [place for place, name in enumerate(names) if name == asked]
    if len(spelled) == 1:
        return spelled
    unique = [place for place, name in enumerate(unique_names(names)) if name == asked]
    if unique or spelled or not numbered or not re.fullmatch(r"-?\d{1,18}", asked, re.ASCII):
        return unique or spelled
    place = int(asked)
    return [place % len(names)] if -len(names) <= place < len(names) else []


def unique_names(names: Iterable[str]) -> list[str]:
    """Names made unique and not empty; names that already are stay unchanged."""
    unique = [name if name else f"column {place}" for place, name in enumerate(names, start=1)]
    while len(set(unique)) < len(unique):
        unique = numbered_apart(unique)
    return unique


def numbered_apart(names: list[str]) -> list[str]:
    """Names with a number after each that occurs more than once."""
    times, seen = Counter(names), Counter[str]()
    apart = []
    for name in names:
        seen[name] += 1
        apart.append(f"{name} ({seen[name]})" if times[name] > 1 else name)
    return apart


def texts(column: Any) -> list[str]:
    """The values of a column as text; a missing one is empty."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    return ["" if value is None else str(value) for value in values]


def without_marks(sheet: Sheet, marks: tuple[str, ...]) -> Sheet:
    """The sheet with missing values in place of their marks, also in parts that are read later."""
    if not marks:
        return sheet
    sheet = replace(sheet, labels=MarkedLabels(sheet.labels, marks))
    numbers = numbers_among(marks)
    if not numbers:
        return sheet
    if has_no_zeros(sheet.numbers) and 0 in numbers:
        raise UsageError(
            Parameter("missing", "0"),
            ": the table is sparse, and zeros that are not stored cannot be missing; save it as a dense "
            "one, or omit this option.",
        )
    return replace(sheet, numbers=Marked(sheet.numbers, numbers))


class Marked:
    """A matrix with NaN in place of the numbers that mark missing values."""

    def __init__(self, matrix: Any, marks: list[float]) -> None:
        self.matrix = matrix
        self.marks = marks
        self.shape = matrix.shape

    def __getitem__(self, key: Any) -> AnyArray:
        some = self.matrix[key]
        return unmarked(some.toarray() if hasattr(some, "toarray") else np.asarray(some), self.marks)

    def whole(self) -> Any:
        found = in_memory(self.matrix)
        return unmarked(found, self.marks) if isinstance(found, np.ndarray) else self._sparse(found)

    def _sparse(self, matrix: Any) -> Any:
        some = matrix.copy() if matrix.format in ("csr", "csc") else matrix.tocsr()
        some.sum_duplicates()
        missing = are_marked(some.data, self.marks)
        if not missing.any():
            return matrix
        some = some.astype(np.result_type(some.dtype, np.float32))
        some.data[missing] = np.nan
        return some


class MarkedLabels(Mapping[int, pa.Array]):
    """Columns of labels with null in place of those that mark missing values."""

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


def has_no_zeros(numbers: Any) -> bool:
    """Whether a matrix, with or without marks, was stored without its zeros."""
    inner = numbers.matrix if isinstance(numbers, Marked) else numbers
    return hasattr(inner, "tocsc") or getattr(inner, "is_sparse", False)


def in_memory(matrix: Any) -> Any:
    """All of a matrix, in memory."""
    if isinstance(matrix, np.memmap):
        check_room(matrix.nbytes, "the array")
        return np.array(matrix)
    return matrix.whole() if hasattr(matrix, "whole") else matrix


def unmarked(numbers: AnyArray, marks: list[float]) -> AnyArray:
    """Numbers with NaN in place of the marks."""
    if not marks:
        return numbers
    missing = are_marked(numbers, marks)
    if missing.any():
        numbers = numbers.astype(np.result_type(numbers, np.float32))
        numbers[missing] = np.nan
    return numbers


def numbers_among(markers: tuple[str, ...]) -> list[float]:
    """The marks of missing values that are numbers, in any spelling of a cell; integers exactly."""
    spelled = [marker.strip() for marker in markers if MARK.fullmatch(marker)]
    return [int(one) if re.fullmatch(r"[-+]?\d{1,20}", one, re.ASCII) else float(one) for one in spelled]


def are_marked(values: AnyArray, marks: list[float]) -> BoolArray:
    """The mask of values that are marks, compared in their own type: -99.9 differs in float32 and float64."""
    return np.isin(values, marks_as(values.dtype, marks))


def marks_as(kind: np.dtype[Any], marks: list[float]) -> AnyArray:
    """The marks in some type of numbers, without those that it does not have."""
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        within = [mark for mark in marks if ends.min <= mark <= ends.max and mark == int(mark)]
        return np.array([int(mark) for mark in within], kind)
    wide = np.array(marks, np.float64)
    if kind.kind != "f":
        return wide
    with np.errstate(over="ignore", under="ignore"):
        own = wide.astype(kind)
    return own[(np.isinf(own) == np.isinf(wide)) & ((own == 0) == (wide == 0))]


def as_integers(numbers: AnyArray) -> AnyArray:
    """Numbers as integers, if all of them are."""
    integral = (numbers == np.rint(numbers)).all() and np.abs(numbers).max(initial=0) < EXACT
    return numbers.astype(np.int64) if integral else numbers
