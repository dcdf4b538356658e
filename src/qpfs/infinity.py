"""Infinite numbers in a table, reported with the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

PIECE = 1 << 18  # numbers examined together


def first_infinite(X: Any) -> tuple[int, int, float] | None:
    """Row, column and value of an infinite number in an array or sparse matrix; None if there is none."""
    # A fit finds it too, but knows the columns of an array only by number.
    if hasattr(X, "tocoo"):  # sparse; not asked of scipy, which takes half a second to import
        entries = X.tocoo()
        for i in np.flatnonzero(np.isinf(entries.data))[:1]:
            return int(entries.row[i]), int(entries.col[i]), float(entries.data[i])
        return None
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return None
    if X.flags.f_contiguous and not X.flags.c_contiguous:
        found = first_infinite(X.T)
        return None if found is None else (found[1], found[0], found[2])
    step = max(1, PIECE // max(1, X.shape[1]))
    for start in range(0, len(X), step):
        infinite = np.isinf(X[start : start + step])
        if infinite.any():
            row, column = np.argwhere(infinite)[0].tolist()
            return start + row, column, float(X[start + row, column])
    return None


def infinity_message(found: tuple[int, int, float], names: Sequence[str]) -> str:
    """Where an infinite number is, by the name of its column, and what to do."""
    row, column, value = found
    return (
        f"column {names[column]!r} has {value} in row {row}. Replace it by a finite value, or leave it empty "
        "(NaN) to treat it as missing."
    )
