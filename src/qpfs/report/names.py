"""Names of features prepared for display: whatever they hold, one line that fits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from qpfs.selectors.given_features import Names

ELLIPSIS = "…"
MOST = 2000  # characters of a text that a page shows, however long it is
# For matplotlib: a name with $ in it is a name.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}


def one_line(name: str) -> str:
    """The name without line breaks, control characters and marks of the direction of writing."""
    visible = "".join(c if c.isprintable() else " " for c in clipped(name))
    return " ".join(visible.split()) or "(blank)"


def shown(name: str) -> str:
    """The name as a page may hold it: without control characters and marks of the direction of writing."""
    return CONTROL.sub(" ", clipped(name)).strip() or "(blank)"


def clipped(text: str) -> str:
    """The text as far as a page shows it, since a name is repeated often and may be very long."""
    return text if len(text) <= MOST else text[:MOST] + ELLIPSIS


def source_name(source: str | None) -> str | None:
    """The source of data in words."""
    return "standard input" if source == "-" else source


TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{TURNING}]")


def width_in_ems(text: str) -> float:
    """The approximate width of the text, in sizes of its font."""
    return sum(character_width(c) for c in text)


def character_width(character: str) -> float:
    """The width of a character, rather over- than underestimated, for common sans-serif fonts."""
    if unicodedata.east_asian_width(character) in "WF" or character in "mwMW%@…":
        return 1.02
    if character in "ijlrtfI.,:;'|!()[] -":
        return 0.42
    return 0.78 if character.isupper() or character in "+=<>~&" else 0.65


def fitted(name: str, ems: float) -> str:
    """The name on one line, with an ellipsis if it is too wide; empty if too little would remain."""
    text = one_line(name)
    if width_in_ems(text) <= ems:
        return text
    room = ems - width_in_ems(ELLIPSIS)
    kept = 0
    while kept < len(text) and room >= (step := width_in_ems(text[kept])):
        kept, room = kept + 1, room - step
    return text[:kept].rstrip() + ELLIPSIS if kept >= 6 else ""


def in_lines(name: str, ems: float, n_lines: int) -> list[str]:
    """The name on as few lines as it needs, split between words; none if too little would remain."""
    words = one_line(name).split(" ")
    lines: list[str] = []
    while words and len(lines) < n_lines - 1 and width_in_ems(words[0]) <= ems:
        n = 1
        while n < len(words) and width_in_ems(" ".join(words[: n + 1])) <= ems:
            n += 1
        lines.append(" ".join(words[:n]))
        words = words[n:]
    if not words:
        return lines
    last = fitted(" ".join(words), ems)
    return [*lines, last] if last else []


def checked_names(names: Sequence[str] | None, n_features: int) -> list[str]:
    """A name for each of so many features; raises ValueError if there are fewer."""
    if names is None:
        return Names(None, n_features).all
    if len(names) < n_features:
        raise ValueError(f"feature_names holds {len(names)} names, but there are {n_features} features.")
    return [str(name) for name in names]
