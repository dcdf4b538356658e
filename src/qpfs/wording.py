"""Numbers and lists for sentences and tables, and numbers for JSON."""

from __future__ import annotations

import math
from functools import partial
from typing import Any


def json_value(value: Any) -> Any:
    """A JSON value; anything that JSON does not have becomes its text."""
    import numpy as np  # the command needs words before it needs numbers

    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, (list, tuple)):
        return [json_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): json_value(one) for key, one in value.items()}
    # An address means nothing later.
    if callable(value) and (hasattr(value, "__qualname__") or " at 0x" in repr(value)):
        return function_name(value)
    return value if isinstance(value, (int, str, type(None))) else " ".join(repr(value).split())


def function_name(function: Any) -> str:
    """Where a function is defined, or the class of an object that can be called: module.name."""
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{key}={value!r}" for key, value in function.keywords.items())]
        return f"{function_name(function.func)}({', '.join(given)})"
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def finite(value: Any) -> float | None:
    """The number, or None if it is not finite, which JSON does not have."""
    number = float(value)
    return number if math.isfinite(number) else None


def short(value: float | None, digits: int = 4) -> str:
    """A number in about so many digits: 0.0123, 1,234, 5.1e-09."""
    if value is None:
        return "–"
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return plain_digits(value, digits)
    mantissa, exponent = f"{value:.{max(digits - 2, 0)}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def plain_digits(value: float, digits: int) -> str:
    """A number of ordinary size, with separators of thousands, without trailing zeros."""
    size = math.floor(math.log10(abs(value))) + 1 if value else 1
    text = f"{value:,.{max(digits - max(size, 1), 0) if size > 0 else digits - size}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def fixed(value: float | None, places: int = 4) -> str:
    """A number with a fixed number of decimal places, for aligned columns."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if 0 < abs(value) < 0.5 * 10**-places:
        return f"<{10**-places:.{places}f}"
    return f"{value:.{places}f}".replace("-", "−")


def gap_text(gap: float) -> str:
    """A gap; below 1e-12, where it is only rounding, no digits are shown."""
    return "10⁻¹²" if 0 <= gap < 1e-12 else short(gap, 2)


def small(share: float | None) -> str:
    """A fraction whose order of magnitude matters more than its digits, such as a p value."""
    if share is None:
        return "–"
    return f"{share:.2g}" if share >= 0.001 or share == 0 else f"{share:.0e}".replace("e-0", "e-")


def rounded(value: float, places: int = 2) -> str:
    """A number with a fixed number of decimal places, for sentences; never -0.00."""
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def percent(share: float | None, places: int = 0) -> str:
    return "–" if share is None else f"{rounded(100 * share, places)}\N{NO-BREAK SPACE}%"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """1 feature, 2 features, 1,000 features."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def bytes_words(n: int) -> str:
    """1 byte, 999 bytes, 1.5 kB, 20 MB, 3.2 GB."""
    for unit, size in {"GB": 10**9, "MB": 10**6, "kB": 10**3}.items():
        if n >= size:
            return f"{plain_digits(n / size, 2)} {unit}"
    return counted(n, "byte")


def table_words(n_samples: int, n_features: int) -> str:
    """569 samples of 30 features."""
    return f"{counted(n_samples, 'sample')} of {counted(n_features, 'feature')}"


def some_of(n: int, of: int, noun: str, one: str, many: str) -> str:
    """1 of 20 features has, 3 of 20 features have: the verb is that of the first number."""
    return f"{n:,} of {counted(of, noun)} {one if n == 1 else many}"


def all_of(n: int, noun: str, one: str, many: str) -> str:
    """The only feature is, all 20 features are."""
    return f"The only {noun} {one}" if n == 1 else f"All {n} {noun}s {many}"


def listed(words: list[str], last: str = "and") -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
