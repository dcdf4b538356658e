"""Low, middle, high: two edges around the mean."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.checks import OF_RULES, check_limits
from qpfs.codes.cutting import snap
from qpfs.codes.discretizers.discretizer import Discretizer, documented
from qpfs.codes.tiles import Tile, scaled_moments

EPSILON = float(np.finfo(np.float64).eps)


@documented
class ThreeSegments(Discretizer):
    """Low, middle, high: edges at mean +- `n_sigma` population standard deviations.

    A value that equals an edge up to rounding is below it.

    Parameters
    ----------
    n_sigma : float, default=1.0
        The distance of the edges from the mean, in standard deviations.
    {keep_integers}
    {max_categories}

    Attributes
    ----------
    {fitted}

    See Also
    --------
    EqualFrequency : Bins with equally many samples.
    EqualWidth : Bins of equal width.

    Notes
    -----
    The rule of [1]_, with three segments and one standard deviation; the publication does not specify on
    which side intervals are closed, nor that the deviation is that of the population. What differs:
    integer columns with few distinct values stay unchanged (see `keep_integers`).

    References
    ----------
    .. [1] I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz. Quadratic Programming Feature Selection.
           Journal of Machine Learning Research 11:1491-1516, 2010.

    Examples
    --------
    >>> from qpfs import ThreeSegments
    >>> rule = ThreeSegments().fit([[0.5], [1.5], [2.5], [3.5], [9.5]])
    >>> rule.edges_.ravel().round(3)
    array([0.338, 6.662])
    >>> rule.transform([[0.0], [3.0], [7.0]]).ravel()
    array([0, 1, 2], dtype=uint8)
    """

    name = "three-segments"

    def __init__(self, n_sigma: float = 1.0, *, keep_integers: bool = True, max_categories: int = 32) -> None:
        self.n_sigma = n_sigma
        self.keep_integers = keep_integers
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return 3

    def words(self) -> str:
        return "three segments" + (
            "" if self.n_sigma == 1 else f" at mean ± {self.n_sigma:g} standard deviations"
        )

    def account(self) -> str:
        reach = "one standard deviation" if self.n_sigma == 1 else f"{self.n_sigma:g} standard deviations"
        levels = f"low, middle and high at its mean minus and plus {reach}"
        return f"Each column of numbers was discretised into {levels}.{self.kept()}"

    def check(self) -> None:
        super().check()
        check_limits(self, "n_sigma", limits=OF_RULES)

    def edges(self, tile: Tile) -> FloatArray:
        mean, rest, deviation, scale = scaled_moments(tile)
        with np.errstate(over="ignore"):  # an edge beyond the largest float is infinite, which is correct
            reach = self.n_sigma * deviation
            edges = np.stack([mean + rest - reach, mean + rest + reach]) / scale
            # Two equally frequent values lie on the edges; rounding must not move them across.
            rounding = EPSILON * (4 * (tile.survey.size * scale) + tile.total * reach) / scale
            top = edges + rounding
        for piece in tile.values():
            snap(piece, top, edges)
        return edges
