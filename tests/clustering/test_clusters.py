"""The variant of MacQueen's k-means, against slow twins and the published counts."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.naive import clustering as naive
from tests.naive.selectors import three_segments

from qpfs import EqualFrequency, ThreeSegments
from qpfs.clustering import (
    Anchored,
    AtRandom,
    InBatches,
    Leaders,
    MacQueenVariant,
    NearestToMean,
    farthest,
    first,
    medoid,
    most_relevant,
)
from qpfs.clustering.batches import batches
from qpfs.clustering.first_centres import leading
from qpfs.codes import columns_of, encode, target_of
from qpfs.data import planted_groups
from qpfs.engines import Threads
from qpfs.groups import Groups
from qpfs.information import FeatureTable, MutualInformation
from qpfs.information.measures.counted import Counted

RADIUS = 0.85
RANK = np.random.default_rng(5).permutation(60)
INITS = {
    "first": (first, naive.first),
    "relevance": (most_relevant, naive.most_relevant),
    "leaders": (Leaders(RADIUS), naive.leaders),
    "farthest": (farthest, naive.farthest),
    "random": (AtRandom(RANK), naive.at_random(RANK)),
}
every_init = pytest.mark.parametrize(("init", "twin"), INITS.values(), ids=INITS)


@pytest.fixture(scope="module")
def problem():
    """Six groups of copies, some turned round, some spoilt, among noise."""
    made = planted_groups(40, 6, 6, 24, shift=1.0, spoil=0.3, random_state=3)
    table = FeatureTable(encode(columns_of(made.X), ThreeSegments())[0], MutualInformation().on(40))
    return made.X, made.y, table, table.relevance(target_of(made.y, ThreeSegments()))


def clustered(table, members, k, relevance, init=most_relevant, representative=None):
    clusterer = MacQueenVariant(representative or NearestToMean(ThreeSegments()), init)
    return clusterer.cluster(table, Groups.one(np.array(members)), np.array([k]), relevance)


def same(found, expected):
    """The clusters found are those expected, {representative: (members, radius)}."""
    assert found.representatives.tolist() == list(expected)
    parts = found.parts()
    for i, (mine, radius) in enumerate(expected.values()):
        assert parts.of(i).tolist() == mine
        assert found.radii[i] == radius


@pytest.mark.parametrize("k", [1, 2, 5, 12, 60])
@every_init
def test_the_variant_is_its_slow_twin(problem, init, twin, k):
    X, _, table, relevance = problem
    codes = three_segments(X)
    D, members = naive.distances_of(codes), list(range(60))
    expected = naive.variant(codes, D, members, twin(D, members, k, relevance, RADIUS))
    same(clustered(table, members, k, relevance, init), expected)


@pytest.mark.parametrize("k", [3, 8])
@pytest.mark.parametrize("kind", ["four levels", "medoid"])
def test_other_representatives_are_their_slow_twins(problem, kind, k):
    X, y, table, relevance = problem
    rule = EqualFrequency(4) if kind == "four levels" else ThreeSegments()
    codes = rule.fit_transform(X)
    if kind == "four levels":
        table = FeatureTable(encode(columns_of(X), rule)[0], MutualInformation().on(40))
        relevance = table.relevance(target_of(y, rule))
    ours, twin = {
        "four levels": (NearestToMean(rule), naive.nearest_to_mean(rule)),
        "medoid": (medoid, naive.medoid),
    }[kind]
    D, members = naive.distances_of(codes), list(range(60))
    centres = naive.most_relevant(D, members, k, relevance, RADIUS)
    expected = naive.variant(codes, D, members, centres, twin)
    same(clustered(table, members, k, relevance, representative=ours), expected)


@every_init
def test_many_groups_at_once_are_each_alone(problem, init, twin):
    _, _, table, relevance = problem
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 7, 60)
    groups = Groups.labelled(np.arange(60), labels, 8)
    groups = groups.take(np.flatnonzero(groups.sizes))
    k = rng.integers(1, 6, len(groups))
    clusterer = MacQueenVariant(NearestToMean(ThreeSegments()), init)
    found = clusterer.cluster(table, groups, k, relevance)
    alone = [
        clusterer.cluster(table, Groups.one(groups.of(i)), k[i : i + 1], relevance)
        for i in range(len(groups))
    ]
    assert found.representatives.tolist() == [r for one in alone for r in one.representatives]
    assert found.radii.tolist() == [r for one in alone for r in one.radii]
    assert np.diff(found.bounds).tolist() == [len(one) for one in alone]
    assert found.n_distances == sum(one.n_distances for one in alone)
    assert (
        found.labels.tolist()
        == np.concatenate([one.labels + at for one, at in zip(alone, found.bounds, strict=False)]).tolist()
    )


@pytest.mark.parametrize("k", [2, 7, 20, 59, 60])
@pytest.mark.parametrize("name", ["first", "relevance", "random"])
def test_distances_are_as_many_as_published(problem, name, k):
    """2Mk - 2k^2 + 2M, less the clusters of one member, and M - k for the radii."""
    _, _, table, relevance = problem
    M = 60
    found = clustered(table, np.arange(M), k, relevance, INITS[name][0])
    published = 2 * M * k - 2 * k**2 + 2 * M
    assert 2 * M * k - 2 * k**2 <= found.n_distances <= published + M - k


@pytest.mark.parametrize("k", [2, 7, 20])
@pytest.mark.parametrize("name", ["leaders", "farthest"])
def test_choosing_centres_costs_little_more_than_a_pass(problem, name, k):
    """At most Mk distances, and for leaders 2k^2 among those compared first."""
    _, _, table, relevance = problem
    M = 60
    _, n_distances = INITS[name][0](table, Groups.one(np.arange(M)), np.array([k]), relevance)
    assert 0 < n_distances <= M * k + 2 * k**2


def test_distances_counted_are_those_made(problem, monkeypatch):
    _, _, table, relevance = problem
    made = []
    along = Counted.along

    def counted(self, runs, others):
        made.append(runs.n_pairs)
        return along(self, runs, others)

    monkeypatch.setattr(Counted, "along", counted)
    for name, (init, _) in INITS.items():
        made.clear()
        assert clustered(table, np.arange(60), 9, relevance, init).n_distances == sum(made), name


def test_a_centre_stays_in_its_own_cluster():
    """Copies of one column: every centre is as near to every member."""
    X = np.tile(np.arange(6.0)[:, None] % 3, 9)
    table = FeatureTable(encode(columns_of(X), ThreeSegments())[0], MutualInformation().on(6))
    found = clustered(table, np.arange(9), 4, np.zeros(9), first)
    assert len(found) == 4
    assert found.radii.tolist() == [0.0] * 4
    assert found.labels[found.representatives].tolist() == [0, 1, 2, 3]


def test_planted_groups_are_found(problem):
    _, _, table, relevance = problem
    found = clustered(table, np.arange(60), 30, relevance, farthest)
    assert sorted(np.bincount(found.labels))[-6:] >= [4] * 6


@every_init
@pytest.mark.parametrize("n_members", [1, 13, 24, 60])
@pytest.mark.parametrize("n_workers", [1, 2])
def test_batches_of_groups_are_clustered_as_all_of_them_together(
    problem, init, twin, n_members, n_workers, monkeypatch
):
    _, _, table, relevance = problem
    members = np.sort(np.random.default_rng(1).permutation(60)[:53])
    groups = Groups(members, np.array([0, 1, 13, 14, 37, 53]))
    k = np.array([1, 3, 2, 4, 2])
    clusterer = MacQueenVariant(NearestToMean(ThreeSegments()), init)
    together = clusterer.cluster(table, groups, k, relevance)
    monkeypatch.setattr("qpfs.clustering.batches.LEAST", 1)
    with Threads(n_workers) as engine:
        shared = FeatureTable(table.store, table.measure, engine if n_workers > 1 else None)
        found = InBatches(clusterer, n_members).cluster(shared, groups, k, relevance)
    for name in ("labels", "bounds", "representatives", "radii", "n_distances"):
        np.testing.assert_array_equal(getattr(found, name), getattr(together, name))
    assert found.groups is groups


def test_only_a_clusterer_that_allows_it_is_called_by_several_threads(problem, monkeypatch):
    _, _, table, relevance = problem
    called = []

    class Alone:
        def cluster(self, table, groups, k, relevance):
            called.append((threading.current_thread(), len(groups)))
            return MacQueenVariant(NearestToMean(ThreeSegments())).cluster(table, groups, k, relevance)

    monkeypatch.setattr("qpfs.clustering.batches.LEAST", 1)
    groups = Groups(np.arange(60), np.arange(0, 61, 6))
    with Threads(2) as engine:
        shared = FeatureTable(table.store, table.measure, engine)
        for clusterer in (Alone(), Anchored(Alone(), np.array([3]))):
            InBatches(clusterer).cluster(shared, groups, np.full(10, 2), relevance)
    assert called == [(threading.current_thread(), 10)] * 2


@pytest.mark.parametrize("most", [0, 7, 256])
def test_the_leading_members_are_the_first_in_order(most, monkeypatch):
    """In one pass, or by sorting all of them where more are asked for; ties by their order."""
    monkeypatch.setattr("qpfs.clustering.first_centres.ONE_PASS", most)
    rng = np.random.default_rng(2)
    groups = Groups(np.sort(rng.permutation(500)[:400]), np.array([0, 1, 1, 40, 41, 290, 400]))
    keys = np.round(rng.normal(size=400), 1)
    for k in ([1, 1, 5, 1, 9, 3], [0, 2, 0, 1, 300, 0]):
        found = leading(groups, keys, np.array(k))
        for i, n in enumerate(k):
            own = slice(groups.bounds[i], groups.bounds[i + 1])
            expected = groups.of(i)[np.argsort(keys[own], kind="stable")[:n]]
            np.testing.assert_array_equal(found.of(i), np.sort(expected))


def test_batches_are_runs_of_groups_that_fit():
    bounds = np.array([0, 2, 4, 9, 10, 11])
    assert [(some.start, some.stop) for some in batches(bounds, 4)] == [(0, 2), (2, 3), (3, 5)]
    assert [(some.start, some.stop) for some in batches(bounds, 11)] == [(0, 5)]
    assert list(batches(np.array([0]), 4)) == []
