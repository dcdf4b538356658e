"""Clusters of data points: by slow twins, by hand, by their laws, and by scikit-learn's contract."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.naive import points as naive

from qpfs.clustering.points import MacQueenKMeans, TwoLevelKMeans, n_parts

OTHERS = [
    MacQueenKMeans(1),
    TwoLevelKMeans(1),
    TwoLevelKMeans(3, n_first=1, radius=0.5, max_parts=2),
    TwoLevelKMeans(2, radius=0.01),
]


@parametrize_with_checks([MacQueenKMeans(), TwoLevelKMeans()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHERS)
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)


def clouds(seed, n_samples, n_features):
    """Points around a few places, of very unlike spread."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n_samples)
    places = 10 * rng.normal(size=(4, n_features))
    return places[group] + rng.normal(size=(n_samples, n_features)) * (1 + 3 * (group[:, None] == 0))


numbers = st.floats(-100, 100, width=32).map(lambda value: round(value, 3))
tables = st.tuples(st.integers(1, 25), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=numbers)
)
# Few distinct values: points repeat and distances tie.
crowded = st.tuples(st.integers(1, 25), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.1, 1.0]))
)


def with_count(table):
    return st.tuples(st.just(table), st.integers(1, len(table)))


problems = st.one_of(tables, crowded).flatmap(with_count)


@settings(deadline=None)
@given(problems)
def test_macqueen_is_its_twin(problem):
    X, k = problem
    fast = MacQueenKMeans(k).fit(X)
    labels, centres = naive.macqueen(X.tolist(), k)
    assert fast.labels_.tolist() == labels
    np.testing.assert_array_equal(fast.cluster_centers_, centres)


@pytest.mark.parametrize("n_features", [1, 3, 20])
@pytest.mark.parametrize("k", [1, 2, 7, 150])
def test_macqueen_is_its_twin_on_clouds(n_features, k):
    X = clouds(k, 150, n_features)
    fast = MacQueenKMeans(k).fit(X)
    labels, centres = naive.macqueen(X.tolist(), k)
    assert fast.labels_.tolist() == labels
    np.testing.assert_array_equal(fast.cluster_centers_, centres)
    squares = [naive.square(x, centres[c]) for x, c in zip(X, labels, strict=True)]
    assert fast.inertia_ == pytest.approx(sum(squares))


def test_macqueen_by_hand():
    # 0 and 6 lead; 4 goes to 6 and pulls it to 5; 2.4 goes to 0 and pulls it to 1.2; 3.05 goes to 1.2
    # (1.85 against 1.95) and pulls it to (0 + 2.4 + 3.05) / 3. Pass 2 changes nothing but where 3.05 is
    # measured from.
    fitted = MacQueenKMeans(2).fit([[0.0], [6.0], [4.0], [2.4], [3.05]])
    assert fitted.labels_.tolist() == [0, 1, 1, 0, 0]
    np.testing.assert_allclose(fitted.cluster_centers_.ravel(), [5.45 / 3, 5.0])


def test_macqueen_moves_points_in_pass_2_only_by_label():
    # 5 is pulled in by 0 before 0 is drawn away by the -9s; in pass 2 it is nearer to 11.
    fitted = MacQueenKMeans(2).fit([[0.0], [11.0], [5.0], [-9.0], [-9.0], [-9.0]])
    assert fitted.labels_.tolist() == [0, 1, 1, 0, 0, 0]
    np.testing.assert_allclose(fitted.cluster_centers_.ravel(), [-22 / 5, 11.0])


def test_macqueen_gives_ties_to_the_lowest_index():
    fitted = MacQueenKMeans(2).fit([[-1.0], [1.0], [0.0]])
    assert fitted.labels_.tolist() == [0, 1, 0]
    assert fitted.predict([[0.25]]).tolist() == [0]  # midway between -0.5 and 1


def test_macqueen_depends_on_the_order():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    np.testing.assert_allclose(MacQueenKMeans(2).fit(X).cluster_centers_.ravel(), [0, 22 / 3])
    np.testing.assert_allclose(MacQueenKMeans(2).fit(X[[0, 2, 1, 3]]).cluster_centers_.ravel(), [0.5, 10.5])


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e9 + 0.7])
def test_duplicates_stay_together(value):
    X = np.full((11, 2), value)
    fitted = MacQueenKMeans(3).fit(X)
    assert fitted.labels_.tolist() == [0] * 11
    np.testing.assert_array_equal(fitted.cluster_centers_, X[:3])
    assert fitted.inertia_ == 0
    fitted = TwoLevelKMeans(5).fit(X)
    assert fitted.labels_.tolist() == [0] * 11
    assert fitted.radius_ == 0
    assert fitted.radii_.tolist() == [0, 0]


