"""The columns of a user's table: the interface that a fit uses, for tables of all kinds.

A kind of table is a class of one of two families. `Columns` can be packed, each kind in its own way;
`NumberColumns` can also be read, and are packed by discretising or standardising their values. All kinds are
listed in `tables.TABLES`; other code does not depend on the kind.
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

FEW_NUMBERS = 1 << 20  # of a table: one thread takes 2 to 5 ms, in which another is hardly awake

RuleT = TypeVar("RuleT", bound=Rule)


class Columns(ABC):
    """The columns of a user's table, which can be packed.

    The static and class methods are about a table as the user gave it, before any columns are made of it.
    """

    n_samples: int
    n_features: int
    numeric: BoolArray  # (n_features,) True for numbers, False for labels
    names: Sequence[Any] | None = None  # of the columns, as the user gave them; None: without names
    elsewhere: bool = False  # whether other computers can read them without being sent them
    cache_bytes: int | None = None  # bytes of columns of Q that a fit may keep; None: the default
    weights: Weights | None = None  # of the samples; None: all are 1
    form: Levels | Scores | None = None  # the form they are stored in, and the only one; None: any

    has_numbers: ClassVar[bool] = True  # whether such a table has numbers, or only levels

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
        """The columns of a table, checked; the estimator stores or compares their names and number.

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
        """The table in the format from which rows are selected fastest."""
        return table

    @staticmethod
    def dense(table: Any) -> Any:
        """The table as an array or a data frame in memory, which any estimator takes."""
        return table

    @staticmethod
    def possible_numbers(table: Any) -> Sequence[int]:
        """The values that can occur, where they are known without reading the table; else None."""
        return ()

    def one(self, feature: int) -> FloatArray | None:
        """A column as numbers or category numbers, NaN where missing; None: not available in this process."""
        return None

    @abstractmethod
    def name(self, feature: int) -> str:
        """How a message to the user refers to the column."""

    @abstractmethod
    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        """The features in a form, and how they were discretised; None if they were not."""

    @abstractmethod
    def learned(self, rule: Rule) -> Coding:
        """How a rule discretises the columns."""

    @abstractmethod
    def with_numbers(self) -> NumberColumns:
        """These columns with readable numbers; raises TypeError if there are none."""

    def rule_for(self, asked: RuleT | None, usual: RuleT) -> RuleT:
        """The rule that discretises the columns: the requested one, or the default."""
        return usual if asked is None else asked

    def at(self, rows: IndexArray) -> Self:
        """The columns of some samples."""
        return self.of(self.take_rows(getattr(self, "table", self), rows))

    def marked(self, name: str) -> AnyArray | None:
        """The annotation of the features that the table has under a name; None: it has none."""
        return None

    def weighted(self, weights: Weights | None) -> Self:
        """These columns with other sample weights."""
        found = object.__new__(type(self))
        vars(found).update(vars(self), weights=weights)
        return found

    def check_same(self) -> None:
        """Raises an error if the table was changed after the columns were made."""
        return


class NumberColumns(Readable, Columns):
    """The columns of a user's table whose values can be read."""

    table: Any  # the user's table

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        few = self.n_samples * self.n_features < FEW_NUMBERS
        return form.table(self, rule, None if few else engine)

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
        """Sorted columns of numbers, as many at a time as fit a budget: which ones, and their order."""
        width = max(1, TILE_CELLS // max(self.n_samples, 1))
        for start in range(0, len(features), width):
            some = features[start : start + width]
            yield some, sorted_tile(self.numbers(some))


class ArrayColumns(ReadableArray, NumberColumns):
    """A two-dimensional numeric array, in any order and of any numeric type."""

    @staticmethod
    def takes(table: Any) -> bool:
        """Any table; one that does not hold numbers is rejected when it is checked."""
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
            ensure_all_finite=False,  # checked tile by tile later, with the name of the column
            ensure_min_samples=min_samples,
        )
    except OverflowError as error:
        raise ValueError("X holds a number too large for float64.") from error


def unmasked(X: Any) -> Any:
    """X with NaN where a mask hides a value; raises TypeError for dates and text."""
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in ("m", "M"):
        raise TypeError(f"X holds {X.dtype}; expected numbers. Convert dates to numbers, or drop them.")
    if kind == "T":
        raise TypeError(
            f"X holds {X.dtype}; expected numbers. Give text in a data frame, where it is used as labels."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return X
