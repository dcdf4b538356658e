"""What a fit leaves for whoever describes it: the report, the command, `alternatives`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.codes import Coding, Target
from qpfs.criteria import Standing
from qpfs.information import FeatureTable


@dataclass(frozen=True, eq=False)
class Fitted:
    """The target and the packed features of a fit, beside what the selector says in attributes of its own."""

    target: Target
    table: FeatureTable[Any] | None = None  # None: the numbers themselves were used, and are not kept
    coding: Coding | None = None  # how columns were cut; None: not at all
    standing: Standing | None = None  # what features came to in the end; None: the method does not say
    telling: tuple[int, ...] = ()  # the columns that nearly tell the target by themselves
