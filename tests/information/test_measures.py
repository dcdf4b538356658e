"""Closed forms and other libraries; the slow twins and the laws are in tests/laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, entropy, pearsonr
from sklearn.metrics import mutual_info_score

from qpfs.codes import AsCodes, EqualFrequency, ThreeSegments, columns_of, encode, standardize, target_of
from qpfs.information import ChiSquare, Correlation, FeatureTable, MutualInformation


def counted(measure, X, rule=None):
    X = np.asarray(X, float)
    store, _ = encode(columns_of(X), rule or AsCodes(254))
    return FeatureTable(store, measure().on(len(X)))


def correlated(X):
    X = np.asarray(X, float)
    return FeatureTable(standardize(columns_of(X)), Correlation().on(len(X)))


def whole(table):
    return table.rows(np.arange(table.n_features))


def mixed(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, [2, 3, 3, 4, 7, 40], (n_samples, 6))
    X[:, 2] = np.where(rng.random(n_samples) < 0.7, X[:, 1], X[:, 2])
    return X, (X[:, 1] + rng.integers(0, 2, n_samples)) % 3


@pytest.mark.parametrize("n_samples", [9, 64, 65, 1000, 20_000])
def test_mutual_information_of_scikit_learn(n_samples):
    X, y = mixed(n_samples)
    table = counted(MutualInformation, X)
    expected = [[mutual_info_score(f, g) for g in X.T] for f in X.T]
    np.testing.assert_allclose(whole(table), expected, rtol=1e-12, atol=1e-14)
    relevance = [mutual_info_score(f, y) for f in X.T]
    np.testing.assert_allclose(table.relevance(target_of(y, None)), relevance, atol=1e-13)


@pytest.mark.parametrize("n_samples", [9, 64, 65, 1000])
def test_entropy_of_scipy(n_samples):
    X, _ = mixed(n_samples)
    expected = [entropy(np.unique(f, return_counts=True)[1]) for f in X.T]
    np.testing.assert_allclose(counted(MutualInformation, X).self_information, expected, rtol=1e-13)


@pytest.mark.parametrize("n_samples", [64, 65, 1000])
def test_chi_square_of_scipy(n_samples):
    X, y = mixed(n_samples)

    def phi_square(f, g):
        cells = np.zeros((f.max() + 1, g.max() + 1))
        np.add.at(cells, (f, g), 1)
        cells = cells[cells.any(axis=1)][:, cells.any(axis=0)]
        return chi2_contingency(cells, correction=False).statistic / n_samples

    table = counted(ChiSquare, X)
    expected = [[phi_square(f, g) for g in X.T] for f in X.T]
    np.testing.assert_allclose(whole(table), expected, rtol=1e-12, atol=1e-13)
    relevance = [phi_square(f, y) for f in X.T]
    np.testing.assert_allclose(table.relevance(target_of(y, None)), relevance, rtol=1e-12)


@pytest.mark.parametrize("n_samples", [9, 64, 1000])
def test_correlation_of_numpy(n_samples):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 6)) @ rng.normal(size=(6, 6)) + 50
    np.testing.assert_allclose(whole(correlated(X)), abs(np.corrcoef(X.T)), atol=1e-12)


def test_correlation_with_two_classes_is_that_with_their_number():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    relevance = correlated(X).relevance(target_of(y, None))
    np.testing.assert_allclose(relevance, [abs(pearsonr(f, y)[0]) for f in X.T], atol=1e-13)


def test_correlation_with_several_classes_is_weighted():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 4, 50)
    expected = [sum((y == c).mean() * abs(pearsonr(f, y == c)[0]) for c in range(4)) for f in X.T]
    relevance = correlated(X).relevance(target_of(y, None))
    np.testing.assert_allclose(relevance, expected, atol=1e-13)


def test_correlation_with_numbers_does_not_cut_them():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    relevance = correlated(X).relevance(target_of(y, EqualFrequency()))
    np.testing.assert_allclose(relevance, [abs(pearsonr(f, y)[0]) for f in X.T], atol=1e-13)


def test_mutual_information_with_numbers_cuts_them():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (60, 4)), rng.normal(size=60)
    relevance = counted(MutualInformation, X).relevance(target_of(y, EqualFrequency(3)))
    ranks = y.argsort().argsort() // 20
    np.testing.assert_allclose(relevance, [mutual_info_score(f, ranks) for f in X.T], atol=1e-13)


GRID = np.array([(a, b) for a in range(4) for b in range(5)] * 7)


@pytest.mark.parametrize("measure", [MutualInformation, ChiSquare])
def test_independent_features_share_nothing(measure):
    assert counted(measure, GRID).rows(np.array([0]))[0, 1] == pytest.approx(0, abs=1e-15)


def test_uncorrelated_features_share_nothing():
    assert correlated(GRID).rows(np.array([0]))[0, 1] == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("n_levels", [2, 3, 4, 10, 200])
def test_the_same_under_another_name_is_all_of_it(n_levels):
    f = np.tile(np.arange(n_levels), 3)
    X = np.column_stack([f, 7 * (n_levels - f), f * f])
    np.testing.assert_allclose(whole(counted(MutualInformation, X)), np.log(n_levels), rtol=1e-14)
    np.testing.assert_array_equal(whole(counted(ChiSquare, X)), n_levels - 1)
    np.testing.assert_array_equal(counted(MutualInformation, X).distances(np.arange(3)), 0)


def test_a_multiple_is_the_same_number():
    f = np.random.default_rng(5).normal(size=40)
    np.testing.assert_array_equal(whole(correlated(np.column_stack([f, -3 * f + 8]))), 1)


def test_two_bits_and_their_parity():
    x, y = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    bits = whole(counted(MutualInformation, np.column_stack([x, y, 2 * x + y, x ^ y]))) / np.log(2)
    expected = [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 2, 1], [0, 0, 1, 1]]
    np.testing.assert_allclose(bits, expected, atol=1e-15)
    root = np.sqrt(13)
    eigenvalues = [(3 - root) / 2, 1, 1, (3 + root) / 2]
    np.testing.assert_allclose(np.linalg.eigvalsh(bits), eigenvalues, atol=1e-14)


@pytest.mark.parametrize("rule", [AsCodes(), ThreeSegments(), ThreeSegments(keep_integers=False)])
def test_the_smallest_indefinite_matrix(rule):
    features = [(0, 1, 2), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    Q = whole(counted(MutualInformation, np.transpose(features), rule))
    one, two = np.log(3), np.log(3) - 2 / 3 * np.log(2)
    shared = np.log(3) - 4 / 3 * np.log(2)
    expected = np.full((4, 4), shared)
    expected[0], expected[:, 0] = two, two
    np.fill_diagonal(expected, [one, two, two, two])
    np.testing.assert_allclose(Q, expected, rtol=1e-14)
    eigenvalues = [-0.0619, 0.4621, 0.4621, 2.1459]
    np.testing.assert_allclose(np.linalg.eigvalsh(Q), eigenvalues, atol=5e-5)


def inside(Q):
    """Q on the directions that sum to zero."""
    P = np.eye(len(Q)) - 1 / len(Q)
    return P @ Q @ P


def test_a_matrix_indefinite_inside_the_simplex():
    features = ["2220", "2011", "0222", "1000", "0121", "2120", "1120", "1102"]
    Q = whole(counted(MutualInformation, np.transpose([[int(a) for a in f] for f in features])))
    assert np.linalg.eigvalsh(inside(Q))[0] == pytest.approx(-0.101, abs=5e-4)


def test_an_indefinite_matrix_of_correlations():
    u, v = np.array([1, -1, 1, -1]), np.array([1, 1, -1, -1])
    Q = whole(correlated(np.column_stack([u, u + v, v, v - u])))
    c = np.sqrt(0.5)
    np.testing.assert_allclose(Q, [[1, c, 0, c], [c, 1, c, 0], [0, c, 1, c], [c, 0, c, 1]])
    assert np.linalg.eigvalsh(Q)[0] == pytest.approx(1 - np.sqrt(2))
    assert np.linalg.eigvalsh(inside(Q))[0] == pytest.approx(1 - np.sqrt(2))


@pytest.mark.parametrize("measure", [MutualInformation, ChiSquare])
def test_missing_values_are_a_level(measure):
    X, _ = mixed(80)
    X = X.astype(float)
    X[X == 2] = np.nan
    named = np.where(np.isnan(X), 99, X)
    np.testing.assert_array_equal(whole(counted(measure, X)), whole(counted(measure, named)))


def test_constants_are_at_distance_zero_of_each_other_and_one_of_the_rest():
    X = np.column_stack([np.zeros(12), np.arange(12) % 3, np.full(12, np.nan), np.arange(12) % 4])
    d = counted(MutualInformation, X).distances(np.arange(4))
    np.testing.assert_allclose(d, [[0, 1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]])


def test_a_rare_level_among_many_samples():
    n_samples = 300_000
    X = np.zeros((n_samples, 3))
    X[0, 0] = X[0, 1] = X[1, 2] = 1
    p = 1 / n_samples
    own = -p * np.log(p) - (1 - p) * np.log1p(-p)
    Q = whole(counted(MutualInformation, X))
    np.testing.assert_allclose(np.diag(Q), own, rtol=1e-9)
    assert Q[0, 1] == Q[0, 0]
    apart = (1 - 2 * p) * np.log1p(-2 * p) - 2 * (1 - p) * np.log1p(-p)
    assert Q[0, 2] == pytest.approx(apart, abs=1e-14)
    assert counted(ChiSquare, X).rows(np.array([0]))[0, 1] == 1


@pytest.mark.parametrize("offset", [1.0, -3.0, 2.0**60, 1e9])
def test_correlation_of_numbers_that_hardly_differ(offset):
    """What they have in common is too large for their mean to be exact."""
    steps = np.random.default_rng(0).integers(0, 4, (9, 5))
    X = offset + steps * np.spacing(offset) * 4
    assert len(np.unique(X)) > 2
    expected = abs(np.corrcoef(steps.T))
    np.testing.assert_allclose(whole(correlated(X)), expected, rtol=1e-12)
