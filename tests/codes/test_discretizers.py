"""What each discretiser does by itself; what all of them do is in tests/laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from tests.naive import codes as naive

from qpfs.codes import AsCodes, EqualFrequency, EqualWidth, ThreeSegments

CUTTING = [ThreeSegments(), EqualWidth(4), EqualFrequency(4)]


def column(*values):
    return np.array(values)[:, None]


def after(x):
    return np.nextafter(x, np.inf)


@pytest.mark.parametrize(
    ("cut", "values", "edges"),
    [
        (ThreeSegments(keep_integers=False), [0.0, 0.0, 4.0, 4.0], [0, 4]),
        (ThreeSegments(0.5, keep_integers=False), [0.0, 0.0, 4.0, 4.0], [1, 3]),
        (ThreeSegments(2, keep_integers=False), [-1.0, 1.0], [-2, 2]),
        (EqualWidth(4), [0.5, 1.0, 8.5], [2.5, 4.5, 6.5]),
        (EqualWidth(2), [-1e308, 0.5, 1e308], [0]),
        (EqualFrequency(2), [0.5, 1.5, 2.5, 3.5], [1.5]),
        (EqualFrequency(3), [0.5, 1.5, 2.5, 3.5], [1.5, 2.5]),
        (EqualFrequency(4), [0.5, 0.5, 0.5, 3.5], [0.5, 0.5, 0.5]),
        (AsCodes(4), [7.5, -1.0, 7.5, 3.0], [-1, 3]),
    ],
)
def test_edges_by_hand(cut, values, edges):
    np.testing.assert_array_equal(cut.fit(column(*values)).edges_[:, 0], edges)


def test_intervals_are_closed_on_the_right():
    cut = ThreeSegments(keep_integers=False).fit(column(0, 0, 4, 4))
    codes = cut.transform(column(-1e308, 0, after(0), 4, after(4), 1e308))
    assert codes[:, 0].tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("cut", CUTTING, ids=str)
def test_a_number_on_an_edge_is_below_it(cut):
    X = np.random.default_rng(0).normal(size=(40, 3))
    edges = cut.fit(X).edges_
    levels = np.broadcast_to(np.arange(len(edges))[:, None], edges.shape)
    np.testing.assert_array_equal(cut.transform(edges), levels)
    np.testing.assert_array_equal(cut.transform(after(edges)), levels + 1)


def test_sigma_is_that_of_the_population():
    x = np.random.default_rng(1).normal(3, 2, size=20)
    edges = ThreeSegments(1.5).fit(x[:, None]).edges_[:, 0]
    np.testing.assert_allclose(edges, [x.mean() - 1.5 * x.std(), x.mean() + 1.5 * x.std()])


@pytest.mark.parametrize("share", [1, 3, 5, 7, 9])
def test_three_segments_tell_two_values_apart(share):
    # With one standard deviation the cut next to the rarer value, or to both, lies between the two.
    pairs = np.sort(np.random.default_rng(2).normal(size=(2, 200)), axis=0)
    X = np.where(np.arange(10)[:, None] < share, pairs[0], pairs[1])
    assert ThreeSegments().fit(X).n_levels_.tolist() == [2] * 200


def test_three_segments_put_the_lower_of_two_equally_frequent_values_on_its_edge():
    low, high = np.sort(np.random.default_rng(3).normal(size=(2, 200)), axis=0)
    codes = ThreeSegments().fit_transform(np.stack([low, high]))
    np.testing.assert_array_equal(codes, [[0] * 200, [1] * 200])


@pytest.mark.parametrize("n_bins", [2, 3, 5])
def test_equal_frequency_tells_two_values_apart(n_bins):
    for n_low in range(1, 10):
        x = column(*[0.5] * n_low, *[1.5] * (10 - n_low))
        assert EqualFrequency(n_bins).fit(x).n_levels_[0] == 2, n_low


@pytest.mark.parametrize("n_bins", [2, 3, 7])
def test_equal_frequency_is_even_without_ties(n_bins):
    x = np.random.default_rng(4).permutation(41) + 0.5
    counts = np.bincount(EqualFrequency(n_bins).fit_transform(x[:, None])[:, 0])
    assert len(counts) == n_bins
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("cut", CUTTING, ids=str)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.float64])
def test_few_integers_stay_as_they_are(cut, dtype):
    values = np.array([0, 90, 100])
    X = np.random.default_rng(5).choice(values, size=(30, 4)).astype(dtype)
    np.testing.assert_array_equal(cut.fit_transform(X), np.searchsorted(values, X))
    np.testing.assert_array_equal(cut.edges_[:2], [[0] * 4, [90] * 4])


@pytest.mark.parametrize("cut", CUTTING, ids=str)
def test_many_integers_are_cut(cut):
    X = column(*range(20))
    assert cut.fit(X).n_levels_[0] == cut.bins


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_few_integers_are_cut_if_asked(dtype):
    X = column(0, 9, 9, 10).astype(dtype)
    codes = EqualWidth(3, keep_integers=False).fit_transform(X)
    assert codes[:, 0].tolist() == [0, 2, 2, 2]


def test_missing_values_do_not_count_among_few_integers():
    cut = ThreeSegments().fit(column(0.0, 5.0, 6.0, np.nan))
    assert cut.edges_[:, 0].tolist() == [0, 5]
    assert cut.n_levels_[0] == 4


def test_numbers_that_are_no_integers_are_cut_however_few():
    x = column(0.5, 9.5, 9.5, 10.5)
    assert EqualWidth(3).fit_transform(x)[:, 0].tolist() == [0, 2, 2, 2]


@pytest.mark.parametrize("max_categories", [2, 3, 5, 6, 7])
@pytest.mark.parametrize("missing", [False, True])
def test_rare_values_are_merged_and_recorded(max_categories, missing):
    values = np.repeat([4.0, 1.0, 9.0, 2.0, 7.0, 5.0], [6, 5, 4, 3, 2, 1])
    values = np.append(values, [np.nan, np.nan] if missing else [])
    cut = AsCodes(max_categories).fit(column(*values))
    kept, n_merged = naive.merged([x for x in values if x == x], max_categories)
    assert cut.merged_ == ({0: n_merged} if n_merged else {})
    assert cut.n_levels_[0] == min(max_categories, 6) + missing
    if n_merged:
        assert cut.labels_ == {0: kept}
        expected = [kept.index(x) if x in kept else len(kept) + (x != x) for x in values]
        assert cut.transform(column(*values))[:, 0].tolist() == expected


@pytest.mark.parametrize("cut", [*CUTTING, AsCodes()], ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_rare_labels_are_merged_and_recorded(cut, frame):
    labels = [label for i, label in enumerate("abcdef") for _ in range(6 - i)]
    cut = clone(cut).set_params(max_categories=3).fit(frame({"x": range(21), "label": labels}))
    assert cut.labels_[1] == ("a", "b")
    assert cut.merged_[1] == 4
    assert cut.n_levels_[1] == 3


def test_labels_of_equal_frequency_do_not_depend_on_the_order_of_samples():
    labels = list("dcbadcba")
    first = AsCodes(3).fit(pd.DataFrame({"x": labels})).labels_
    assert AsCodes(3).fit(pd.DataFrame({"x": labels[::-1]})).labels_ == first


def test_the_most_levels_fit_a_byte():
    x = column(*range(300))
    codes = AsCodes(254).fit_transform(np.vstack([x, [[np.nan]]]).astype(float))[:, 0]
    assert len(set(codes)) == 255
    assert codes[-1] == 254
    spread = EqualWidth(254).fit(x + 0.5)
    assert spread.n_levels_[0] == 254


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (ThreeSegments(0), "n_sigma=0"),
        (ThreeSegments(-1.5), "n_sigma=-1.5"),
        (ThreeSegments(np.inf), "n_sigma=inf"),
        (ThreeSegments(np.nan), "n_sigma=nan"),
        (ThreeSegments("wide"), "n_sigma='wide'"),
        (ThreeSegments(None), "n_sigma=None"),
        (EqualWidth(1), "n_bins=1"),
        (EqualWidth(2.0), "n_bins=2.0"),
        (EqualWidth(True), "n_bins=True"),
        (EqualWidth(255), "n_bins=255"),
        (EqualFrequency(0), "n_bins=0"),
        (EqualFrequency("5"), "n_bins='5'"),
        (AsCodes(1), "max_categories=1"),
    ],
)
def test_bad_parameters_are_named(cut, said):
    with pytest.raises(ValueError, match=f"{said}, but"):
        cut.fit([[1.5], [2.5]])


@pytest.mark.parametrize("n_bins", [np.int64(3), np.uint8(3)])
def test_integers_of_numpy_are_integers(n_bins):
    assert EqualWidth(n_bins).fit(column(0.5, 1.5, 2.5)).n_levels_[0] == 3
