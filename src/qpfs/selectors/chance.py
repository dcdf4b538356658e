"""Whether what was found is more than chance: what a fit keeps of it, and what is said."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.information import FeatureTable, Significance
from qpfs.information.significance import LEVEL
from qpfs.wording import short

TESTED: ContextVar[bool] = ContextVar("TESTED", default=True)  # whether fits compute p values


@contextmanager
def rankings_alone() -> Iterator[None]:
    """Fits within it compute no p values, unless `fdr` needs them: for fits of which only the order is read.

    Where p values come from shuffles they take most of a small fit (WDBC, 100 samples by `"mi"`: 61 %).
    """
    before = TESTED.set(False)
    try:
        yield
    finally:
        TESTED.reset(before)


class ChanceWarning(UserWarning):
    """No feature is more relevant to the target than chance makes one of so many."""


def grouped(groups: Any, n_samples: int) -> IndexArray:
    """The group of each sample as a number; raises ValueError if they are not of these samples."""
    found = np.asarray(groups)
    if found.shape != (n_samples,):
        raise ValueError(
            f"groups has the shape {found.shape}, but there are {n_samples} samples; expected the group of "
            "each sample."
        )
    numbers: dict[Any, int] = {}  # labels of any kinds, missing ones among them, which cannot be sorted
    return np.array([numbers.setdefault(one if one == one else None, len(numbers)) for one in found.tolist()])


def discovered(
    table: FeatureTable[Any], sure: Significance, fdr: float, keep: IndexArray
) -> FeatureTable[Any]:
    """The features that may be selected at a false discovery rate, and those that must be in."""
    if sure.beats_chance is None:
        raise ValueError(
            f"fdr={fdr!r}, but there are no q values: the measure is a function, of which no test is known. "
            "Give n_permutations (1,000, say; 19 at least) for p values by shuffles, or fdr=None."
        )
    allowed = sure.qvalues <= fdr
    allowed[keep] = True
    return table.only(table.varying[allowed[table.varying]])


def chance_text(sure: Significance, n_features: int) -> str:
    """That nothing beats chance, and how that is known."""
    found = (
        "Nothing here beats chance: no feature is more relevant to the target than the best of "
        f"{n_features:,} would be if they said nothing about it (smallest q value "
        f"{short(float(sure.qvalues.min()), 2)}, "
        f"expected {LEVEL} or less). The ranking may be noise."
    )
    shuffles = sure.shuffles
    if shuffles.least <= LEVEL:
        return found
    units = len(np.unique(shuffles.units))
    return (
        f"{found} With {units} {'groups' if shuffles.whole else 'samples'} the target can be arranged in "
        f"{round(1 / shuffles.least)} ways only, so no p value could be below {short(shuffles.least, 2)}."
    )


def warn_of_chance(sure: Significance, n_features: int) -> None:
    warnings.warn(chance_text(sure, n_features), ChanceWarning, stacklevel=4)
