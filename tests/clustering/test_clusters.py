"""The variant of MacQueen's k-means and two-level k-means, against slow twins and the paper's counts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import clustering as naive
from tests.naive.selectors import three_segments

from qpfs import ThreeSegments
from qpfs.clustering import Leaders, MacQueenVariant, Medoid, NearestToMean, farthest, first, most_relevant
from qpfs.clustering.two_level import TwoLevel, n_parts
from qpfs.codes import columns_of, encode, target_of
from qpfs.information import FeatureTable, MutualInformation

RADIUS = 0.85
INITS = {
    "first": (first, naive.first),
    "relevance": (most_relevant, naive.most_relevant),
    "leaders": (Leaders(RADIUS), naive.leaders),
    "farthest": (farthest, naive.farthest),
}


@pytest.fixture(scope="module")
def problem():
    """Six groups of copies, some turned round, some spoilt, among noise."""
    rng = np.random.default_rng(3)
    n = 40
    hidden = rng.normal(size=(n, 6))
    copies = [hidden[:, [g]] * rng.choice([-1, 1], 6) + 0.3 * rng.normal(size=(n, 6)) for g in range(6)]
    X = np.hstack([*copies, rng.normal(size=(n, 24))])
    X = X[:, rng.permutation(X.shape[1])]
    y = (hidden[:, 0] + hidden[:, 1] + rng.normal(size=n) > 0).astype(int)
    table = FeatureTable(encode(columns_of(X), ThreeSegments())[0], MutualInformation(n))
    return X, y, table, table.relevance(target_of(y, ThreeSegments()))


@pytest.mark.parametrize("k", [1, 2, 5, 12, 60])
@pytest.mark.parametrize(("init", "twin"), INITS.values(), ids=INITS)
def test_the_variant_is_its_slow_twin(problem, init, twin, k):
    X, _, table, relevance = problem
    codes = three_segments(X)
    D = naive.distances_of(codes)
    members = np.arange(X.shape[1])
    found = MacQueenVariant(NearestToMean(ThreeSegments()), init).cluster(table, members, k, relevance)
    expected = naive.variant(codes, D, list(members), twin(D, list(members), k, relevance, RADIUS))
    assert found.representatives.tolist() == list(expected)
    for i, (mine, radius) in enumerate(expected.values()):
        assert found.of(i).tolist() == mine
        assert found.radii[i] == radius


@pytest.mark.parametrize("k", [2, 7, 20])
def test_distances_are_as_many_as_published(problem, k):
    X, _, table, relevance = problem
    M = X.shape[1]
    found = MacQueenVariant(NearestToMean(ThreeSegments()), first).cluster(table, np.arange(M), k, relevance)
    assert found.n_distances <= 2 * M * k - 2 * k**2 + 2 * M + M - k
    assert found.n_distances >= 2 * M * k - 2 * k**2


def test_planted_groups_are_found(problem):
    _, _, table, relevance = problem
    found = MacQueenVariant(NearestToMean(ThreeSegments()), farthest).cluster(
        table, np.arange(60), 30, relevance
    )
    assert sorted(np.bincount(found.labels))[-6:] >= [4] * 6


def test_a_medoid_is_nearest_to_all(problem):
    X, _, table, _ = problem
    members = np.array([3, 8, 20, 41, 59])
    D = naive.distances_of(three_segments(X))
    expected = members[D[np.ix_(members, members)].sum(axis=1).argmin()]
    assert Medoid()(table, members, 3) == (expected, 25)


def test_two_levels(problem):
    _, _, table, relevance = problem
    clusterer = MacQueenVariant(NearestToMean(ThreeSegments()), most_relevant)
    found = TwoLevel(clusterer, 16).cluster(table, np.arange(60), relevance)
    assert len(found.first) == 4
    assert sorted(found.final.members) == list(range(60))
    assert len(set(found.final.labels)) == len(found.final)
    for i in range(len(found.first)):
        mine = found.first.of(i)
        parts = set(found.final.labels[np.isin(found.final.members, mine)])
        assert (len(parts) == 1) == (found.first.radii[i] <= found.radius or len(mine) == 1)


def test_repeating_brings_every_radius_down(problem):
    _, _, table, relevance = problem
    clusterer = MacQueenVariant(NearestToMean(ThreeSegments()), most_relevant)
    found = TwoLevel(clusterer, 8, radius=0.7, repeat=True).cluster(table, np.arange(60), relevance)
    assert found.final.radii.max() <= 0.7


@pytest.mark.parametrize(
    ("share", "k", "n_samples", "n_members", "parts"),
    [
        (1.0, 100, 62, 500, 100),
        (1.0, 100, 62, 30, 30),
        (0.5, 100, 62, 500, 2),
        (0.9, 10**6, 62, 500, 500),
        (0.5, 64, 2, 500, 16),
    ],
)
def test_the_number_of_parts(share, k, n_samples, n_members, parts):
    assert n_parts(share, k, n_samples, n_members) == parts
