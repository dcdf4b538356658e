"""How long the way of a call through the package is."""

from __future__ import annotations

import sys
from pathlib import Path

import qpfs

ROOT = Path(qpfs.__file__).parent
INLINE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}  # no names to look up


def path_of(call):
    """The functions of the package that a call enters, and how often it goes from one room to another."""
    functions, rooms = set(), []

    def enter(frame, event, _):
        code = frame.f_code
        if event != "call" or code.co_name in INLINE or not Path(code.co_filename).is_relative_to(ROOT):
            return
        functions.add((code.co_filename, code.co_qualname))
        rooms.append(Path(code.co_filename).relative_to(ROOT).parts[0])

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(before)
    return functions, sum(room != last for room, last in zip(rooms[1:], rooms, strict=False))
