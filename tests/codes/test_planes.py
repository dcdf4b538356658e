"""Bit planes: nothing is lost, and meetings are counted right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.information import contingency

from qpfs.codes.planes import PlaneBlock, pack, unpack

plain = settings(deadline=None)


def codes_with(n_levels, n_samples, n_features, seed):
    """Codes of which every level occurs in every column."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_levels, (n_samples, n_features))
    codes[:n_levels] = np.arange(n_levels)[:, None]
    return rng.permuted(codes, axis=0).astype(np.uint8)


def packed(codes, features=None):
    n_levels = int(codes.max()) + 1
    counts = np.stack([(codes == level).sum(axis=0) for level in range(n_levels)])
    features = np.arange(codes.shape[1]) if features is None else features
    return pack(codes, counts.astype(np.int32), features)


sizes = {
    "n_levels": st.integers(2, 12),
    "more": st.sampled_from([0, 1, 50, 52, 62, 64, 116, 118, 150, 244, 300, 370, 440, 600]),
    "n_features": st.integers(1, 9),
    "seed": st.integers(0, 99),
}


@given(**sizes)
@plain
def test_unpacking_gives_back_what_was_packed(n_levels, more, n_features, seed):
    codes = codes_with(n_levels, n_levels + more, n_features, seed)
    block = packed(codes)
    np.testing.assert_array_equal(unpack(block), codes)
    assert block.n_levels == n_levels
    assert block.planes.shape == (n_levels - 1, -(-len(codes) // 64), n_features)


@given(other_levels=st.integers(2, 9), **sizes)
@plain
def test_joint_counts_are_those_of_the_slow_twin(n_levels, other_levels, more, n_features, seed):
    n_samples = max(n_levels, other_levels) + more
    pivots = codes_with(n_levels, n_samples, 3, seed)
    codes = codes_with(other_levels, n_samples, n_features, seed + 100)
    joint = packed(codes).joint(packed(pivots))
    for p in range(3):
        for k in range(n_features):
            expected = np.array(contingency(pivots[:, p].tolist(), codes[:, k].tolist()))
            got = joint[p, :, k].reshape(n_levels - 1, other_levels - 1)
            np.testing.assert_array_equal(got, expected[1:, 1:])


@pytest.mark.parametrize("rows", [slice(0, 2), slice(3, 7), slice(5, None)])
def test_some_pivots_are_rows_of_all(rows):
    pivots, features = packed(codes_with(3, 70, 7, 0)), packed(codes_with(4, 70, 5, 1))
    np.testing.assert_array_equal(features.joint(pivots, rows), features.joint(pivots)[rows])


def test_most_levels():
    codes = codes_with(255, 300, 2, 0)
    np.testing.assert_array_equal(unpack(packed(codes)), codes)


def test_taking_and_joining_keep_features_and_codes():
    codes = codes_with(3, 100, 6, 0)
    block = packed(codes, np.array([10, 11, 12, 13, 14, 15]))
    slots = np.array([4, 0, 5])
    again = PlaneBlock.joined([block.take(slots[:1]), block.take(slots[1:])])
    assert isinstance(again, PlaneBlock)
    assert again.features.tolist() == [14, 10, 15]
    np.testing.assert_array_equal(unpack(again), codes[:, slots])
    np.testing.assert_array_equal(again.counts, block.counts[:, slots])


@pytest.mark.parametrize("n_samples", [60, 100, 500])
def test_a_turned_block_is_the_same_block(n_samples):
    codes = codes_with(3, n_samples, 9, 0)
    block, slots = packed(codes), np.array([4, 0, 5, 7])
    turned = block.turned()
    assert turned.is_turned
    assert not block.is_turned
    np.testing.assert_array_equal(unpack(turned), codes)
    np.testing.assert_array_equal(turned.joint(turned), block.joint(block))
    again = PlaneBlock.joined([turned.take(slots[:3]), turned.take(slots[3:])])
    assert again.is_turned
    np.testing.assert_array_equal(unpack(again), codes[:, slots])
    mixed = PlaneBlock.joined([turned.take(slots[:3]), block.take(slots[3:])])
    np.testing.assert_array_equal(unpack(mixed), codes[:, slots])
