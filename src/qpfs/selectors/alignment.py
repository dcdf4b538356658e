"""Rows are taken by position, as everywhere in scikit-learn; a warning where pandas says otherwise."""

from __future__ import annotations

import warnings
from typing import Any


def warn_of_other_order(X: Any, **given: Any) -> None:
    """Warns of what is given for the samples of X in another order, by the labels of both indices."""
    ours = index_of(X)
    for name, values in given.items():
        theirs = index_of(values)
        if ours is not None and theirs is not None and reordered(ours, theirs):
            warnings.warn(
                f"The indices of X and {name} hold the same labels in different orders. Rows are taken by "
                f"position, so sample {ours[0]!r} of X goes with {theirs[0]!r} of {name}. If labels are what "
                f"counts, pass {name}.loc[X.index]; if positions are, {name}.to_numpy().",
                UserWarning,
                stacklevel=4,
            )


def index_of(values: Any) -> Any:
    """The index of a pandas object, or of the samples of AnnData; None: it is something else."""
    return getattr(values, "index", None) if hasattr(values, "iloc") else getattr(values, "obs_names", None)


def reordered(one: Any, other: Any) -> bool:
    """Whether two indices hold the same labels in different orders; equal ranges are compared at no cost."""
    if one is other or len(one) != len(other) or one.equals(other):
        return False
    return len(one.symmetric_difference(other, sort=False)) == 0
