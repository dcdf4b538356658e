"""A store holds every feature that varies once, and gives those that are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs.codes import AsCodes, columns_of, encode, standardize
from qpfs.codes import store as store_module
from qpfs.codes.planes import unpack
from qpfs.codes.store import Lookup

N, M = 40, 60


X = np.random.default_rng(0).integers(0, np.arange(M) % 4 + 1, (N, M)).astype(float)
X[:4] = np.minimum(np.arange(4)[:, None], np.arange(M) % 4)  # every level occurs

STORES = {
    "planes": lambda X, tile: encode(columns_of(X), AsCodes(), None, tile)[0],
    "numbers": lambda X, tile: standardize(columns_of(X), None, tile),
}

every_store = pytest.mark.parametrize("store_of", STORES.values(), ids=STORES)
every_tile = pytest.mark.parametrize("tile_bytes", [1, 8 * N * 7, 1 << 22])


@every_store
@every_tile
def test_every_varying_feature_is_in_one_block(store_of, tile_bytes):
    store = store_of(X, tile_bytes)
    varying = [j for j in range(M) if len(set(X[:, j])) > 1]
    held = np.concatenate([block.features for block in store.blocks])
    assert sorted(held) == varying
    assert store.varying.tolist() == varying
    assert (store.n_samples, store.n_features) == (N, M)


@every_store
@every_tile
@pytest.mark.parametrize("asked", [[3], [0], [7, 2, 59, 33, 1], list(range(M))[::-1], []])
def test_picking_gives_the_varying_features_asked_for(store_of, tile_bytes, asked):
    picked = store_of(X, tile_bytes).pick(np.array(asked, np.intp))
    got = [int(j) for block in picked for j in block.features]
    assert sorted(got) == sorted(j for j in asked if j % 4)
    levels = [block.n_levels for block in picked]
    assert len(levels) == len(set(levels))


@every_tile
def test_picked_features_are_themselves(tile_bytes):
    for block in STORES["planes"](X, tile_bytes).pick(np.array([7, 2, 59, 33, 1])):
        np.testing.assert_array_equal(unpack(block), X[:, block.features])


@every_tile
def test_numbers_have_mean_zero_and_norm_one(tile_bytes):
    for block in STORES["numbers"](X, tile_bytes).blocks:
        part = X[:, block.features]
        expected = (part - part.mean(axis=0)) / (part.std(axis=0) * np.sqrt(N))
        np.testing.assert_allclose(block.values, expected, atol=1e-14)


def test_nothing_varies():
    for store_of in STORES.values():
        store = store_of(np.full((5, 3), 2.5), 1 << 22)
        assert store.varying.tolist() == []
        assert list(store.pick(np.arange(3))) == []


@pytest.mark.parametrize("value", [0.1, 1e308, -1e-300, 5e-324])
def test_a_constant_among_numbers_is_in_no_block(value):
    X = np.column_stack([np.full(7, value), np.arange(7.0)])
    assert standardize(columns_of(X)).varying.tolist() == [1]


@pytest.mark.parametrize("unit", [1e-320, 1e-310, 1e-300, 1e-160, 1.0, 1e160, 1e307])
def test_numbers_of_any_size_are_standardized(unit):
    values = np.array([-9.0, -2.5, 0.0, 1.0, 1.5, 3.0, 10.0])
    scaled = values * unit
    (block,) = standardize(columns_of(scaled[:, None])).blocks
    (plain,) = standardize(columns_of(values[:, None])).blocks
    rounding = 5e-324 / unit  # of numbers next to the smallest
    np.testing.assert_allclose(block.values, plain.values, atol=1e-12 + rounding)


def test_missing_numbers_are_refused_by_column():
    X = np.arange(12.0).reshape(4, 3)
    X[1, 2] = np.nan
    with pytest.raises(ValueError, match="column 2"):
        standardize(columns_of(X))


@every_store
def test_places_of_many_features_are_found_out_once(store_of, monkeypatch):
    found_out = []

    def counted(store, features):
        found_out.append(len(features))
        return by_block(store, features)

    by_block = store_module.by_block
    monkeypatch.setattr(store_module, "MANY", 5)
    monkeypatch.setattr(store_module, "by_block", counted)
    store = store_of(X, 8 * N * 7)
    lookup = Lookup(store)
    few, many, others = np.array([9, 2]), np.arange(M)[::-1].copy(), np.arange(0, M, 2)
    for features in (many, few, others, many, few, others):
        for one, other in zip(lookup(features), by_block(store, features), strict=True):
            np.testing.assert_array_equal(one, other)
    assert found_out == [M, 2, M // 2, 2]
    del features, many
    assert len(lookup.known) == 1


def test_what_a_store_holds_in_order_needs_no_looking_up(monkeypatch):
    monkeypatch.setattr(store_module, "MANY", 5)
    store = STORES["planes"](X, 8 * N * 7)
    inside = np.concatenate([block.features for block in store.blocks])
    expected = store_module.by_block(store, inside)
    lookup = Lookup(store)
    lookup.note_all(inside[::-1].copy())
    assert lookup.known == {}
    lookup.note_all(inside)
    monkeypatch.delattr(store_module, "by_block")
    for one, other in zip(lookup(inside), expected, strict=True):
        np.testing.assert_array_equal(one, other)
