"""A discretiser: the low end of a column's range, the middle, the high end."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes import Discretizer
from qpfs.codes.tiles import Tile


class Tails(Discretizer):
    """Cuts at a share of the range from its lower and from its upper end.

    Parameters
    ----------
    share : float, default=0.25
        How much of the range each end takes.
    keep_integers : bool, default=True
        Whether integer columns with at most three distinct values stay unchanged.
    max_categories : int, default=32
        The most categories of a column of labels; the rarest beyond it become one.
    """

    name = "tails"

    def __init__(self, share: float = 0.25, *, keep_integers: bool = True, max_categories: int = 32) -> None:
        self.share = share
        self.keep_integers = keep_integers
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return 3

    def check(self) -> None:
        super().check()
        if not 0 < self.share < 0.5:
            raise ValueError(f"share={self.share!r}, but it must be a number between 0 and 0.5.")

    def edges(self, tile: Tile) -> FloatArray:
        """Two edges for each column; a value on an edge is below it."""
        share = np.array([[self.share], [1 - self.share]])
        with np.errstate(invalid="ignore"):  # a column without any value has no edge
            return tile.survey.low * (1 - share) + tile.survey.high * share

    def words(self) -> str:
        return f"low, middle and high, the ends with {self.share:.0%} of the range each"


def twin(column: list[float]) -> list[float]:
    """The edges of one column, slowly; the laws compare with it."""
    seen = [x for x in column if x == x]
    if not seen:
        return []
    return [min(seen) * (1 - share) + max(seen) * share for share in (0.25, 0.75)]
