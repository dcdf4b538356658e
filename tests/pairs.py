"""Three lists of parts crossed, so that by default every two parts meet, and all three under `slow`."""

from __future__ import annotations

from itertools import product

import pytest


def crossed(**lists):
    """Parametrizes a test by three lists of parts, {name: part} each.

    Let i and j be the places in the two longer lists, and k that in the shortest, of n parts. The
    combinations with i + j = k modulo n hold every i with every j; and as i and j run through n or more
    values each, they hold every i and every j with every k. All others are `slow`.
    """
    shortest = min(lists, key=lambda name: len(lists[name]))
    rows = product(*(enumerate(parts.items()) for parts in lists.values()))
    return pytest.mark.parametrize(
        tuple(lists), [combination(row, [*lists].index(shortest), lists) for row in rows]
    )


def combination(row, at, lists):
    """The parts of one row, `slow` if its place in the list `at` does not follow from the other two."""
    places = [place for place, _ in row]
    n = len([*lists.values()][at])
    follows = (sum(places) - places[at]) % n == places[at]
    names = "-".join(name for _, (name, _) in row)
    return pytest.param(*(part for _, (_, part) in row), id=names, marks=() if follows else pytest.mark.slow)
