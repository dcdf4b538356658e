"""Scores of ranks: what they are, and that nothing but the ranks changes them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import norm, rankdata

from qpfs import QPFS
from qpfs.codes import columns_of
from qpfs.codes.discretizers import EqualFrequency
from qpfs.codes.forms import Scores
from qpfs.codes.score_runs import UNIT, score_list
from qpfs.codes.scores import ScoreBlock, block_of_codes, block_of_numbers, score
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.sparse_scores import SparseScoreList, score_sparse
from qpfs.codes.target import target_of
from qpfs.codes.weights import Weights
from qpfs.information import Rank

N_FINE = 400


def columns(block):
    """The columns of a block in their true size: (k, d, N)."""
    return np.ldexp(block.scores.astype(float), block.shift[:, :, None].astype(int)) / UNIT


def normal(x):
    """The normal scores of the numbers that are not missing, 0 for the others, with mean square 1."""
    seen = ~np.isnan(x)
    z = np.zeros(len(x))
    z[seen] = norm.ppf(rankdata(x[seen]) / (seen.sum() + 1))
    z[seen] -= z[seen].mean()
    return z / np.sqrt((z**2).mean())


def mixed(seed, n=60, m=8):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, m)) < 0.5, rng.normal(size=(n, m)), rng.integers(-2, 3, (n, m)))
    X[rng.random((n, m)) < 0.1 * (seed % 2)] = np.nan
    return X


@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_normal_scores_of_their_ranks(seed):
    X = mixed(seed)
    block = block_of_numbers(X, np.arange(8), 1)
    expected = np.array([normal(x) for x in X.T])
    np.testing.assert_allclose(columns(block)[:, 0], expected, atol=0.51 * 2.0 ** block.shift.max() / UNIT)


@pytest.mark.parametrize("seed", range(6))
def test_a_second_column_is_what_the_square_adds(seed):
    X = mixed(seed)
    found = columns(block_of_numbers(X, np.arange(8), 2))
    for x, (first, second) in zip(X.T, found, strict=True):
        z = normal(x)
        seen = ~np.isnan(x)
        basis = np.stack([seen.astype(float), z], axis=1)
        square = np.where(seen, z**2, 0.0)
        rest = square - basis @ np.linalg.lstsq(basis, square, rcond=None)[0]
        np.testing.assert_allclose(second, rest / np.sqrt((rest**2).mean()), atol=2e-3)
        assert abs(first @ second) / 60 < 1e-3


def test_the_square_of_two_values_adds_nothing():
    assert not block_of_numbers(np.array([[0.0], [1.0], [1.0], [0.0]]), np.array([0]), 2).scores[0, 1].any()


@pytest.mark.parametrize("counts", [(3, 3), (5, 1), (4, 3, 2), (1, 1, 1, 1), (900, 90, 9, 1)])
def test_labels_are_contrasts_at_right_angles(counts):
    codes = np.repeat(np.arange(len(counts)), counts)
    found = columns(block_of_codes(codes, np.array(counts), 7))[0]
    n = sum(counts)
    np.testing.assert_allclose(found @ found.T / n, np.eye(len(counts) - 1), atol=0.01)
    np.testing.assert_allclose(found.sum(axis=1) / n, 0, atol=0.01)
    indicators = (codes == np.arange(len(counts))[:, None]).astype(float)
    centred = indicators - indicators.mean(axis=1, keepdims=True)
    outside = centred - (centred @ found.T / n) @ found
    np.testing.assert_allclose(outside, 0, atol=0.05)


TARGETS = {
    "classes": np.arange(12) % 3,
    "a value that most samples have": np.r_[np.zeros(8), 1.0:5.0],
    "several": pd.DataFrame({"a": np.arange(12) % 3, "b": np.arange(12) % 4}),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_the_scores_of_a_target_are_contiguous(kind):
    target = target_of(TARGETS[kind], EqualFrequency(3), forced=False, several=True)
    assert target.scores.scores.flags.c_contiguous


def test_the_scores_of_labels_are_contiguous():
    """Pairs of features with many categories, in another layout, take several times as long."""
    assert block_of_codes(np.arange(12) % 3, np.full(3, 4), 0).scores.flags.c_contiguous


def test_missing_labels_say_nothing():
    codes = np.array([0, 1, 2, 0, 1, 2, 3, 3])
    found = columns(block_of_codes(codes, np.array([2, 2, 2]), 0))[0]
    assert not found[:, 6:].any()
    np.testing.assert_allclose((found**2).mean(axis=1), 1, atol=1e-3)


numbers = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, -7.0, np.nan])


@given(
    rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=30),
    degree=st.sampled_from([1, 2]),
)
@settings(deadline=None)
def test_a_sparse_table_has_the_scores_of_the_dense_one(rows, degree):
    X = np.array(rows)
    dense = block_of_numbers(X, np.arange(3), degree)
    store = score_sparse(SparseColumns(sparse.csc_array(X)), degree)
    assert store.varying.tolist() == dense.features.tolist()
    for block in store.blocks:
        spread = block.take(np.arange(len(block.features)))
        at = np.searchsorted(dense.features, block.features)
        np.testing.assert_array_equal(spread.scores, dense.scores[at])
        np.testing.assert_array_equal(spread.shift, dense.shift[at])


def sparse_scores(seed, degree, n=90, m=12):
    """Sparse blocks of columns of all kinds, the same features dense, and weights of their samples."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, m)), 1) * (rng.random((n, m)) < rng.uniform(0.02, 0.9, m))
    X[:, 0], X[:, 1], X[:, 2] = 0.0, np.arange(n) == 7, np.where(np.arange(n) < 4, np.nan, X[:, 2])
    store = score_sparse(SparseColumns(sparse.csc_array(X)), degree)
    weights = Weights(rng.integers(1, 9, n)) if seed % 2 else None
    return store, block_of_numbers(X, np.arange(m), degree), weights


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_products_of_sparse_columns_are_those_of_dense_ones(seed, degree):
    store, dense, weights = sparse_scores(seed, degree)
    assert dense.shift.max() > 0
    for block in store.blocks:
        at = np.searchsorted(dense.features, block.features)
        found = block.products(dense, slice(1, 7), weights)
        expected = dense.take(at).products(dense, slice(1, 7), weights)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_sparse_columns_have_the_margins_of_dense_ones(seed, degree):
    store, dense, weights = sparse_scores(seed, degree)
    for block, least in product(store.blocks, (0, 2, 5, 20, 45, 46, 80, 91)):
        slots = np.random.default_rng(seed).permutation(len(block.features))[:-1]
        at = np.searchsorted(dense.features, block.features[slots])
        for given_weights in (weights, None):
            found, expected = np.zeros((2, len(at)), np.uint64)
            block.rare_margins(slots, least, found, given_weights)
            dense.rare_margins(at, least, expected, given_weights)
            np.testing.assert_array_equal(found, expected)
            own, whole = np.empty(len(at)), np.empty(len(at))
            block.own_squares(slots, own, given_weights)
            dense.own_squares(at, whole, given_weights)
            np.testing.assert_array_equal(own, whole)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_a_list_of_sparse_columns_is_compared_as_the_dense_one(seed, degree):
    store, dense, weights = sparse_scores(seed, degree)
    rng, n, size = np.random.default_rng(seed), dense.n_samples, 14
    places = rng.permutation(size)[: len(dense.features)]
    parts, bounds = [], np.cumsum([0, *(len(block.features) for block in store.blocks)])
    for block, (first, last) in zip(store.blocks, pairwise(bounds), strict=True):
        parts.append((places[first:last], block, rng.permutation(last - first)))
    others = Scores(degree).listed(parts, size, n)
    assert isinstance(others, SparseScoreList)
    spread = score_list(parts, size, n)
    for one, other in zip(others.spread(n), spread, strict=True):
        np.testing.assert_array_equal(one, other)
    there = np.sort(places)
    for block in store.blocks:
        slots = rng.integers(0, len(block.features), 9)
        lo = rng.integers(0, size, 9)
        hi = rng.integers(lo, size + 1)
        whole = block.take(np.arange(len(block.features)))
        results = []
        for asked, told in ((block, others), (block, spread), (whole, others), (whole, spread)):
            out = np.full((hi - lo).sum(), np.nan)
            asked.squares_along(slots, lo, hi, told, out, weights)
            total = np.zeros((3, n), np.int64)
            asked.add_scores(slots, told, there[slots], np.arange(9) % 3, total, weights)
            results.append((out, total))
        for out, total in results[:3]:
            np.testing.assert_array_equal(out, results[3][0])
            np.testing.assert_array_equal(total, results[3][1])
        assert np.isfinite(results[3][0]).all()
        assert results[3][1].any()


