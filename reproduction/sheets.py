"""Tables as values: a title, what to know, a header, and rows of words, numbers and cells with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from qpfs.formulas import csv_text
from qpfs.wording import rounded, short
from reproduction.verdicts import BETTER, NOT_COMPARABLE, REPRODUCED, SAME, WORSE, Cell

MARKS = {SAME: "=", REPRODUCED: "≈", BETTER: "▼", WORSE: "▲", NOT_COMPARABLE: "?"}
KEY = (
    "Then the difference. = the same to the digits printed, ≈ within the noise (see above), ▼ lower, "
    "▲ higher, ? not comparable"
)
RATIO_KEY = "≈ within a factor of 2, ▼ lower, ▲ higher, ? not comparable"
SheetEntry = str | int | float | None | Cell
Number = Callable[[float], str]


def decimal_places(n: int) -> Number:
    """Shows a number with so many places."""
    return lambda value: rounded(value, n)


def digits(n: int) -> Number:
    """Shows a number in about so many digits, for what may be a thousand times smaller than its neighbour."""
    return lambda value: short(value, n)


TWO_PLACES = decimal_places(2)


@dataclass(frozen=True, eq=False)
class Worksheet:
    """A table under a file's name; `number` says how its numbers are shown."""

    name: str
    title: str
    text: str
    header: tuple[str, ...]
    rows: list[list[SheetEntry]]
    number: Number = TWO_PLACES

    def shown(self) -> list[list[Shown]]:
        """Every entry as text for a reader."""
        return [[shown(entry, self.number) for entry in row] for row in self.rows]

    def told(self) -> str:
        """What to know, with the reasons why something cannot be compared."""
        reasons = [cell.reason for cell in self.cells() if cell.verdict == NOT_COMPARABLE and cell.reason]
        why = "; ".join(dict.fromkeys(reasons))
        return f"{self.text} Not comparable: {why}." if why else self.text

    def numeric(self) -> list[bool]:
        """Which columns are figures rather than words."""
        return [not any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.header))]

    def cells(self) -> list[Cell]:
        return [entry for row in self.rows for entry in row if isinstance(entry, Cell)]

    def csv(self) -> str:
        """The table as CSV; one with verdicts has a line for each cell."""
        lines: list[list[Any]] = self._long() if self.cells() else [list(self.header), *self.rows]
        return csv_text(map(written, line) for line in lines)

    def _long(self) -> list[list[Any]]:
        """A line for each cell: what stands before it in its row, its column, and what it says."""
        keys = [i for i in range(len(self.header)) if not any(isinstance(row[i], Cell) for row in self.rows)]
        names = [self.header[i] for i in keys]
        lines: list[list[Any]] = [[*names, "column", "paper", "ours", "difference", "verdict", "reason"]]
        for row in self.rows:
            for column, cell in zip(self.header, row, strict=True):
                if isinstance(cell, Cell):
                    said = [cell.paper, cell.ours, cell.difference, cell.verdict, cell.reason]
                    lines.append([*(row[i] for i in keys), column, *said])
        return lines


@dataclass(frozen=True)
class Shown:
    """An entry as text: what it says, and of a cell the difference and the mark of the verdict."""

    text: str
    difference: str = ""
    mark: str = ""

    def __str__(self) -> str:
        bracket = f"({self.difference})" if self.difference else ""
        return " ".join(filter(None, (self.text, bracket, self.mark)))


def shown(entry: SheetEntry, number: Number) -> Shown:
    """An entry as text: of a cell the publication's number and ours, and what comes of them."""
    if isinstance(entry, Cell) and entry.paper is not None:
        both = f"{worded(entry.paper, number)} → {worded(entry.ours, number)}"
        return Shown(both, difference(entry, number), MARKS[entry.verdict])
    return Shown(worded(entry.ours if isinstance(entry, Cell) else entry, number))


def worded(entry: str | int | float | None, number: Number) -> str:
    if entry is None:
        return "–"
    return number(entry) if isinstance(entry, float) else str(entry)


def difference(cell: Cell, number: Number) -> str:
    """Ours less the publication's, with its sign; nothing where they are the same, or one is missing."""
    if cell.difference is None or cell.verdict == SAME:
        return ""
    return f"{'+' * (cell.difference > 0)}{number(float(cell.difference))}"


def written(entry: Any) -> Any:
    """An entry as CSV has it; numbers to ten digits, so that no sum's last bit shows."""
    if entry is None:
        return ""
    return f"{entry:.10g}" if isinstance(entry, float) else entry


def markdown(sheet: Worksheet) -> str:
    """A table as Markdown."""
    rows = [[str(entry) for entry in row] for row in sheet.shown()]
    lines = [sheet.header, ["---"] * len(sheet.header), *rows]
    return "\n".join(f"| {' | '.join(escaped(line))} |" for line in lines) + "\n"


def escaped(line: Sequence[str]) -> list[str]:
    return [entry.replace("|", "\\|").replace("\n", " ") for entry in line]
