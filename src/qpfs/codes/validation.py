"""Parameters that are numbers, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeGuard

from qpfs.codes.values import plain


def check_integer(name: str, value: object, low: int, high: int) -> None:
    """Raises ValueError unless value is an integer from low to high."""
    if not is_integer(value) or not low <= value <= high:
        raise ValueError(f"{name}={plain(value)!r}, but it must be an integer from {low} to {high}.")


def count(name: str, value: object, low: int) -> int:
    """An integer of at least `low`."""
    if not is_integer(value) or value < low:
        raise ValueError(f"{name}={plain(value)!r}, but it must be an integer of at least {low}.")
    return int(value)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether value is an integer, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Whether value is a real number, and not a truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)