@given(seed=st.integers(0, 999))
@settings(deadline=None, max_examples=25)
def test_only_ranks_matter(seed):
    X = mixed(seed)
    order = np.random.default_rng(seed).permutation(60)
    block = block_of_numbers(X, np.arange(8), 2)
    bent = block_of_numbers(np.exp(X), np.arange(8), 2)
    moved = block_of_numbers(X[order], np.arange(8), 2)
    np.testing.assert_array_equal(bent.scores, block.scores)
    np.testing.assert_array_equal(moved.scores, block.scores[:, :, order])


def test_products_are_exact_in_any_order():
    X = np.random.default_rng(0).normal(size=(300, 40))
    block = block_of_numbers(X, np.arange(40), 1)
    whole = block.scores[:, 0].astype(object)
    np.testing.assert_array_equal(block.products(block, slice(None)), (whole @ whole.T).astype(float))
    np.testing.assert_array_equal(block.gram(), (whole.T @ whole).astype(np.int64))


def pair_by_definition(one, other, n_samples):
    """The sum of squared correlations of all columns of two features, from whole numbers of any size."""
    length = float(n_samples) * UNIT * UNIT
    products = [
        sum(int(x) * int(y) for x, y in zip(a, b, strict=True)) << int(i + j)
        for a, i in zip(*one, strict=True)
        for b, j in zip(*other, strict=True)
    ]
    squares = [(product / length) ** 2 for product in products]
    return squares[0] if len(squares) == 1 else sum(round(square * 2**50) for square in squares) / 2**50


