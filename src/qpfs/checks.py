"""Parameters checked before any work: what was given, what was expected.

The values that they may have, for any data, are in one table, which selectors and the command read: the
command does so before it imports a selector, and with it scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, TypeGuard, TypeVar

import numpy as np

from qpfs.messages import Message, Parameter, invalid

Value = TypeVar("Value")
Limit = Callable[[str, Any], Any]  # of a name and a value: the value, checked; raises ValueError
Limits = Mapping[str, Limit]

AUTO = "auto"  # the value is chosen by the table, or the measure
OR_AUTO, OR_NONE = "'auto' or ", "'auto', None or "  # what a message offers in addition to numbers
SMALLEST, LARGEST = 1e-30, 1e30  # beyond these, squares of sums of squares overflow or underflow
KEPT = ("levels", "scores")  # what a store can hold of features
MOST_LEVELS = 254  # codes are bytes, and one is kept for missing values


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


def at_least(low: int, also: str = "") -> Limit:
    """Integers of at least `low`; `also` names other allowed values."""
    return lambda name, value: checked_count(name, value, low, also)


def in_range(low: float, high: float, also: str = "") -> Limit:
    """Numbers from low to high; `also` names other allowed values."""
    return lambda name, value: number_between(name, value, low, high, also)


def or_none(limit: Limit) -> Limit:
    """None, and what a limit allows."""
    return lambda name, value: None if value is None else limit(name, value)


def or_auto(limit: Limit) -> Limit:
    """The text "auto", and what a limit allows."""
    return lambda name, value: value if isinstance(value, str) and value == AUTO else limit(name, value)


def checked_n_jobs(value: object) -> int | None:
    """The number of threads, as scikit-learn defines `n_jobs`."""
    if value is not None and (not is_integer(value) or value == 0):
        raise unfit("n_jobs", value, "an integer other than 0, or None.")
    return None if value is None else int(value)


def checked_target_weights(value: Any) -> tuple[float, ...]:
    """The weight of each target: numbers of at least 0, not all 0."""
    several = np.iterable(value) and not isinstance(value, str)
    given = [native(one) for one in (value if several else [])]
    fit = given and all(is_real(one) and 0 <= one < np.inf for one in given) and any(given)
    if not fit:
        expected = "a number of at least 0 for each target, not all of them 0; or None."
        raise unfit("target_weights", given if several else value, expected)
    return tuple(map(float, given))


def checked_class_weight(given: Any) -> Any:
    """The weight of each class, or "balanced"; raises ValueError for anything else."""
    if isinstance(given, str) and given == "balanced":
        return given
    if isinstance(given, Mapping) and all(is_real(one) and 0 <= one < np.inf for one in given.values()):
        return given
    raise unfit(
        "class_weight", given, "'balanced', None, or a dictionary of classes and their weights, 0 or more."
    )


def checked_levels(name: str, value: Any) -> int:
    """A number of levels."""
    check_integer(name, value, 2, MOST_LEVELS)
    return int(value)


def checked_positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    if not is_real(value) or not 0 < value < np.inf:
        raise unfit(name, value, "a positive number.")
    return float(value)


def check_grouped(at_most: Any, feature_groups: Any) -> None:
    """Raises ValueError if the most features of a group are given, but no groups."""
    if at_most is not None and feature_groups is None:
        raise invalid(
            Parameter("at_most", at_most),
            " is the largest number of features of a group, but there are no groups; also give ",
            Parameter("feature_groups"),
            ".",
        )


def check_kept(form: str) -> None:
    """Raises ValueError for a form of features that a store cannot keep."""
    if form not in KEPT:
        raise ValueError(
            f"A store keeps levels or scores of ranks, not {form}: measure must be 'rank', or one that is "
            "computed from counts."
        )


def check_options(method: str, usual: Mapping[str, float], options: Mapping[str, Any]) -> None:
    """Raises ValueError for a parameter that a method of another package lacks, or a value that is wrong."""
    for option, value in options.items():
        if option not in usual:
            known = ", ".join(usual) or "none"
            raise ValueError(f"{option!r} is not a parameter of {method}; it has {known}.")
        if is_integer(usual[option]):
            checked_count(option, value, 1)
        elif not is_real(value) or value <= 0:
            raise unfit(option, value, "a number above 0.")


LIMITS: Limits = {
    "n_jobs": or_none(lambda _, value: checked_n_jobs(value)),
    "fdr": or_none(share),
    "n_permutations": at_least(0),
    "target_weights": or_none(lambda _, value: checked_target_weights(value)),
    "class_weight": or_none(lambda _, value: checked_class_weight(value)),
    "at_most": or_none(at_least(1, "None or ")),
    "theta": lambda _, value: checked_theta(value),
    "n_starts": at_least(1),
    "sampling_rate": share,
    "radius": or_auto(in_range(0.0, 1.0, OR_AUTO)),
    "leader_radius": or_none(in_range(0.0, 1.0)),
    "n_clusters": at_least(1),
    "n_first": or_auto(at_least(1, OR_AUTO)),
    "n_split": at_least(2),
    "max_depth": or_none(at_least(1)),
    "n_keep": or_none(at_least(1)),
    "n_per_step": at_least(1),
    "C": in_range(SMALLEST, LARGEST),
    "max_iter": at_least(1),
    "tol": in_range(0.0, 1.0),
    "max_correlation": in_range(0.0, 1.0),
}
TWO_LEVEL: Limits = {  # of two-level k-means, where None is as published
    **LIMITS,
    "n_first": or_none(or_auto(at_least(1, OR_NONE))),
    "radius": or_none(or_auto(in_range(0.0, 1.0, OR_NONE))),
}
OF_METHODS = {"tlkm": TWO_LEVEL}  # those of our methods with other limits
OF_RULES: Limits = {"n_bins": checked_levels, "max_categories": checked_levels, "n_sigma": checked_positive}


def check_limits(part: object, *names: str, limits: Limits = LIMITS) -> None:
    """Raises ValueError if a parameter of a selector, or of a part of one, is beyond its limits."""
    for name in names:
        limits[name](name, getattr(part, name))
