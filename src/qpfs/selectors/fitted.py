"""What a fit leaves for whoever describes it: the report, the command, `alternatives`, `redundancy`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.codes import Coding, Target, some_rows
from qpfs.codes.covariates import Covariates
from qpfs.criteria import Standing
from qpfs.information import FeatureTable, Significance
from qpfs.selectors.restrictions import UNRESTRICTED, Restrictions


@dataclass(frozen=True, eq=False)
class Fitted:
    """The target and the packed features of a fit, beside what the selector says in attributes of its own."""

    target: Target
    table: FeatureTable[Any] | None = None  # None: the numbers themselves were used, and are not kept
    coding: Coding | None = None  # how columns were cut; None: not at all
    significance: Significance | None = None  # p and q values; None: there are none
    cache_bytes: int | None = None  # for columns of Q that may be kept; None: as many as usual
    standing: Standing | None = None  # what features came to in the end; None: the method does not say
    telling: tuple[int, ...] = ()  # the columns that nearly tell the target by themselves
    rows: IndexArray | None = None  # the samples whose weight is not 0; None: all
    covariates: Covariates | None = None  # what was adjusted for; None: nothing
    cautions: tuple[str, ...] = ()  # what to know of that
    asked: Restrictions = UNRESTRICTED  # of features: to be in, out, together
    plain: FeatureTable[Any] | None = None  # of columns, where the table has groups of them as one

    @property
    def columns(self) -> FeatureTable[Any] | None:
        """The packed features, each column by itself; None: there are none."""
        return self.plain or self.table

    def samples(self, X: Any) -> Any:
        """The samples of X that the fit has used: those whose weight is not 0."""
        shape = None if X is None else getattr(X, "shape", None) or np.shape(X)
        if self.rows is None or shape is None or shape[0] == len(self.target.codes):
            return X
        return some_rows(X, self.rows) if shape[0] > self.rows[-1] else X

    @property
    def packed(self) -> FeatureTable[Any]:
        """The packed features; raises TypeError if there are none."""
        if self.table is None:
            raise TypeError(
                "FGM and GDM use the numbers themselves and keep none of them, so they cannot say what "
                "features share; ask a selector with a measure, such as QPFS()."
            )
        return self.table
