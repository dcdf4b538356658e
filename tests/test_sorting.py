"""Sorting by digits, and in parts, gives the order of a stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs.sorting import FEW, first_places, occurring, sorted_places

RNG = np.random.default_rng(0)
VALUES = {
    "different": RNG.normal(size=2_000),
    "some equal": np.append(RNG.normal(size=1_000), np.repeat(RNG.normal(size=20), 2))[
        RNG.permutation(1_040)
    ],
    "many equal": np.round(RNG.normal(size=2_000), 1),
    "all equal": np.zeros(300),
    "zeros of both signs": np.append(RNG.normal(size=500), [0.0, -0.0, 0.0, -0.0]),
    "infinite": np.append([np.inf, -np.inf, np.inf], RNG.normal(size=500)),
    "in a few bytes": np.round(RNG.normal(size=1_500), 2).astype(np.float32),
    "two": RNG.integers(0, 2, 3_000).astype(float),
    "integers": RNG.permutation(500),
    "one": np.ones(1),
    "a lot": RNG.permutation(np.append(RNG.normal(size=FEW), np.zeros(50)))
    * np.where(RNG.random(FEW + 50) < 0.5, -1, 1),
    "a lot of any size": np.append(
        RNG.normal(size=FEW) * 10.0 ** RNG.integers(-300, 300, FEW), [np.inf, -np.inf, 0.0, -0.0]
    ),
    "a lot equal": np.round(RNG.normal(size=2 * FEW), 1),
    "a lot all equal": np.full(FEW + 1, -1.5),
    "a lot of integers": RNG.integers(-(1 << 62), 1 << 62, FEW + 1),
    "a lot of large integers": RNG.integers(0, 1 << 64, FEW + 1, np.uint64),
    "a lot of small integers": RNG.integers(-300, 300, FEW + 1),
    "a lot in few bytes": RNG.normal(size=FEW + 1).astype(np.float32),
    "none": np.empty(0),
}
every_kind = pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)


@every_kind
def test_equal_values_stay_in_order(values):
    np.testing.assert_array_equal(sorted_places(values), np.argsort(values, kind="stable"))


@every_kind
@pytest.mark.parametrize("n", [-1, 0, 1, 3, 299, 5_000])
def test_the_lowest_are_the_first_in_order(values, n):
    np.testing.assert_array_equal(first_places(values, n), np.argsort(values, kind="stable")[: max(n, 0)])


@every_kind
def test_different_values_are_those_of_numpy(values):
    for ours, theirs in zip(
        occurring(values), np.unique(values, return_index=True, return_inverse=True), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
