"""Intervals against SciPy, scikit-learn's numbers and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from qpfs.evaluation import intervals
from qpfs.evaluation.intervals import estimate, proportion
from qpfs.evaluation.judging import ErrorRate, Scorer
from qpfs.evaluation.splits import Splits


def of_splits(losses, references, n_train=60, n_test=40):
    losses = np.asarray(losses, float)
    n = len(losses)
    return intervals.Tested(losses, np.asarray(references, float), np.full(n, n_train), np.full(n, n_test))


def folds(n, repeats=1, n_samples=40):
    rows = np.arange(n_samples)
    parts = [(rows[rows % n != i], rows[rows % n == i]) for i in range(n)]
    return Splits(tuple(parts * repeats), "KFold", {}, False, False)


def random_splits(n, n_samples=100):
    rng = np.random.default_rng(0)
    rows = [rng.permutation(n_samples) for _ in range(n)]
    return Splits(tuple((one[40:], one[:40]) for one in rows), "ShuffleSplit", {}, False, False)


@pytest.mark.parametrize(("wrong", "n"), [(0, 62), (8, 62), (31, 62), (62, 62), (1, 5)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_proportions_have_the_interval_of_wilson(wrong, n, confidence):
    found = proportion(wrong / n, n, confidence)
    wilson = stats.binomtest(wrong, n).proportion_ci(confidence, "wilson")
    assert (float(found.low), float(found.high)) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_folds_are_pooled_and_repeats_add_no_samples():
    losses, references = [[2], [1], [4], [0]], [10, 10, 10, 10]
    once = estimate(of_splits(losses, references), folds(4), ErrorRate(), True)
    twice = estimate(of_splits(losses * 2, references * 2), folds(4, 2), ErrorRate(), True)
    assert once.mean == twice.mean == 7 / 40
    wilson = stats.binomtest(7, 40).proportion_ci(0.95, "wilson")
    assert [*once.low, *once.high] == pytest.approx([wilson.low, wilson.high])
    assert twice.high == once.high


def test_random_splits_are_corrected_for_what_they_share():
    errors = np.array([0.1, 0.2, 0.15, 0.3, 0.25])
    found = estimate(of_splits(errors[:, None] * 40, np.full(5, 40)), random_splits(5), ErrorRate(), True)
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
        found = estimate(of_splits(losses[:, None], references), folds(20), ErrorRate(), False)
        covered += found.low[0] <= truth <= found.high[0]
    assert abs(covered / 600 - 0.95) < 0.036  # 4 standard errors


def test_one_split_of_a_quantity_has_no_interval():
    one = Splits(((np.arange(5), np.arange(5, 9)),), "", {}, True, False)
    found = estimate(of_splits([[3.0]], [10.0]), one, ErrorRate(), False)
    assert found.mean == pytest.approx(0.3)
    assert np.isnan([*found.low, *found.high, *found.standard_error]).all()


def test_scores_of_folds_are_corrected_where_training_parts_overlap():
    scores = np.array([0.9, 0.7, 0.8, 0.6])
    tested = of_splits(scores[:, None], np.ones(4), n_train=30, n_test=10)
    found = estimate(tested, folds(4), Scorer("mine", None), True)
    se = np.sqrt((1 / 4 + 1 / 3) * np.var(scores, ddof=1))
    low, high = stats.t.interval(0.95, 3, scores.mean(), se)
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
    apart = of_splits(scores[:2, None], np.ones(2), n_train=20, n_test=20)
    found = estimate(apart, folds(2), Scorer("mine", None), True)
    assert found.standard_error[0] == pytest.approx(np.std(scores[:2], ddof=1) / np.sqrt(2))


def test_what_splits_are_is_read_off_their_rows():
    assert [folds(4).repeats, folds(4, 3).repeats, random_splits(5).repeats] == [1, 3, 0]
    assert [folds(4).training_overlaps, folds(2).training_overlaps] == [True, False]
