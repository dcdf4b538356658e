"""The groups that are searched for, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import hadamard
from tests.naive import embedded as naive

from qpfs.embedded import DenseFeatures, Largest, SparseFeatures, Uncorrelated, affiliations
from qpfs.embedded.searches import leading, unit_columns


def samples(n=30, m=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, m)) + 0.4 * rng.normal(size=(n, m))
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.exponential(size=n)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [DenseFeatures, lambda X: SparseFeatures(sparse.csc_array(X))])
def test_the_pass_over_the_data_is_its_definition(kind, seed):
    X, y, a = samples(seed=seed)
    a[::3] = 0.0
    np.testing.assert_allclose(
        kind(X).products(a * y), naive.correlation_with_pulls(X, y, a), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("size", [1, 2, 4, 12])
@pytest.mark.parametrize("seed", range(5))
def test_the_most_violated_group_is_the_best_of_all(seed, size):
    X, y, a = samples(seed=seed)
    features = DenseFeatures(X)
    c = features.products(a * y)
    assert sorted(Largest(size)(abs(c), features)) == naive.most_violated(c, size)


@pytest.mark.parametrize("tile", [1 << 22, 60, 1])
@pytest.mark.parametrize("highest", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("size", [1, 3, 12])
def test_the_greedy_search_pair_by_pair(monkeypatch, size, highest, tile):
    monkeypatch.setattr("qpfs.embedded.searches.TILE", tile)
    for seed in range(5):
        X, y, a = samples(seed=seed)
        X[:, 5] = -2 * X[:, 1]
        for features in (DenseFeatures(X), SparseFeatures(sparse.csc_array(X))):
            c = features.products(a * y)
            found = Uncorrelated(size, highest)(abs(c), features)
            assert sorted(found) == naive.uncorrelated(X, c, size, highest)


@pytest.mark.parametrize("highest", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("n_support", [0, 1, 4])
def test_affiliations_pair_by_pair(highest, n_support):
    for seed in range(5):
        X, _, _ = samples(seed=seed)
        X[:, 5] = -2 * X[:, 1] + 3
        support = np.random.default_rng(seed).permutation(12)[:n_support]
        for features in (DenseFeatures(X), SparseFeatures(sparse.csc_array(X))):
            found = affiliations(features, support, highest)
            expected = naive.affiliated(X, list(support), highest) if n_support else {}
            assert {one.feature: one.support for one in found} == expected
            for one in found:
                r = np.corrcoef(X[:, one.feature], X[:, one.support])[0, 1]
                assert one.correlation == pytest.approx(r, abs=1e-12)


def test_orthogonal_features_are_not_correlated_by_rounding():
    X = np.tile(hadamard(8).astype(float)[:, 1:], (7, 1)) * 0.1 + 0.3
    c = np.arange(7.0, 0.0, -1.0)
    assert Uncorrelated(7, 0.0)(c, DenseFeatures(X)).tolist() == list(range(7))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(1, 35))
@settings(deadline=None)
def test_leading_is_a_stable_sort(numbers, count):
    strength = np.array(numbers, float)
    expected = [i for i in sorted(range(len(numbers)), key=lambda i: -numbers[i]) if numbers[i] > 0][:count]
    assert leading(strength, count).tolist() == expected


def test_duplicates_give_way_to_the_lowest_index():
    """Equal columns get equal sums to the last bit, wherever they stand."""
    rng = np.random.default_rng(0)
    column = rng.normal(size=(101, 1))
    for m in (2, 7, 64, 129):
        X = np.ascontiguousarray(np.repeat(column, m, axis=1))
        for features in (DenseFeatures(X), SparseFeatures(sparse.csc_array(X))):
            c = features.products(rng.normal(size=101))
            assert len(set(c)) == 1
            assert Largest(1)(abs(c), features).tolist() == [0]


def test_what_varies_among_sparse_columns():
    X = np.array([[0, 0, 2, 0, -1, 3.0], [0, 5, 2, -1, -1, 0], [0, 0, 2, 0, -1, 4]])
    stored = sparse.csc_array(X)
    stored.data = np.append(stored.data, 0.0)  # a zero that is stored
    stored.indices = np.append(stored.indices, 1)
    stored.indptr[-1] += 1
    for matrix in (sparse.csc_array(X), stored):
        features = SparseFeatures(matrix)
        assert features.varying.tolist() == DenseFeatures(X).varying.tolist()
        assert features.largest == DenseFeatures(X).largest == 5


def test_entries_stored_twice_are_one_and_the_given_matrix_is_left_alone():
    parts = ([1.0, 2.0, -1.0, 4.0], ([0, 0, 2, 1], [0, 0, 1, 1]))
    given_twice = sparse.csc_array(
        (np.array([1.0, 2.0, 4.0, -1.0]), np.array([0, 0, 1, 2]), np.array([0, 2, 4])), shape=(3, 2)
    )
    features = SparseFeatures(given_twice)
    dense = sparse.coo_array(parts, shape=(3, 2)).toarray()
    np.testing.assert_array_equal(features.gathered(np.array([0, 1])), dense)
    np.testing.assert_array_equal(features.products(np.ones(3)), dense.sum(axis=0))
    assert given_twice.nnz == 4
    assert features.largest == 4


def test_numbers_that_differ_by_a_few_units_in_the_last_place():
    steps = np.random.default_rng(0).integers(0, 4, (48, 5)).astype(float)
    X = 1 + steps * 2.0**-50
    units = unit_columns(X)
    np.testing.assert_allclose(units.T @ units, np.corrcoef(steps.T), atol=1e-12)
    some = np.array([3, 0, 4])
    np.testing.assert_array_equal(
        DenseFeatures(X).gathered(some).mean(axis=0),
        SparseFeatures(sparse.csc_matrix(X)).gathered(some).mean(axis=0),
    )