@pytest.mark.parametrize("degree", [1, 2])
def test_pairs_are_exact(degree):
    n = 301  # one sample apart from all others is a score beyond 16 bits, halved
    X = np.random.default_rng(0).normal(size=(n, 6))
    X[:, 0], X[:, 1] = np.arange(n) == 7, np.arange(n) != 7
    block = block_of_numbers(X, np.arange(6), degree)
    assert block.shift.max() > 0
    label = block_of_codes(np.arange(n) % 4, np.bincount(np.arange(n) % 4), 9)
    some = np.arange(6)
    others = score_list([(some, block, some), (np.array([7]), label, np.array([0]))], 8, n)
    lo, hi = np.array([0, 5, 2, 0, 8]), np.array([8, 8, 2, 1, 8])
    slots = np.array([0, 1, 2, 1, 4])
    pairs = [(i, j) for i, a, b in zip(slots, lo, hi, strict=True) for j in range(a, b)]
    found, own = np.empty(len(pairs)), np.empty(6)
    block.squares_along(slots, lo, hi, others, found)
    block.own_squares(some, own)
    features = [*zip(block.scores, block.shift, strict=True), ([], []), (label.scores[0], label.shift[0])]
    expected = [pair_by_definition(features[i], features[j], n) if j != 6 else 0.0 for i, j in pairs]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(own, [pair_by_definition(features[i], features[i], n) for i in some])
    label.own_squares(np.array([0]), own[:1])
    assert own[0] == pair_by_definition(features[7], features[7], n)


def labels_and_samples(seed, n=200):
    """Blocks of labels with 5 and 12 categories, rare ones and missing ones among them; and weights."""
    rng = np.random.default_rng(seed)
    blocks = []
    for n_categories, gaps in ((5, 0), (12, 1), (12, 0), (5, 1)):
        codes = np.minimum(rng.geometric(0.3, n), n_categories + gaps) - 1
        codes[: n_categories + gaps] = np.arange(n_categories + gaps)
        blocks.append(block_of_codes(codes, np.bincount(codes)[:n_categories], len(blocks)))
    return blocks, Weights(rng.integers(1, 9, n)) if seed % 2 else None


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_multiplied_by_counts_to_the_same_products(seed, monkeypatch):
    blocks, weights = labels_and_samples(seed)
    five = ScoreBlock.joined([blocks[0], blocks[3]]).take(np.array([1, 0]))
    twelve = ScoreBlock.joined(blocks[1:3])
    assert max(five.shift.max(), twelve.shift.max()) > 0
    pairs = [(five, twelve, slice(0, 2)), (twelve, five, slice(1, 2)), (five, five, slice(0, 2))]
    expected = [one.products(pivots, rows, weights) for pivots, one, rows in pairs]
    monkeypatch.setattr("qpfs.codes.scores.COUNTED", 0)
    monkeypatch.setattr(ScoreBlock, "columns", None)  # which matrix products need
    for (pivots, one, rows), found in zip(pairs, expected, strict=True):
        np.testing.assert_array_equal(one.products(pivots, rows, weights), found)


