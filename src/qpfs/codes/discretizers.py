"""Rules for cutting numbers into levels.

A discretiser learns edges e_1 <= e_2 <= ... of each column from training data. A number's code is how many
edges it exceeds, so intervals are closed on the right; a missing value has a code of its own.

Every rule keeps what is already discrete: an integer column with at most `n_bins` distinct values loses
nothing as it is, and categories or strings of a data frame are levels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IndexArray
from qpfs.checks import check_integer, is_real, plain
from qpfs.codes.columns import NumberColumns
from qpfs.codes.cutting import distinct, mark, read_marks, snap
from qpfs.codes.encoding import MOST_LEVELS, Coding, codes_of
from qpfs.codes.tiles import Tile, scaled_moments

MARKS = 64  # integers this close together are marked as bits of a word
EPSILON = float(np.finfo(np.float64).eps)


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """What all rules share: `fit` learns the edges, `transform` gives the codes."""

    keep_integers: bool
    max_categories: int

    @property
    @abstractmethod
    def bins(self) -> int:
        """The largest number of levels the rule makes of numbers."""

    @abstractmethod
    def edges(self, tile: Tile) -> FloatArray:
        """The edges (bins - 1, k) that the rule puts into the columns of a tile."""

    def check(self) -> None:
        """Raises ValueError if a parameter makes no sense."""
        check_integer("max_categories", self.max_categories, 2, MOST_LEVELS)
        if not isinstance(self.keep_integers, (bool, np.bool_)):
            raise ValueError(f"keep_integers={plain(self.keep_integers)!r}, but it must be True or False.")

    def cuts(self, tile: Tile) -> tuple[FloatArray, BoolArray]:
        """The edges of each column of a tile, and which columns have too many values to be cut."""
        edges = self.edges(tile)
        if self.keep_integers:
            values, number = distinct_values(tile, self.bins, only_integers=True)
            kept = np.flatnonzero(number > 0)
            edges[:, kept] = values[:-1, kept]
        return edges, np.zeros(tile.n_features, bool)

    def for_means(self) -> Discretizer:
        """The rule that cuts the mean of features that this one cut."""
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the edges of each column.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Numbers, or for a data frame also booleans, categories and strings. NaN is a level.
        y : ignored

        Returns
        -------
        self : object
            The fitted discretiser.
        """
        self.check()
        return self.keep(self._columns(X, reset=True).learned(self))

    def transform(self, X: Any) -> CodeArray:
        """The codes of the columns of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
            How many edges each number exceeds, or which label it is. A missing value has the code after
            the last; a label not seen in `fit` that of the merged rare labels, or else of a missing value.
        """
        check_is_fitted(self)
        return codes_of(self._columns(X, reset=False), self.coding_)

    def _columns(self, X: Any, *, reset: bool) -> NumberColumns:
        """The columns of X, which must have numbers."""
        from qpfs.codes.tables import checked_columns  # encoded tables are among them, and know the rules

        return checked_columns(self, X, reset=reset).with_numbers()

    def keep(self, coding: Coding) -> Self:
        """Takes on what was learned elsewhere."""
        self.coding_ = coding
        self.edges_ = coding.edges
        self.labels_ = coding.labels
        self.merged_ = coding.merged
        self.n_levels_ = coding.n_levels
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class ThreeSegments(Discretizer):
    """Low, middle, high: cuts at mean +- `n_sigma` population standard deviations.

    A value that is on a cut but for rounding is below it.

    Parameters
    ----------
    n_sigma : float, default=1.0
        How far from the mean the cuts are.
    keep_integers : bool, default=True
        Whether integer columns with at most three distinct values stay as they are.
    max_categories : int, default=32
        The most categories of a column of labels; the rarest beyond it become one.

    Attributes
    ----------
    edges_ : ndarray of shape (n_edges, n_features)
        The edges of each column, ascending; NaN where it has fewer, or is made of labels.
    labels_ : dict
        For each column made of labels, the label of each level, most frequent first.
    merged_ : dict
        For each column with more labels than `max_categories`, how many rare ones became one level.
    n_levels_ : ndarray of shape (n_features,)
        The number of levels that occur, missing values included; 1 for a constant column.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    The rule of [1]_, which describes three segments and one standard deviation; the side on which intervals
    are closed and the population form of the deviation are ours.

    References
    ----------
    .. [1] I. Rodriguez-Lujan, R. Huerta, C. Elkan, C. Santa Cruz. Quadratic Programming Feature Selection.
           Journal of Machine Learning Research 11:1491-1516, 2010.

    Examples
    --------
    >>> from qpfs import ThreeSegments
    >>> cut = ThreeSegments().fit([[0.5], [1.5], [2.5], [3.5], [9.5]])
    >>> cut.edges_.ravel().round(3)
    array([0.338, 6.662])
    >>> cut.transform([[0.0], [3.0], [7.0]]).ravel()
    array([0, 1, 2], dtype=uint8)
    """

    def __init__(self, n_sigma: float = 1.0, *, keep_integers: bool = True, max_categories: int = 32) -> None:
        self.n_sigma = n_sigma
        self.keep_integers = keep_integers
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return 3

    def check(self) -> None:
        super().check()
        if not is_real(self.n_sigma) or not 0 < self.n_sigma < np.inf:
            raise ValueError(f"n_sigma={plain(self.n_sigma)!r}, but it must be a positive number.")

    def edges(self, tile: Tile) -> FloatArray:
        mean, rest, deviation, scale = scaled_moments(tile)
        with np.errstate(over="ignore"):  # an edge beyond the largest number is infinite, and right
            reach = self.n_sigma * deviation
            edges = np.stack([mean + rest - reach, mean + rest + reach]) / scale
            # Of two equally frequent values each is on an edge; rounding must not put it beyond.
            rounding = EPSILON * (4 * (tile.survey.size * scale) + tile.n_samples * reach) / scale
            top = edges + rounding
        for piece in tile.values():
            snap(piece, top, edges)
        return edges


