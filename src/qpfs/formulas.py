"""Text that a spreadsheet would run as a formula, told apart by an apostrophe in files of text.

Names and labels come from strangers. A cell such as `=HYPERLINK(...)` is run where a file is opened in a
spreadsheet, so one apostrophe is put in front of it, and taken away where the file is read. Text that has
apostrophes there already gets one more, so that each text has one spelling. Numbers keep theirs: what is
restored is never a number, so a column is numbers or text whatever was done to its cells.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any

MARK = "'"
ENDS = "\r\n"
# Some spreadsheets pass over blanks, tabs and line ends before a sign, and some take full-width signs.
SIGNS = "-=+@\t\r\n＝＋－＠"
FORMULA = re.compile(f"'* *[{SIGNS}]")
FIRST = f"{MARK} {SIGNS}"  # letters one of which begins a formula: few texts have to be looked at further
# All that is parsed as a number, or as a missing one: also with a decimal comma, and -nan(ind), which some
# programs print. Arrow takes the same pattern, and knows no possessive ++; it goes back over nothing all the
# same, as no part of it can take what the next one takes.
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
    """What takes in the lines of a CSV writer one by one."""

    write = list.append


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, their text defused."""
    lines = Lines()
    # The writer puts quotes around what ends its own lines: a carriage return without quotes begins a new row
    # in a spreadsheet, and so a new cell.
    csv.writer(lines, lineterminator=ENDS).writerows(map(defused_row, rows))
    return "".join(line.removesuffix(ENDS) + "\n" for line in lines)
