"""The attributes that the report reads from any fitted selector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.selectors.fitted import Fitted


class Selection(Protocol):
    """Attributes of all fitted selectors; those of some (`relevance_`, `labels_`) are looked up by name."""

    n_features_in_: int
    order_: IndexArray
    scores_: FloatArray
    support_: BoolArray
    fitted_: Fitted
    get_params: Callable[..., dict[str, object]]
