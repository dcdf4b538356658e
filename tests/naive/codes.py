"""Edges and codes straight from the definition: one column, exact arithmetic; None is missing."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction


def present(column):
    """The exact values that are not missing, ascending."""
    return sorted(Fraction(x) for x in column if x is not None and not math.isnan(x))


def root(square):
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def three_segments(column, n_sigma=1):
    """Mean - n_sigma * sigma and mean + n_sigma * sigma."""
    values = present(column)
    if not values:
        return []
    mean = sum(values) / len(values)
    sigma = root(sum((x - mean) ** 2 for x in values) / len(values))
    return [mean - Fraction(n_sigma) * sigma, mean + Fraction(n_sigma) * sigma]


def equal_width(column, n_bins):
    """The inner bounds of n_bins equal parts of the range."""
    values = present(column)
    if not values:
        return []
    width = (values[-1] - values[0]) / n_bins
    return [values[0] + i * width for i in range(1, n_bins)]


def equal_frequency(column, n_bins):
    """For each i, the smallest value that at least i of n_bins shares of the samples do not exceed.

    The largest value parts nothing; the largest but one stands in for it.
    """
    values = present(column)
    edges = [
        min(v for v in values if n_bins * sum(x <= v for x in values) >= i * len(values))
        for i in range(1, n_bins)
        if values
    ]
    parting = sorted(set(values))[-2:]
    return [min(edge, parting[0]) for edge in edges]


def as_codes(column):
    """Every distinct value but the last."""
    return sorted(set(present(column)))[:-1]


def few_integers(column, most):
    """Whether all values are integers, and at most so many different ones."""
    values = set(present(column))
    return 0 < len(values) <= most and all(x.denominator == 1 for x in values)


def codes(column, edges, missing):
    """How many edges each value exceeds."""
    return [missing if x is None or math.isnan(x) else sum(x > edge for edge in edges) for x in column]


def closed_up(codes):
    """The same codes without gaps, in the same order."""
    place = {code: i for i, code in enumerate(sorted(set(codes)))}
    return [place[code] for code in codes]


def merged(labels, max_categories):
    """The labels kept, most frequent first, and how many rare ones became one level."""
    labels = [label for label in labels if label is not None]
    ranked = sorted(set(labels), key=lambda label: (-labels.count(label), str(label)))
    if len(ranked) <= max_categories:
        return tuple(ranked), 0
    return tuple(ranked[: max_categories - 1]), len(ranked) - max_categories + 1
