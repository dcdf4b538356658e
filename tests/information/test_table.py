"""Totals, and questions at the edge."""

from __future__ import annotations

import numpy as np
import pytest
from tests.laws.parts import MEASURES

from qpfs import EqualFrequency
from qpfs.codes import columns_of, encode, target_of
from qpfs.engines.local import Local
from qpfs.groups import Groups
from qpfs.information import FeatureTable, MutualInformation

every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def table_of(measure, n_samples=30, n_features=8, seed=0):
    """Seven features of two to four levels, and a constant."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 + np.arange(n_features) % 3, (n_samples, n_features)).astype(float)
    X[:, 1] = X[:, 0]
    X[:, 3] = 5
    return measure.table(columns_of(X))


@every_measure
def test_totals_add_up_columns_and_to_the_mean(measure):
    table = table_of(measure, n_features=60)
    some = table.varying[::3]
    np.testing.assert_allclose(table.totals(some), table.rows(some).sum(axis=1), rtol=1e-11)
    whole = table.totals(table.varying).sum() / len(table.varying) ** 2
    assert whole == pytest.approx(table.mean().value, rel=1e-11)


@every_measure
@pytest.mark.parametrize("asked", [[], [3], [3, 0], [7, 0, 3, 1]])
def test_any_features_may_be_asked_about(measure, asked):
    table = table_of(measure)
    Q = table.rows(np.arange(8))
    asked = np.array(asked, np.intp)
    np.testing.assert_array_equal(table.rows(asked), Q[asked])
    np.testing.assert_array_equal(table.between(asked, np.arange(8)), Q[asked])
    np.testing.assert_array_equal(table.between(np.arange(8), asked), Q[:, asked])
    np.testing.assert_allclose(table.weighted_sum(asked, np.ones(len(asked))), Q[asked].sum(axis=0))
    assert table.distances(asked).shape == (len(asked), 8)


@every_measure
def test_a_table_of_constants_shares_nothing(measure):
    table = measure.table(columns_of(np.full((6, 3), 2.5)))
    everything = np.arange(3)
    assert not table.rows(everything).any()
    assert not table.distances(everything).any()
    assert not table.self_information.any()
    assert not table.relevance(target_of([0, 1, 0, 1, 1, 0], None)).any()
    assert table.mean().value == 0
    assert table.varying.tolist() == []


class Two(Local):
    """An engine that could use two threads, and counts how often it would."""

    n_workers = 2
    calls = 0

    def __exit__(self, *reason):
        pass

    def map(self, function, tasks):
        self.calls += 1
        return map(function, tasks)


def two(n_samples, n_features):
    """A table of three levels, of which one pair takes about 10 ns, and its engine."""
    X, engine = np.random.default_rng(0).normal(size=(n_samples, n_features)), Two()
    store, _ = encode(columns_of(X), EqualFrequency(3))
    table = FeatureTable(store, MutualInformation().on(n_samples), engine)
    assert len(table.held.items) > 0  # from here on
    engine.calls = 0
    return table, engine


def in_groups(table, size):
    n = len(table.varying)
    return Groups(table.varying, np.append(np.arange(0, n, size), n))


@pytest.mark.parametrize("n_samples", [64, 100, 320])
@pytest.mark.parametrize("question", ["distance_sums", "distances_before"])
def test_threads_share_hundreds_of_thousands_of_pairs(n_samples, question):
    table, engine = two(n_samples, 1_200)
    getattr(table, question)(in_groups(table, 600))
    assert engine.calls == 1


@pytest.mark.parametrize("n_samples", [64, 100, 320])
def test_threads_share_the_means_of_thousands_of_features(n_samples):
    table, engine = two(n_samples, 5_000_000 // n_samples)
    groups = in_groups(table, 600)
    table.means(groups, groups.members[groups.bounds[:-1]])
    assert engine.calls == 1


@pytest.mark.parametrize("question", ["distance_sums", "distances_before"])
def test_one_thread_answers_what_takes_less(question):
    table, engine = two(64, 300)
    getattr(table, question)(in_groups(table, 30))
    assert engine.calls == 0


def test_the_nearest_of_few_centres_is_looked_for_among_these(monkeypatch):
    """With each feature a centre of its own, rows of Q would be all pairs."""
    table, _ = two(64, 2_000)
    own = np.arange(2_000)
    monkeypatch.setattr(FeatureTable, "_nearest_of_all", None)  # cannot be called
    found, least = table.nearest(table.varying, np.zeros_like(own), np.zeros_like(own), table.varying)
    assert not found.any()
    assert np.isinf(least).all()
    hi = np.where(own < 20, 2_000, 0)
    found, least = table.nearest(table.varying, np.zeros_like(own), hi, table.varying)
    np.testing.assert_array_equal(found[:20], own[:20])
    assert np.isinf(least[20:]).all()
