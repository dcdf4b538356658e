"""The proximal step against all ways there are, and against a generic solver."""

from __future__ import annotations

from itertools import pairwise

import cvxpy as cp
import numpy as np
import pytest
from tests.naive import embedded as naive

from qpfs.embedded.proximal import shrink

SIZES = [(1,), (3,), (2, 2), (1, 4, 2), (3, 1, 1, 2, 5), (1,) * 7]


def blocks_of(x, bounds):
    return [x[start:end] for start, end in pairwise(bounds)]


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_brute_force(sizes, scale):
    rng = np.random.default_rng(len(sizes))
    bounds = np.append(0, np.cumsum(sizes))
    for _ in range(20):
        v = rng.normal(size=bounds[-1]) * np.repeat(rng.exponential(size=len(sizes)), sizes)
        x = v.copy()
        shrink(x, bounds, scale)
        expected = np.concatenate(naive.shrunk(blocks_of(v, bounds), scale))
        np.testing.assert_allclose(x, expected, atol=1e-13)


def test_a_generic_solver():
    rng = np.random.default_rng(0)
    bounds = np.array([0, 2, 5, 6])
    v = rng.normal(size=6) * [3, 3, 1, 1, 1, 0.1]
    x = cp.Variable(6)
    norms = sum(cp.norm(x[start:end]) for start, end in pairwise(bounds))
    cost = 0.7 / 2 * cp.square(norms) + cp.sum_squares(x - v) / 2
    cp.Problem(cp.Minimize(cost)).solve(solver=cp.CLARABEL)
    shrink(v, bounds, 0.7)
    np.testing.assert_allclose(v, x.value, atol=1e-6)


def test_groups_that_should_vanish_do():
    """The threshold of all groups, 17 / 6, where a public program stops, would keep the second one."""
    x = np.array([10.0, 4.0, 1.0, 1.0, 1.0])
    shrink(x, np.arange(6), 1.0)
    np.testing.assert_allclose(x, [5.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("scale", [1e-20, 1e20])
def test_extreme_scales(scale):
    """1 - tau / n is 1 / (1 + lambda) for one group, however close tau is to n."""
    x = np.array([3.0, 4.0])
    shrink(x, np.array([0, 2]), scale)
    np.testing.assert_allclose(x, np.array([3.0, 4.0]) / (1 + scale), rtol=1e-14)


def test_the_intercept_stands_outside_the_groups():
    x = np.array([3.0, 8.0])
    shrink(x, np.array([1, 2]), 1.0)
    np.testing.assert_allclose(x, [1.5, 4.0])


def test_no_groups_and_zeros():
    x = np.zeros(3)
    shrink(x, np.array([0, 1, 3]), 2.0)
    assert not x.any()
    alone = np.array([6.0])
    shrink(alone, np.array([1]), 2.0)
    np.testing.assert_allclose(alone, [2.0])
