"""What a fit leaves for whoever describes it: the report, the command, `alternatives`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.codes import Coding, Target
from qpfs.information import FeatureTable, Significance


@dataclass(frozen=True, eq=False)
class Fitted:
    """The target and the packed features of a fit, beside what the selector says in attributes of its own."""

    target: Target
    table: FeatureTable[Any] | None = None  # None: the numbers themselves were used, and are not kept
    coding: Coding | None = None  # how columns were cut; None: not at all
    significance: Significance | None = None  # p and q values; None: there are none
