"""Columns that alone nearly determine the target, such as a column that was made from it (a leak).

The thresholds were set on real data: genes of leukemia, colon and other sets (31 to 13,966 samples, up to
47,192 features) are below them; a copy of the target, an increasing function of it, and a copy in which 5 %
of the samples are wrong are above. In a hundred samples there are real genes that separate two classes
without an error, so a column of many different numbers has to do that in `SEPARATED` samples. A column of few
values needs only `LEAST`: with as many values as classes, or with labels, real columns are far below. With
more values some are not (the width of the petals of irises, to the millimetre, avoids 94 % of mistakes), so
those have to reach `PURE`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.codes import Target
from qpfs.codes.ordering import sorted_tile
from qpfs.effects.against import against

LEAST = 50  # samples; fewer are no evidence
FEWEST = 10  # samples outside the largest class
EACH = 10  # samples for each value of a column of few values, on average
CORRECT = 0.8  # share of mistakes avoided: a copy with 5 % wrong of halves has 0.9, real columns at most 0.72
PURE = 0.98
CLOSE = 0.93  # rank correlation with a quantity: with 5 % of the samples exchanged it is 0.95
SEPARATED = 200


def telling(column: FloatArray, target: Target, *, labelled: bool = False) -> bool:
    """Whether a column, NaN where it is missing, nearly determines a target, or one of several.

    A column of labels is given as the numbers of its categories.
    """
    if len(column) < LEAST:
        return False
    found = tells_quantity if target.numbers is not None else tells_classes
    return found(column, target, labelled) or any(
        telling(column, one, labelled=labelled) for one in target.others
    )


def tells_quantity(column: FloatArray, target: Target, labelled: bool) -> bool:
    """Whether the ranks of a column and a quantity agree in most of the samples."""
    side, known = against(replace(target, weights=None)), ~np.isnan(column)
    if known.sum() < max(LEAST, len(column) / 2):
        return False
    if not labelled:
        return bool(abs(side.of_numbers(sorted_tile(column[:, None])).size[0]) >= CLOSE)
    if len(np.unique(column[known])) > known.sum() / EACH:
        return False
    size, _ = side.of_labels(np.where(known, column, -1).astype(np.intp))
    return size >= CLOSE**2


def tells_classes(column: FloatArray, target: Target, labelled: bool) -> bool:
    """Whether each of few values has almost only one class, or many values are in order of the classes."""
    n, sizes = len(column), np.bincount(target.codes)
    if n - sizes.max() < FEWEST:
        return False
    # Whether a value is missing may determine the class; so missing is a value, too, and the lowest.
    numbers = np.where(np.isnan(column), -np.inf, column)
    if len(np.unique(numbers[: int(2 * n / EACH)])) <= n / EACH:  # usually a part already has more values
        values, place = np.unique(numbers, return_inverse=True)
        if len(values) <= n / EACH:
            like_classes = labelled or np.isfinite(values).sum() <= len(sizes)
            return explained(place, target.codes, sizes) >= (CORRECT if like_classes else PURE)
    return not labelled and n >= SEPARATED and separated(numbers, target.codes, len(sizes))


def explained(place: AnyArray, codes: AnyArray, sizes: AnyArray) -> float:
    """Goodman and Kruskal's lambda: the share of errors of predicting the largest class that is avoided."""
    counts = np.bincount(place.astype(np.intp) * len(sizes) + codes, minlength=(place.max() + 1) * len(sizes))
    # Each sample is predicted to have the most frequent class among the samples with its value.
    right = counts.reshape(-1, len(sizes)).max(axis=1).sum()
    return float((right - sizes.max()) / (len(codes) - sizes.max()))


def separated(column: FloatArray, codes: AnyArray, n_classes: int) -> bool:
    """Whether every class is a run of values of its own."""
    low, high = np.full(n_classes, np.inf), np.full(n_classes, -np.inf)
    np.minimum.at(low, codes, column)
    np.maximum.at(high, codes, column)
    order = np.argsort(low)
    return bool((high[order[:-1]] < low[order[1:]]).all())
