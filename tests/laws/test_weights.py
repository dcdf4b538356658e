"""Whole weights are copies of samples, to the last bit, and weight 0 is a sample that is not there."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array, csr_matrix
from sklearn.base import clone
from tests.laws.same import assert_same, learned

from qpfs import (
    IKMAQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    AsCodes,
    EqualWidth,
    MaxRel,
    ThreeSegments,
    open_store,
    write_store,
)
from qpfs.codes.repeated import added
from qpfs.codes.weights import Weights, whole_weights
from qpfs.information import Rank
from qpfs.information.measures.mutual_information import MOST_LISTED
from qpfs.information.significance import Test as ChanceTest

MEASURES = ["mi", "chi2", "rank", "correlation"]
STORAGES = {  # and the measures that are tried in each by default: two, and all in the first
    "dense": MEASURES,
    "dense float32": ["mi", "correlation"],
    "sparse": ["rank", "correlation"],
    "frame": ["mi", "rank"],
    "store": ["mi", "rank"],
    "dask": ["rank", "correlation"],
}


def numbers(n=30, k=40, seed=0):
    """Columns that differ in their ties and zeros, the later ones like the first, and some weights of 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, k)).round(2) * (rng.random((n, k)) < np.linspace(0.2, 1, k))
    X[:, : k // 8] = rng.poisson(0.7, (n, k // 8))
    X[:, k // 2 :] = X[:, : k - k // 2] + 0.3 * rng.normal(size=(n, k - k // 2)).round(1)
    y = rng.integers(0, 2, n)
    X[:, [1, 9, 20]] += y[:, None]
    weights = rng.integers(0, 60, n)
    weights[:3] = 0, 1, 300
    return X, y, weights


def copies(X, weights):
    rows = np.repeat(np.arange(len(weights)), weights)
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def assert_as_copies(selector, X, y, weights):
    """The selector learns the same from weights and from copies, but for p values that come from shuffles."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = clone(selector).fit(X, y, sample_weight=weights)
        other = clone(selector).fit(copies(X, weights), copies(y, weights))
    tested = [ChanceTest(each.fitted_.table, each.fitted_.target).margins.key == 0 for each in (one, other)]
    np.testing.assert_array_equal(*tested)
    assert tested[0].any()
    np.testing.assert_array_equal(one.pvalues_[tested[0]], other.pvalues_[tested[0]])
    assert_same(*({**learned(each), "pvalues_": 0, "qvalues_": 0} for each in (one, other)))


def stored(kind, X, y, tmp_path, measure):
    """A table in a storage."""
    if kind == "dense float32":
        return X.astype(np.float32)
    if kind == "sparse":
        return csc_array(X)
    if kind == "frame":
        frame = pd.DataFrame(X).rename(columns="x{}".format)
        label = pd.Series(np.resize(list("abcab"), len(X)))
        return frame if measure == "correlation" else frame.assign(label=label, truth=X[:, 3] > 0)
    if kind == "store":
        asked = {"measure": "rank"} if measure == "rank" else {}
        return open_store(write_store(X, tmp_path / "table.qpfs", y, **asked))
    if kind == "dask":
        return pytest.importorskip("dask.array").from_array(X, chunks=(10, 13))
    return X


@pytest.mark.parametrize(
    ("storage", "measure"),
    [
        pytest.param(storage, measure, marks=() if measure in by_default else pytest.mark.slow)
        for storage, by_default in STORAGES.items()
        for measure in MEASURES
        if (storage, measure) != ("store", "correlation")  # it holds no numbers
    ],
)
def test_weights_are_copies_in_any_storage(storage, measure, tmp_path):
    X, y, weights = numbers()
    X = stored(storage, X, y, tmp_path, measure)
    assert_as_copies(QPFS(measure=measure), X, y, weights)
    assert_as_copies(IKMAQPFS(measure=measure), X, y, weights)


@pytest.mark.parametrize("measure", MEASURES)
def test_storages_agree_on_weighted_samples(measure):
    X, y, weights = numbers(seed=1)
    dense = QPFS(measure=measure).fit(X, y, sample_weight=weights + 0.25)
    for other in (csr_matrix(X), pd.DataFrame(X)):
        found = QPFS(measure=measure, n_jobs=2).fit(other, y, sample_weight=weights + 0.25)
        for name in ("scores_", "order_", "relevance_", "pvalues_"):
            np.testing.assert_array_equal(getattr(found, name), getattr(dense, name))


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(5),
        JMI(4),
        TLKMQPFS(n_clusters=5),
        TLKMQPFS(n_clusters=5, representative="medoid", measure="mi"),
        QPFS(discretizer=ThreeSegments()),
        QPFS(discretizer=EqualWidth(4)),
        QPFS(discretizer=AsCodes(6), theta=0.5),
        QPFS(measure=Rank(2)),
        IKMAQPFS(measure="mi", discretizer=ThreeSegments(), n_jobs=2),
    ],
    ids=str,
)
def test_weights_are_copies_for_any_selector(selector):
    X, y, weights = numbers(seed=2)
    assert_as_copies(selector, X, y, weights)


@pytest.mark.parametrize("measure", MEASURES)
def test_weights_are_copies_beside_a_quantity(measure):
    X, y, weights = numbers(seed=3)
    assert_as_copies(QPFS(measure=measure), X, y + X[:, 12].round(1), weights)


def test_weights_are_copies_beside_several_targets():
    X, y, weights = numbers(seed=4)
    assert_as_copies(MaxRel(3), X, np.column_stack([y, X[:, 15] * y, np.arange(len(y)) % 3]), weights)


def test_integers_are_a_quantity_by_the_weight_of_their_samples():
    X, _, _ = numbers(60)
    many = np.resize(np.arange(40), 60)
    weights = np.full(60, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert MaxRel(1).fit(X, many).fitted_.target.classes is None
        assert MaxRel(1).fit(X, many, sample_weight=weights).fitted_.target.classes is not None


def test_weights_are_copies_where_values_are_missing():
    X, y, weights = numbers(seed=5)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert_as_copies(MaxRel(3), X, y, weights)
    assert_as_copies(QPFS(measure="mi"), X, y, weights)
    assert_as_copies(MaxRel(3), csc_array(X), y, weights)


@settings(deadline=None)
@given(st.data())
def test_relevance_and_edges_of_any_numbers(data):
    n = data.draw(st.integers(3, 12))
    cells = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3, width=32))
    X = data.draw(arrays(np.float64, (n, 3), elements=cells))
    X[:2] = [[0, 1, 2], [1, 3, -1]]
    weights = np.array(data.draw(st.lists(st.integers(0, 40), min_size=n, max_size=n)))
    weights[:2] += 1
    y = np.arange(n) % 2
    for selector in (MaxRel(1, discretizer=ThreeSegments()), MaxRel(1, measure="correlation"), MaxRel(1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = clone(selector).fit(X, y, sample_weight=weights)
            other = clone(selector).fit(copies(X, weights), copies(y, weights))
        np.testing.assert_array_equal(one.relevance_, other.relevance_)
        if one.discretizer_ is not None:
            np.testing.assert_array_equal(one.discretizer_.edges_, other.discretizer_.edges_)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(0, 3000))
def test_a_number_added_many_times(total, step, times):
    expected = total
    for _ in range(times):
        expected += step
    assert added(total, step, times) == expected


@pytest.mark.parametrize("measure", MEASURES)
def test_shuffles_leave_weights_with_the_features(measure):
    X, y, weights = numbers()
    fitted = MaxRel(1, measure=measure).fit(X, y, sample_weight=weights).fitted_
    order = np.random.default_rng(0).permutation(len(fitted.rows))
    found = fitted.table.shuffled(fitted.target, [order[None]])[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shuffled = MaxRel(1, measure=measure).fit(
            X[fitted.rows], y[fitted.rows][order], sample_weight=weights[fitted.rows]
        )
    np.testing.assert_array_equal(found, shuffled.relevance_)


def test_copies_of_few_samples_are_no_evidence_of_their_own():
    """By the test on copies noise would be certain; shuffles know that there are twelve samples."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 200)), np.arange(12) % 2
    fitted = MaxRel(1, n_permutations=200).fit(X, y, sample_weight=np.full(12, 50))
    assert fitted.familywise_pvalues_.min() > 0.05
    assert fitted.pvalues_.min() < 1e-10  # of 600 samples, as was said


def test_rounded_weights_are_near_what_they_stand_for():
    X, y, _ = numbers(k=24, seed=6)
    X = X[:, ::3]
    weights = np.random.default_rng(0).random(len(y)) + 0.5
    for measure in MEASURES:
        real = MaxRel(1, measure=measure).fit(X, y, sample_weight=weights)
        whole = MaxRel(1, measure=measure).fit(X, y, sample_weight=(weights * 2048).round())
        if measure != "rank":  # whose r / (N + 1) counts samples
            np.testing.assert_allclose(real.relevance_, whole.relevance_, atol=2e-3)
        assert real.fitted_.target.weights.size == pytest.approx(weights.sum(), rel=1e-4)


def test_equal_weights_say_what_none_say():
    X, y, _ = numbers(k=24, seed=7)
    X = X[:, ::3]
    for measure in MEASURES:
        plain = QPFS(measure=measure).fit(X, y)
        one = QPFS(measure=measure).fit(X, y, sample_weight=np.ones(len(y)))
        assert_same(learned(plain), learned(one))
        half = QPFS(measure=measure).fit(X, y, sample_weight=np.full(len(y), 1.5) / 1.5 * 0.3)
        np.testing.assert_allclose(half.relevance_, plain.relevance_, atol=0.05)


@given(st.lists(st.floats(1e-3, 1e9), min_size=2, max_size=50))
def test_whole_weights(weights):
    weights = np.array(weights)
    counts, unit = whole_weights(weights)
    assert counts.max() < 1 << 16
    np.testing.assert_allclose(counts / unit, weights, atol=weights.max() / (1 << 15))


def test_whole_weights_of_very_many_samples_have_fewer_digits():
    counts, _ = whole_weights(np.linspace(0.5, 1.5, 100_000))
    assert counts.sum() <= 1 << 28
    assert counts.max() > 2000
    np.testing.assert_array_equal(whole_weights(np.array([1.0, 65_535.0]))[0], [1, 65_535])
    assert whole_weights(np.array([1.0, 65_536.0]))[1] == 0.5


def test_very_many_copies_are_computed_and_not_looked_up():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(200, 30)), np.arange(200) % 2, 4 * rng.integers(1, 16_384, 200)
    assert weights.sum() > MOST_LISTED > weights.sum() / 4
    many = QPFS(measure="mi").fit(X, y, sample_weight=weights)
    fewer = QPFS(measure="mi").fit(X, y, sample_weight=weights // 4)
    np.testing.assert_allclose(many.relevance_, fewer.relevance_, rtol=1e-9)
    np.testing.assert_allclose(many.scores_, fewer.scores_, atol=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_selector_that_was_kept_has_its_weights(measure):
    X, y, weights = numbers(seed=8)
    fitted = QPFS(3, measure=measure).fit(X, y, sample_weight=weights + 0.5)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.redundancy(), fitted.redundancy())
    assert again.fitted_.table.measure.weights.size == fitted.fitted_.target.weights.size


def test_what_is_known_of_weights():
    weights = Weights(np.array([1, 2, 5]), 2.0)
    assert (weights.total, weights.size, weights.n_digits) == (8, 4.0, 3)
    assert weights.effective == 64 / 30
    np.testing.assert_array_equal(weights.digits[:, 0], [0b101, 0b010, 0b100])
    np.testing.assert_array_equal(weights.added_up(np.array([1, 0, 1])), [2, 6])
