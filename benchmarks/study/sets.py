"""The real sets of the study and how each is divided: five times into two halves, stratified by class.

One half is for selection and training, the other for the error; then the other way round. Large halves are
thinned, stratified as well, so that every method can afford every set.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.datasets import Data, stored

SETS = (
    "wdbc",
    "sorlie",
    "lung_small",
    "colon",
    "srbct",
    "lymphoma",
    "glioma",
    "west",
    "pomeroy",
    "leukemia",
    "su",
    "yale",
    "christensen",
    "gravier",
    "tox_171",
    "warpar10p",
    "usps",
    "mnist38",
    "pcmac",
    "isolet",
)
LARGER = ("colon", "srbct", "lymphoma", "leukemia", "wdbc", "usps", "mnist38")  # not in the folder `study`
N_FOLDS = 10  # two halves of each of five divisions
MOST_TRAIN, MOST_TEST = 1_000, 2_000  # rows of a half that are used


class Half(NamedTuple):
    """What is learned from, and what the error is counted on."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


@cache
def table(name: str) -> Data | None:
    """A set by name, or None if it is not in the data folder."""
    return stored(name if name in LARGER else f"study/{name}")


def half(name: str, fold: int) -> Half:
    """The training and the test rows of one fold, 0 to 9."""
    data = table(name)
    if data is None:
        raise ValueError(f"{name} is not in the data folder; set QPFS_DATA to the folder that has it.")
    X, y = data
    division, which = divmod(fold, 2)
    splits = StratifiedKFold(2, shuffle=True, random_state=division).split(X, y)
    train, test = list(splits)[which]
    train, test = thinned(train, y, MOST_TRAIN, fold), thinned(test, y, MOST_TEST, fold)
    return Half(X[train], y[train], X[test], y[test])


def thinned(rows: NDArray[np.int64], y: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """At most so many of the rows, in their order, with the classes in proportion."""
    if len(rows) <= most:
        return rows
    kept, _ = train_test_split(rows, train_size=most, stratify=y[rows], random_state=seed)
    return np.sort(kept)
