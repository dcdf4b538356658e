"""Tests over data sets against Demsar's worked example, SciPy, and counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from reproduction.significance import critical_difference, friedman, holm, ranks_p, signed_rank_p
from scipy import stats
from tests.naive import evaluation as naive

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Table 6 of Demsar (2006): areas under the curve on 14 data sets. Two that are printed equal (0.975 in the
# last row but one) are ranked apart there.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
ERRORS = 1 - AREAS
TIES = 1 - (3 * (2**3 - 2) + (4**3 - 4)) / (14 * 4 * (4**2 - 1))  # three pairs and one four of equal areas


def test_friedman_on_the_published_example():
    found = friedman(np.round(ERRORS, 6))
    np.testing.assert_allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    published = found.statistic * TIES  # there without the correction for equal values
    assert published == pytest.approx(9.28, abs=0.005)
    assert 13 * published / (14 * 3 - published) == pytest.approx(3.69, abs=0.005)


def test_nemenyi_on_the_published_example():
    assert critical_difference(14, 4) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(14, 4, level=0.90) == pytest.approx(1.12, abs=0.005)
    ranks = friedman(np.round(ERRORS, 6)).ranks
    assert np.ptp(ranks) < critical_difference(14, 4)


def test_holm_on_the_published_example():
    p = ranks_p(np.round(ERRORS, 6), NAMES.index("C4.5"))
    assert p == pytest.approx([1.0, 0.019, 0.607, 0.016], abs=2e-3)
    # 0.016 < 0.05 / 3, 0.019 < 0.05 / 2, 0.607 > 0.05: two differ
    assert [name for name, one in zip(NAMES[1:], holm(p[1:]), strict=True) if one < 0.05] == [
        "C4.5+m",
        "C4.5+m+cf",
    ]


def test_wilcoxon_on_the_published_example():
    p = signed_rank_p(np.round(ERRORS[:, 0] - ERRORS[:, 1], 6))
    z = (12 - 14 * 15 / 4) / np.sqrt(14 * 15 * 29 / 24)  # the smaller sum of ranks is 12
    assert p == pytest.approx(2 * stats.norm.cdf(z), rel=0.15)  # exact or not, ties or not
    assert p < 0.05  # as published: 12 is below 21


@pytest.mark.parametrize(
    ("k", "q"),
    [
        (2, 1.960),
        (3, 2.343),
        (4, 2.569),
        (5, 2.728),
        (6, 2.850),
        (7, 2.949),
        (8, 3.031),
        (9, 3.102),
        (10, 3.164),
    ],
)
def test_critical_values_are_the_published_ones(k, q):
    assert critical_difference(30, k) / np.sqrt(k * (k + 1) / 180) == pytest.approx(q, abs=1.5e-3)


@pytest.mark.parametrize("seed", range(4))
def test_friedman_is_that_of_scipy_with_equal_errors_too(seed):
    errors = np.random.default_rng(seed).integers(0, 5, (12, 4))
    found, other = friedman(errors), stats.friedmanchisquare(*errors.T)
    assert (found.statistic, found.p) == pytest.approx((other.statistic, other.pvalue))


def test_of_two_methods_nemenyi_is_the_normal_distribution():
    assert critical_difference(9, 2) == pytest.approx(stats.norm.ppf(0.975) / np.sqrt(9), rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_counts_all_signs(seed):
    differences = np.random.default_rng(seed).normal(size=8)
    assert signed_rank_p(differences) == pytest.approx(naive.signed_rank_p(differences))


def test_equal_methods_do_not_differ():
    errors = np.repeat(np.random.default_rng(0).random((6, 1)), 3, axis=1)
    found = friedman(errors)
    assert (found.statistic, found.p, found.f_p) == (0.0, 1.0, 1.0)
    assert signed_rank_p(errors[:, 0] - errors[:, 1]) == 1.0
    assert ranks_p(errors, 0).tolist() == [1.0, 1.0, 1.0]


def test_one_that_always_wins_and_one_that_always_loses():
    found = friedman(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert found.statistic == pytest.approx(10.0)  # N (k - 1), the most there is
    assert found.f_p < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_the_definition(seed):
    p = np.random.default_rng(seed).random(7) ** 3
    np.testing.assert_allclose(holm(p), naive.holm(p.tolist()))


def test_under_chance_friedman_is_as_often_significant_as_it_says():
    rng = np.random.default_rng(0)
    p = [friedman(rng.random((15, 4))).f_p for _ in range(2000)]
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 0.02


@pytest.mark.parametrize("errors", [[1, 2], [[1, 2]], [[1, np.nan], [1, 2]]])
def test_what_makes_no_sense(errors):
    with pytest.raises(ValueError, match="at least 2 of each"):
        friedman(errors)
