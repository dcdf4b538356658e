"""What a person should know of an answer before anything else: that a column tells the target, say."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.codes import Coding, Columns, Target
from qpfs.effects import telling
from qpfs.wording import listed

LOOKED_AT = 5  # most relevant columns, of which one that tells the target is


class CautionWarning(UserWarning):
    """What a person should know of an answer before anything else; reports and the command say it again."""


class LeakWarning(CautionWarning):
    """A column nearly tells the target by itself."""


def telling_columns(
    columns: Columns, coding: Coding | None, target: Target, best_first: IndexArray
) -> tuple[int, ...]:
    """The first of some features that nearly tell the target; identifiers seem to tell any."""
    identifiers = [] if coding is None else coding.identifiers(columns.n_samples)
    found = []
    for feature in best_first[~np.isin(best_first, identifiers)][:LOOKED_AT].tolist():
        column = columns.one(feature)
        if column is not None and telling(column, target, labelled=not columns.numeric[feature]):
            found.append(feature)
    return tuple(found)


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
    return [leak_words(found)] if found else []
