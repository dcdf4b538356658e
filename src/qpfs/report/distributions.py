"""The distribution of a feature in each class: histograms with common bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes import columns_of, table_kind
from qpfs.report.classes import ClassGroups
from qpfs.report.schema import DistributionRecord
from qpfs.sparse import sound_sparse

BINS = 24  # as many as a small picture can show
EXACT = 2.0**53  # from here on float64 does not have every integer
TIED = 0.2  # share of a value that is counted separately
OUTSTANDING = 3  # the same as a multiple of the fullest bin of the others
OTHERS = 5  # fewer other values make no histogram
FAR = 3.0  # interquartile ranges from the quartiles; values farther out are counted in the outermost bins


def distributions(X: Any, features: list[int], classes: ClassGroups) -> dict[int, DistributionRecord | None]:
    """The histograms of some columns of X; None for a column of labels or without a number."""
    if not table_kind(X).has_numbers:  # the numbers of an encoded table are not available
        return {}
    columns = columns_of(part_of(X, features)).with_numbers()
    found = {}
    for place, feature in enumerate(features):
        numeric = bool(columns.numeric[place])
        values = columns.numbers(np.array([place]))[:, 0] if numeric else np.empty(0)
        found[feature] = histogram(values, classes) if np.isfinite(values).any() else None
    return found


def part_of(X: Any, features: list[int]) -> Any:
    """Some columns of a table, as a data frame or an array."""
    kind = table_kind(X)
    return kind.dense(kind.take_columns(sound_sparse(X), features))


def histogram(values: FloatArray, classes: ClassGroups) -> DistributionRecord:
    """Counts in common bins for each class; outliers are in the outermost bins, counted as `beyond`."""
    known = np.isfinite(values)
    # A value so frequent that its bin would flatten all others is counted separately, as `tied`.
    value = tied_value(values[known])
    tied = known & (values == value)
    rest = known & ~tied
    edges = bin_edges(values[rest])
    below, above = (values[rest] < edges[0]).sum(), (values[rest] > edges[-1]).sum()
    found: DistributionRecord = {
        "edges": edges.tolist(),
        "integers": are_integers(values[rest]),
        "counts": classes.some(rest).counts(places(values[rest], edges), len(edges) - 1),
        "beyond": (int(below), int(above)),
        "missing": classes.some(~known).sizes,
    }
    if tied.any():
        found["tied"] = {"value": value, "counts": classes.some(tied).sizes}
    return found


def places(values: FloatArray, edges: FloatArray) -> IndexArray:
    """The bin of each value."""
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)


def tied_value(values: FloatArray) -> float:
    """The value of so many samples that the bins of the others would look flat; NaN for none."""
    distinct, times = np.unique(values, return_counts=True)
    most = times.argmax()
    others = values[values != distinct[most]]
    if len(distinct) <= OTHERS or times[most] < TIED * len(values):
        return np.nan
    fullest = np.bincount(places(others, bin_edges(others))).max()
    return float(distinct[most]) if times[most] >= OUTSTANDING * fullest else np.nan


def are_integers(values: FloatArray) -> bool:
    """Whether there can be a bin for each integer from the smallest to the largest."""
    low, high = float(values.min()), float(values.max())
    return bool((values == np.floor(values)).all()) and high - low < BINS and max(-low, high) < EXACT


def bin_edges(values: FloatArray) -> FloatArray:
    """The edges of equal bins, robust to a few outliers; one bin for each of few integers."""
    low, high = float(values.min()), float(values.max())
    if are_integers(values):
        return np.arange(low, high + 2.0) - 0.5
    with np.errstate(over="ignore", invalid="ignore"):  # numbers near the end of the floating-point range
        first, third = np.quantile(values, [0.25, 0.75])
        reach = FAR * (third - first)
        if reach > 0:
            low, high = max(low, float(first - reach)), min(high, float(third + reach))
        edges = np.linspace(low, high, BINS + 1)
        parted = bool((np.diff(edges) > 0).all())
    return edges if parted else np.array([low, max(high, np.nextafter(low, np.inf))])
