"""QPFS, NystromQPFS, MaxRel and MRMR: what they answer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from tests.naive import selectors as naive
from tests.published import MRMR, QPFS, MaxRel, NystromQPFS

from qpfs import AsCodes, EqualFrequency, ThreeSegments

ALL = [QPFS, NystromQPFS, MaxRel, MRMR]


@pytest.fixture(scope="module")
def wdbc():
    return load_breast_cancer(return_X_y=True)


def objective(Q, s, theta, a):
    return (1 - theta) / 2 * a @ Q @ a - theta * s @ a


def test_weights_are_optimal_for_the_definition(wdbc):
    X, y = wdbc
    codes = naive.three_segments(X)
    Q, s = naive.redundancy(codes), naive.relevance(codes, y)
    fitted = QPFS().fit(X, y)
    theta = Q.mean() / (Q.mean() + s.mean())
    assert fitted.theta_ == pytest.approx(theta, rel=1e-10)
    np.testing.assert_allclose(fitted.relevance_, s, atol=1e-12)
    a = fitted.scores_
    g = (1 - theta) * Q @ a - theta * s
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1)
    assert np.ptp(g[a > 0]) < 1e-12
    assert g.min() >= g[a > 0].min() - 1e-12
    assert fitted.objective_ == pytest.approx(objective(Q, s, theta, a))
    assert fitted.gap_ < 1e-12
    assert fitted.status_ == "optimal"


def test_order_is_by_weight_then_reduced_gradient_then_index(wdbc):
    X, y = wdbc
    fitted = QPFS(theta=0.8).fit(X, y)
    codes = naive.three_segments(X)
    g = 0.2 * naive.redundancy(codes) @ fitted.scores_ - 0.8 * naive.relevance(codes, y)
    key = sorted(range(30), key=lambda i: (-fitted.scores_[i], round(g[i], 12), i))
    assert list(fitted.order_) == key


def test_theta_one_ranks_by_relevance(wdbc):
    X, y = wdbc
    assert list(QPFS(theta=1).fit(X, y).order_) == list(MaxRel().fit(X, y).order_)


def test_theta_zero_ignores_the_target(wdbc):
    X, y = wdbc
    shuffled = np.random.default_rng(0).permutation(y)
    np.testing.assert_array_equal(QPFS(theta=0).fit(X, y).scores_, QPFS(theta=0).fit(X, shuffled).scores_)


def test_max_rel_is_relevance(wdbc):
    X, y = wdbc
    fitted = MaxRel(5).fit(X, y)
    s = naive.relevance(naive.three_segments(X), y)
    np.testing.assert_allclose(fitted.scores_, s, atol=1e-12)
    assert list(fitted.order_) == list(np.argsort(-s, kind="stable"))
    assert set(fitted.get_support(indices=True)) == set(np.argsort(-s)[:5])


@pytest.mark.parametrize(
    ("scheme", "combine", "redundancy"),
    [
        ("difference", lambda s, r: s - r, np.mean),
        ("quotient", lambda s, r: s / max(r, 1e-12), np.mean),
        ("nearest", lambda s, r: s - r, max),
    ],
)
def test_mrmr_is_greedy(wdbc, scheme, combine, redundancy):
    X, y = wdbc
    fitted = MRMR(12, scheme=scheme).fit(X, y)
    assert list(fitted.order_) == naive.mrmr(naive.three_segments(X), y, 12, combine, redundancy)


def test_mrmr_stops_where_redundancy_outweighs_relevance(wdbc):
    X, y = wdbc
    fitted = MRMR().fit(X, y)
    n = len(fitted.order_)
    more = MRMR(n + 1).fit(X, y)
    assert (fitted.scores_[fitted.order_] > 0).all()
    assert more.scores_[more.order_[-1]] <= 0


def test_nystrom_with_all_features_sampled_is_qpfs(wdbc):
    X, y = wdbc
    exact = QPFS(theta=0.5).fit(X, y)
    sampled = NystromQPFS(sampling_rate=1.0, theta=0.5).fit(X, y)
    np.testing.assert_allclose(sampled.scores_, exact.scores_, atol=1e-7)
    assert sampled.objective_ == pytest.approx(exact.objective_, abs=1e-9)
    assert len(sampled.sampled_features_) == 30


def test_nystrom_samples_its_rate(microarray):
    X, y = microarray
    fitted = NystromQPFS(sampling_rate=0.1, random_state=3).fit(X, y)
    assert len(fitted.sampled_features_) == 30
    assert fitted.scores_.min() >= 0
    assert fitted.scores_.sum() == pytest.approx(1)
    assert fitted.gap_ < 1e-8


def test_nystrom_correction_brings_the_objective_near(microarray):
    X, y = microarray
    codes = naive.three_segments(X)
    Q, s = naive.redundancy(codes[:, :60]), naive.relevance(codes[:, :60], y)
    X = X[:, :60]
    best = QPFS(theta=0.5).fit(X, y).objective_
    plain, corrected = (
        objective(Q, s, 0.5, NystromQPFS(theta=0.5, diagonal_correction=c).fit(X, y).scores_)
        for c in (False, True)
    )
    assert best <= corrected + 1e-12
    assert corrected < plain


def test_nystrom_auto_theta_is_of_the_blocks(microarray):
    X, y = microarray
    exact = QPFS().fit(X, y)
    assert NystromQPFS(sampling_rate=1.0).fit(X, y).theta_ == pytest.approx(exact.theta_, rel=1e-3)


@pytest.mark.parametrize("selector", ALL)
def test_constant_columns_are_never_chosen(wdbc, selector):
    X, y = wdbc
    X = X.copy()
    X[:, [0, 7]] = 3.0
    fitted = selector().fit(X, y)
    assert not {0, 7} & set(fitted.order_)
    assert not fitted.scores_[[0, 7]].any()
    with pytest.warns(UserWarning, match="only 28 of 30 are not constant"):
        every = selector(30).fit(X, y)
    assert every.get_support().sum() == 28


@pytest.mark.parametrize("selector", ALL)
def test_all_constant_is_an_error(selector):
    with pytest.raises(ValueError, match="All 3 features are constant"):
        selector().fit(np.ones((10, 3)), np.arange(10) % 2)


def test_a_duplicated_feature_shares_its_weight(wdbc):
    X, y = wdbc
    once = QPFS(theta=0.5).fit(X, y)
    twice = QPFS(theta=0.5).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(twice.scores_[:30], once.scores_, atol=1e-12)
    assert not twice.scores_[30:].any()
    assert twice.objective_ == pytest.approx(once.objective_, abs=1e-14)


def test_a_continuous_target_is_cut_by_equal_frequency():
    X, y = load_diabetes(return_X_y=True)
    fifths = np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8], method="inverted_cdf"), y)
    np.testing.assert_array_equal(QPFS().fit(X, y).scores_, QPFS().fit(X, fifths).scores_)
    thirds = QPFS(target_discretizer=EqualFrequency(3)).fit(X, y)
    assert thirds.relevance_.max() != QPFS().fit(X, y).relevance_.max()


def test_integer_targets_are_classes_unless_a_discretizer_is_given():
    X, y = load_diabetes(return_X_y=True)
    y = y.astype(int)
    halves = QPFS(target_discretizer=EqualFrequency(2)).fit(X, y)
    above = QPFS().fit(X, (y > np.quantile(y, 0.5, method="inverted_cdf")).astype(int))
    np.testing.assert_array_equal(halves.scores_, above.scores_)


def test_hall_relevance_of_several_classes(microarray):
    X, _ = microarray
    y = np.random.default_rng(1).integers(0, 3, len(X))
    expected = sum(np.mean(y == c) * np.abs([np.corrcoef(x, y == c)[0, 1] for x in X.T]) for c in range(3))
    fitted = MaxRel(measure="correlation").fit(X, y)
    np.testing.assert_allclose(fitted.scores_, expected, atol=1e-12)
    assert fitted.discretizer_ is None


def test_the_fitted_discretizer_shows_its_edges(wdbc):
    X, y = wdbc
    edges = QPFS(discretizer=ThreeSegments(0.5)).fit(X, y).discretizer_.edges_
    np.testing.assert_allclose(edges[1], X.mean(axis=0) + 0.5 * X.std(axis=0))


def test_codes_as_they_are_and_cut_numbers_agree(wdbc):
    X, y = wdbc
    codes = naive.three_segments(X)
    np.testing.assert_array_equal(QPFS(discretizer=AsCodes()).fit(codes, y).scores_, QPFS().fit(X, y).scores_)


def test_alternatives_are_the_nearest_features(wdbc):
    X, y = wdbc
    codes = naive.three_segments(X)
    Q = naive.redundancy(codes)
    d = 1 - Q[4] / np.maximum(Q[4, 4], np.diag(Q))
    found = QPFS().fit(X, y).alternatives(4, n=6)
    expected = [i for i in np.argsort(d, kind="stable") if i != 4][:6]
    assert [a.feature for a in found] == expected
    np.testing.assert_allclose([a.distance for a in found], d[expected], atol=1e-12)


def test_several_starts_are_never_worse(microarray):
    X, y = microarray
    one, five = (QPFS(theta=0.1, n_starts=n).fit(X, y) for n in (1, 5))
    assert five.objective_ <= one.objective_ + 1e-15


def test_a_sampled_theta_says_so_and_is_near(monkeypatch, microarray):
    X, y = microarray
    exact = QPFS().fit(X, y)
    monkeypatch.setattr("qpfs.criteria.tradeoff.AFFORDABLE", 0)
    sampled = QPFS().fit(X, y)
    assert exact.theta_standard_error_ == 0
    assert 0 < sampled.theta_standard_error_ < 0.01 * sampled.theta_
    assert abs(sampled.theta_ - exact.theta_) < 4 * sampled.theta_standard_error_


def test_a_bounded_cache_of_columns_changes_nothing(monkeypatch, microarray):
    X, y = microarray
    free = QPFS(theta=0.2).fit(X, y)
    monkeypatch.setattr("qpfs.criteria.quadratic.Redundancy.__init__.__defaults__", (8 * 300 * 5,))
    tight = QPFS(theta=0.2).fit(X, y)
    np.testing.assert_array_equal(free.scores_, tight.scores_)
    np.testing.assert_array_equal(free.order_, tight.order_)


def test_more_columns_than_the_machine_holds_are_refused_beforehand(microarray, monkeypatch):
    monkeypatch.setattr("qpfs.criteria.nystrom.memory_of_machine", lambda: 1000)
    with pytest.raises(MemoryError, match="Lower sampling_rate"):
        NystromQPFS(sampling_rate=0.5).fit(*microarray)
