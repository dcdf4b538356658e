"""What a fit keeps for its description: for the report, the command, `alternatives` and `redundancy`."""

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
    """The target and the packed features of a fit, in addition to the selector's own fitted attributes."""

    target: Target
    table: FeatureTable | None = None  # None: the method used the numbers themselves, which are not kept
    coding: Coding | None = None  # how columns were discretised; None: they were not
    significance: Significance | None = None  # p and q values; None: there are none
    cache_bytes: int | None = None  # bytes of columns of Q that may be kept; None: the default
    standing: Standing | None = None  # the final value of each feature in the criterion; None: unknown
    telling: tuple[int, ...] = ()  # the columns that each nearly determine the target
    rows: IndexArray | None = None  # the samples whose weight is not 0; None: all
    covariates: Covariates | None = None  # that were adjusted for; None: none
    cautions: tuple[str, ...] = ()  # about covariates
    asked: Restrictions = UNRESTRICTED  # features to keep, to exclude, and groups
    plain: FeatureTable | None = None  # of single columns, where groups are single features of the table

    @property
    def columns(self) -> FeatureTable | None:
        """The packed features, one for each column; None: there are none."""
        return self.plain or self.table

    def samples(self, X: Any) -> Any:
        """The samples of X that the fit used: those whose weight is not 0."""
        shape = None if X is None else getattr(X, "shape", None) or np.shape(X)
        if self.rows is None or shape is None or shape[0] == len(self.target.codes):
            return X
        return some_rows(X, self.rows) if shape[0] > self.rows[-1] else X

    @property
    def packed(self) -> FeatureTable:
        """The packed features; raises TypeError if there are none."""
        if self.table is None:
            raise TypeError(
                "FGM and GDM keep no features after a fit, so what features share is unknown; use a "
                "selector with a measure, such as QPFS()."
            )
        return self.table
