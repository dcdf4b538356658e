"""The option --memory."""

from __future__ import annotations

import re

from qpfs.messages import UsageError

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SIZE = re.compile(r"\s*+(\d++(?:\.\d*+)?+|\.\d++)\s*+([kmgt]?)(i?)b?\s*+", re.I)
LEAST, MOST = 256 * 10**6, 2.0**60  # the smallest limit
BASE = 220 * 10**6  # bytes that Python and its libraries take before anything is read, about


def bytes_in(text: str) -> int:
    """The number of bytes that a text such as 1GB or 512MiB means."""
    found = SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"--memory {text}; expected a size such as 512MB or 2GB.")
    number, unit, binary = found.groups()
    power = "kmgt".index(unit.lower()) + 1 if unit else 0
    size = float(number) * (1024**power if binary else UNITS[unit.lower()])
    if size > MOST:
        raise UsageError(f"--memory {text[:40]}; that is more than any computer has.")
    if size < LEAST:
        raise UsageError(f"--memory {text}; expected at least {LEAST // 10**6}MB.")
    return int(size)
