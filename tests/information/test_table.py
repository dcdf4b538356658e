"""Totals, and questions at the edge."""

from __future__ import annotations

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
