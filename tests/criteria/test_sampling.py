"""The mean of Q from some columns: unbiased, with an honest error, also where few features weigh much."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs import AsCodes, ThreeSegments
from qpfs.codes import columns_of, encode, target_of
from qpfs.criteria import Effort, tradeoff
from qpfs.criteria.tradeoff import PILOT, ColumnSample
from qpfs.information import FeatureTable, MutualInformation


def table_of(X, rule=None):
    return FeatureTable(encode(columns_of(X), rule or ThreeSegments())[0], MutualInformation().on(len(X)))


def mixed(n_samples=40, n_features=400, n_rich=12, seed=0):
    """Mostly three levels, and a few columns with as many levels as samples."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_samples, n_features)).astype(float)
    X[:, :n_rich] = rng.normal(size=(n_samples, n_rich))
    return X


@pytest.fixture
def table():
    return table_of(mixed(), AsCodes(60))


def pilot(table, seed, n=PILOT):
    y = np.arange(table.store.n_samples) % 2
    return ColumnSample.pilot(table, table.relevance(target_of(y, None)), np.random.RandomState(seed), n)


def samples(table, n, excess=1.0):
    return [pilot(table, seed, 10).grown(excess).mean() for seed in range(n)]


def test_right_on_average_and_as_far_off_as_said(table):
    mean = table.mean().value
    found = samples(table, 300)
    values = np.array([one.value for one in found])
    errors = np.array([one.standard_error for one in found])
    assert abs(values.mean() - mean) < 3 * values.std() / np.sqrt(len(values))
    assert np.sqrt((errors**2).mean()) == pytest.approx(values.std(), rel=0.2)
    assert 0.9 < (abs(values - mean) < 2 * errors).mean() < 1


def test_few_rich_features_are_a_stratum_taken_whole(table):
    sample = pilot(table, 0)
    rich = [one for one in sample.strata if 0 in one.features]
    assert sorted(rich[0].features) == list(range(12))
    assert rich[0].variance() == 0


def test_more_columns_make_it_more_precise(table):
    rough, fine = samples(table, 1, 0.5)[0], samples(table, 1, 3.0)[0]
    assert fine.standard_error < rough.standard_error / 2


def test_all_columns_are_the_mean(table):
    every = pilot(table, 0).grown(1e9).mean()
    assert every.value == pytest.approx(table.mean().value, rel=1e-12)
    assert every.standard_error == 0


@pytest.mark.parametrize("m", [1, 2, 3, 64, 65, 130, 400])
@pytest.mark.parametrize(("aim", "n"), [(0.003, 64), (0.02, 24), (0.02, 2)])
def test_theta_is_estimated_for_any_number_of_features(m, aim, n):
    X = mixed(n_features=max(m, 12))[:, :m]
    y = np.arange(len(X)) % 2
    table = table_of(X, AsCodes(60))
    relevance = table.relevance(target_of(y, ThreeSegments()))
    exact = tradeoff.trade_off(table, relevance, np.random.RandomState(0))
    for seed in range(5):
        found = tradeoff.trade_off(table, relevance, np.random.RandomState(seed), Effort(0, aim, n))
        assert found.standard_error <= tradeoff.LEEWAY * aim * found.theta
        assert abs(found.theta - exact.theta) <= 5 * found.standard_error + 1e-12
