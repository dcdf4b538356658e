"""Cautions: what a user should know about a result first, such as that a column determines the target."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from qpfs.arrays import FloatArray
from qpfs.codes import Coding, Columns, Target
from qpfs.effects import telling
from qpfs.sorting import first_places
from qpfs.wording import listed

LOOKED_AT = 3  # best columns that are checked; one that determines the target is among the best


class CautionWarning(UserWarning):
    """What a user should know about a result first; also shown by reports and the command."""


class CovariateWarning(CautionWarning):
    """Little can be estimated given the covariates: they determine the target, or leave few samples."""


class LeakWarning(CautionWarning):
    """A column alone nearly determines the target, which may be a leak."""


def leaks(columns: Columns, coding: Coding | None, target: Target, worth: FloatArray) -> tuple[int, ...]:
    """Which of the best features nearly determine the target; identifiers, which seem to, are omitted."""
    identifiers = [] if coding is None else coding.identifiers(columns.n_samples)
    best_first = first_places(-worth, LOOKED_AT + len(identifiers))
    asked = [feature for feature in best_first.tolist() if feature not in identifiers]
    return tuple(
        feature
        for feature in asked[:LOOKED_AT]
        if (column := columns.one(feature)) is not None  # it can be read again
        and telling(column, target, labelled=not columns.numeric[feature])
    )


def warn_of_leaks(names: list[str]) -> None:
    """Warns, once at the end of a fit, about columns that nearly determine the target."""
    if names:
        warnings.warn(leak_words(names), LeakWarning, stacklevel=4)


def leak_words(names: list[str]) -> str:
    """The message that columns nearly determine the target, and what to do."""
    if len(names) == 1:
        return (
            f"{names[0]} alone nearly determines the target. If it was derived from the target, or is known "
            "only after it, leave it out."
        )
    return (
        f"{listed(names)}: each alone nearly determines the target. If they were derived from the target, "
        "or are known only after it, leave them out."
    )


def cautions_of(fitted: Any, names: Sequence[str]) -> list[str]:
    """The cautions about a fitted selector's result."""
    found = [f"column {names[one]!r}" for one in fitted.fitted_.telling]
    return [*fitted.fitted_.cautions, *([leak_words(found)] if found else [])]