def test_numbers_are_not_counted(monkeypatch):
    monkeypatch.setattr("qpfs.codes.scores.COUNTED", 0)
    numbers = block_of_numbers(np.random.default_rng(0).normal(size=(200, 3)), np.arange(3), 2)
    label = labels_and_samples(0)[0][0]
    columns = [
        one.scores.reshape(-1, 200).astype(float) * 2.0 ** one.shift.reshape(-1, 1)
        for one in (numbers, label)
    ]
    np.testing.assert_array_equal(label.products(numbers, slice(0, 3)), columns[0] @ columns[1].T)
    np.testing.assert_array_equal(numbers.products(label, slice(0, 1)), columns[1] @ columns[0].T)
    assert ScoreBlock.joined([label, label.take(np.array([0]))]).levels is not None


def test_features_one_after_another():
    one = block_of_numbers(np.random.default_rng(0).normal(size=(20, 3)), np.arange(3), 1)
    other = block_of_codes(np.arange(20) % 4, np.full(4, 5), 9)
    found = score_list(
        [(np.array([2, 0]), one, np.array([0, 2])), (np.array([3]), other, np.array([0]))], 4, 20
    )
    assert found.begin.tolist() == [0, 1, 1, 2, 5]
    np.testing.assert_array_equal(found.scores[0], one.scores[2, 0])
    np.testing.assert_array_equal(found.scores[1], one.scores[0, 0])
    np.testing.assert_array_equal(found.scores[2:], other.scores[0])


def test_a_frame_has_numbers_and_labels():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"x": rng.normal(size=50), "c": rng.choice(["a", "b", None], 50), "k": 1.0, "t": rng.random(50) < 0.5}
    )
    store, coding = score(columns_of(frame), 32, 1)
    assert store.varying.tolist() == [0, 1, 3]
    assert coding.labels.keys() == {1}
    assert {block.n_levels for block in store.blocks} == {1}


@pytest.mark.parametrize("degree", [0, 3, 1.5, "1", None, True])
def test_degrees_that_make_no_sense(degree):
    with pytest.raises(ValueError, match="degree="):
        Rank(degree)


def test_joined_blocks_are_their_features():
    X = np.random.default_rng(0).normal(size=(30, 6))
    parts = [block_of_numbers(X[:, some], np.array(some), 1) for some in ([0, 1], [2], [3, 4, 5])]
    np.testing.assert_array_equal(
        ScoreBlock.joined(parts).scores, block_of_numbers(X, np.arange(6), 1).scores
    )


def test_a_shape_that_only_squares_see():
    x = np.linspace(-1, 1, N_FINE)
    X = np.stack([x, np.random.default_rng(0).normal(size=N_FINE)], axis=1)
    y = (np.abs(x) > 0.5).astype(int)
    assert QPFS(measure=Rank()).fit(X, y).relevance_[0] < 0.01
    q = norm.ppf(0.75)  # the covariance of z^2 with |z| > q is 2 q phi(q), the variances are 2 and 1/4
    expected = (2 * q * norm.pdf(q)) ** 2 * 2
    assert QPFS(measure=Rank(2)).fit(X, y).relevance_[0] == pytest.approx(expected, abs=0.04)


def test_a_label_that_says_nothing_is_constant():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=40),
            "one": ["a"] * 40,
            "gone": pd.Series([None] * 40, dtype=object),
            "one or missing": ["a", None] * 20,
            "c": rng.choice(list("abc"), 40),
        }
    )
    fitted = QPFS(measure="rank").fit(frame, np.arange(40) % 2)
    assert fitted.fitted_.table.varying.tolist() == [0, 4]
    assert set(fitted.order_) <= {0, 4}