class Binned(Discretizer):
    """What rules with a chosen number of bins share."""

    def __init__(self, n_bins: int = 5, *, keep_integers: bool = True, max_categories: int = 32) -> None:
        self.n_bins = n_bins
        self.keep_integers = keep_integers
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return self.n_bins

    def check(self) -> None:
        super().check()
        check_integer("n_bins", self.n_bins, 2, MOST_LEVELS)


class EqualWidth(Binned):
    """Intervals of equal width between the smallest and the largest value.

    Parameters
    ----------
    n_bins : int, default=5
        The number of intervals.
    keep_integers : bool, default=True
        Whether integer columns with at most `n_bins` distinct values stay as they are.
    max_categories : int, default=32
        The most categories of a column of labels; the rarest beyond it become one.

    Attributes
    ----------
    edges_ : ndarray of shape (n_edges, n_features)
        The edges of each column, ascending; NaN where it has fewer, or is made of labels.
    labels_ : dict
        For each column made of labels, the label of each level, most frequent first.
    merged_ : dict
        For each column with more labels than `max_categories`, how many rare ones became one level.
    n_levels_ : ndarray of shape (n_features,)
        The number of levels that occur, missing values included; 1 for a constant column.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Examples
    --------
    >>> from qpfs import EqualWidth
    >>> EqualWidth(4).fit([[0.5], [1.0], [8.5]]).edges_.ravel()
    array([2.5, 4.5, 6.5])
    """

    def edges(self, tile: Tile) -> FloatArray:
        share = np.arange(1, self.n_bins)[:, None] / self.n_bins
        with np.errstate(invalid="ignore"):  # a column without any value has no edge
            return tile.survey.low * (1 - share) + tile.survey.high * share


