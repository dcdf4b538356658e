"""Whether relevance exceeds chance: groups of samples, features below a false discovery rate, the warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.codes.values import reject_missing
from qpfs.information import FeatureTable, Significance
from qpfs.information.significance import LEVEL
from qpfs.wording import counted, short

TESTED: ContextVar[bool] = ContextVar("TESTED", default=True)  # whether fits compute p values


@contextmanager
def rankings_alone() -> Iterator[None]:
    """Within this context fits compute no p values, unless `fdr` needs them: only their order is used."""
    # P values from shuffles take most of a small fit's time (61 % for WDBC, 100 samples, `"mi"`).
    before = TESTED.set(False)
    try:
        yield
    finally:
        TESTED.reset(before)


class ChanceWarning(UserWarning):
    """No feature is more relevant to the target than the best of so many would be by chance."""


def grouped(groups: Any, n_samples: int) -> IndexArray:
    """The group of each sample as a number; raises ValueError if there is not one group for each sample."""
    found = np.asarray(groups)
    if found.shape != (n_samples,):
        raise ValueError(
            f"groups has the shape {found.shape}, but there are {n_samples} samples; expected the group of "
            "each sample."
        )
    reject_missing(found, "groups")
    numbers: dict[Any, int] = {}  # not np.unique: labels of mixed types cannot be sorted
    return np.array([numbers.setdefault(one, len(numbers)) for one in found.tolist()])


def discovered(table: FeatureTable, sure: Significance, fdr: float, keep: IndexArray) -> FeatureTable:
    """The table of features that pass the false discovery rate, and of those to keep in any case."""
    if sure.beats_chance is None:
        raise ValueError(
            f"fdr={fdr!r}, but there are no q values: the measure is a function, for which no test is known. "
            "Give n_permutations (at least 19; 1,000 is usual) for p values from shuffles, or fdr=None."
        )
    allowed = sure.qvalues <= fdr
    allowed[keep] = True
    return table.only(table.varying[allowed[table.varying]])


def chance_text(sure: Significance, n_features: int) -> str:
    """The message that no feature is more relevant than chance, with the smallest q value."""
    smallest = f"smallest q value {short(float(sure.qvalues.min()), 2)}, expected {LEVEL} or less"
    shuffles = sure.shuffles
    if shuffles.least <= LEVEL:
        return (
            "No feature is more relevant than chance: none exceeds what the best of "
            f"{n_features:,} features independent of the target would reach ({smallest}). "
            "The ranking may be noise."
        )
    units = f"{len(np.unique(shuffles.units))} {'groups' if shuffles.whole else 'samples'}"
    return (
        f"No feature is more relevant than chance, but none could be: with {units} the target can be "
        f"arranged in {counted(round(1 / shuffles.least), 'way')} only, so no p value can be below "
        f"{short(shuffles.least, 2)} ({smallest}). More {units.split()[1]} are needed."
    )


def warn_of_chance(sure: Significance, n_features: int) -> None:
    warnings.warn(chance_text(sure, n_features), ChanceWarning, stacklevel=4)
