"""How the features with weight are ranked, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive.selectors import greedy

from qpfs.criteria import orders
from qpfs.criteria.orders import by_nearest, by_weight
from qpfs.program import DenseQuadratic, SimplexProgram, solve


def posed(seed, m=40, n=25):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, m)) + 0.7 * rng.normal(size=(n, 1))
    scores /= np.linalg.norm(scores, axis=0)
    Q, s = (scores.T @ scores) ** 2, rng.uniform(size=m)
    solution = solve(SimplexProgram(DenseQuadratic(Q), s, 0.4))
    assert 3 < len(solution.support) < m
    return Q, s, solution


@pytest.mark.parametrize("at_once", [4096, 0])
@pytest.mark.parametrize("seed", range(5))
def test_one_by_one(seed, at_once, monkeypatch):
    monkeypatch.setattr(orders, "MOST_AT_ONCE", at_once)
    Q, s, solution = posed(seed)
    among = solution.support
    taken = greedy(s[among], Q[np.ix_(among, among)], len(among), lambda s, r: s - r, max)
    order = by_nearest(solution, DenseQuadratic(Q), s)
    np.testing.assert_array_equal(order[: len(among)], among[taken])
    np.testing.assert_array_equal(order[len(among) :], solution.order()[len(among) :])


def test_by_weight_is_as_published():
    Q, s, solution = posed(0)
    order = by_weight(solution, DenseQuadratic(Q), s)
    assert (np.diff(solution.weights[order]) <= 0).all()


def test_ties_go_to_the_lowest_index():
    Q, s = np.eye(4), np.full(4, 0.5)
    solution = solve(SimplexProgram(DenseQuadratic(Q), s, 0.5))
    np.testing.assert_array_equal(by_nearest(solution, DenseQuadratic(Q), s), range(4))
