"""Lists of parts crossed: by default every two of three meet, or each is met; under `slow` all do."""

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


def in_turn(times=1, **lists):
    """Parametrizes a test by lists of parts, {name: part} each, that have little to do with each other.

    By default every part is met: the lists are gone through side by side, as often as `times` says, each
    time one further apart. All other combinations are `slow`.
    """
    longest, sizes = max(map(len, lists.values())), [len(parts) for parts in lists.values()]
    met = {
        tuple((turn + again * at) % size for at, size in enumerate(sizes))
        for again in range(times)
        for turn in range(longest)
    }
    rows = product(*(enumerate(parts.items()) for parts in lists.values()))
    return pytest.mark.parametrize(
        tuple(lists), [marked(row, tuple(place for place, _ in row) in met) for row in rows]
    )


def combination(row, at, lists):
    """The parts of one row, `slow` if its place in the list `at` does not follow from the other two."""
    places = [place for place, _ in row]
    n = len([*lists.values()][at])
    follows = (sum(places) - places[at]) % n == places[at]
    return marked(row, follows)


def marked(row, by_default):
    names = "-".join(name for _, (name, _) in row)
    return pytest.param(
        *(part for _, (_, part) in row), id=names, marks=() if by_default else pytest.mark.slow
    )
