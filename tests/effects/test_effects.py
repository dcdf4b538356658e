"""Directions and sizes of effects are those that SciPy computes, whatever a table is kept as."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.stats.contingency import association

from qpfs import EqualFrequency, MaxRel, open_store, write_store
from qpfs.codes import columns, columns_of, some_rows, sparse_columns, target_of
from qpfs.codes.weights import Weights
from qpfs.effects import effects, effects_of, known_effects, packed_effects

RULE = EqualFrequency(5)
few = st.sampled_from([np.nan, -2.5, -1.0, 0.0, 0.0, 1.0, 1.0 + 2.0**-52, 3.0])


def effects_in(X, y, forced=False):
    return effects_of(columns_of(X), target_of(y, RULE, forced))


def auc(x, y):
    """How often class 1 exceeds class 0, ties half."""
    known = ~np.isnan(x)
    one, zero = x[known & (y == 1)], x[known & (y == 0)]
    if len(one) == 0 or len(zero) == 0 or len(np.unique(x[known])) < 2:
        return np.nan
    return stats.mannwhitneyu(one, zero).statistic / (len(one) * len(zero))


def eta(x, y):
    """The statistic of Kruskal and Wallis over n - 1."""
    known = ~np.isnan(x)
    groups = [x[known & (y == c)] for c in np.unique(y[known])]
    if len(groups) < 2 or len(np.unique(x[known])) < 2:
        return np.nan
    return stats.kruskal(*groups).statistic / (known.sum() - 1)


def rho(x, y):
    known = ~np.isnan(x)
    if known.sum() < 2 or len(np.unique(x[known])) < 2 or len(np.unique(y[known])) < 2:
        return np.nan
    return stats.spearmanr(x[known], y[known]).statistic


def tables(n_classes):
    rows = st.tuples(few, few, few, st.integers(0, n_classes - 1))
    return st.lists(rows, min_size=n_classes + 1, max_size=24).filter(
        lambda some: {row[3] for row in some} == set(range(n_classes))
    )


@given(tables(2))
@settings(deadline=None)
def test_two_classes(rows):
    X, y = np.array(rows)[:, :3], np.array([row[3] for row in rows])
    found = effects_in(X, y)
    for i, column in enumerate(X.T):
        expected = auc(column, y)
        np.testing.assert_allclose(found.size[i], max(expected, 1 - expected), rtol=1e-12)
        assert found.towards[i] == (-1 if np.isnan(expected) or expected == 0.5 else expected > 0.5)
        assert found.n[i] == (0 if np.isnan(expected) else (~np.isnan(column)).sum())


@given(tables(4))
@settings(deadline=None)
def test_several_classes(rows):
    X, y = np.array(rows)[:, :3], np.array([row[3] for row in rows])
    found = effects_in(X, y)
    for i, column in enumerate(X.T):
        expected, known = eta(column, y), ~np.isnan(column)
        np.testing.assert_allclose(found.size[i], expected, rtol=1e-12, atol=1e-12)
        if expected > 1e-9:
            ranks = stats.rankdata(column[known])
            means = [ranks[y[known] == c].mean() if (y[known] == c).any() else -1 for c in range(4)]
            assert means[found.towards[i]] == pytest.approx(max(means))


@given(
    st.lists(st.tuples(few, few, few, st.sampled_from([0.5, 1.5, 1.5, 2.0, 7.0])), min_size=3, max_size=24)
)
@settings(deadline=None)
def test_a_quantity(rows):
    X, y = np.array(rows)[:, :3], np.array(rows)[:, 3]
    if len(np.unique(y)) < 2:
        return
    found = effects_in(X, y, forced=True)
    for i, column in enumerate(X.T):
        expected = rho(column, y)
        np.testing.assert_allclose(found.size[i], expected, rtol=1e-9, atol=1e-12)
        if abs(expected) > 1e-9:
            assert found.towards[i] == (expected > 0)


LABELS = st.lists(
    st.tuples(st.sampled_from("abc").filter(bool) | st.none(), st.integers(0, 2)), min_size=6, max_size=30
)


@given(LABELS)
@settings(deadline=None)
def test_labels(rows):
    frame, y = pd.DataFrame({"kind": [row[0] for row in rows]}), np.array([row[1] for row in rows])
    known = frame["kind"].notna().to_numpy()
    counts = pd.crosstab(frame["kind"][known], y[known]).to_numpy()
    if len(np.unique(y)) < 2 or not known.any():
        return
    classes = effects_in(frame, y)
    expected = association(counts, "cramer") if min(counts.shape) > 1 else np.nan
    np.testing.assert_allclose(classes.size[0], expected, atol=1e-9)
    assert (classes.towards[0], classes.labelled[0]) == (-1, True)
    assert classes.n[0] == (0 if np.isnan(expected) else known.sum())
    amounts = y + 0.5
    groups = [amounts[known & (frame["kind"] == kind)] for kind in frame["kind"][known].unique()]
    varied = len(groups) > 1 and len(np.unique(amounts[known])) > 1
    expected = stats.kruskal(*groups).statistic / (known.sum() - 1) if varied else np.nan
    np.testing.assert_allclose(effects_in(frame, amounts, forced=True).size[0], expected, atol=1e-9)


def table_with_gaps(n=400, m=40):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, m)) < 0.15, rng.normal(size=(n, m)), 0.0)
    X[:, 1] = 0.0
    X[:, 2] = rng.integers(0, 3, n)
    X[:, 3] = rng.normal(size=n)
    X[rng.random((n, m)) < 0.02] = np.nan
    X[:, 4] = np.nan
    return X, rng


def assert_same_bits(one, other):
    for name in ("size", "towards", "n", "labelled"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


TARGETS = {
    "two classes": lambda rng: rng.integers(0, 2, 400),
    "five classes": lambda rng: rng.integers(0, 5, 400),
    "a quantity": lambda rng: rng.normal(size=400).round(1),
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_sparse_table_has_the_same_bits(target):
    X, rng = table_with_gaps()
    y = TARGETS[target](rng)
    expected = effects_in(X, y)
    stored = sparse.csc_array(X)
    stored.data[::7] = 0.0  # zeros that are stored
    dense = effects_in(stored.toarray(), y)
    assert_same_bits(effects_in(sparse.csr_array(X), y), expected)
    assert_same_bits(effects_in(stored, y), dense)
    assert np.isnan(expected.size[[1, 4]]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_tiles_change_nothing(target, monkeypatch):
    X, rng = table_with_gaps()
    y = TARGETS[target](rng)
    expected = effects_in(X, y)
    monkeypatch.setattr(columns, "TILE_CELLS", 900)
    monkeypatch.setattr(sparse_columns, "TILE_CELLS", 900)
    assert_same_bits(effects_in(X, y), expected)
    assert_same_bits(effects_in(sparse.csc_array(X), y), expected)
    some = effects_of(columns_of(X), target_of(y, RULE), np.array([7, 3, 30]))
    np.testing.assert_array_equal(some.size[[7, 3, 30]], expected.size[[7, 3, 30]])
    assert np.isnan(some.size[5])


def test_any_frame_says_the_same():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=90),
            "nullable": pd.array(np.where(rng.random(90) < 0.2, None, rng.integers(0, 9, 90)), "Int64"),
            "truth": rng.random(90) < 0.4,
            "label": pd.Categorical(rng.choice(["a", "b", "c"], 90)),
        }
    )
    y = rng.integers(0, 2, 90)
    found = effects_in(frame, y)
    assert_same_bits(effects_in(pl.from_pandas(frame), y), found)
    assert found.measures(np.arange(4)) == ["auc", "auc", "auc", "cramers_v"]
    expected = auc(frame["truth"].to_numpy().astype(float), y)
    assert found.size[2] == pytest.approx(max(expected, 1 - expected))
    assert found.n[1] == frame["nullable"].notna().sum()


def test_directions_in_words():
    rising = np.arange(12.0)
    X = np.stack([rising, -rising, np.ones(12)], axis=1)
    every = np.arange(3)
    two = effects_in(X, np.repeat(["ALL", "AML"], 6))
    assert two.directions(every) == ["higher in AML", "higher in ALL", None]
    assert two.size.tolist()[:2] == [1.0, 1.0]
    three = effects_in(X, np.repeat(["u", "v", "w"], 4))
    assert three.directions(every) == ["highest in w", "highest in u", None]
    amount = effects_in(X, rising**2 + 0.5)
    assert amount.directions(every) == ["rises with the target", "falls with the target", None]
    assert amount.size.tolist()[:2] == [1.0, -1.0]
    assert amount.measures(every) == ["rho", "rho", None]


def test_many_samples_overflow_nothing():
    n = 3_000_000  # n^3 is beyond 64 bits
    x = np.arange(n) % 1_500_000
    found = effects_in((x[:, None] // 2).astype(np.float64), x + 0.5)
    assert found.size[0] == pytest.approx(1.0, abs=1e-9)
    assert effects_in(-x[:, None].astype(np.float64), x >= 750_000).size[0] == 1.0


def test_scores_tell_what_numbers_tell():
    X, rng = table_with_gaps()
    X = np.nan_to_num(X)
    for target in TARGETS.values():
        y = target(rng)
        fitted = MaxRel(3).fit(X, y).fitted_
        assert_same_bits(known_effects(fitted, 40), known_effects(fitted, 40, X))
        loose = MaxRel(3).fit(sparse.csr_array(X), y).fitted_
        assert_same_bits(known_effects(loose, 40), known_effects(fitted, 40))


def test_missing_numbers_are_in_the_middle_of_scores():
    x = np.array([np.nan, 1, 2, 3, 4, np.nan, 5, 6, 7, 8.0])
    y = np.array([0, 0, 0, 0, 1, 1, 0, 1, 1, 1])
    fitted = MaxRel(1).fit(x[:, None], y).fitted_
    filled = np.where(np.isnan(x), 4.5, x)
    assert_same_bits(known_effects(fitted, 1), effects_in(filled[:, None], y))


def test_levels_tell_what_their_order_tells():
    X, rng = table_with_gaps()
    y = rng.integers(0, 2, 400)
    selector = MaxRel(3, measure="mi", discretizer=EqualFrequency(4)).fit(X, y)
    codes = selector.discretizer_.transform(X).astype(float)
    codes[np.isnan(X)] = np.nan
    assert_same_bits(known_effects(selector.fitted_, 40), effects_in(codes, y))


@pytest.mark.parametrize("measure", ["mi", "rank"])
def test_a_store_tells_what_it_holds(measure, tmp_path):
    X, rng = table_with_gaps()
    frame, y = pd.DataFrame(np.nan_to_num(X)).rename(columns=str), rng.integers(0, 3, 400)
    frame["kind"] = rng.choice(["a", "b", None], 400)
    path = write_store(frame, tmp_path / "x.qpfs", y, **({} if measure == "mi" else {"measure": "rank"}))
    table = open_store(path)
    found = known_effects(MaxRel(3).fit(table, table.y).fitted_, 41, table)
    expected = known_effects(MaxRel(3, measure=measure).fit(frame, y).fitted_, 41)
    assert_same_bits(found, expected)
    labels = effects_in(frame, y)
    assert found.size[40] == pytest.approx(labels.size[40])
    assert found.n[40] == labels.n[40]
    if measure == "rank":
        assert_same_bits(found, labels)


def test_numbers_of_correlation_are_known_and_a_function_has_none():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    by_numbers = MaxRel(2, measure="correlation").fit(X, y).fitted_
    np.testing.assert_allclose(known_effects(by_numbers, 5).size, effects_in(X, y).size)
    by_function = MaxRel(2, measure=lambda a, b: float(abs(a @ b))).fit(X, y).fitted_
    assert np.isnan(known_effects(by_function, 5).size).all()
    np.testing.assert_array_equal(known_effects(by_function, 5, X).size, effects_in(X, y).size)


def test_packed_features_are_taken_in_parts(monkeypatch):
    X, rng = table_with_gaps()
    fitted = MaxRel(3).fit(X, rng.integers(0, 2, 400)).fitted_
    expected = packed_effects(fitted.table.store, fitted.coding, fitted.target)
    monkeypatch.setattr(effects, "TILE_CELLS", 900)
    assert_same_bits(packed_effects(fitted.table.store, fitted.coding, fitted.target), expected)


def test_of_several_targets_the_first_counts():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 4)), np.stack([np.arange(80) % 2, rng.integers(0, 3, 80)], axis=1)
    both = MaxRel(2).fit(X, y).fitted_
    np.testing.assert_array_equal(known_effects(both, 4, X).size, effects_in(X, y[:, 0]).size)


@pytest.mark.parametrize("kind", ["two", "four", "quantity"])
def test_weights_are_copies(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (30, 8)) * (rng.random((30, 8)) < 0.6) * 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    y = {"two": np.arange(30) % 2, "four": np.arange(30) % 4, "quantity": rng.normal(size=30).round(1)}[kind]
    times = rng.integers(1, 5, 30)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(label=pd.Series(list("uvwu" * 8)[:30]))
    frame.loc[3, "label"] = None
    weighted = target_of(y, RULE, weights=Weights(times))
    for table in (frame, X, sparse.csc_array(np.nan_to_num(X))):
        rows = np.repeat(np.arange(30), times)
        found = effects_of(columns_of(table), weighted)
        copies = effects_in(some_rows(table, rows), y[rows])
        np.testing.assert_array_equal(found.size, copies.size)
        np.testing.assert_array_equal(found.towards, copies.towards)
        if not sparse.issparse(table):
            np.testing.assert_array_equal(found.n, (~np.asarray(pd.isna(table))).sum(axis=0))
    fitted = MaxRel(2).fit(X, y, sample_weight=times)
    np.testing.assert_array_equal(
        known_effects(fitted.fitted_, 8, X).size, effects_of(columns_of(X), weighted).size
    )
