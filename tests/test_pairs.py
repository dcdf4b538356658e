"""What runs by default when lists of parts are crossed."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from tests.pairs import crossed, in_turn


def named(letter, n):
    return {f"{letter}{i}": (letter, i) for i in range(n)}


@pytest.mark.parametrize("sizes", [(8, 9, 4), (3, 3, 6), (1, 1, 1), (2, 5, 5), (4, 1, 3)], ids=str)
def test_every_two_parts_meet_by_default_and_all_three_under_slow(sizes):
    lists = [named(letter, n) for letter, n in zip("abc", sizes, strict=True)]
    rows = crossed(**dict(zip("abc", lists, strict=True))).args[1]
    assert sorted(row.values for row in rows) == sorted(product(*(parts.values() for parts in lists)))
    default = [row.values for row in rows if not row.marks]
    met = {pair for row in default for pair in combinations(row, 2)}
    expected = {
        pair for one, other in combinations(lists, 2) for pair in product(one.values(), other.values())
    }
    assert met == expected
    assert len(default) == sorted(sizes)[1] * sorted(sizes)[2]
    assert all([mark.name for mark in row.marks] == ["slow"] for row in rows if row.values not in default)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("sizes", [(2, 5), (5, 6), (2, 2, 5), (3, 3), (1, 1)], ids=str)
def test_every_part_is_met_by_default_and_every_combination_under_slow(sizes, times):
    lists = [named(letter, n) for letter, n in zip("abc", sizes, strict=False)]
    rows = in_turn(times, **dict(zip("abc", lists, strict=False))).args[1]
    assert sorted(row.values for row in rows) == sorted(product(*(parts.values() for parts in lists)))
    default = [row.values for row in rows if not row.marks]
    assert {part for row in default for part in row} == {part for one in lists for part in one.values()}
    assert len(default) <= times * max(sizes)
    assert all([mark.name for mark in row.marks] == ["slow"] for row in rows if row.values not in default)
