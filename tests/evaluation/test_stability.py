"""Stability of selections against definitions, theorems and simulation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.naive import evaluation as naive

from qpfs.evaluation import kuncheva, stability
from qpfs.evaluation.agreement import chance_of_clusters, cluster_masks


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
    found = stability([[1, 0, 1, 0, 0]] * 10)
    assert (found.index, found.variance, found.low, found.high) == (1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(("n", "known"), [(2, False), (9, False), (10, True), (50, True)])
def test_no_interval_is_taken_from_fewer_than_ten(n, known):
    found = stability(drawn(n, 20, 0))
    assert np.isfinite([found.index, found.variance]).all()
    assert np.isfinite([found.low, found.high]).tolist() == [known, known]


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


def grouped(n, d, n_clusters, seed):
    """Selections of different sizes, and a cluster for each feature."""
    rng = np.random.default_rng(seed)
    return drawn(n, d, seed, np.full(d, 0.35)), rng.integers(n_clusters, size=d)


@pytest.mark.parametrize("seed", range(6))
def test_over_clusters_the_index_is_that_of_the_definition(seed):
    Z, clusters = grouped(6, 9, 4, seed)
    found = stability(Z, clusters=clusters)
    assert found.index == pytest.approx(max(naive.cluster_stability(Z, clusters), -1.0), abs=1e-12)
    held = [[Z[i, clusters == c].any() for c in np.unique(clusters)] for i in range(6)]
    np.testing.assert_allclose(found.frequencies, np.mean(held, axis=0))


def test_over_clusters_the_variance_is_in_the_limit_that_of_the_jackknife():
    Z, clusters = grouped(400, 7, 3, 0)
    weighted = partial(weighted_over, clusters=clusters)
    twin = naive.jackknife_variance_of_stability(Z, weighted=weighted)
    assert stability(Z, clusters=clusters).variance == pytest.approx(twin, rel=0.02)


def weighted_over(Z, weights, clusters):
    """The index over clusters of weighted selections: chances from the closed form, which others check."""
    labels = np.unique(clusters, return_inverse=True)[1]
    chance = chance_of_clusters(Z, np.bincount(labels))
    n, kinds = len(Z), np.unique(np.bincount(labels))
    h = np.average(chance.shares, axis=0, weights=weights)[np.searchsorted(kinds, np.bincount(labels))]
    p = np.average(cluster_masks(Z, labels), axis=0, weights=weights)
    return 1 - n / (n - 1) * (p * (1 - p)).sum() / (h * (1 - h)).sum()


@pytest.mark.parametrize("clusters", [np.arange(20), np.full(20, -1), np.arange(20)[::-1] * 7])
def test_features_by_themselves_are_clusters(clusters):
    Z = drawn(12, 20, 3)
    plain, over = stability(Z), stability(Z, clusters=clusters)
    for name in ("index", "variance", "low", "high"):
        assert getattr(over, name) == pytest.approx(getattr(plain, name), abs=1e-12)


def test_members_may_change_while_clusters_stay():
    Z = np.zeros((12, 30), bool)
    for i, mask in enumerate(Z):
        mask[[i % 3, 3 + i % 2]] = True
    clusters = np.r_[[0, 0, 0, 1, 1], np.full(25, -1)]
    assert stability(Z).index < 0.4
    assert stability(Z, clusters=clusters).index == 1.0


def test_large_clusters_are_hit_by_chance_and_that_says_nothing():
    rng = np.random.default_rng(0)
    clusters = np.r_[np.repeat(np.arange(4), 50), 4 + np.arange(200)]
    selections = [np.argsort(rng.random((10, 400)), axis=1) < 8 for _ in range(600)]
    found = [stability(Z, clusters=clusters).index for Z in selections]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(600)
    as_features = [stability(cluster_masks(Z, clusters)).index for Z in selections[:50]]
    assert np.mean(as_features) > 0.2


def test_one_cluster_of_all_has_no_index():
    assert np.isnan(stability(drawn(10, 6, 0, np.full(6, 0.9)), clusters=np.zeros(6, int)).index)


@pytest.mark.parametrize("bad", [[0, 1], [0.5, 1, 2], [[0, 1, 2]], ["a", "b", "c"]])
def test_bad_clusters(bad):
    with pytest.raises(ValueError, match="integer for each of 3 features"):
        stability([[1, 0, 0], [0, 1, 0]], clusters=bad)