def test_empty_clusters_keep_their_centre():
    fitted = MacQueenKMeans(3).fit([[1.0], [1.0], [5.0], [2.0], [5.0]])
    assert fitted.labels_.tolist() == [1, 1, 2, 0, 2]
    assert fitted.cluster_centers_.ravel().tolist() == [1.5, 1.0, 5.0]
    fitted = MacQueenKMeans(3).fit([[1.0], [1.0], [5.0], [1.0]])
    assert fitted.labels_.tolist() == [0, 0, 2, 0]
    assert fitted.cluster_centers_.ravel().tolist() == [1.0, 1.0, 5.0]


def test_one_cluster_has_the_mean_as_centre():
    X = clouds(0, 80, 5)
    for fitted in (MacQueenKMeans(1).fit(X), TwoLevelKMeans(1).fit(X)):
        assert not fitted.labels_.any()
        np.testing.assert_allclose(fitted.cluster_centers_, X.mean(axis=0)[None, :])
    assert fitted.radii_ == pytest.approx(fitted.radius_)


def test_as_many_clusters_as_points():
    X = clouds(1, 30, 2)
    fitted = MacQueenKMeans(30).fit(X)
    assert fitted.labels_.tolist() == list(range(30))
    assert fitted.inertia_ == 0
    np.testing.assert_array_equal(fitted.cluster_centers_, X)
    fitted = TwoLevelKMeans(30, n_first=30).fit(X)
    assert fitted.labels_.tolist() == list(range(30))
    assert fitted.n_distances_ == 30 * 30 + 30


@pytest.mark.parametrize(("n_samples", "k"), [(1, 1), (10, 1), (50, 8), (50, 50)])
def test_macqueen_counts_distances(n_samples, k):
    assert MacQueenKMeans(k).fit(clouds(2, n_samples, 3)).n_distances_ == 2 * n_samples * k - k**2


