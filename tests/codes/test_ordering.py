"""The order of columns of numbers, against the ranks of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from qpfs.codes.ordering import ordered

EPS = np.finfo(float).eps
close = st.sampled_from([1.0, 1.0 + EPS, 1.0 + 2 * EPS, -1.0, -1.0 - 2 * EPS, -1.0 - 4 * EPS])
plain = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.5, -7.0, 1e308, -1e308, np.nan, -np.nan])


def check(tile):
    """The keys of each column are its samples in ascending order, and tell which of them are equal."""
    found = ordered(tile)
    assert (found.keys[:, 1:] > found.keys[:, :-1]).all()
    for keys, n_seen, numbers in zip(found.keys, found.n_seen, tile.T, strict=True):
        sample, number = keys & ((1 << found.bits) - 1), keys >> found.bits
        assert sorted(sample) == list(range(len(tile)))
        assert n_seen == np.count_nonzero(~np.isnan(numbers))
        assert not np.isnan(numbers[sample[:n_seen]]).any()
        ranks = rankdata(numbers[~np.isnan(numbers)], "dense")
        upper = number[np.argsort(sample)][~np.isnan(numbers)]
        np.testing.assert_array_equal(rankdata(upper, "dense"), ranks)
    varies = [len(np.unique(numbers[~np.isnan(numbers)])) > 1 for numbers in tile.T]
    assert found.varying().tolist() == np.flatnonzero(varies).tolist()


@given(arrays(float, st.tuples(st.integers(1, 20), st.integers(1, 3)), elements=close | plain))
@settings(deadline=None)
def test_numbers_that_hardly_differ(tile):
    check(tile)


@given(arrays(float, st.tuples(st.integers(1, 9), st.just(2)), elements=st.floats(allow_infinity=False)))
@settings(deadline=None)
def test_any_numbers(tile):
    check(tile)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int16, bool])
def test_kinds_and_layouts(kind):
    X = np.random.default_rng(0).normal(size=(130, 20)) * 3
    check(X.astype(kind).astype(float))
    check(np.asfortranarray(X))
    check(X[::2, ::-1])
