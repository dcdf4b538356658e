"""Many values in order, equal ones by their index."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, IndexArray

MANY_EQUAL = 20  # if more than one in so many equals the one before, sorting those again takes longer


def first_places(values: AnyArray, n: int) -> IndexArray:
    """The indices of the n lowest values, ascending, the lowest index first on ties; no value is NaN.

    The first n of `sorted_places(values)`: of a million values 4 ms instead of 190 for n = 10.
    """
    if not 0 < n < len(values):
        return sorted_places(values)[: max(n, 0)]
    found = np.flatnonzero(values <= np.partition(values, n - 1)[n - 1])
    return found[np.argsort(values[found], kind="stable")[:n]]


def sorted_places(values: AnyArray) -> IndexArray:
    """The indices of all values, ascending, the lowest index first on ties; no value is NaN.

    That is `np.argsort(values, kind="stable")`, which takes 112 ms for a million values. The quick sort takes
    22 with vector instructions, and few values are usually equal.
    """
    order = np.argsort(values)
    ordered = values[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(same) > len(values) // MANY_EQUAL:
        return np.argsort(values, kind="stable")
    places = np.union1d(same, same + 1)
    order[places] = order[places][np.lexsort((order[places], ordered[places]))]
    return order
