"""What a fit makes of X and y before anything is weighed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.codes import (
    Coding,
    Columns,
    Discretizer,
    EncodedTable,
    SparseColumns,
    encode,
    encode_sparse,
    standardize,
    standardize_sparse,
)
from qpfs.codes.remote import DistantColumns, encode_distant
from qpfs.codes.validation import checked_columns
from qpfs.criteria import CACHE_BYTES, Effort, TradeOff, trade_off
from qpfs.criteria.weighing import Tick
from qpfs.engines import Engine
from qpfs.information import FeatureTable
from qpfs.selectors.parameters import feature_discretizer

HERE_BYTES = 400  # for each feature, about, that a fit keeps here wherever the features are
HELD_BYTES = 60  # for each feature, about, that is kept beside its levels


@dataclass(frozen=True, eq=False)
class Problem:
    """The packed features with their relevance, what they were made from, and how many are asked for."""

    table: FeatureTable[Any]
    relevance: FloatArray
    columns: Columns
    y: AnyArray
    rule: Discretizer
    n_select: int | None
    tick: Tick
    effort: Effort | None = None  # that an automatic theta is worth; None: as for exact QPFS
    cache_bytes: int = CACHE_BYTES  # of columns of Q that are kept
    balances: dict[Any, Any] = field(default_factory=dict)  # automatic thetas, found once for all candidates

    def balance(self, random_state: np.random.RandomState) -> TradeOff:
        """The automatic theta; drawn from as if it were found anew."""
        before: Any = random_state.get_state(legacy=True)
        key = (self.effort, before[1].tobytes(), before[2])
        if key not in self.balances:
            found = trade_off(self.table, self.relevance, random_state, self.effort)
            self.balances[key] = found, random_state.get_state(legacy=True)
        found, after = self.balances[key]
        random_state.set_state(after)
        balance: TradeOff = found
        return balance


def fit_columns(estimator: Any, X: Any) -> Columns:
    """The columns that an estimator is fitted to; of an encoded table it takes the names and the number."""
    if not isinstance(X, EncodedTable):
        return checked_columns(estimator, X, reset=True, min_samples=2)
    X.check_same()
    if X.n_samples < 2 or X.n_features < 1:
        raise ValueError(f"{X!r} is too small: expected at least 2 samples and 1 feature.")
    estimator.n_features_in_ = X.n_features
    if X.names is not None:
        estimator.feature_names_in_ = np.array(list(X.names), object)
    return X


def check_same(columns: Columns) -> None:
    """Raises StoreError if what was fitted to is not what it was."""
    if isinstance(columns, EncodedTable):
        columns.check_same()


def cutting_rule(columns: Columns, discretizer: Any) -> Discretizer:
    """How the columns are cut, or were when they were encoded."""
    rule = feature_discretizer(discretizer)
    if not isinstance(columns, EncodedTable):
        return rule
    return columns.rule_for(None if discretizer is None else rule)


def elsewhere(columns: Columns) -> bool:
    """Whether other machines can have the columns without being sent them."""
    return isinstance(columns, DistantColumns) or (
        isinstance(columns, EncodedTable) and columns.path is not None
    )


def check_room(columns: Columns, engine: Engine) -> None:
    """Raises MemoryError if there is not enough memory here, or where the features are to be held."""
    if elsewhere(columns):
        codes = columns.n_samples * columns.n_features // 4
        engine.check_room(HERE_BYTES * columns.n_features, 2 * codes + HELD_BYTES * columns.n_features)


def packed(columns: Columns, rule: Discretizer, measure: Any, engine: Engine) -> tuple[Any, Coding | None]:
    """The features in the storage that their columns and the measure call for, and how they were cut."""
    if isinstance(columns, EncodedTable):
        return (columns.store, columns.coding) if measure.counts else columns.refuse_numbers()
    if isinstance(columns, DistantColumns):
        return encode_distant(columns, engine, partial(packed_here, rule, counts=measure.counts))
    return packed_here(rule, columns, engine, counts=measure.counts)


def packed_here(
    rule: Discretizer, columns: Columns, engine: Engine | None = None, *, counts: bool
) -> tuple[Any, Coding | None]:
    """The features in memory: as levels, or as numbers."""
    if isinstance(columns, SparseColumns):
        return encode_sparse(columns, rule, engine) if counts else (standardize_sparse(columns, engine), None)
    return encode(columns, rule, engine) if counts else (standardize(columns, engine), None)


def cache_bytes_for(columns: Columns) -> int:
    """Bytes for columns of Q that a fit may keep."""
    if isinstance(columns, (EncodedTable, SparseColumns)):
        return columns.cache_bytes
    return CACHE_BYTES


def reject_all_constant(table: FeatureTable[Any]) -> None:
    if len(table.varying) == 0:
        raise ValueError(
            f"All {table.n_features} features are constant once cut into levels: none says anything. "
            "Check the data, or use a finer discretizer such as EqualFrequency(5)."
        )
