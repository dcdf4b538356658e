"""The columns of a user's table: what a fit asks of them, whatever the table is.

A kind of table is a class of one of two families. `Columns` can be packed, by whatever way is theirs;
`NumberColumns` can be read besides, and are packed by cutting or standardising what is read. All kinds are
listed in `tables.TABLES`, and nobody asks which one it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.utils.validation import validate_data

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.encoding import Coding, Rule, learn
from qpfs.codes.forms import Form, Levels, Scores
from qpfs.codes.ordering import Sorted, sorted_tile
from qpfs.codes.readable import Readable, ReadableArray, categories
from qpfs.codes.scores import TILE_CELLS
from qpfs.codes.store import Store
from qpfs.codes.weights import Weights
from qpfs.engines import Engine

RuleT = TypeVar("RuleT", bound=Rule)


class Columns(ABC):
    """Columns that can be packed.

    The static and class methods are about a table as the user gave it, before any columns are made of it.
    """

    n_samples: int
    n_features: int
    numeric: BoolArray  # (n_features,) which are or were numbers, as against labels
    names: Sequence[Any] | None = None  # of the columns, as the user has them; None: they have none
    elsewhere: bool = False  # whether other machines can have them without being sent them
    cache_bytes: int | None = None  # for columns of Q that a fit may keep; None: as many as usual
    weights: Weights | None = None  # of the samples; None: all are 1
    form: Levels | Scores | None = None  # that they are in already, and can be had in alone; None: in any

    has_numbers: ClassVar[bool] = True  # whether such a table has numbers, or levels alone

    @staticmethod
    @abstractmethod
    def takes(table: Any) -> bool:
        """Whether a table is of this kind."""

    @classmethod
    def of(cls, table: Any) -> Self:
        """The columns of a table of this kind."""
        return cls(table)  # type: ignore[call-arg]

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        """The columns of a table, whose names and number the estimator remembers or compares.

        Raises an error for a table that cannot be used, such as one of fewer samples.
        """
        validate_data(estimator, table, reset=reset, skip_check_array=True)
        return cls.of(table)

    @staticmethod
    def take_rows(table: Any, rows: IndexArray) -> Any:
        """The table of some samples, of the same kind."""
        return table[rows]

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> Any:
        """The table of some features, of the same kind."""
        return table[:, list(features)]

    @staticmethod
    def by_rows(table: Any) -> Any:
        """The table in the form of which rows are soonest taken."""
        return table

    @staticmethod
    def dense(table: Any) -> Any:
        """The table as an array or a data frame in memory, which any estimator takes."""
        return table

    @staticmethod
    def possible_numbers(table: Any) -> Sequence[int]:
        """The only numbers there can be, where that is known without them."""
        return ()

    def one(self, feature: int) -> FloatArray | None:
        """A column as numbers, or as those of its categories, NaN where missing; None: not to be had here."""
        return None

    @abstractmethod
    def name(self, feature: int) -> str:
        """The column, as a message to the user should call it."""

    @abstractmethod
    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store[Any], Coding | None]:
        """The features in a form, and how they were cut; None if they were not."""

    @abstractmethod
    def learned(self, rule: Rule) -> Coding:
        """How a rule cuts the columns."""

    @abstractmethod
    def with_numbers(self) -> NumberColumns:
        """These columns, to be read; raises TypeError if there is nothing to read."""

    def rule_for(self, asked: RuleT | None, usual: RuleT) -> RuleT:
        """The rule that the columns are cut by, where one is asked for or none."""
        return usual if asked is None else asked

    def at(self, rows: IndexArray) -> Self:
        """The columns of some samples."""
        return self.of(self.take_rows(getattr(self, "table", self), rows))

    def marked(self, name: str) -> AnyArray | None:
        """What the table says of its features under a name, a value for each; None: nothing."""
        return None

    def weighted(self, weights: Weights | None) -> Self:
        """These columns with other weights of their samples."""
        found = object.__new__(type(self))
        vars(found).update(vars(self), weights=weights)
        return found

    def check_same(self) -> None:
        """Raises an error if the table is no longer what it was when the columns were made."""
        return


class NumberColumns(Readable, Columns):
    """Columns that can be read."""

    table: Any  # what they are the columns of

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store[Any], Coding | None]:
        return form.table(self, rule, engine)

    def learned(self, rule: Rule) -> Coding:
        return learn(self, rule)

    def with_numbers(self) -> NumberColumns:
        return self

    def one(self, feature: int) -> FloatArray | None:
        if self.numeric[feature]:
            return self.numbers(np.array([feature]))[:, 0]
        codes, _ = categories(self, feature)
        return np.where(codes < 0, np.nan, codes)

    def in_order(self, features: IndexArray) -> Iterator[tuple[IndexArray, Sorted]]:
        """Columns of numbers sorted, as many at a time as fit a budget: which, and their order."""
        width = max(1, TILE_CELLS // max(self.n_samples, 1))
        for start in range(0, len(features), width):
            some = features[start : start + width]
            yield some, sorted_tile(self.numbers(some))


class ArrayColumns(ReadableArray, NumberColumns):
    """A two-dimensional numeric array, in any order and of any numeric type."""

    @staticmethod
    def takes(table: Any) -> bool:
        """Anything; what is no table of numbers is told so when it is checked."""
        return True

    @classmethod
    def of(cls, table: Any) -> Self:
        return cls(np.asarray(unmasked(table)))

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        return cls(validated(estimator, table, reset=reset, min_samples=min_samples))

    @staticmethod
    def take_rows(table: Any, rows: IndexArray) -> AnyArray:
        return np.asarray(table)[rows]

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> AnyArray:
        return np.asarray(table)[:, list(features)]

    @staticmethod
    def by_rows(table: Any) -> AnyArray:
        array = np.asarray(unmasked(table))
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise ValueError(
                f"X is an array of shape {array.shape} and type {array.dtype}; expected numbers of shape "
                "(n_samples, n_features), a data frame, or a sparse matrix."
            )
        return array


def validated(estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Any:
    """A table of numbers, dense or sparse, as scikit-learn checks it."""
    try:
        return validate_data(
            estimator,
            table,
            reset=reset,
            accept_sparse=("csc", "csr"),
            dtype="numeric",
            ensure_all_finite=False,  # the tiles are looked at one by one, and name the column
            ensure_min_samples=min_samples,
        )
    except OverflowError as error:
        raise ValueError("X holds a number too large for float64.") from error


def unmasked(X: Any) -> Any:
    """X with NaN where a mask hides a value; raises TypeError for dates and text, which are no numbers."""
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in ("m", "M"):
        raise TypeError(f"X holds {X.dtype}; expected numbers. Convert dates to numbers, or drop them.")
    if kind == "T":
        raise TypeError(
            f"X holds {X.dtype}; expected numbers. Give text as a data frame, whose text is labels."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return X
