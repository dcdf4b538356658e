"""Every distinct value is a level."""

from __future__ import annotations

from qpfs.arrays import BoolArray, FloatArray
from qpfs.codes.discretizers.discretizer import Discretizer, distinct_values, documented
from qpfs.codes.discretizers.three_segments import ThreeSegments
from qpfs.codes.tiles import Tile


@documented
class AsCodes(Discretizer):
    """Every distinct value is a level: for data that are already discrete.

    Parameters
    ----------
    max_categories : int, default=32
        The most categories of a column; the rarest ones beyond it are merged into one, which `merged_`
        records.

    Attributes
    ----------
    {fitted}

    See Also
    --------
    EqualFrequency : Bins with equally many samples.

    Notes
    -----
    Numbers are read as float64, so integers beyond 2^53 that differ by little become one level.

    Examples
    --------
    >>> from qpfs import AsCodes
    >>> AsCodes().fit_transform([[10], [30], [20], [30]]).ravel()
    array([0, 2, 1, 2], dtype=uint8)
    """

    name = "codes"
    keep_integers = False

    def __init__(self, max_categories: int = 32) -> None:
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return self.max_categories

    def words(self) -> str:
        return "one level for each value"

    def account(self) -> str:
        most = self.max_categories
        return f"Every distinct value is a level; beyond {most} levels the rarest were merged."

    def for_means(self) -> Discretizer:
        """The rule for means of features: three segments, since a mean of codes is not a code."""
        return ThreeSegments()

    def edges(self, tile: Tile) -> FloatArray:
        return self.cuts(tile)[0]

    def cuts(self, tile: Tile) -> tuple[FloatArray, BoolArray]:
        values, number = distinct_values(tile, self.max_categories, only_integers=False)
        return values[:-1], number < 0
