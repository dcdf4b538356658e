"""Kernels that do the same job give the same bits, and the definition's value."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from qpfs import AsCodes
from qpfs.codes import columns_of, encode
from qpfs.codes.weights import Weights
from qpfs.information import MutualInformation
from qpfs.information.kernels import shared_by_joint, shared_by_joint_of_threes
from qpfs.information.measures import Part, Runs
from qpfs.information.measures.counted import MANY_CELLS
from qpfs.information.measures.information_rows import information_by_planes, information_by_rows


def block_of(codes):
    return encode(columns_of(codes), AsCodes())[0].blocks[0]


def values(kernel, measure, pivots, block):
    joint = block.joint(pivots)
    out = np.empty((joint.shape[0], joint.shape[2]))
    sums = [measure.prepare(some).sums for some in (pivots, block)]
    kernel(measure.tables, joint, pivots.counts, block.counts, *sums, out)
    return out


def of_planes(kernel, measure, pivots, block):
    """What a kernel puts into an array from column 3 on, and nowhere else."""
    n_features = len(block.features)
    out = np.full((len(pivots.features), n_features + 5), np.nan)
    sums = [measure.prepare(some).sums for some in (pivots, block)]
    kernel(measure.tables, pivots.columns, block.plane_rows, pivots.counts, block.counts, *sums, out, 3)
    assert np.isnan(out[:, :3]).all()
    assert np.isnan(out[:, n_features + 3 :]).all()
    return out[:, 3 : n_features + 3]


@pytest.mark.parametrize("n_b", [2, 3])
@pytest.mark.parametrize("n_a", [2, 3, 4, 7])
@pytest.mark.parametrize("n_samples", [9, 64, 65, 200])
def test_one_look_up_for_each_row(n_samples, n_a, n_b):
    rng = np.random.default_rng(n_samples + n_a + n_b)
    codes_a = rng.integers(0, n_a, (n_samples, 5))
    codes_b = rng.integers(0, n_b, (n_samples, 1100))
    codes_a[:n_a], codes_b[:n_b] = np.arange(n_a)[:, None], np.arange(n_b)[:, None]
    measure = MutualInformation().on(n_samples)
    pivots, block = block_of(codes_a), block_of(codes_b)
    assert (pivots.n_levels, block.n_levels) == (n_a, n_b)
    plain = values(shared_by_joint, measure, pivots, block)
    np.testing.assert_array_equal(values(information_by_rows, measure, pivots, block), plain)
    np.testing.assert_array_equal(of_planes(information_by_planes, measure, pivots, block), plain)
    if n_a == n_b == 3:
        np.testing.assert_array_equal(values(shared_by_joint_of_threes, measure, pivots, block), plain)
    for p, k in [(0, 0), (4, 1023), (2, 1024), (1, 1099)]:
        expected = mutual_info_score(codes_a[:, p], codes_b[:, k])
        assert plain[p, k] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_a", "n_b"), [(14, 14), (7, 32), (32, 7)])
def test_many_levels_sample_by_sample(n_a, n_b, weighted):
    """Counts by the levels of samples, against counts of planes and the definition, on copies if weighted."""
    rng = np.random.default_rng(n_a)
    codes_a, codes_b = rng.integers(0, n_a, (150, 3)), rng.integers(0, n_b, (150, 4))
    codes_a[:n_a], codes_b[:n_b] = np.arange(n_a)[:, None], np.arange(n_b)[:, None]
    copies = rng.integers(1, 4, 150) if weighted else np.ones(150, np.int64)
    measure = MutualInformation().on(150, Weights(copies) if weighted else None)
    pivots, block = measure.prepare(block_of(codes_a)), measure.prepare(block_of(codes_b))
    assert (n_a - 1) * (n_b - 1) >= MANY_CELLS
    found = measure.between(pivots, slice(1, 3), block)
    codes_a, codes_b = codes_a.repeat(copies, axis=0), codes_b.repeat(copies, axis=0)
    plain = MutualInformation().on(len(codes_a))
    expected = values(shared_by_joint, plain, block_of(codes_a[:, 1:]), block_of(codes_b))
    np.testing.assert_array_equal(found, expected)
    assert found[1, 3] == pytest.approx(mutual_info_score(codes_a[:, 2], codes_b[:, 3]), abs=1e-12)


@pytest.mark.parametrize("n_samples", [3, 33, 63, 64, 65, 72, 127, 128, 129])
def test_pairs_of_features_are_what_few_with_all_are(n_samples):
    """Short kernels up to 128 samples, the long one beyond, against the kernels of whole blocks."""
    rng = np.random.default_rng(n_samples)
    codes, pairs = (rng.integers(0, n_levels, (n_samples, 60)) for n_levels in (3, 2))
    codes[:3], pairs[:2] = np.arange(3)[:, None], np.arange(2)[:, None]
    measure = MutualInformation().on(n_samples)
    block, twos = measure.prepare(block_of(codes)), measure.prepare(block_of(pairs))
    parts = [
        Part(np.arange(0, 20, 2), block, np.arange(30, 40)),
        Part(np.arange(1, 20, 2), twos, np.arange(10)),
    ]
    others = measure.listed(parts, 20)
    lo = rng.integers(0, 20, 60)
    hi = rng.integers(lo, 21)
    found = measure.along(Runs(block, np.arange(60), lo, hi), others)
    whole = np.empty((20, 60))
    whole[::2] = values(shared_by_joint, measure, block.block.take(np.arange(30, 40)), block.block)
    whole[1::2] = values(shared_by_joint, measure, twos.block.take(np.arange(10)), block.block)
    np.testing.assert_array_equal(found, np.concatenate([whole[lo[i] : hi[i], i] for i in range(60)]))
