"""What the report reads of a fitted selector, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from qpfs.arrays import BoolArray, FloatArray, IndexArray
from qpfs.selectors.fitted import Fitted


class Selection(Protocol):
    """What all have once they are fitted; what some have (`relevance_`, `labels_`) is looked for by name."""

    n_features_in_: int
    order_: IndexArray
    scores_: FloatArray
    support_: BoolArray
    fitted_: Fitted
    get_params: Callable[..., dict[str, object]]
