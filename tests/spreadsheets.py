"""What a spreadsheet would take for formulas, told without the rule that is tested."""

from __future__ import annotations

import csv
import io

SIGNS = "=+-@\t\r\n＝＋－＠"


def is_run(cell):
    """Whether a cell begins as a formula does, and is neither a number nor blank."""
    return cell.lstrip(" ")[:1] in tuple(SIGNS) and bool(cell.strip()) and not is_number(cell)


def is_number(cell):
    try:
        float(cell.replace(",", ".").lower().replace("nan(ind)", "nan").replace("nan()", "nan"))
    except ValueError:
        return False
    return True


def cells_of(text, mark=","):
    """The cells of a text as Python reads them, row by row."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))


def run_cells(text, mark=","):
    """The cells of a text that would be run."""
    return [cell for row in cells_of(text, mark) for cell in row if is_run(cell)]
