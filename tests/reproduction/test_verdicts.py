"""Verdicts on cases made by hand."""

from __future__ import annotations

import pytest
from reproduction.results import Curve
from reproduction.verdicts import (
    BETTER,
    NOT_COMPARABLE,
    OURS_ONLY,
    REPRODUCED,
    SAME,
    WORSE,
    Cell,
    error_cell,
    noise,
    ratio_cell,
    size_cell,
    verdict_counts,
)


def one_test(*wrong, n=62):
    """A curve of leave-one-out at 5, 10, ... features."""
    sizes = [5 * (i + 1) for i in range(len(wrong))]
    return Curve({}, sizes, [one / n for one in wrong], [0.0] * len(wrong), n)


def splits(error, spread):
    return Curve({}, [10], [error], [spread], 228)


def test_wilsons_interval_is_the_noise_of_leave_one_out():
    low, high = noise(one_test(8), 5)  # 8 of 62: the centre is (8 + z^2 / 2) / (62 + z^2)
    z2 = 1.959963985**2
    assert (low + high) / 2 == pytest.approx(100 * (8 + z2 / 2) / (62 + z2))


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [(12.9, SAME), (12.91, SAME), (8.06, REPRODUCED), (20.97, REPRODUCED), (5.0, WORSE), (40.0, BETTER)],
)
def test_an_error_by_leave_one_out(paper, verdict):
    cell = error_cell(paper, one_test(8), 5, "qpfs")
    assert cell.verdict == verdict
    assert cell.difference == pytest.approx(800 / 62 - paper)


@pytest.mark.parametrize(
    ("paper", "verdict"),
    [(4.0, SAME), (4.27, REPRODUCED), (3.73, REPRODUCED), (4.3, BETTER), (3.7, WORSE)],
)
def test_an_error_over_splits_has_the_noise_of_two_means(paper, verdict):
    # standard error 0.1 points: 1.96 * sqrt(2) * 0.1 = 0.277
    assert error_cell(paper, splits(0.04, 0.001), 10, "qpfs").verdict == verdict


def test_what_cannot_be_judged():
    curve = one_test(8)
    assert error_cell(None, curve, 5, "qpfs") == Cell(None, pytest.approx(800 / 62), OURS_ONLY)
    assert error_cell(3.0, None, None, "qpfs").verdict == NOT_COMPARABLE
    assert error_cell(3.0, curve, 100, "qpfs").verdict == NOT_COMPARABLE  # so many were not found
    assert error_cell(None, None, None, "qpfs").difference is None
    assert "reconstruction" in error_cell(12.9, curve, 5, "gdm").reason


def test_the_number_of_features_is_reproduced_where_the_curve_is_as_low():
    curve = one_test(20, 5, 6, 30)  # lowest at 10 features, as good as that at 15
    assert size_cell(10, curve, "ikm").verdict == SAME
    assert size_cell(14, curve, "ikm").verdict == REPRODUCED
    assert size_cell(20, curve, "ikm").verdict == BETTER
    assert size_cell(5, curve, "ikm").verdict == WORSE


@pytest.mark.parametrize(
    ("paper", "ours", "verdict"),
    [(1.0, 2.0, REPRODUCED), (1.0, 0.5, REPRODUCED), (0.01, 2.0, WORSE), (3.0, 0.1, BETTER)],
)
def test_ratios(paper, ours, verdict):
    assert ratio_cell(paper, ours, "ikm").verdict == verdict


def test_verdicts_are_counted():
    cells = [Cell(1.0, 1.0, SAME), Cell(1.0, 2.0, WORSE), Cell(1.0, 3.0, WORSE)]
    assert verdict_counts(cells)[SAME] == 1
    assert verdict_counts(cells)[WORSE] == 2
    assert sum(verdict_counts(cells).values()) == 3
