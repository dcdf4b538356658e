"""Intervals against SciPy, scikit-learn's numbers and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from qpfs.evaluation import Folds, GivenSplit, RandomSplits, intervals
from qpfs.evaluation.intervals import estimate, proportion


def of_splits(losses, references, n_train=60, n_test=40):
    losses = np.asarray(losses, float)
    n = len(losses)
    return intervals.Tested(losses, np.asarray(references, float), np.full(n, n_train), np.full(n, n_test))


@pytest.mark.parametrize(("wrong", "n"), [(0, 62), (8, 62), (31, 62), (62, 62), (1, 5)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_proportions_have_the_interval_of_wilson(wrong, n, level):
    found = proportion(wrong / n, n, level)
    wilson = stats.binomtest(wrong, n).proportion_ci(level, "wilson")
    assert (float(found.low), float(found.high)) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_folds_are_pooled_and_repeats_add_no_samples():
    losses, references = [[2], [1], [4], [0]], [10, 10, 10, 10]
    once = estimate(of_splits(losses, references), Folds(4), True)
    twice = estimate(of_splits(losses * 2, references * 2), Folds(4, repeats=2), True)
    assert once.mean == twice.mean == 7 / 40
    wilson = stats.binomtest(7, 40).proportion_ci(0.95, "wilson")
    assert [*once.low, *once.high] == pytest.approx([wilson.low, wilson.high])
    assert twice.high == once.high


def test_random_splits_are_corrected_for_what_they_share():
    errors = np.array([0.1, 0.2, 0.15, 0.3, 0.25])
    found = estimate(of_splits(errors[:, None] * 40, np.full(5, 40)), RandomSplits(5), True)
    se = np.sqrt((1 / 5 + 40 / 60) * np.var(errors, ddof=1))
    low, high = stats.t.interval(0.95, 4, errors.mean(), se)
    assert found.mean[0] == pytest.approx(errors.mean())
    assert found.standard_error[0] == pytest.approx(se)
    assert (found.low[0], found.high[0]) == pytest.approx((max(low, 0), high))


def test_the_interval_of_a_ratio_covers():
    rng, truth, covered = np.random.default_rng(0), 0.4, 0
    for _ in range(600):
        references = rng.uniform(5, 15, 20)
        losses = truth * references + rng.normal(0, 1, 20)
        found = estimate(of_splits(losses[:, None], references), Folds(20), False)
        covered += found.low[0] <= truth <= found.high[0]
    assert abs(covered / 600 - 0.95) < 0.036  # 4 standard errors


def test_one_split_of_a_quantity_has_no_interval():
    found = estimate(of_splits([[3.0]], [10.0]), GivenSplit([0]), False)
    assert found.mean == pytest.approx(0.3)
    assert np.isnan([*found.low, *found.high, *found.standard_error]).all()
