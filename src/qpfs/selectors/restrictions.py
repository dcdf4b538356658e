"""What a user asks of the features themselves: some must be in, some are out.

Names are looked up anew at each fit, so that a selector means the same columns of another table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.criteria import Terms
from qpfs.information import FeatureTable
from qpfs.messages import Message, Parameter
from qpfs.selectors.given_features import Names, places_given
from qpfs.wording import counted


def none() -> IndexArray:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class Restrictions:
    """The columns that must be in, and those that are out, ascending."""

    keep: IndexArray = field(default_factory=none)
    exclude: IndexArray = field(default_factory=none)

    @classmethod
    def of(cls, selector: Any, names: Names, n_select: int | None) -> Restrictions:
        """What the parameters of a selector mean for columns of such names; raises ValueError."""
        found = {
            one: none()
            if getattr(selector, one) is None
            else places_given(one, getattr(selector, one), names)
            for one in ("keep", "exclude")
        }
        made = cls(**{name: np.unique(places) for name, places in found.items()})
        made.check(names, n_select)
        return made

    def check(self, names: Names, n_select: int | None) -> None:
        """Raises ValueError if not all of it can be."""
        both = np.intersect1d(self.keep, self.exclude)
        if len(both):
            raise ValueError(
                Message(
                    Parameter("keep"), " and ", Parameter("exclude"), f" both name {names.some(both)}; a "
                    "feature can be one of the two.",
                )
            )  # fmt: skip
        if n_select is not None and len(self.keep) > n_select:
            raise ValueError(
                Message(
                    Parameter("keep"), f" names {counted(len(self.keep), 'feature')}, but ",
                    Parameter("n_features_to_select"), f" asks for {n_select}, which counts those kept; ask "
                    f"for {len(self.keep)} or more.",
                )
            )  # fmt: skip
        if len(self.exclude) == len(names):
            raise ValueError(
                Message(Parameter("exclude"), f" names all {len(names)} features; leave some to choose from.")
            )

    def check_varying(self, table: FeatureTable[Any], names: Names) -> None:
        """Raises ValueError if a feature that must be in is constant, or nothing is left to choose from."""
        constant = np.setdiff1d(self.keep, table.varying)
        if len(constant):
            raise ValueError(
                Message(
                    Parameter("keep"), f" names {names.some(constant)}, constant in these samples: such a "
                    "feature says nothing and cannot be weighed. Add it after the selection, if you need it.",
                )
            )  # fmt: skip
        if len(np.setdiff1d(table.varying, self.exclude)) == 0:
            raise ValueError(
                Message(Parameter("exclude"), " leaves no feature that is not constant; exclude fewer.")
            )

    def candidates(self, table: FeatureTable[Any]) -> FeatureTable[Any]:
        """The features that may be chosen."""
        return table.only(np.setdiff1d(table.varying, self.exclude)) if len(self.exclude) else table

    def terms(self, relevance: FloatArray) -> Terms:
        """What is settled before anything is weighed: kept features come first, the most relevant first."""
        return Terms(self.keep[np.argsort(-relevance[self.keep], kind="stable")])
