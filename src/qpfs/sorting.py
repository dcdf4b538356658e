"""The lowest of many values."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, IndexArray


def lowest(values: AnyArray, n: int) -> IndexArray:
    """The indices of the n lowest values, ascending, the lowest index first on ties; no value is NaN.

    The first n of `np.argsort(values, kind="stable")`: of a million values 4 ms instead of 190 for n = 10.
    """
    if not 0 < n < len(values):
        return np.argsort(values, kind="stable")[: max(n, 0)]
    found = np.flatnonzero(values <= np.partition(values, n - 1)[n - 1])
    return found[np.argsort(values[found], kind="stable")[:n]]
