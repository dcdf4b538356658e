"""Sparse columns are cut and packed without being spread out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws.sparse_tables import tables

from qpfs import QPFS, EqualWidth, MaxRel, ThreeSegments
from qpfs.codes import AsCodes, ListBlock, PlaneBlock, columns_of, encode, encode_sparse, standardize_sparse
from qpfs.codes.discretizers.discretizer import Binned
from qpfs.codes.lists import FEW
from qpfs.codes.planes import pack, unpack
from qpfs.codes.repeated import added
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.sparse_tiles import SparseTile
from qpfs.codes.tiles import Tile, scaled_moments
from qpfs.information import ChiSquare, MutualInformation
from qpfs.information.measures import Part, Runs

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(
    numbers, numbers, st.integers(0, 300), st.sampled_from([1.0, 2.0**-20, 2.0**-40, 2.0**-60, 2.0**-1030])
)
@example(1.0, 2.0**-53, 100, 1.0)  # half a step, to even: nothing is added
@example(1.0 + 2.0**-52, 2.0**-53, 100, 1.0)  # half a step, to even: one step, then nothing
@example(1.0, 3 * 2.0**-53, 100, 1.0)  # one step and a half
@example(-100.0, 0.3, 300, 1.0)  # towards zero, and beyond
@example(1000.0, -7.3, 300, 1.0)
@settings(max_examples=5 * settings.default.max_examples, deadline=None)
def test_adding_again_and_again_is_rounded_each_time(total, step, times, unit):
    expected = total
    for _ in range(times):
        expected += step * unit
    assert added(total, step * unit, times) == expected


@given(tables())
@settings(deadline=None)
def test_a_sparse_tile_knows_what_the_tile_of_its_numbers_knows(table):
    X, _ = table
    features = np.arange(X.shape[1])[::-1]
    sparse_tile = SparseTile(SparseColumns(X), features)
    tile = Tile(columns_of(X.toarray()), features)
    for name in ("seen", "total", "low", "high", "whole"):
        np.testing.assert_array_equal(getattr(sparse_tile.survey, name), getattr(tile.survey, name), name)
    for one, other in zip(scaled_moments(sparse_tile), scaled_moments(tile), strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(np.vstack(list(sparse_tile)), np.vstack(list(tile)), strict=True):
        np.testing.assert_array_equal(one, other)


class Median(Binned):
    """A rule that looks at the numbers themselves, as one by somebody else may."""

    def edges(self, tile):
        return np.nanmedian(np.vstack(list(tile)), axis=0, keepdims=True)


def test_a_rule_that_reads_numbers_is_given_them():
    X = sparse.csr_array(sparse.random(50, 9, 0.6, random_state=np.random.default_rng(0)))
    one, other = Median(2).fit(X.toarray()), Median(2).fit(X)
    np.testing.assert_array_equal(one.edges_, other.edges_)
    assert (other.edges_ > 0).any()


# Lists of samples


def codes_of(rng, n_samples, n_features, n_levels):
    """Codes whose levels all occur, most of them at one level, which is another in each column."""
    usual = np.arange(n_features) % n_levels
    codes = np.where(rng.random((n_samples, n_features)) < 0.9, usual, rng.integers(0, n_levels, n_features))
    codes[:n_levels] = np.arange(n_levels)[:, None]
    return codes.astype(np.uint8)


def lists_of(codes, n_levels):
    """Lists of samples straight from the definition."""
    samples, begin = [], [0]
    for column in codes.T:
        counts = [int((column == level).sum()) for level in range(n_levels)]
        usual = counts.index(max(counts))
        for level in range(n_levels):
            if level != usual:
                samples += np.flatnonzero(column == level).tolist()
        begin.append(len(samples))
    counts = np.array([(codes == level).sum(axis=0) for level in range(n_levels)], np.int32)
    arrays = np.array(begin, np.int32), np.array(samples, np.int32), counts
    return ListBlock(10 + np.arange(codes.shape[1]), *arrays, len(codes))


@pytest.mark.parametrize("n_levels", [2, 3, 5])
@pytest.mark.parametrize("n_pivot_levels", [2, 3, 4])
@pytest.mark.parametrize("n_pivots", [1, FEW - 1, FEW, 40])
def test_joint_counts_are_those_of_the_definition(n_levels, n_pivot_levels, n_pivots):
    rng = np.random.default_rng(n_levels)
    codes, given_codes = codes_of(rng, 130, 37, n_levels), codes_of(rng, 130, n_pivots, n_pivot_levels)
    counts = np.array([(given_codes == level).sum(axis=0) for level in range(n_pivot_levels)], np.int32)
    pivots = pack(given_codes, counts, np.arange(n_pivots))
    found = lists_of(codes, n_levels).joint(pivots)
    expected = [
        [
            [((given_codes[:, p] == a) & (codes[:, k] == b)).sum() for k in range(37)]
            for a in range(1, n_pivot_levels)
            for b in range(1, n_levels)
        ]
        for p in range(n_pivots)
    ]
    np.testing.assert_array_equal(found, expected)
    some = slice(n_pivots // 2, n_pivots)
    np.testing.assert_array_equal(lists_of(codes, n_levels).joint(pivots, some), expected[some])


def test_joint_counts_with_more_marks_than_are_kept(monkeypatch):
    rng = np.random.default_rng(0)
    codes, given_codes = codes_of(rng, 130, 37, 3), codes_of(rng, 130, 9, 3)
    counts = np.array([(given_codes == level).sum(axis=0) for level in range(3)], np.int32)
    block = lists_of(codes, 3)
    expected = block.joint(pack(given_codes, counts, np.arange(9)), slice(4, 9))
    monkeypatch.setattr("qpfs.codes.planes.MARK_BYTES", 0)
    found = block.joint(pack(given_codes, counts, np.arange(9)), slice(4, 9))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_samples", [64, 100, 129])
@pytest.mark.parametrize("n_levels", [2, 4])
def test_features_taken_from_lists_are_themselves(n_samples, n_levels, monkeypatch):
    codes = codes_of(np.random.default_rng(1), n_samples, 30, n_levels)
    block = lists_of(codes, n_levels)
    slots = np.array([7, 0, 29, 7])
    taken = block.take(slots)
    np.testing.assert_array_equal(unpack(taken), codes[:, slots])
    np.testing.assert_array_equal(taken.features, 10 + slots)
    monkeypatch.setattr("qpfs.codes.lists.PIECE_BYTES", 1)
    pieces = list(block.pieces(slots))
    assert len(pieces) == 4
    for some, planes, at in pieces:
        np.testing.assert_array_equal(unpack(planes)[:, at], codes[:, slots[some]])


def test_joined_lists_are_those_of_all():
    codes = codes_of(np.random.default_rng(1), 90, 30, 3)
    joined = ListBlock.joined([lists_of(codes[:, :11], 3), lists_of(codes[:, 11:], 3)])
    np.testing.assert_array_equal(unpack(joined.take(np.arange(30))), codes)


@pytest.mark.parametrize("measure_of", [MutualInformation, ChiSquare])
@pytest.mark.parametrize("n_levels", [2, 3, 5])
@pytest.mark.parametrize("n_samples", [60, 64, 150])
def test_lists_paired_one_by_one_are_what_planes_are(measure_of, n_levels, n_samples):
    rng = np.random.default_rng(n_samples + n_levels)
    codes = codes_of(rng, n_samples, 40, n_levels)
    lists, measure = lists_of(codes, n_levels), measure_of().on(n_samples)
    planes = lists.take(np.arange(40))
    kinds = [measure.prepare(lists), measure.prepare(planes)]
    threes = measure.prepare(lists_of(codes_of(rng, n_samples, 8, 3), 3))
    parts = [
        Part(np.array([0, 3, 5]), kinds[0], np.array([7, 1, 30])),
        Part(np.array([1, 4]), threes, np.array([2, 6])),
    ]
    others = measure.listed(parts, 6)  # the third is constant
    lo = rng.integers(0, 6, 40)
    hi, slots = rng.integers(lo, 7), rng.permutation(40)
    one, other = (measure.along(Runs(kind, slots, lo, hi), others) for kind in kinds)
    np.testing.assert_array_equal(one, other)
    row, centre, totals = np.repeat(np.arange(8), 5), rng.integers(0, 6, 40), []
    for kind in kinds:
        totals.append(np.zeros((8, n_samples), np.int64))
        kind.block.add_scores(slots, others.features, centre, row, totals[-1])
    np.testing.assert_array_equal(*totals)


# Which are kept as what


def test_few_samples_off_the_usual_level_are_lists_and_others_planes():
    X = sparse.lil_array(sparse.random(1000, 40, 0.5, random_state=np.random.default_rng(0)))
    X[:, :30] = sparse.coo_array(sparse.random(1000, 30, 0.01, random_state=np.random.default_rng(1)))
    store, _ = encode_sparse(SparseColumns(X.tocsc()), EqualWidth(3))
    kept = {type(block): set() for block in store.blocks}
    for block in store.blocks:
        kept[type(block)] |= set(block.features.tolist())
    assert kept == {ListBlock: set(range(30)), PlaneBlock: set(range(30, 40))}
    assert all(isinstance(block, PlaneBlock) for block in store.pick(np.arange(40)))


@given(tables())
@settings(deadline=None)
def test_packed_features_are_those_of_the_numbers(table):
    X, _ = table
    store, _ = encode_sparse(SparseColumns(X), AsCodes(5), None, 200)
    expected, _ = encode(columns_of(X.toarray()), AsCodes(5))
    np.testing.assert_array_equal(store.varying, expected.varying)
    for one, other in zip(store.pick(store.varying), expected.pick(expected.varying), strict=True):
        order, other_order = np.argsort(one.features), np.argsort(other.features)
        np.testing.assert_array_equal(unpack(one)[:, order], unpack(other)[:, other_order])
        np.testing.assert_array_equal(one.counts[:, order], other.counts[:, other_order])


# What is said of tables that cannot be used


def test_an_infinite_value_is_named():
    X = sparse.csc_array(np.eye(6))
    X.data[3] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity: column 3 has inf in row 3"):
        QPFS().fit(X, np.arange(6) % 2)


def test_a_missing_value_is_named_where_there_is_no_place_for_it():
    X = sparse.csc_array(np.eye(6))
    X.data[4] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN: column 4 has missing values"):
        standardize_sparse(SparseColumns(X))
    assert QPFS().fit(X, np.arange(6) % 2).scores_.sum() == pytest.approx(1)


def test_long_integers_are_named():
    X = sparse.csc_array(np.eye(6, dtype=np.int64) * 2**60)
    with pytest.raises(ValueError, match=r"column 0 holds integers beyond 2\^53"):
        MaxRel().fit(X, np.arange(6) % 2)


def test_empty_columns_are_constant():
    X = sparse.csc_array((6, 4))
    assert ThreeSegments().fit(X).n_levels_.tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="All 4 features are constant"):
        QPFS().fit(X, np.arange(6) % 2)


def test_too_many_numbers_at_once_are_refused(monkeypatch):
    columns = SparseColumns(sparse.csc_array((100, 50)))
    monkeypatch.setattr("qpfs.codes.sparse_columns.MOST_BYTES", 8 * 100 * 10)
    assert columns.numbers(np.arange(10)).shape == (100, 10)
    with pytest.raises(ValueError, match="11 columns of a sparse table of 100 samples"):
        columns.numbers(np.arange(11))
