"""Which column of a table, and which of a file of labels, name the samples: those that share most values.

A pair of columns, one of each file, is *sure* if it shares more than half of the names, or under equal
headers any, and *doubtful* if it looks like names but shares few, or numbers, which agree by chance.
Samples are matched by order of lines only if no pair is either, and if columns that both files have agree
line by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.features import as_labels
from qpfs.data.formats.layout import MISSING
from qpfs.data.sheet import Sheet, has_no_zeros

EDGE = 50  # columns of numbers at either end of a table that may be names


@dataclass(frozen=True, eq=False)
class Naming:
    """A column that may name samples."""

    place: int
    header: str
    order: tuple[str, ...]  # the names as they first occur, without blanks around them
    n: int  # lines that have one
    lines: int
    is_text: bool = True

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.order)

    @property
    def differs(self) -> bool:
        """Whether each line has another name."""
        return 0 < self.n == len(self.order)

    @property
    def is_varied(self) -> bool:
        """Whether there is a name for most lines, and not a few categories."""
        return len(self.order) > self.lines / 2

    @cached_property
    def is_count(self) -> bool:
        """Whether it numbers the lines from 0 or 1 in their order, as libraries do."""
        cells = self.order[self.order[:1] == (self.header,) :]
        return self.differs and cells in [tuple(map(str, range(i, i + len(cells)))) for i in (0, 1)]


@dataclass(frozen=True, eq=False)
class Pair:
    """A column of a table and one of a file of labels."""

    here: Naming
    there: Naming

    @cached_property
    def shared(self) -> int:
        return len(self.here.names & self.there.names)

    @property
    def is_common(self) -> bool:
        """Whether more than half of the lines of the shorter file could have the shared names."""
        return self.shared > min(self.here.lines, self.there.lines) / 2

    @property
    def is_equal(self) -> bool:
        return self.here.header == self.there.header

    @property
    def differs(self) -> bool:
        return self.here.differs and self.there.differs

    @property
    def is_count(self) -> bool:
        """Whether both only number the lines of their own file."""
        return self.here.is_count and self.there.is_count

    @property
    def is_complete(self) -> bool:
        """Whether one of the columns holds all names of the other."""
        here, there = self.here.names, self.there.names - {self.there.header}
        return here <= there or there <= here

    @property
    def is_alike(self) -> bool:
        """Whether the columns have one header and different values in all lines, some of them in common."""
        return self.is_equal and self.differs and self.shared > 0 and not self.is_count

    @property
    def is_sure(self) -> bool:
        if self.is_alike:
            return True
        if self.here.is_text:
            return self.is_common and (self.here.is_varied or self.there.is_varied)
        counts = self.here.is_count or self.there.is_count
        return self.here.place == self.there.place == 0 and self.differs and self.is_common and not counts

    @property
    def is_doubtful(self) -> bool:
        if self.here.is_text:
            return self.differs and self.shared > 0
        if not (self.differs and self.is_common) or self.is_count:
            return False
        counts = self.here.is_count or self.there.is_count  # which share some small numbers with any others
        return not counts or self.is_complete


def naming_in(place: int, header: str, times: Mapping[str | None, int], *, is_text: bool = True) -> Naming:
    """A column by its cells and how often each occurs; missing ones name nothing."""
    there = Counter[str]()
    for cell, n in times.items():
        if cell is not None and (name := cell.strip()) not in MISSING:
            there[name] += n
    return Naming(place, header, tuple(there), there.total(), sum(times.values()), is_text)


def columns_that_name(sheet: Sheet, headers: Collection[str]) -> list[Naming]:
    """The columns of a table that may name samples: text, and integers at its ends or under some headers."""
    numbers = set[int]()
    if not has_no_zeros(sheet.numbers):
        places = sheet.places.tolist()
        headed = {place for place, name in enumerate(sheet.names) if name in headers}
        numbers = {*places[:EDGE], *places[-EDGE:], *headed.intersection(places)}
    found = []
    for place in sorted({*numbers, *sheet.labels}):
        column = sheet.column(place)
        if place in numbers and not is_whole(np.asarray(column)):
            continue
        counts = as_labels(column).value_counts()  # labels repeat: each is converted only once
        times = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
        found.append(naming_in(place, sheet.unique[place], times, is_text=place not in numbers))
    return found


def is_whole(column: AnyArray) -> bool:
    """Whether a column of numbers holds integers alone, or nothing."""
    if column.dtype.kind != "f":
        return column.dtype.kind in "iu"
    present = column[~np.isnan(column)]
    return bool((present == np.rint(present)).all())


def best_pair(pairs: Iterable[Pair]) -> Pair | None:
    """The pair of text that shares most names; else one of equal headers; else the one that shares most."""
    return max(
        pairs, key=lambda one: (one.here.is_text and one.is_common, one.is_alike, one.shared), default=None
    )


def rivals(best: Pair, pairs: Sequence[Pair]) -> list[Pair]:
    """The best pair, and those of one of its columns that are as likely to be meant, in their order."""
    return [
        one
        for one in pairs
        if one is best
        or (
            (one.here is best.here) != (one.there is best.there)
            and (one.is_alike or (one.is_common and not best.is_equal))
        )
    ]


def first_difference(sheet: Sheet, header: str, cells: Sequence[str]) -> tuple[int, str, str] | None:
    """The first line where text or integers of a table differ from those of a file, and both cells.

    None if there is no such column, or the numbers of lines differ.
    """
    places = [place for place, name in enumerate(sheet.names) if name == header and place not in sheet.unread]
    if len(places) != 1 or len(cells) != sheet.n_samples:
        return None
    column = sheet.column(places[0])
    if isinstance(column, np.ndarray) and not is_whole(column):
        return None
    here = ["" if one is None else one.strip() for one in as_labels(column).to_pylist()]
    for line, (own, other) in enumerate(zip(here, map(str.strip, cells), strict=True)):
        if own not in MISSING and other not in MISSING and own != other and not alike(own, other):
            return line, own, other
    return None


def alike(one: str, other: str) -> bool:
    """Whether two cells are the same number."""
    try:
        return float(one) == float(other)
    except ValueError:
        return False
