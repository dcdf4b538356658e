"""The classes of a target as a page shows them: the largest, and the others together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.codes import Target
from qpfs.wording import short

MOST = 12  # classes shown separately in pictures and tables


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """A class, or the small classes together, for each sample."""

    names: list[str]
    codes: AnyArray  # (n_samples,) which of the names
    n_classes: int  # before small ones were merged

    @property
    def sizes(self) -> list[int]:
        return np.bincount(self.codes, minlength=len(self.names)).tolist()

    def some(self, which: AnyArray) -> ClassGroups:
        """These classes for the samples of a mask."""
        return ClassGroups(self.names, self.codes[which], self.n_classes)

    def counts(self, codes: AnyArray, n_levels: int) -> list[list[int]]:
        """How many samples of each class have each code."""
        together = np.bincount(self.codes * n_levels + codes, minlength=len(self.names) * n_levels)
        return together.reshape(len(self.names), n_levels).tolist()


def class_groups(target: Target) -> ClassGroups:
    """The classes in their order, the smallest of too many merged at the end."""
    names, sizes = class_names(target), np.bincount(target.codes)
    if len(names) <= MOST:
        return ClassGroups(names, np.asarray(target.codes, np.intp), len(names))
    kept = np.sort(np.argsort(-sizes, kind="stable")[: MOST - 1])
    place = np.full(len(names), MOST - 1, np.intp)
    place[kept] = np.arange(MOST - 1)
    rest = f"{len(names) - MOST + 1:,} smaller classes"
    return ClassGroups([*(names[i] for i in kept), rest], place[target.codes], len(names))


def class_names(target: Target) -> list[str]:
    """The names of the classes; groups of a quantity by their range."""
    if target.classes is not None:
        return [str(name) for name in target.classes.tolist()]
    numbers: Any = target.numbers
    groups = [numbers[target.codes == code] for code in range(len(target.counts))]
    return [f"{short(group.min())} to {short(group.max())}" for group in groups]
