"""The input of the estimator: features as numbers without gaps, prepared from the training part alone.

A missing number becomes the median of its column, and labels become one indicator each (none for a label
unseen in training, one for missing labels). A column that is constant in training becomes 0 throughout: it
carries no information, and its scale is unknown. An encoded table has no numbers: its levels become
indicators, its scores are used instead of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes import EncodedTable, table_kind
from qpfs.codes.decoding import decoded
from qpfs.codes.forms import Scores
from qpfs.codes.frame_columns import FrameColumns, is_frame
from qpfs.codes.values import is_sparse, tabled

MOST_DENSE = 2**27  # numbers up to which sparse features are made dense: 1 GB
PREPARED_TEXT = (
    "For the estimator, missing numbers are filled with the median and labels become indicators, both "
    "learned on the training part."
)
ENCODED_TEXTS = {
    "levels": "The table is encoded: instead of numbers the estimator gets an indicator for each level. The "
    "levels were computed from all samples, test samples included.",
    "scores": "The table is encoded: instead of numbers the estimator gets normal scores of ranks, missing "
    "ones filled with the median, and indicators of labels. Ranks were computed from all samples, test "
    "samples included.",
}


def prepared_text(X: Any) -> str:
    """The input of the estimator, in words."""
    return PREPARED_TEXT if table_kind(X).has_numbers else ENCODED_TEXTS[X.form.name]


@dataclass(frozen=True, eq=False)
class Design:
    """The columns made from some features, for training and test rows."""

    train: Any
    test: Any
    features: IndexArray  # ascending
    ends: IndexArray  # how many columns the first 1, 2, ... of them make

    def of(self, features: IndexArray) -> tuple[Any, Any]:
        """The columns of some of the features, for training and test rows."""
        places = np.searchsorted(self.features, features)
        starts, ends = np.r_[0, self.ends][places], self.ends[places]
        columns = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        return self.train[:, columns], self.test[:, columns]


def design(X: Any, features: IndexArray, train: IndexArray, test: IndexArray) -> Design:
    """Some features, ascending, as the input of an estimator."""
    if len(features) == 0:  # a frame without columns may have no rows, either
        return Design(np.empty((len(train), 0)), np.empty((len(test), 0)), features, features)
    kind = table_kind(X)
    if not kind.has_numbers:
        check_encoded_room(X, features)
    some = kind.take_columns(tabled(X), features.tolist())
    ends = np.arange(1, len(features) + 1)
    if not kind.has_numbers:
        numbers, ends = spread_encoded(some, train)
    elif is_frame(some):
        numbers, ends = spread(FrameColumns(some), train)
    elif is_sparse(some) and some.shape[0] * some.shape[1] > MOST_DENSE:
        rows = some.tocsr()
        return Design(rows[train], rows[test], features, ends)
    else:
        numbers = np.asarray(kind.dense(some), np.float64)
    return Design(*filled(numbers[train], numbers[test]), features, ends)


def spread(columns: FrameColumns, train: IndexArray) -> tuple[FloatArray, IndexArray]:
    """The columns of a data frame as numbers, labels as indicators, and where those of each feature end."""
    numeric = np.flatnonzero(columns.numeric)
    numbers = iter(columns.numbers(numeric).T if len(numeric) else ())
    blocks = [
        next(numbers)[:, None] if is_number else indicators(columns.labels(i), train)
        for i, is_number in enumerate(columns.numeric)
    ]
    return np.hstack(blocks).astype(np.float64), np.cumsum([block.shape[1] for block in blocks])


def check_encoded_room(X: EncodedTable, features: IndexArray) -> None:
    """Raises ValueError if there is not enough memory for so many encoded columns."""
    width = X.coding.n_levels[features].sum()
    if X.n_samples * int(width) > MOST_DENSE:
        raise ValueError(
            f"{len(features)} encoded columns of {X.n_samples} samples are too many to be spread out for an "
            f"estimator: {8 * X.n_samples * int(width) / 1e9:.1f} GB. Ask for fewer features."
        )


def spread_encoded(table: EncodedTable, train: IndexArray) -> tuple[FloatArray, IndexArray]:
    """The columns of an encoded table: scores unchanged, levels and labels as indicators."""
    scored = table.form.name == Scores.name
    blocks = [
        column[:, None] if scored and isinstance(column, np.ndarray) else indicators(list(column), train)
        for column in decoded(table, np.arange(table.n_features))
    ]
    return np.hstack(blocks).astype(np.float64), np.cumsum([block.shape[1] for block in blocks])


def indicators(labels: list[Any], train: IndexArray) -> FloatArray:
    """A column for each label of the training rows."""
    names = np.array([repr(label) for label in labels])
    return (names[:, None] == np.unique(names[train])).astype(np.float64)


def filled(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both parts with medians of the first where numbers are missing, and 0 where it is constant or empty."""
    gaps = np.isnan(train).any(axis=0) | np.isnan(test).any(axis=0)
    for column in np.flatnonzero(gaps):
        present = train[~np.isnan(train[:, column]), column]
        median = np.median(present) if len(present) else 0.0
        for part in (train, test):
            part[np.isnan(part[:, column]), column] = median
    constant = train.min(axis=0) == train.max(axis=0)
    train[:, constant], test[:, constant] = 0.0, 0.0
    return train, test
