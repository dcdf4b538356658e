"""Intervals of equal width."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.codes.discretizers.discretizer import Binned, documented
from qpfs.codes.tiles import Tile


@documented
class EqualWidth(Binned):
    """Intervals of equal width between the smallest and the largest value.

    Parameters
    ----------
    {n_bins}
    {keep_integers}
    {max_categories}

    Attributes
    ----------
    {fitted}

    See Also
    --------
    EqualFrequency : Bins with equally many samples.
    ThreeSegments : Edges at the mean plus and minus standard deviations.

    Examples
    --------
    >>> from qpfs import EqualWidth
    >>> EqualWidth(4).fit([[0.5], [1.0], [8.5]]).edges_.ravel()
    array([2.5, 4.5, 6.5])
    """

    name = "equal-width"

    def words(self) -> str:
        return f"{self.n_bins} intervals of equal width"

    def edges(self, tile: Tile) -> FloatArray:
        share = np.arange(1, self.n_bins)[:, None] / self.n_bins
        with np.errstate(invalid="ignore"):  # a column without any value has no edge
            return tile.survey.low * (1 - share) + tile.survey.high * share
