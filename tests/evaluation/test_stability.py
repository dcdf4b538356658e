"""Stability of selections against definitions, theorems and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import evaluation as naive

from qpfs.evaluation import kuncheva, stability


def drawn(n, d, seed, chances=None):
    rng = np.random.default_rng(seed)
    return rng.random((n, d)) < (rng.random(d) if chances is None else chances)


@pytest.mark.parametrize("seed", range(5))
def test_index_and_variance_are_those_of_the_definition(seed):
    Z = drawn(12, 30, seed)
    found = stability(Z)
    assert found.index == pytest.approx(naive.stability(Z), abs=1e-12)
    assert found.variance == pytest.approx(naive.variance_of_stability(Z), rel=1e-9)
    np.testing.assert_allclose(found.frequencies, Z.mean(axis=0))
    assert found.n == 12


def test_the_variance_is_in_the_limit_that_of_the_jackknife():
    Z = drawn(800, 15, 0)
    assert stability(Z).variance == pytest.approx(naive.jackknife_variance_of_stability(Z), rel=0.005)


def test_by_hand():
    # p = (1, 1/2, 1/2, 0): mean of 2 p (1 - p) is 1/4, over 1/2 * 1/2
    assert stability([[1, 1, 0, 0], [1, 0, 1, 0]]).index == pytest.approx(0.0)
    # disjoint halves: p = 1/2 throughout, the least there is: -1 / (n - 1)
    assert stability([[1, 1, 0, 0], [0, 0, 1, 1]]).index == pytest.approx(-1.0)


def test_equal_selections_are_stable():
    found = stability([[1, 0, 1, 0, 0]] * 4)
    assert (found.index, found.variance, found.low, found.high) == (1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("value", [0, 1])
def test_nothing_and_everything_have_no_index(value):
    found = stability(np.full((3, 5), value))
    assert np.isnan([found.index, found.variance, found.low, found.high]).all()
    assert np.isnan(kuncheva(np.full((3, 5), value)))


@pytest.mark.parametrize("seed", range(5))
def test_kuncheva_is_the_mean_over_pairs_and_for_equal_sizes_the_index(seed):
    Z = np.argsort(np.random.default_rng(seed).random((7, 20)), axis=1) < 6
    assert kuncheva(Z) == pytest.approx(naive.kuncheva(Z), abs=1e-12)
    assert kuncheva(Z) == pytest.approx(stability(Z).index, abs=1e-12)


def test_kuncheva_wants_equal_sizes():
    with pytest.raises(ValueError, match="1 to 2 features"):
        kuncheva([[1, 0, 0], [1, 1, 0]])


@pytest.mark.parametrize("bad", [[[1, 0]], [1, 0, 1], [[1, 2], [0, 1]], np.empty((2, 0))])
def test_bad_selections(bad):
    with pytest.raises(ValueError, match="selections"):
        stability(bad)


def test_bad_confidence():
    with pytest.raises(ValueError, match=r"confidence=95.*0\.95"):
        stability([[1, 0], [1, 0]], confidence=95)


def test_at_random_the_index_is_zero_on_average():
    found = [stability(drawn(10, 40, seed, np.full(40, 0.25))).index for seed in range(400)]
    assert abs(np.mean(found)) < 4 * np.std(found) / 20


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_covers_what_it_estimates(confidence):
    chances = np.concatenate([np.full(8, 0.8), np.full(30, 0.1)])
    share = chances.mean()
    truth = 1 - (chances * (1 - chances)).mean() / (share * (1 - share))
    found = [stability(drawn(100, 38, seed, chances), confidence=confidence) for seed in range(1000)]
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert abs(covered - confidence) < 0.03  # 4 standard errors at 0.8: 0.05; at 0.95: 0.028


def test_the_interval_widens_with_its_confidence():
    Z = drawn(10, 30, 0)
    narrow, wide = (stability(Z, confidence=confidence) for confidence in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.index < narrow.high < wide.high
