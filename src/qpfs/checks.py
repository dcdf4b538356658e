"""Parameters checked before any work: what was given, what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypeGuard, TypeVar

import numpy as np

from qpfs.messages import Message, Parameter

Value = TypeVar("Value")


def choice(name: str, value: object, choices: Mapping[str, Value]) -> Value:
    """The choice that a parameter names."""
    if not isinstance(value, str) or value not in choices:
        expected = ", ".join(map(repr, choices))
        raise unfit(name, value, f"one of {expected}.")
    return choices[value]


def number_between(name: str, value: object, low: float, high: float, also: str = "") -> float:
    """A real number from low to high; `also` names other allowed values."""
    if not is_real(value) or not low <= value <= high:
        raise unfit(name, value, f"{also}a number from {low:g} to {high:g}.")
    return float(value)


def share(name: str, value: object) -> float:
    """A real number above 0 and at most 1."""
    if not is_real(value) or not 0 < value <= 1:
        raise unfit(name, value, "a number above 0 and at most 1.")
    return float(value)


def checked_theta(theta: object) -> float | None:
    """The given theta, or None for the automatic one."""
    if isinstance(theta, str) and theta == "auto":
        return None
    if not is_real(theta) or not 0 <= theta <= 1:
        raise unfit("theta", theta, "'auto' or a number from 0 to 1.")
    return float(theta)


def flag(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise unfit(name, value, "True or False.")
    return bool(value)


def check_integer(name: str, value: object, low: int, high: int) -> None:
    """Raises ValueError unless value is an integer from low to high."""
    if not is_integer(value) or not low <= value <= high:
        raise unfit(name, value, f"an integer from {low} to {high}.")


def checked_count(name: str, value: object, low: int, also: str = "") -> int:
    """An integer of at least `low`; `also` names other allowed values."""
    if not is_integer(value) or value < low:
        raise unfit(name, value, f"{also}an integer of at least {low}.")
    return int(value)


def unfit(name: str, value: object, expected: str, error: type[Exception] = ValueError) -> Exception:
    """The error for a parameter with a value that is not allowed."""
    return error(Message(Parameter(name, native(value)), f", but it must be {expected}"))


def is_integer(value: object) -> TypeGuard[int]:
    """Whether value is an integer, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether value is a real number, and not a truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def native(value: Any) -> Any:
    """A scalar of NumPy as one of Python, which prints as a plain number."""
    return value.item() if isinstance(value, np.generic) else value
