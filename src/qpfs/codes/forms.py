"""The two forms of features: levels, which are counted, and numbers.

What has to be known of a form where no block of the table is at hand: how columns that are not in the table
become features like those that are, and how features of several blocks are put one after another.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.encoding import Rule, cut_columns
from qpfs.codes.numbers import NumberBlock, standardized
from qpfs.codes.planes import PlaneBlock, PlaneList, plane_list

Placed: TypeAlias = tuple[IndexArray, Any, IndexArray]  # places of a list, a block, and the slots there


class Form(Protocol):
    """What features are kept as."""

    def packed(self, tile: FloatArray, rule: Rule) -> list[Any]:
        """Columns of numbers as blocks, cut by the rule if need be; a constant one is in no block."""

    def listed(self, parts: list[Placed], size: int, n_samples: int) -> Any:
        """Features one after another, as blocks read those they are paired with; constant at no place."""


class Levels:
    """Features as levels, in planes or on lists; one after another as planes."""

    def packed(self, tile: FloatArray, rule: Rule) -> list[PlaneBlock]:
        return list(cut_columns(tile, rule))

    def listed(self, parts: list[Placed], size: int, n_samples: int) -> PlaneList:
        return plane_list(parts, size, n_samples)


class Numbers:
    """Features as standardised numbers; one after another as rows."""

    def packed(self, tile: FloatArray, rule: Rule) -> list[NumberBlock]:
        block = standardized(tile, np.arange(tile.shape[1]))
        return [block] if len(block.features) else []

    def listed(self, parts: list[Placed], size: int, n_samples: int) -> FloatArray:
        values = np.zeros((size, n_samples))
        for places, whole, slots in parts:
            for some, block, at in whole.pieces(slots):
                values[places[some]] = block.rows[at]
        return values


LEVELS, NUMBERS = Levels(), Numbers()
