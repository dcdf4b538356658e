"""A table becomes the same packed features however it is divided, and within fixed memory."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pandas as pd
import pytest
from tests.naive import codes as naive
from tests.pairs import crossed

from qpfs.codes import AsCodes, EqualFrequency, EqualWidth, ThreeSegments, columns_of, encode, encoding
from qpfs.codes.planes import unpack
from qpfs.engines import Serial, Threads

RULES = [ThreeSegments(), EqualWidth(4), EqualFrequency(4), AsCodes(5)]
MEGABYTE = 1 << 20


def mixed_table(n_samples=70, n_features=90, seed=0):
    """Numbers, integers, constants and missing values in turn."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::3] = rng.integers(0, rng.integers(2, 9, X[:, ::3].shape[1]), X[:, ::3].shape)
    X[rng.random(X.shape) < 0.02] = np.nan
    X[:, ::20] = 7.5
    X[:, 10::20] = np.nan
    return X


def codes_in(store):
    """The codes of every feature; those of a constant are 0."""
    codes = np.zeros((store.n_samples, store.n_features), np.uint8)
    for block in store.blocks:
        codes[:, block.features] = unpack(block)
    return codes


def same_coding(one, other):
    np.testing.assert_array_equal(one.edges, other.edges)
    np.testing.assert_array_equal(one.n_levels, other.n_levels)
    assert one.labels == other.labels
    assert one.merged == other.merged


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_packed_codes_are_those_of_the_discretizer_without_gaps(rule):
    X = mixed_table()
    store, coding = encode(columns_of(X), rule)
    expected = rule.fit_transform(X)
    codes = codes_in(store)
    for j in range(X.shape[1]):
        assert codes[:, j].tolist() == naive.closed_up(expected[:, j].tolist())
    same_coding(coding, rule.coding_)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_features_with_b_levels_have_b_minus_one_planes(rule):
    store, coding = encode(columns_of(mixed_table()), rule)
    for block in store.blocks:
        levels = coding.n_levels[block.features]
        assert set(levels) == {block.n_levels}
        assert len(block.planes) == block.n_levels - 1
        assert (block.counts > 0).all()
        assert (block.counts.sum(axis=0) == store.n_samples).all()


DIVISIONS = [*product([1, 8 * 70, 8 * 70 * 7, 1 << 22], [1, 7, 2048])]  # bytes of a tile, features of a block


@crossed(
    rule={str(one): one for one in RULES},
    n_threads={"1 thread": 1, "2 threads": 2, "3 threads": 3},
    division={str(one): one for one in DIVISIONS},
)
def test_division_does_not_matter(monkeypatch, rule, n_threads, division):
    tile_bytes, width = division
    columns = columns_of(mixed_table())
    whole, coding = encode(columns, rule)
    monkeypatch.setattr(encoding, "block_width", lambda n_samples, n_levels: width)
    with Threads(n_threads) as engine:
        parts, coding_of_parts = encode(columns, rule, engine, tile_bytes)
    same_coding(coding_of_parts, coding)
    np.testing.assert_array_equal(parts.varying, whole.varying)
    np.testing.assert_array_equal(codes_in(parts), codes_in(whole))


class Workers(Serial):
    """Does one task after another, as if there were several workers."""

    def __init__(self, n_workers):
        self.n_workers = n_workers


@pytest.mark.parametrize("n_workers", [1, 2, 5])
@pytest.mark.parametrize(
    ("n_samples", "n_features"),
    [(64, 20_000), (72, 10_000), (72, 16_000), (500, 5_000), (3_000, 1_100), (12_000, 785), (12_000, 7)],
)
def test_blocks_are_about_equally_wide(n_samples, n_features, n_workers):
    X = np.random.default_rng(0).normal(size=(n_samples, n_features))
    store, _ = encode(columns_of(X), EqualFrequency(3), Workers(n_workers))
    widths, most = [len(block.features) for block in store.blocks], encoding.block_width(n_samples, 3)
    assert sum(widths) == n_features
    least, fewest = min(encoding.LEAST, n_features), -(-n_features // most)
    if n_samples > 1000:  # more than a block's planes in cache: the workers share them
        fewest = min(-(-fewest // n_workers) * n_workers, -(-n_features // least))
    assert len(widths) == fewest
    assert max(widths) <= most
    assert min(widths[:-1], default=least) >= least
    if n_features >= least * fewest:  # equal but for what tiles of whole columns leave over
        assert max(widths) - min(widths) <= max(widths) / 8


@pytest.mark.parametrize(("n_features", "widest"), [(785, 393), (1000, 500), (7, 64), (100, 64), (2049, 513)])
def test_workers_share_wide_blocks(n_features, widest):
    """The last block is narrower, not one block more; none is too narrow for vector loops."""
    assert encoding.shared_width(n_features, 12_000, 3, 2) == widest


@pytest.mark.parametrize("tile_bytes", [1, 8 * 7 * 2, 1 << 22])
def test_frames_with_labels_may_be_divided_too(tile_bytes):
    frame = pd.DataFrame(
        {
            "x": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 9.5],
            "label": list("abacaba"),
            "flag": [True, False, True, True, False, False, True],
            "same": ["s"] * 7,
            "z": [1, 2, 3, 4, 5, 6, 7],
        }
    )
    store, coding = encode(columns_of(frame), AsCodes(3), Serial(), tile_bytes)
    whole, coding_of_whole = encode(columns_of(frame), AsCodes(3))
    same_coding(coding, coding_of_whole)
    np.testing.assert_array_equal(codes_in(store), codes_in(whole))
    assert store.varying.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_the_first_infinite_column_is_named_whatever_the_division(n_threads):
    X = np.zeros((4, 50))
    X[2, [17, 30, 44]] = np.inf
    with (
        Threads(n_threads) as engine,
        pytest.raises(ValueError, match=r"column 17\b.*row 2"),
    ):
        encode(columns_of(X), ThreeSegments(), engine, 8 * 4)


def wide(layout, dtype, n_features):
    X = np.random.default_rng(0).normal(size=(64, n_features)) * 3
    return layout(X.astype(dtype))


def memory_of_encoding(X):
    """Bytes kept, and the most used beyond them and the input."""
    columns = columns_of(X)
    tracemalloc.start()
    try:
        store, coding = encode(columns, ThreeSegments())
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    planes = sum(block.planes.nbytes for block in store.blocks)
    assert planes <= 2 * 8 * X.shape[1]
    assert coding.edges.shape == (2, X.shape[1])
    return kept, peak - kept


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_memory_does_not_grow_with_the_width(layout, dtype):
    memory_of_encoding(wide(layout, dtype, 10))  # compiles
    for n_features in (20_000, 80_000):
        kept, more = memory_of_encoding(wide(layout, dtype, n_features))
        assert kept < 100 * n_features  # planes, counts, edges and places; a copy would take 512
        assert more < 12 * MEGABYTE  # a copy of the wide one in float64 is 39


def test_memory_of_fitting_does_not_grow_with_the_width():
    ThreeSegments().fit(wide(np.ascontiguousarray, "float32", 10))
    for n_features in (20_000, 80_000):
        X = wide(np.ascontiguousarray, "float32", n_features)
        tracemalloc.start()
        try:
            ThreeSegments().fit(X)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 12 * MEGABYTE + 100 * n_features
