"""Sampled means, and questions at the edge."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.laws.parts import MEASURES

from qpfs.codes import columns_of, target_of

every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def table_of(measure, n_samples=30, n_features=8, seed=0):
    """Seven features of two to four levels, and a constant."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 + np.arange(n_features) % 3, (n_samples, n_features)).astype(float)
    X[:, 1] = X[:, 0]
    X[:, 3] = 5
    return measure.table(columns_of(X))


@every_measure
@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_sampled_mean_is_right_on_average(measure, size):
    table = table_of(measure)
    samples = [table.sampled_mean(np.array(s)) for s in combinations(table.varying, size)]
    values = np.array([sample.value for sample in samples])
    squared_errors = [sample.standard_error**2 for sample in samples]
    assert values.mean() == pytest.approx(table.mean().value, abs=1e-9)
    assert np.mean(squared_errors) == pytest.approx(values.var(), rel=1e-6)


@every_measure
def test_the_sample_of_all_features_is_the_mean(measure):
    table = table_of(measure)
    sampled = table.sampled_mean(table.varying)
    assert sampled.value == pytest.approx(table.mean().value, abs=1e-9)
    assert sampled.standard_error == 0


@every_measure
def test_the_standard_error_covers_what_it_says(measure):
    table = table_of(measure, n_features=60)
    mean, rng = table.mean().value, np.random.default_rng(1)
    samples = [table.sampled_mean(rng.permutation(table.varying)[:20]) for _ in range(150)]
    off = np.array([abs(sample.value - mean) / sample.standard_error for sample in samples])
    assert 0.85 < (off < 2).mean() < 1


@every_measure
@pytest.mark.parametrize("asked", [[], [3], [3, 0], [7, 0, 3, 1]])
def test_any_features_may_be_asked_about(measure, asked):
    table = table_of(measure)
    Q = table.columns(np.arange(8))
    asked = np.array(asked, np.intp)
    np.testing.assert_array_equal(table.columns(asked), Q[asked])
    np.testing.assert_array_equal(table.between(asked, np.arange(8)), Q[asked])
    np.testing.assert_array_equal(table.between(np.arange(8), asked), Q[:, asked])
    np.testing.assert_allclose(table.weighted_sum(asked, np.ones(len(asked))), Q[asked].sum(axis=0))
    assert table.distances(asked).shape == (len(asked), 8)


@every_measure
def test_a_table_of_constants_shares_nothing(measure):
    table = measure.table(columns_of(np.full((6, 3), 2.5)))
    everything = np.arange(3)
    assert not table.columns(everything).any()
    assert not table.distances(everything).any()
    assert not table.own.any()
    assert not table.relevance(target_of([0, 1, 0, 1, 1, 0], None)).any()
    assert table.mean().value == 0
    assert table.varying.tolist() == []
