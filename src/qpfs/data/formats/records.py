"""The records of a text, and how many there are: the meaning of quotes is decided here only.

A quote opens a quoted cell only where a cell begins: after a separator or a line end. Within, two quotes mean
one, and separators and line ends are ordinary characters. Any other quote is an ordinary character. Python's
csv reads in this way, and is used wherever a text has quotes (`Records`); records are counted independently
of it (`survey`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from qpfs.data.errors import UnreadableError
from qpfs.messages import Parameter

BLOCK = 1 << 20  # bytes examined at a time
LONGEST = 1 << 30  # bytes of a record
ODD = (b'"', b"\r", b"\0", b"\xef")  # a text without these has a record on each line that is not empty
LONE_RETURN = "line {line} has a carriage return without a line feed; save it with line feeds alone."
END = b"!"  # a line that begins with this ends a table whose features are in rows


class RecordReader:
    """The records of a text one by one, as lists of cells; those of empty lines are empty."""

    def __init__(self, file: BinaryIO, start: int, line: int, separator: str, longest: int) -> None:
        self.file = file
        self.here = (start, line)  # the byte and the line at which the next record begins
        self.longest = longest
        self.reader = csv.reader(self._lines(start, line), delimiter=separator)
        csv.field_size_limit(LONGEST)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        try:
            row = next(self.reader)
        except csv.Error as error:  # the only error of csv for text within the limit
            raise UnreadableError(LONE_RETURN.format(line=self.here[1])) from error
        self.here = self.read
        return row

    def _lines(self, position: int, line: int) -> Iterator[str]:
        self.read = (position, line)
        self.file.seek(position)
        while text := self.file.readline(self.longest + 1):
            position, line = position + len(text), line + 1
            self.read = (position, line)
            if position - self.here[0] > self.longest:
                raise too_long(self.here[1], self.longest)
            yield text.decode("utf-8")


def too_long(line: int, longest: int) -> UnreadableError:
    return UnreadableError(
        f"the record that begins in line {line} is longer than the {longest / 1e6:,.0f} MB allowed; "
        "look there for a quote that is not closed, or allow more memory (",
        Parameter("memory"),
        ").",
    )


@dataclass(frozen=True)
class RecordSurvey:
    """How many records a text has, counted without reading them."""

    n_records: int
    stop: int  # the byte after the last
    gap: int = 0  # the first empty line above a record, if there is one

    def check(self, n_rows: int) -> None:
        """Raises UnreadableError unless so many rows were read."""
        if n_rows != self.n_records:
            raise UnreadableError(
                f"{n_rows:,} rows were read, but it has {self.n_records:,} records; please report this, with "
                "the file if possible."
            )


def survey(file: BinaryIO, start: int, line: int, separator: str, *, ends: bool = False) -> RecordSurvey:
    """The survey of a text from some record on; raises UnreadableError for text that would be misread."""
    # If `ends`, a line that begins with ! ends the table, and only such lines may follow it.
    found = None if ends else plain_survey(file, start)
    return found or full_survey(file, start, line, separator, ends=ends)


def plain_survey(file: BinaryIO, start: int) -> RecordSurvey | None:
    """The survey of a text with a record on each line; None if lines may not be records."""
    n_records, last, size = 0, -1, 0  # the last line end
    for block in blocks(file, start):
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10) + size
        if any(one in block for one in ODD) or (np.diff(ends, prepend=last) == 1).any():
            return None
        n_records, size = n_records + len(ends), size + len(block)
        last = int(ends[-1]) if len(ends) else last
    return RecordSurvey(n_records + (last + 1 < size), start + size)


def full_survey(file: BinaryIO, start: int, line: int, separator: str, *, ends: bool) -> RecordSurvey:
    """The survey of any text, byte by byte."""
    from qpfs.data.formats import scanning

    at = scanning.beginning(line)
    stop = start
    for block in blocks(file, start):
        done = scanning.scan(np.frombuffer(block, np.uint8), ord(separator), ends, at)
        stop += done
        if done < len(block):
            break
    if at[scanning.PROBLEM] == scanning.ENDED:
        check_ended(file, stop, int(at[scanning.LINE]))
    elif problem := scanning.problem(at):
        raise UnreadableError(problem)
    n_records, gap, last = (int(at[one]) for one in (scanning.RECORDS, scanning.INNER_GAP, scanning.FILLED))
    return RecordSurvey(n_records + last, stop, gap or int(at[scanning.GAP]) * last)


def check_ended(file: BinaryIO, stop: int, line: int) -> None:
    """Raises UnreadableError if there are rows below the line that ends a table."""
    file.seek(stop)
    for number, text in enumerate(file, start=line):
        if text.strip() and not text.startswith(END):
            raise UnreadableError(
                f"line {line} begins with !, which ends the table, but line {number} goes on with rows; put "
                "names that begin with ! in quotes, or delete what follows the table."
            )


def blocks(file: BinaryIO, start: int) -> Iterator[bytes]:
    file.seek(start)
    while block := file.read(BLOCK):
        yield block
