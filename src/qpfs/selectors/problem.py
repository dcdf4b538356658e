"""What a fit makes of X and y before anything is weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qpfs.arrays import AnyArray, FloatArray
from qpfs.codes import (
    Coding,
    Columns,
    Discretizer,
    SparseColumns,
    encode,
    encode_sparse,
    standardize,
    standardize_sparse,
)
from qpfs.criteria import Effort
from qpfs.criteria.weighing import Tick
from qpfs.engines import Engine
from qpfs.information import FeatureTable


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


def packed(columns: Columns, rule: Discretizer, measure: Any, engine: Engine) -> tuple[Any, Coding | None]:
    """The features in the storage that their columns and the measure call for, and how they were cut."""
    if isinstance(columns, SparseColumns):
        if measure.counts:
            return encode_sparse(columns, rule, engine)
        return standardize_sparse(columns, engine), None
    if measure.counts:
        return encode(columns, rule, engine)
    return standardize(columns, engine), None


def reject_all_constant(table: FeatureTable[Any]) -> None:
    if len(table.varying) == 0:
        raise ValueError(
            f"All {table.n_features} features are constant once cut into levels: none says anything. "
            "Check the data, or use a finer discretizer such as EqualFrequency(5)."
        )
