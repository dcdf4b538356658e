"""Tables as values: a title, what to know, a header, and rows of words, numbers and cells with a verdict."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qpfs.paper.verdicts import BETTER, NOT_COMPARABLE, REPRODUCED, SAME, WORSE, Cell

MARKS = {SAME: "=", REPRODUCED: "≈", BETTER: "▼", WORSE: "▲", NOT_COMPARABLE: "?"}
KEY = "= the same to the digits printed, ≈ within the noise, ▼ lower, ▲ higher, ? not comparable"
Entry = str | int | float | None | Cell


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table under a file's name; `places` says how many digits its numbers are shown with."""

    name: str
    title: str
    text: str
    header: tuple[str, ...]
    rows: list[list[Entry]]
    places: int = 2

    def shown(self) -> list[list[str]]:
        """Every entry as text for a reader."""
        return [[shown(entry, self.places) for entry in row] for row in self.rows]

    def numeric(self) -> list[bool]:
        """Which columns are figures rather than words."""
        return [not any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.header))]

    def cells(self) -> list[Cell]:
        return [entry for row in self.rows for entry in row if isinstance(entry, Cell)]

    def csv(self) -> str:
        """The table as CSV; one with verdicts has a line for each cell."""
        lines: list[list[Any]] = self._long() if self.cells() else [list(self.header), *self.rows]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [[written(entry) for entry in line] for line in lines]
        )
        return text.getvalue()

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


def shown(entry: Entry, places: int) -> str:
    """An entry as text: of a cell the publication's number, ours, and the mark of the verdict."""
    if isinstance(entry, Cell) and entry.paper is not None:
        return f"{shown(entry.paper, places)} → {shown(entry.ours, places)} {MARKS[entry.verdict]}"
    if isinstance(entry, Cell):
        entry = entry.ours
    if entry is None:
        return "–"
    return f"{entry:.{places}f}" if isinstance(entry, float) else str(entry)


def written(entry: Any) -> Any:
    """An entry as CSV has it; numbers to ten digits, so that no sum's last bit shows."""
    if entry is None:
        return ""
    return f"{entry:.10g}" if isinstance(entry, float) else entry


def markdown(sheet: Sheet) -> str:
    """A table as Markdown."""
    lines = [sheet.header, ["---"] * len(sheet.header), *sheet.shown()]
    return "\n".join(f"| {' | '.join(escaped(line))} |" for line in lines) + "\n"


def escaped(line: Sequence[str]) -> list[str]:
    return [entry.replace("|", "\\|").replace("\n", " ") for entry in line]