class EqualFrequency(Binned):
    """Intervals that hold equally many samples, as far as equal values allow.

    Parameters
    ----------
    n_bins : int, default=5
        The number of intervals.
    keep_integers : bool, default=True
        Whether integer columns with at most `n_bins` distinct values stay as they are.
    max_categories : int, default=32
        The most categories of a column of labels; the rarest beyond it become one.

    Attributes
    ----------
    edges_ : ndarray of shape (n_edges, n_features)
        The edges of each column, ascending; NaN where it has fewer, or is made of labels.
    labels_ : dict
        For each column made of labels, the label of each level, most frequent first.
    merged_ : dict
        For each column with more labels than `max_categories`, how many rare ones became one level.
    n_levels_ : ndarray of shape (n_features,)
        The number of levels that occur, missing values included; 1 for a constant column.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    An edge is the smallest value that the lower parts' share of the samples does not exceed. An edge that
    falls on the largest value is moved to the largest but one, so that a column that varies has two levels.

    Examples
    --------
    >>> from qpfs import EqualFrequency
    >>> EqualFrequency(3).fit([[0.5], [1.0], [1.5], [20.0], [30.0], [99.5]]).edges_.ravel()
    array([ 1., 20.])
    """

    def edges(self, tile: Tile) -> FloatArray:
        edges = np.empty((self.n_bins - 1, tile.n_features))
        for some, columns, zeros in tile.lines():
            edges[:, some] = self._edges(columns, tile.survey.seen[some], zeros)
        return edges

    def _edges(self, columns: FloatArray, seen: IndexArray, zeros: IndexArray) -> FloatArray:
        """The edges of columns, given as rows, which are put in order; the zeros come where one stands."""
        columns.sort(axis=1)  # missing values last
        share = np.arange(1, self.n_bins)[:, None]
        last = np.maximum(-(-share * seen // self.n_bins) - 1, 0)
        zero = np.count_nonzero(columns < 0, axis=1)
        last = np.where(last <= zero, last, np.maximum(last - zeros, zero))
        place = np.arange(len(columns))
        edges, largest = columns[place, last], columns[place, np.maximum(seen - zeros - 1, 0)]
        # An edge at the largest value would part nothing from it: the next smaller value does.
        below = np.maximum((columns < largest[:, None]).sum(axis=1) - 1, 0)
        return np.where(edges == largest, columns[place, below], edges)


class AsCodes(Discretizer):
    """Every distinct value is a level: for data that are discrete already.

    Parameters
    ----------
    max_categories : int, default=32
        The most categories of a column; the rarest beyond it become one, which `merged_` records.

    Attributes
    ----------
    edges_ : ndarray of shape (n_edges, n_features)
        The edges of each column, ascending; NaN where it has fewer, or is made of labels.
    labels_ : dict
        For each column made of labels, the label of each level, most frequent first.
    merged_ : dict
        For each column with more labels than `max_categories`, how many rare ones became one level.
    n_levels_ : ndarray of shape (n_features,)
        The number of levels that occur, missing values included; 1 for a constant column.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    Notes
    -----
    Numbers are read as float64, so integers beyond 2^53 that differ by little are one level.

    Examples
    --------
    >>> from qpfs import AsCodes
    >>> AsCodes().fit_transform([[10], [30], [20], [30]]).ravel()
    array([0, 2, 1, 2], dtype=uint8)
    """

    keep_integers = False

    def __init__(self, max_categories: int = 32) -> None:
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return self.max_categories

    def for_means(self) -> Discretizer:
        """Three segments: a mean of codes is no code."""
        return ThreeSegments()

    def edges(self, tile: Tile) -> FloatArray:
        return self.cuts(tile)[0]

    def cuts(self, tile: Tile) -> tuple[FloatArray, BoolArray]:
        values, number = distinct_values(tile, self.max_categories, only_integers=False)
        return values[:-1], number < 0


def distinct_values(tile: Tile, most: int, *, only_integers: bool) -> tuple[FloatArray, AnyArray]:
    """The distinct values of each column but the largest, padded with NaN, and their number or -1.

    Without the largest the values are edges: a number exceeds all smaller values.
    """
    values = np.full((most, tile.n_features), np.nan)
    number = np.full(tile.n_features, -1, np.intp)
    low, high, whole = tile.survey.low, tile.survey.high, tile.survey.whole
    if only_integers and not whole.any():
        return values, number
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers, or none at all
        narrow = whole & (high - low < MARKS)
    marked, others = np.flatnonzero(narrow), np.flatnonzero(~narrow & (whole | (not only_integers)))
    marks = np.zeros(len(marked), np.uint64)
    number[others] = 0
    for piece in tile.values():
        mark(piece, marked, low[marked], marks)
        distinct(piece, others, values, number)
    read_marks(marks, marked, low[marked], values, number)
    filled = np.flatnonzero(number > 0)
    values[number[filled] - 1, filled] = np.nan
    return values, number
