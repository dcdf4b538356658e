"""The base of all discretisers.

A discretiser learns edges e_1 <= e_2 <= ... of each column from training data. A number's code is how many
edges it exceeds, so intervals are closed on the right; a missing value has a separate code.

Every rule keeps what is already discrete: an integer column with at most `n_bins` distinct values is not
changed, and categories or strings of a data frame are levels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray
from qpfs.checks import OF_RULES, check_limits, native
from qpfs.codes.columns import NumberColumns
from qpfs.codes.cutting import distinct, mark, read_marks
from qpfs.codes.encoding import Coding, codes_of
from qpfs.codes.tiles import Tile
from qpfs.documented import documented_by

MARKS = 64  # distinct integers in a range this small are found with one bit each
DESCRIPTIONS = {
    "n_bins": """
    n_bins : int, default=5
        The number of intervals.
""",
    "keep_integers": """
    keep_integers : bool, default=True
        Whether integer columns with no more distinct values than there are intervals are kept unchanged.
""",
    "max_categories": """
    max_categories : int, default=32
        The most categories of a column of labels; the rarest ones beyond it are merged into one.
""",
    "fitted": """
    edges_ : ndarray of shape (n_edges, n_features)
        The edges of each column, ascending; NaN where it has fewer, or holds labels.
    labels_ : dict
        For each column of labels, the label of each level, most frequent first.
    merged_ : dict
        For each column with more labels than `max_categories`, how many rare ones were merged.
    n_levels_ : ndarray of shape (n_features,)
        The number of levels that occur, missing values included; 1 for a constant column.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had names.
""",
}
documented = documented_by(DESCRIPTIONS)


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """The base of all discretisers: `fit` learns the edges, `transform` gives the codes."""

    name: ClassVar[str]  # its name in the command
    keep_integers: bool
    max_categories: int

    @property
    @abstractmethod
    def bins(self) -> int:
        """The largest number of levels the rule makes of numbers."""

    @abstractmethod
    def edges(self, tile: Tile) -> FloatArray:
        """The edges (bins - 1, k) of the columns of a tile by this rule."""

    def words(self) -> str:
        """What the rule makes of numbers, as part of a sentence."""
        return f"levels by {native(self)}"

    def account(self) -> str:
        """What the rule did, as a sentence of a report."""
        return f"Numbers were discretised into {self.words()}." + self.kept()

    def kept(self) -> str:
        """Whether integers were kept, as a sentence of a report."""
        if not self.keep_integers:
            return ""
        return f" Integers with at most {self.bins} distinct values were kept unchanged."

    def check(self) -> None:
        """Raises ValueError if a parameter is invalid."""
        check_limits(self, "max_categories", limits=OF_RULES)
        if not isinstance(self.keep_integers, (bool, np.bool_)):
            raise ValueError(f"keep_integers={native(self.keep_integers)!r}, but it must be True or False.")

    def cuts(self, tile: Tile) -> tuple[FloatArray, BoolArray]:
        """The edges of each column of a tile, and which columns have too many values for their codes."""
        edges = self.edges(tile)
        if self.keep_integers:  # by value: the same numbers as integers or floats have the same levels
            values, number = distinct_values(tile, self.bins, only_integers=True)
            kept = np.flatnonzero(number > 0)
            edges[:, kept] = values[:-1, kept]
        return edges, np.zeros(tile.n_features, bool)

    def beside_a_point(self) -> Discretizer | None:
        """The rule for the other samples of a target where most have one value; None: one rule for all."""
        return None

    def for_means(self) -> Discretizer:
        """The rule that discretises the mean of features that this one has discretised."""
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the edges of each column.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Numbers; in a data frame also booleans, categories and strings. NaN is a level.
        y : ignored

        Returns
        -------
        self : object
            The fitted discretiser.
        """
        self.check()
        return self.keep(self._columns(X, reset=True).learned(self))

    def transform(self, X: Any) -> CodeArray:
        """Discretise the columns of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Columns as in `fit`.

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
            The number of edges that each number exceeds, or the number of its label. A missing value has the
            code after the last; a label not seen in `fit` has that of the merged rare labels, or else that of
            a missing value.
        """
        check_is_fitted(self)
        return codes_of(self._columns(X, reset=False), self.coding_)

    def _columns(self, X: Any, *, reset: bool) -> NumberColumns:
        """The columns of X, which must be readable numbers or labels."""
        from qpfs.codes.tables import checked_columns  # here, since it imports the rules

        return checked_columns(self, X, reset=reset).with_numbers()

    def keep(self, coding: Coding) -> Self:
        """Sets the fitted attributes from a coding that was learned elsewhere."""
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


class Binned(Discretizer):
    """The base of discretisers with a given number of bins."""

    def __init__(self, n_bins: int = 5, *, keep_integers: bool = True, max_categories: int = 32) -> None:
        self.n_bins = n_bins
        self.keep_integers = keep_integers
        self.max_categories = max_categories

    @property
    def bins(self) -> int:
        return self.n_bins

    def account(self) -> str:
        return f"Each column of numbers was discretised into {self.words()}.{self.kept()}"

    def check(self) -> None:
        super().check()
        check_limits(self, "n_bins", limits=OF_RULES)


def distinct_values(tile: Tile, most: int, *, only_integers: bool) -> tuple[FloatArray, AnyArray]:
    """The distinct values of each column but the largest, padded with NaN, and their number or -1."""
    values = np.full((most, tile.n_features), np.nan)
    number = np.full(tile.n_features, -1, np.intp)
    low, high, whole = tile.survey.low, tile.survey.high, tile.survey.whole
    if only_integers and not whole.any():
        return values, number
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers, or no numbers
        narrow = whole & (high - low < MARKS)
    marked, others = np.flatnonzero(narrow), np.flatnonzero(~narrow & (whole | (not only_integers)))
    marks = np.zeros(len(marked), np.uint64)
    number[others] = 0
    for piece in tile.values():
        mark(piece, marked, low[marked], marks)
        distinct(piece, others, values, number)
    read_marks(marks, marked, low[marked], values, number)
    # Without the largest value they are edges: a number exceeds all smaller values.
    filled = np.flatnonzero(number > 0)
    values[number[filled] - 1, filled] = np.nan
    return values, number