@settings(deadline=None)
@given(problems)
def test_macqueen_laws(problem):
    X, k = problem
    fitted = MacQueenKMeans(k).fit(X)
    assert fitted.cluster_centers_.shape == (k, X.shape[1])
    assert set(fitted.labels_) <= set(range(k))
    assert fitted.predict(X).tolist() == fitted.labels_.tolist()
    assert fitted.n_distances_ == 2 * len(X) * k - k**2
    squares = ((X[:, None, :] - fitted.cluster_centers_) ** 2).sum(axis=2)
    own = np.take_along_axis(squares, fitted.labels_[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(own, squares.min(axis=1), rtol=1e-12)
    assert np.isclose(fitted.inertia_, own.sum())


@settings(deadline=None)
@given(problems, st.integers(-20, 20))
def test_scaling_the_data_scales_the_centres(problem, power):
    X, k = problem
    for clusterer in (MacQueenKMeans(k), TwoLevelKMeans(k)):
        plain = clusterer.fit(X)
        labels, centres = plain.labels_, plain.cluster_centers_
        scaled = clusterer.fit(X * 2.0**power)  # a power of two rounds nothing
        assert scaled.labels_.tolist() == labels.tolist()
        np.testing.assert_array_equal(scaled.cluster_centers_, centres * 2.0**power)


@settings(deadline=None)
@given(problems, st.sampled_from([None, 0.5, 20.0]), st.sampled_from([None, 2, 5]))
def test_two_level_is_its_twin(problem, radius, cap):
    X, k = problem
    fast = TwoLevelKMeans(k, radius=radius, max_parts=cap).fit(X)
    labels, centres, radii, tau = naive.two_level(X.tolist(), k, round(k**0.5), radius, cap or np.inf)
    assert fast.labels_.tolist() == labels
    np.testing.assert_array_equal(fast.cluster_centers_, centres)
    np.testing.assert_allclose(fast.radii_, radii, rtol=1e-12)
    assert fast.radius_ == pytest.approx(tau, rel=1e-12)


@pytest.mark.parametrize("n_features", [1, 2, 30])
@pytest.mark.parametrize("k_first", [1, 4, 9])
@pytest.mark.parametrize("k", [9, 40])
def test_two_level_is_its_twin_on_clouds(n_features, k_first, k):
    X = clouds(k, 120, n_features)
    fast = TwoLevelKMeans(k, n_first=k_first).fit(X)
    labels, centres, _, _ = naive.two_level(X.tolist(), k, k_first)
    assert fast.labels_.tolist() == labels
    np.testing.assert_array_equal(fast.cluster_centers_, centres)


@settings(deadline=None)
@given(problems)
def test_two_level_laws(problem):
    X, k = problem
    fitted = TwoLevelKMeans(k).fit(X)
    n_found = len(fitted.cluster_centers_)
    assert n_found <= k
    assert set(fitted.labels_) <= set(range(n_found))
    assert len(fitted.radii_) == len(fitted.parents_) == n_found
    assert set(fitted.parents_) == set(range(round(k**0.5)))
    assert (np.diff(fitted.parents_) >= 0).all()
    assert fitted.predict(X).tolist() == fitted.labels_.tolist()
    distances = np.sqrt(((X - fitted.cluster_centers_[fitted.labels_]) ** 2).sum(axis=1))
    assert (distances <= fitted.radii_[fitted.labels_] * (1 + 1e-12)).all()


def test_two_level_by_hand():
    # Level 1: centres 0.5 and 12 with radii 0.5 and 2. Only the second exceeds 1: (2 / 1)^1 = 2 parts,
    # led by 10 and 12; 14 pulls 12 to 13.
    X = [[0.0], [10.0], [1.0], [12.0], [14.0]]
    fitted = TwoLevelKMeans(4, radius=1.0).fit(X)
    assert fitted.first_centers_.ravel().tolist() == [0.5, 12.0]
    assert fitted.cluster_centers_.ravel().tolist() == [0.5, 10.0, 13.0]
    assert fitted.labels_.tolist() == [0, 1, 0, 2, 2]
    assert fitted.parents_.tolist() == [0, 1, 1]
    assert fitted.radii_.tolist() == [0.5, 0.0, 1.0]
    assert fitted.n_distances_ == (2 * 5 * 2 - 4) + (2 * 3 * 2 - 4)


def test_two_level_derives_the_radius():
    # Mean 4, R = 5, one dimension: tau = 5 / 4, and a single first cluster is split into k = 4 parts.
    X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    fitted = TwoLevelKMeans(4, n_first=1).fit(X)
    assert fitted.radius_ == 5 / 4
    assert len(fitted.cluster_centers_) == 4
    assert fitted.n_distances_ == (2 * 5 - 1) + 5 + (2 * 5 * 4 - 16)


@pytest.mark.parametrize("n_features", [1, 2, 7, 100, 5000])
@pytest.mark.parametrize("k", [1, 2, 3, 10, 49])
def test_a_single_first_cluster_is_split_into_k(n_features, k):
    X = clouds(3, 60, n_features)
    assert len(TwoLevelKMeans(k, n_first=1).fit(X).cluster_centers_) == k


@pytest.mark.parametrize("n_features", [1, 4, 3000])
def test_two_level_counts_distances(n_features):
    X = clouds(4, 90, n_features)
    fitted = TwoLevelKMeans(25).fit(X)
    expected = (2 * 90 * 5 - 25) + 90
    for c in range(5):
        p = int((fitted.parents_ == c).sum())
        m = int((fitted.parents_[fitted.labels_] == c).sum())
        expected += 2 * m * p - p**2 if p > 1 else 0
    assert fitted.n_distances_ == expected


def test_two_levels_need_fewer_distances():
    X = clouds(5, 2000, 2)
    one, two = MacQueenKMeans(100).fit(X), TwoLevelKMeans(100).fit(X)
    assert two.n_distances_ < one.n_distances_ / 2


@pytest.mark.parametrize(
    ("r", "tau", "n", "most", "expected"),
    [
        (1.0, 1.0, 5, 100, 1),
        (0.5, 1.0, 5, 100, 1),
        (0.0, 0.0, 5, 100, 1),
        (1.0 + 1e-15, 1.0, 5, 100, 1),
        (1.01, 1.0, 1, 100, 2),
        (2.0, 1.0, 3, 100, 8),
        (3 * 0.1, 0.1, 3, 100, 27),
        (2.0, 1.0, 3, 5, 5),
        (2.0, 1.0, 3, 1, 1),
        (2.0, 1.0, 10**6, 100, 100),
        (1.0, 0.0, 2, 7, 7),
    ],
)
def test_number_of_parts(r, tau, n, most, expected):
    assert n_parts(r, tau, n, most) == expected


def test_max_parts_bounds_the_parts_of_one():
    X = clouds(6, 100, 50)
    for cap in (2, 3, 20):
        fitted = TwoLevelKMeans(100, n_first=4, radius=0.1, max_parts=cap).fit(X)
        assert np.bincount(fitted.parents_).max() == min(
            cap, np.bincount(fitted.parents_[fitted.labels_]).max()
        )


@pytest.mark.parametrize("n_features", [1, 3, 50])
@pytest.mark.parametrize("k", [1, 2, 3, 9, 80])
def test_n_clusters_bounds_all_parts(n_features, k):
    X = clouds(7, 80, n_features)
    assert len(TwoLevelKMeans(k, radius=1e-3).fit(X).cluster_centers_) <= k
    assert len(TwoLevelKMeans(k).fit(X).cluster_centers_) <= k


def test_the_widest_is_split_first():
    # Level 1: 0.5 +- 0.5 and 12 +- 2. Both exceed 0.1, but a third cluster is all there may be.
    fitted = TwoLevelKMeans(3, n_first=2, radius=0.1).fit([[0.0], [10.0], [1.0], [12.0], [14.0]])
    assert fitted.parents_.tolist() == [0, 1, 1]


@pytest.mark.parametrize("clusterer", [MacQueenKMeans(5), TwoLevelKMeans(5)])
def test_single_precision_is_kept(clusterer):
    X = clouds(7, 60, 3).astype(np.float32)
    fitted = clusterer.fit(X)
    assert fitted.cluster_centers_.dtype == np.float32
    assert fitted.predict(X).tolist() == fitted.labels_.tolist()
    labels = fitted.labels_
    assert clusterer.fit(X.astype(np.float64)).labels_.tolist() == labels.tolist()


@pytest.mark.parametrize("clusterer", [MacQueenKMeans(4), TwoLevelKMeans(4)])
def test_memory_layout_does_not_matter(clusterer):
    X = clouds(8, 40, 3)
    labels = clusterer.fit_predict(X)
    assert clusterer.fit_predict(np.asfortranarray(X)).tolist() == labels.tolist()
    assert clusterer.fit_predict(np.repeat(X, 2, axis=0)[::2]).tolist() == labels.tolist()


@pytest.mark.parametrize(
    ("clusterer", "message"),
    [
        (MacQueenKMeans(5), r"n_clusters=5, but X has 4 sample\(s\); ask for 1 to 4\."),
        (MacQueenKMeans(0), r"n_clusters=0, but it must be an integer of at least 1\."),
        (MacQueenKMeans(2.0), r"n_clusters=2\.0, but it must be an integer"),
        (MacQueenKMeans(True), r"n_clusters=True, but it must be an integer"),
        (TwoLevelKMeans(5), r"n_clusters=5, but X has 4 sample\(s\)"),
        (TwoLevelKMeans(2, n_first=3), r"n_first=3, but n_clusters=2; ask for 1 to 2\."),
        (TwoLevelKMeans(2, n_first=0), r"n_first=0, but it must be an integer of at least 1\."),
        (TwoLevelKMeans(2, radius=0), r"radius=0, but it must be a positive number, or None\."),
        (TwoLevelKMeans(2, radius=np.nan), r"radius=nan, but it must be a positive number"),
        (TwoLevelKMeans(2, radius="auto"), r"radius='auto', but it must be a positive number"),
        (TwoLevelKMeans(2, max_parts=1), r"max_parts=1, but it must be an integer of at least 2\."),
    ],
)
def test_errors_say_what_to_do(clusterer, message):
    X = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.raises(ValueError, match=message):
        clusterer.fit(X)
    with pytest.raises(NotFittedError):
        clusterer.predict(X)


@pytest.mark.parametrize("clusterer", [MacQueenKMeans(2), TwoLevelKMeans(2)])
def test_overflow_is_an_error(clusterer):
    with pytest.raises(ValueError, match="squared distances overflow"):
        clusterer.fit([[1e200], [-1e200], [0.0]])
