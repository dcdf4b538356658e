"""Intervals with equally many samples."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.discretizers.discretizer import Binned, documented
from qpfs.codes.tiles import Tile


@documented
class EqualFrequency(Binned):
    """Intervals with equally many samples, as far as ties allow.

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
    EqualWidth : Bins of equal width.
    ThreeSegments : Edges at the mean plus and minus standard deviations.

    Notes
    -----
    Edge i of n bins is the smallest value with at least i/n of the samples at or below it. An edge at the
    largest value is moved to the second largest, so that a column that varies has at least two levels.

    Examples
    --------
    >>> from qpfs import EqualFrequency
    >>> EqualFrequency(3).fit([[0.5], [1.0], [1.5], [20.0], [30.0], [99.5]]).edges_.ravel()
    array([ 1., 20.])
    """

    name = "equal-frequency"

    def words(self) -> str:
        return f"{self.n_bins} intervals with about equally many samples"

    def beside_a_point(self) -> EqualFrequency | None:
        """One interval fewer: one is for the value that most samples have."""
        return EqualFrequency(self.n_bins - 1, keep_integers=self.keep_integers) if self.n_bins > 2 else None

    def edges(self, tile: Tile) -> FloatArray:
        edges = np.empty((self.n_bins - 1, tile.n_features))
        if tile.weights is not None:
            for some, columns, counts in tile.weighed_lines():
                edges[:, some] = self._weighted_edges(columns, counts, tile.survey.seen[some])
            return edges
        for some, columns, zeros in tile.lines():
            edges[:, some] = self._edges(columns, tile.survey.seen[some], zeros)
        return edges

    def _weighted_edges(self, columns: FloatArray, counts: AnyArray, seen: IndexArray) -> FloatArray:
        """The edges of columns, given as rows, whose values occur `counts` times."""
        order = np.argsort(columns, axis=1, kind="stable")  # missing values last
        columns = np.take_along_axis(columns, order, axis=1)
        up_to = np.cumsum(np.take_along_axis(counts, order, axis=1), axis=1)
        place = np.arange(len(columns))
        share = np.arange(1, self.n_bins)[:, None]
        last = np.maximum(-(-share * seen // self.n_bins), 1)  # cumulative copies up to the edge
        edges = np.stack([columns[place, (up_to < one[:, None]).sum(axis=1)] for one in last])
        largest = columns[place, np.maximum((~np.isnan(columns)).sum(axis=1) - 1, 0)]
        return self._parted(columns, edges, largest)

    def _edges(self, columns: FloatArray, seen: IndexArray, zeros: IndexArray) -> FloatArray:
        """The edges of columns, given as rows, which are sorted in place; `zeros` further zeros count."""
        columns.sort(axis=1)  # missing values last
        share = np.arange(1, self.n_bins)[:, None]
        last = np.maximum(-(-share * seen // self.n_bins) - 1, 0)
        zero = np.count_nonzero(columns < 0, axis=1)
        last = np.where(last <= zero, last, np.maximum(last - zeros, zero))
        place = np.arange(len(columns))
        edges, largest = columns[place, last], columns[place, np.maximum(seen - zeros - 1, 0)]
        return self._parted(columns, edges, largest)

    @staticmethod
    def _parted(columns: FloatArray, edges: FloatArray, largest: FloatArray) -> FloatArray:
        """Edges below the largest value: an edge at it is moved to the next smaller value."""
        below = np.maximum((columns < largest[:, None]).sum(axis=1) - 1, 0)
        return np.where(edges == largest, columns[np.arange(len(columns)), below], edges)
