"""Dates in text: 2020-12-31 (with a time or without), 31.12.2020; 12/31/2020 or 31/12/2020 if clear which.

All cells of a column have one spelling. A number above twelve decides whether the day or the month is first,
which is never guessed.
"""

from __future__ import annotations

import re
from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc

from qpfs.arrays import FloatArray
from qpfs.data.sheet import GLANCE, days_of, shortened
from qpfs.messages import Message, Parameter

ZONE = r"(Z|[-+][0-9]{2}(:?[0-9]{2})?)?"
TIME = rf"[0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]{{1,9}})?)?{ZONE}"
ISO = rf"^\s*[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T]{TIME})?\s*$"
DOTTED = r"^\s*(?P<first>[0-9]{1,2})\.(?P<second>[0-9]{1,2})\.(?P<year>[0-9]{4})\s*$"
SLASHED = DOTTED.replace(r"\.", "/")
SPELLINGS = (ISO, DOTTED, SLASHED)
ANY = "|".join(re.sub(r"\?P<\w+>", "?:", one) for one in SPELLINGS)  # which is tried first
NEARLY = 0.9  # of the cells of a column: with so many dates, a note names the others
MONTHS = 12
SHOWN = 3  # of the other cells


def days_in(spelled: pa.Array) -> FloatArray | None:
    """Text as days since 1970-01-01, if all of it is dates in one spelling."""
    form = spelling(spelled)
    if form is None:
        return None
    if form != ISO:
        spelled = as_iso(spelled, form)
        return None if spelled is None else days_in_iso(spelled)
    plain = pc.replace_substring(pc.ascii_trim_whitespace(spelled), "T", " ")
    return days_in_iso(pc.replace_substring_regex(plain, r"(\.[0-9]{6})[0-9]+", r"\1"))  # finer than float64


def spelling(spelled: pa.Array, share: float = 1.0) -> str | None:
    """The pattern of dates that all cells match, or a share of them; None if there is none."""
    glance = spelled[:GLANCE]
    if n_dates(glance, ANY) < share * (len(glance) - glance.null_count):
        return None
    n = len(spelled) - spelled.null_count
    return next((form for form in SPELLINGS if n and n_dates(spelled, form) >= share * n), None)


def n_dates(spelled: pa.Array, form: str) -> int:
    return pc.sum(pc.match_substring_regex(spelled, form), min_count=0).as_py() or 0


def as_iso(spelled: pa.Array, form: str) -> pa.Array | None:
    """Dates of numbers as year-month-day; None if day and month cannot be distinguished."""
    parts = pc.extract_regex(spelled, form)
    first, second, year = (pc.struct_field(parts, name) for name in ("first", "second", "year"))
    if form == DOTTED:
        day, month = first, second
    else:
        late = [pc.max(part.cast(pa.int32())).as_py() > MONTHS for part in (first, second)]
        if late[0] == late[1]:
            return None
        day, month = (first, second) if late[0] else (second, first)
    return pc.binary_join_element_wise(year, *(pc.utf8_lpad(part, 2, "0") for part in (month, day)), "-")


def days_in_iso(plain: pa.Array) -> FloatArray | None:
    for zone in (None, "UTC"):  # without zones, or with one in each cell
        with suppress(pa.ArrowInvalid):  # such as the 31st of February
            return days_of(plain.cast(pa.timestamp("us", zone)))
    return None


def not_days(spelled: pa.Array, form: str, name: str) -> str:
    """A note on a column that is nearly dates, but cannot be read as such, with what to do."""
    dates = pc.match_substring_regex(spelled, form)
    others = spelled.filter(pc.invert(dates)).unique().to_pylist()
    mixed = [one for one in others if re.match(ANY, one)]
    if others and not mixed:
        return Message(
            f"{name!r} would be dates but for {shortened(others, SHOWN)}, and was read as text; if these "
            "mean that a date is not known, add ",
            Parameter("missing", others[:SHOWN]),
        )
    example = pc.drop_null(spelled)[0].as_py()
    why = "not all of these dates exist, or only some have a time zone"
    if mixed:
        why = f"others are written as {mixed[0]!r}"
    elif form == SLASHED and as_iso(spelled, form) is None:
        why = "it is not clear whether the day or the month is first"
    said = f"{name!r} holds dates such as {example!r}, but was read as text, since {why}"
    return f"{said}; write dates as 2020-12-31"
