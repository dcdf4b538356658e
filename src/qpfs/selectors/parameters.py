"""Checks of the selectors' parameters, before any work is done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import clone

from qpfs.checks import AUTO, choice, is_integer, is_real, native, unfit
from qpfs.codes import Discretizer
from qpfs.codes.forms import Levels, Scores
from qpfs.information import MEASURES, FunctionMeasure, Measure, Rank
from qpfs.messages import Parameter, invalid


def measure_of(value: object, n_jobs: int | None = None) -> Measure | None:
    """The measure that a parameter is, or names; None: to be chosen by the table."""
    given = isinstance(value, Measure) or (callable(value) and not isinstance(value, type))
    part: Any = value if given else choice("measure", value, {AUTO: None, **MEASURES})
    if isinstance(part, FunctionMeasure):
        return replace(part, n_jobs=n_jobs)  # called in so many processes
    return part if part is None or isinstance(part, Measure) else FunctionMeasure(part, n_jobs=n_jobs)


def is_auto(value: object) -> bool:
    """Whether a parameter is "auto"; the value may be of any type, also an array."""
    return isinstance(value, str) and value == AUTO


def usual_measure(form: Levels | Scores | None) -> Measure:
    """The default measure of a table: by ranks, unless the table is encoded for another."""
    if isinstance(form, Scores):
        return Rank(form.degree)
    return Rank() if form is None else MEASURES["mi"]


def checked_n_features(value: object, n_features: int) -> int | None:
    """How many features to select, from an integer, a fraction of all, or None; at most all features."""
    if value is None:
        return None
    if is_integer(value):
        if value < 1:
            raise invalid(
                Parameter("n_features_to_select", native(value)),
                f", but there are {n_features} features; ask for 1 to {n_features}.",
            )
        return min(int(value), n_features)
    if is_real(value) and 0 < value <= 1:
        return max(1, int(value * n_features))
    raise unfit(
        "n_features_to_select",
        value,
        f"an integer from 1 to {n_features}, a fraction above 0 and at most 1, or None for every feature "
        "with positive weight.",
    )


def checked_discretizer(name: str, value: object) -> Discretizer | None:
    """A copy of the given discretiser, to be fitted; None if none is given."""
    if value is None:
        return None
    if not isinstance(value, Discretizer):
        raise ValueError(
            f"{name}={native(value)!r}, but it must be a discretiser such as ThreeSegments(), "
            "EqualFrequency(5) or AsCodes(), or None."
        )
    value.check()
    copy: Discretizer = clone(value)
    return copy
