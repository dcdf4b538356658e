"""Text that a spreadsheet would run as a formula is marked by an apostrophe in text files.

Names and labels are not trusted. A cell such as `=HYPERLINK(...)` is run when a file is opened in a
spreadsheet, so one apostrophe is put in front of it, and removed when the file is read. Text that begins with
apostrophes gets one more, so that each text has one spelling. Numbers stay unchanged: restored text is never
a number, so whether a column holds numbers or text does not depend on this.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any

MARK = "'"
ENDS = "\r\n"
# Some spreadsheets ignore blanks, tabs and line ends before a sign, and some accept full-width signs.
SIGNS = "-=+@\t\r\n＝＋－＠"
FORMULA = re.compile(f"'* *[{SIGNS}]")
FIRST = f"{MARK} {SIGNS}"  # a formula has one of these characters: few texts have to be examined further
# All that is parsed as a number, or as a missing one: also with a decimal comma, and -nan(ind), which some
# programs print. Arrow takes the same pattern but has no possessive ++; it still never backtracks, since no
# part of the pattern can match what the next one matches.
NUMBER_TEXT = re.compile(
    r"(?:[ \t]*[-+]?(?:(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN](?:\([0-9A-Za-z_]*\))?)[ \t]*)?\r?"
)


def defused(text: str) -> str:
    """Text as a cell that no spreadsheet runs."""
    if text[:1] in FIRST and FORMULA.match(text) and not NUMBER_TEXT.fullmatch(text):
        return MARK + text
    return text


def restored(cell: str) -> str:
    """The text of a cell that may have been defused."""
    text = cell.removeprefix(MARK)
    return text if defused(text) == cell else cell


def defused_row(cells: Iterable[Any]) -> list[Any]:
    """The cells of a row, its text defused."""
    return [defused(cell) if isinstance(cell, str) else cell for cell in cells]


class Lines(list[str]):
    """A file-like object that collects the lines of a CSV writer."""

    write = list.append


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, their text defused."""
    lines = Lines()
    # The writer quotes only the characters of its own line ends: an unquoted carriage return would begin a
    # new row, and thus a new cell, in a spreadsheet.
    csv.writer(lines, lineterminator=ENDS).writerows(map(defused_row, rows))
    return "".join(line.removesuffix(ENDS) + "\n" for line in lines)
