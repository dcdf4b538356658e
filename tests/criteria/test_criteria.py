"""Criteria weigh any features of a table, and the matrix they see is the definition's."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import latent_factors
from tests.naive import selectors as naive

from qpfs import ThreeSegments
from qpfs.codes import columns_of, encode, target_of
from qpfs.criteria import (
    GreedyCriterion,
    NystromCriterion,
    QuadraticCriterion,
    Redundancy,
    RelevanceCriterion,
    TradeOff,
    difference,
    quotient,
    trade_off,
)
from qpfs.criteria.tradeoff import balanced
from qpfs.information import FeatureTable, Mean, MutualInformation

CRITERIA = [
    RelevanceCriterion(),
    GreedyCriterion(difference, 6),
    GreedyCriterion(quotient, 6),
    GreedyCriterion(difference, None),
    QuadraticCriterion(TradeOff(0.4)),
    NystromCriterion(0.4, 0.5, True, np.random.RandomState(0)),
]


def table_of(X):
    return FeatureTable(encode(columns_of(X), ThreeSegments())[0], MutualInformation().on(len(X)))


def samples():
    """Forty features, one of them constant, and their target."""
    X, y = latent_factors(60, 300)
    X = X[:, :40].copy()
    X[:, 7] = 1.0
    return X, y


@pytest.fixture
def problem():
    X, y = samples()
    table = table_of(X)
    return X, y, table, table.relevance(target_of(y, ThreeSegments()))


@pytest.fixture(scope="module")
def definition():
    """The redundancy of every two features, from the definition."""
    return naive.redundancy(naive.three_segments(samples()[0]))


def weigh(criterion, table, relevance, features):
    return criterion.weigh(table, relevance, features, lambda: None)


@pytest.mark.parametrize("criterion", CRITERIA[:-1], ids=lambda c: type(c).__name__)
def test_weighing_some_features_is_weighing_the_table_of_them(problem, criterion):
    X, _, table, relevance = problem
    some = np.array([0, 3, 4, 9, 12, 20, 33, 39])
    alone = table_of(X[:, some])
    expected = weigh(criterion, alone, relevance[some], np.arange(len(some)))
    found = weigh(criterion, table, relevance, some)
    np.testing.assert_array_equal(found.order, some[expected.order])
    np.testing.assert_array_equal(found.scores[some], expected.scores)
    assert not np.delete(found.scores, some).any()


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: type(c).__name__)
def test_constants_are_not_ranked(problem, criterion):
    _, _, table, relevance = problem
    found = weigh(criterion, table, relevance, table.varying)
    assert 7 not in found.order
    assert len(set(found.order)) == len(found.order)


@pytest.mark.parametrize("cache_bytes", [1 << 20, 8 * 39 * 4, 0])
@pytest.mark.parametrize("n", [39, 36, 31])  # all, most, some: asked as a whole, or taken out
@pytest.mark.parametrize("step", [1, -1])
def test_redundancy_is_the_matrix_of_the_definition(problem, definition, cache_bytes, n, step):
    _, _, table, _ = problem
    features = table.varying[:n][::step]
    Q = definition[np.ix_(features, features)]
    seen = Redundancy(table, features, cache_bytes)
    rows, columns = np.array([5, 0, 17]), np.array([2, 30, 5, 11])
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(seen.diagonal(), np.diag(Q), atol=1e-12)
    np.testing.assert_allclose(seen.block(rows, columns), Q[np.ix_(rows, columns)], atol=1e-12)
    np.testing.assert_allclose(seen.product(columns, weights), Q[:, columns] @ weights, atol=1e-12)
    np.testing.assert_allclose(seen.rows(columns), Q[columns], atol=1e-12)
    assert seen.mean().value == pytest.approx(Q.mean(), rel=1e-12)


def test_a_column_is_computed_once(problem, monkeypatch):
    _, _, table, _ = problem
    asked = []
    rows = table.rows
    monkeypatch.setattr(table, "rows", lambda features: asked.extend(features) or rows(features))
    seen = Redundancy(table, table.varying)
    seen.block(np.array([0, 1]), np.array([2, 3]))
    seen.product(np.array([2, 3, 4]), np.ones(3))
    seen.product(np.array([4, 2]), np.ones(2))
    assert asked == list(table.varying[[2, 3, 4]])


def test_greedy_with_more_asked_for_than_there_are(problem):
    _, _, table, relevance = problem
    found = weigh(GreedyCriterion(difference, 40), table, relevance, table.varying)
    assert sorted(found.order) == list(table.varying)


def test_the_balanced_trade_off(problem, definition):
    X, y, table, relevance = problem
    q = definition[np.ix_(table.varying, table.varying)].mean()
    s = naive.relevance(naive.three_segments(X[:, table.varying]), y).mean()
    found = trade_off(table, relevance, np.random.RandomState(0))
    assert found.theta == pytest.approx(q / (q + s), rel=1e-12)
    assert found.standard_error == 0


def test_the_error_of_theta_follows_from_that_of_the_mean():
    q, s, error = 0.05, 0.08, 1e-4
    step = 1e-7
    slope = (balanced(Mean(q + step), s).theta - balanced(Mean(q - step), s).theta) / (2 * step)
    assert balanced(Mean(q, error), s).standard_error == pytest.approx(slope * error, rel=1e-6)


def test_no_relevance_at_all_is_theta_zero(problem):
    _, _, table, relevance = problem
    assert trade_off(table, np.zeros_like(relevance), np.random.RandomState(0)).theta == 0
