"""IKM- and IKMA-QPFS on Colon, over a grid of radius and n_first.

As published: one selection on all rows, then leave-one-out of the linear support vector machine on data
scaled to [-1, 1], the number of features (up to 100) and the cell of the grid read off the test error. Inside
the loop: the same cell with the selection made anew on the training rows of every fold. Neither is an
estimate of the error on new samples: in the first the rows that are tested on have taken part in the
selection, and in both they have chosen the cell and the number of features.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut
from sklearn.preprocessing import minmax_scale
from sklearn.svm import LinearSVC

from benchmarks.datasets import LEVELS, stored
from benchmarks.rows import Row, limited
from qpfs import IKMAQPFS, IKMQPFS

RADII = (0.72, 0.76, 0.8, 0.84, 0.88, 0.92)
N_FIRST = (5, 20, 50, 100)
INITS = ("leaders", "relevance")
LENGTHS = [*range(1, 31), 40, 50, 75, 100]
PUBLISHED = {IKMQPFS: 9.68, IKMAQPFS: 8.06}  # %, the publication's lowest error on Colon, to two digits


def main() -> list[Row]:
    warnings.simplefilter("ignore", UserWarning)
    found = stored("colon")
    if found is None:
        return [Row("skipped: colon.npz is not in the data folder (set QPFS_DATA)", "", bound=0.0)]
    X, y = found
    print(f"grid: init {INITS}, radius {RADII}, n_first {N_FIRST}, features {LENGTHS}")
    return [row for method in PUBLISHED for row in rows(method, minmax_scale(X.astype(float), (-1, 1)), y)]


def rows(method: Any, X: NDArray[Any], y: NDArray[Any]) -> list[Row]:
    cells = {}
    for init, radius, n_first in product(INITS, RADII, N_FIRST):
        selector = method(init=init, radius=radius, n_first=n_first, **LEVELS)
        order = selector.fit(X, y).order_
        cells[init, radius, n_first] = selector, wrong(X, y, lambda _, order=order: order)
    cell, (selector, counts) = min(cells.items(), key=lambda one: one[1][1].min())
    name = f"{method.__name__} on colon at init={cell[0]}, radius={cell[1]}, n_first={cell[2]}"
    nested = wrong(X, y, lambda rows: selector.fit(X[rows], y[rows]).order_)
    place = int(counts.argmin())
    lowest, same, least = (round(100 * k / len(y), 2) for k in (counts[place], nested[place], nested.min()))
    return [
        limited(
            f"{name}: lowest error, selection on all rows, {LENGTHS[place]} features, of {len(cells)} cells",
            lowest,
            PUBLISHED[method],
            f"{lowest:.2f} %",
            f"published {PUBLISHED[method]:.2f} %",
        ),
        Row(
            "the same cell and number of features, selection inside the loop",
            f"{same:.2f} %",
            "",
            same,
        ),
        Row("the same cell, best number of features, selection inside the loop", f"{least:.2f} %", "", least),
    ]


def wrong(X: NDArray[Any], y: NDArray[Any], order_of: Any) -> NDArray[np.int64]:
    """How many samples are classified wrongly, left out one at a time, by each of the LENGTHS."""
    counts = np.zeros(len(LENGTHS), int)
    for train, test in LeaveOneOut().split(X):
        order = order_of(train)
        for place, n in enumerate(LENGTHS):
            if place == 0 or len(order) > LENGTHS[place - 1]:  # else it is the selection before
                top = order[:n]
                model = LinearSVC(dual=False).fit(X[np.ix_(train, top)], y[train])
                missed = int(model.predict(X[np.ix_(test, top)])[0] != y[test][0])
            counts[place] += missed
    return counts
