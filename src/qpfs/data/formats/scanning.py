"""A text byte by byte: its records are counted, and text that would be misread is found."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.compiled import kernel
from qpfs.data.formats.records import LONE_RETURN

# The state at some byte.
MODE, LINE, RECORDS, FILLED, OPENED, MARK, GAP, INNER_GAP, PROBLEM = range(9)
# Modes: a record begins; a cell begins; within a cell; within quotes; after a quote within quotes; after \r.
RECORD, CELL, WITHIN, QUOTED, CLOSING, RETURN = range(6)
NUL, LONE, INNER_MARK, TORN, ENDED = range(1, 6)

SAYS = {
    NUL: "line {line} has a zero byte, which text cannot have; the file may be damaged.",
    LONE: LONE_RETURN,
    INNER_MARK: "line {line} begins with a byte order mark, as after joining files; delete it there.",
    TORN: "the quote that opens a cell in line {opened} is closed within a cell of line {line}; delete it, "
    "or write the quotes within a cell twice.",
}


def beginning(line: int) -> AnyArray:
    """The state at the beginning of a record."""
    at = np.zeros(9, np.int64)
    at[LINE] = line
    return at


def problem(at: AnyArray) -> str | None:
    """What is wrong with a text, after the scan; None if nothing is."""
    if at[PROBLEM]:
        return SAYS[int(at[PROBLEM])].format(line=at[LINE], opened=at[OPENED])
    if at[MODE] == QUOTED:
        return (
            f"the quote that opens a cell in line {at[OPENED]} is never closed; close it, or, if it belongs "
            "to the text, double it and put quotes around the cell."
        )
    return None


@kernel
def scan(letters: Any, separator: int, ends: bool, at: Any) -> int:
    """Scans further; returns where it stops: after the last byte, or at a problem."""
    mode, line, filled = at[MODE], at[LINE], at[FILLED]
    mark, wrong = at[MARK], 0
    stop = len(letters)
    for i in range(len(letters)):
        letter = letters[i]
        if letter > 44 and mode == WITHIN and mark == 0 and letter != separator:  # most are digits
            continue
        if letter == 0:
            wrong = NUL
        elif mode == RETURN and letter != 10:
            wrong = LONE
        elif mode == RECORD and ends and letter == 33:  # !
            wrong = ENDED
        elif mark == 2 and letter == 0xBF:
            wrong = INNER_MARK
        if wrong:
            stop = i
            break
        mark = 1 if mode == RECORD and letter == 0xEF else 2 if mark == 1 and letter == 0xBB else 0
        if mode == QUOTED:
            if letter == 34:
                mode = CLOSING
            elif letter == 10:
                line += 1
        elif mode == CLOSING and letter == 34:
            mode = QUOTED
        elif letter == 10:
            if filled:
                at[RECORDS] += 1
                if at[GAP] and not at[INNER_GAP]:
                    at[INNER_GAP] = at[GAP]
            elif not at[GAP]:
                at[GAP] = line
            mode, filled = RECORD, 0
            line += 1
        elif letter == 13:
            mode = RETURN
        elif letter == separator:
            mode, filled = CELL, 1
        elif letter == 34 and mode <= CELL:
            mode, filled = QUOTED, 1
            at[OPENED] = line
        elif mode == CLOSING and at[OPENED] != line:
            wrong, stop = TORN, i
            break
        else:
            mode, filled = WITHIN, 1
    at[MODE], at[LINE], at[FILLED], at[MARK], at[PROBLEM] = mode, line, filled, mark, wrong
    return stop
