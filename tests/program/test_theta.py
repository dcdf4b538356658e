"""The rule for theta, against the table of the paper that proposed it."""

from __future__ import annotations

import math

import pytest

from qpfs.program import balanced_theta


@pytest.mark.parametrize(
    ("mean_redundancy", "mean_relevance", "theta"),
    [
        pytest.param(0.0188, 0.0861, 0.179, id="SRBCT"),
        pytest.param(0.0284, 0.158, 0.152, id="GCM"),
        pytest.param(0.0346, 0.0187, 0.649, id="RAT"),
        pytest.param(0.0703, 0.253, 0.217, id="NCI60"),
        pytest.param(0.0106, 0.0152, 0.411, id="ARR"),
        pytest.param(0.0454, 0.0515, 0.469, id="MNIST"),
    ],
)
def test_table_3_of_rodriguez_lujan_2010(mean_redundancy, mean_relevance, theta):
    assert balanced_theta(mean_redundancy, mean_relevance) == pytest.approx(theta, abs=1.1e-3)


@pytest.mark.parametrize(("q", "s", "theta"), [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.5)])
def test_corners(q, s, theta):
    assert balanced_theta(q, s) == theta


@pytest.mark.parametrize("mean", [-0.1, math.nan, math.inf])
def test_means_that_will_not_do(mean):
    with pytest.raises(ValueError, match="finite and not negative"):
        balanced_theta(mean, 0.1)
    with pytest.raises(ValueError, match="finite and not negative"):
        balanced_theta(0.1, mean)
