"""What a person should know of an answer before anything else: that a column tells the target, say."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes import Coding, Columns, Target
from qpfs.effects import telling_columns
from qpfs.wording import listed

LOOKED_AT = 3  # columns worth most, among which one that tells the target is


class CautionWarning(UserWarning):
    """What a person should know of an answer before anything else; reports and the command say it again."""


class LeakWarning(CautionWarning):
    """A column nearly tells the target by itself."""


def leaks(columns: Columns, coding: Coding | None, target: Target, worth: FloatArray) -> tuple[int, ...]:
    """Which of the features worth most nearly tell the target; identifiers seem to tell any."""
    best_first = np.argsort(-worth, kind="stable")
    identifiers = [] if coding is None else coding.identifiers(columns.n_samples)
    asked = [feature for feature in best_first[: LOOKED_AT + len(identifiers)] if feature not in identifiers]
    return telling_columns(columns, target, np.array(asked[:LOOKED_AT]))


def warn_of_leaks(names: list[str]) -> None:
    """Says once, at the end of a fit, which columns tell the target."""
    if names:
        warnings.warn(leak_words(names), LeakWarning, stacklevel=4)


def leak_words(names: list[str]) -> str:
    """What it means that columns tell the target, and what to do."""
    if len(names) == 1:
        return (
            f"{names[0]} alone nearly tells the target. If it was made from the target, or is known only "
            "after it, leave it out."
        )
    return (
        f"{listed(names)}: each alone nearly tells the target. If they were made from the target, or are "
        "known only after it, leave them out."
    )


def cautions_of(fitted: Any, names: Sequence[str]) -> list[str]:
    """What to say first of a fitted selector's answer."""
    found = [f"column {names[one]!r}" for one in fitted.fitted_.telling]
    return [*fitted.fitted_.cautions, *([leak_words(found)] if found else [])]
