"""What holds for any clusterer with any criterion and any rule for discarding; and how to add one of each."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
from light_half import light_half
from sklearn.base import clone
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    Birch,
    KMeans,
    SpectralClustering,
)
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.pairs import crossed
from windows import Windows

from qpfs import (
    MRMR,
    QPFS,
    FeatureKMeans,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    TwoLevelFeatureKMeans,
    TwoLevelSelector,
)
from qpfs.clustering import Clusters
from qpfs.clustering.clusters import finished
from qpfs.criteria import Criterion, Weighing
from qpfs.data import planted_groups
from qpfs.groups import Groups
from qpfs.methods import METHODS
from qpfs.selectors import parts


class LaterOnes(Criterion):
    """A new criterion: only the later half of the columns weighs anything, the later the more."""

    def weigh(self, table, relevance, features, tick):
        scores = np.zeros(table.n_features)
        scores[features] = np.where(features >= np.median(features), 1 + features, 0)
        return Weighing(scores, features[np.argsort(-scores[features], kind="stable")])


CLUSTERERS = {
    "k-means of features": FeatureKMeans(8),
    "k-means of features from afar": FeatureKMeans(8, init="farthest", representative="medoid"),
    "two-level k-means": TwoLevelFeatureKMeans(16),
    "k-means": KMeans(8, n_init=1, random_state=0),
    "agglomerative": AgglomerativeClustering(8, metric="precomputed", linkage="average"),
    "hdbscan": HDBSCAN(min_cluster_size=3, metric="precomputed", copy=True),
    "dbscan": DBSCAN(eps=0.7, min_samples=2, metric="precomputed"),
    "windows": Windows(30),
} | {f"{name} by name": name for name in parts.CLUSTERERS}
CRITERIA = {
    "qpfs": QPFS(),
    "qpfs at 0.3": QPFS(theta=0.3),
    "mrmr": MRMR(),
    "mrmr of three": MRMR(3, scheme="quotient"),
    "maxrel": MaxRel(),
    "nystrom": NystromQPFS(sampling_rate=0.5),
    "f_classif": f_classif,
    "mutual_info_classif": mutual_info_classif,
    "later ones": LaterOnes(),
} | {name: name for name in METHODS.others}
DISCARDS = {name: name for name in parts.DISCARDS} | {"a function": light_half}

every_clusterer = pytest.mark.parametrize("clusterer", CLUSTERERS.values(), ids=CLUSTERERS)
every_criterion = pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)


AVERAGE = AgglomerativeClustering(2, metric="precomputed", linkage="average")


@parametrize_with_checks([TwoLevelSelector(AVERAGE, MaxRel()), InterleavedSelector()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        TwoLevelSelector(),
        TwoLevelSelector(FeatureKMeans(5), MRMR(1)),
        InterleavedSelector(criterion=MaxRel(), discard="aggressive", n_keep=2),
    ]
)
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)


def lawful(fitted, n_features):
    """The trace accounts for every feature and ends in the labels; what is ranked stands for a cluster."""
    fate = np.full(n_features, "", object)
    for one in fitted.rounds_:
        assert sorted(set(one.labels)) == list(range(len(one.representatives)))
        assert set(one.representatives) <= set(one.members)
        for cluster, fallen in enumerate(one.fates):
            mine = one.members[one.labels == cluster]
            assert one.representatives[cluster] in mine
            fate[mine] = fallen
    assert set(fate) <= {"kept", "discarded"}
    np.testing.assert_array_equal(fitted.labels_ >= 0, fate == "kept")
    assert set(fitted.order_) <= set(fitted.representatives_)
    assert (fitted.labels_[fitted.representatives_] == np.arange(len(fitted.representatives_))).all()
    assert not np.delete(fitted.scores_, fitted.representatives_).any()


@every_clusterer
@every_criterion
@pytest.mark.filterwarnings("ignore:n_features_to_select asks for 3 features, but only 2")
def test_in_one_round(microarray, clusterer, criterion):
    X, y = microarray
    X = X[:, :60]
    fitted = TwoLevelSelector(clusterer, criterion).fit(X, y)
    lawful(fitted, 60)
    assert (fitted.labels_ >= 0).all()
    assert fitted.alternatives(int(fitted.order_[0]), n=2)


@crossed(clusterer=CLUSTERERS, criterion=CRITERIA, discard=DISCARDS)
@pytest.mark.filterwarnings("ignore:n_features_to_select asks for 3 features, but only")
def test_in_turns(microarray, clusterer, criterion, discard):
    X, y = microarray
    X = X[:, :60]
    selector = InterleavedSelector(clusterer, criterion, discard, radius=0.7, n_first=6, n_split=3)
    if isinstance(clusterer, TwoLevelFeatureKMeans) or clusterer == "two-level-kmeans":
        with pytest.raises(ValueError, match="makes two levels itself"):
            selector.fit(X, y)
        return
    fitted = selector.fit(X, y)
    lawful(fitted, 60)
    for one in fitted.rounds_:
        wide = one.radii > 0.7
        assert all(wide[cluster] for cluster, fate in enumerate(one.fates) if fate == "split")


@every_clusterer
def test_threads_copies_and_pickles_agree(microarray, clusterer):
    X, y = microarray
    X = X[:, :60]
    selector = TwoLevelSelector(clusterer, QPFS(theta=0.4), n_jobs=1)
    fitted = clone(selector).fit(X, y)
    others = [clone(selector).set_params(n_jobs=2).fit(X, y), pickle.loads(pickle.dumps(fitted))]
    for other in others:
        np.testing.assert_array_equal(other.labels_, fitted.labels_)
        np.testing.assert_array_equal(other.scores_, fitted.scores_)
        assert other.alternatives(0) == fitted.alternatives(0)


def test_a_rule_of_ones_own_is_shown_every_round(microarray):
    X, y = microarray
    shown = []

    def watching(weights, final):
        shown.append(weights)
        return light_half(weights, final)

    fitted = InterleavedSelector(FeatureKMeans(), QPFS(), watching, radius=0.7, n_first=6, n_split=3).fit(
        X, y
    )
    assert len(shown) == len(fitted.rounds_)
    for weights, one in zip(shown, fitted.rounds_, strict=True):
        np.testing.assert_array_equal(weights, one.weights)
        light = one.weights < np.median(one.weights)
        for cluster, fate in enumerate(one.fates):
            assert fate != "discarded" or light[cluster]
    assert (fitted.labels_ == -1).sum() > 10


def test_depth_is_no_limit():
    """A clusterer that parts one feature from the rest: more levels than Python has room for calls."""

    class Peel:
        def cluster(self, table, groups, k, relevance):
            labels = np.minimum(np.arange(len(groups.members)), 1)
            centres = Groups(groups.members[:2], np.array([0, len(groups.members[:2])]))
            return finished(table, groups, labels, centres, 0)

    X = np.tril(np.ones((1300, 1299)))
    selector = InterleavedSelector(Peel(), MaxRel(), "never", radius=0.0)
    fitted = selector.fit(X, np.arange(1300) % 2)
    assert max(one.level for one in fitted.rounds_) > 1200


@pytest.mark.parametrize(
    "clusterer",
    [
        SpectralClustering(8, affinity="precomputed", random_state=0),
        AffinityPropagation(affinity="precomputed", random_state=0),
        AgglomerativeClustering(8, metric="precomputed", linkage="average"),
        KMeans(8, n_init=3, random_state=0),
    ],
    ids=lambda c: type(c).__name__,
)
def test_planted_groups_are_found_by_any_clusterer(clusterer):
    """Distances where a clusterer expects distances, similarities where it expects those."""
    made = planted_groups(200, 8, 6, 0)
    if isinstance(clusterer, KMeans):
        made = replace(made, X=made.X * np.sign(np.corrcoef(made.X.T, made.y)[-1, :-1]))  # it sees direction
    fitted = TwoLevelSelector(clusterer).fit(made.X, made.y)
    assert adjusted_rand_score(made.group, fitted.labels_) > 0.95


@pytest.mark.parametrize(
    "clusterer",
    [
        Birch(n_clusters=AgglomerativeClustering(3)),
        AgglomerativeClustering(None, distance_threshold=0.9, metric="precomputed", linkage="average"),
        KMeans(500, n_init=1),
        FeatureKMeans(10**30),
        TwoLevelFeatureKMeans(10**30),
    ],
    ids=str,
)
def test_odd_numbers_of_clusters(microarray, clusterer):
    X, y = microarray
    assert len(TwoLevelSelector(clusterer).fit(X[:, :30], y).representatives_) <= 30


def test_a_clusterer_without_a_seed_gets_one(microarray):
    X, y = microarray
    first, second = (
        TwoLevelSelector(KMeans(8, n_init=1), random_state=3).fit(X, y).labels_ for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


def test_nothing_kept_is_said():
    """Neither feature says anything of the target by itself."""
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 10)
    y = X[:, 0] ^ X[:, 1]
    for criterion in (MRMR(), MaxRel(), f_classif):
        with pytest.raises(ValueError, match=r"Every cluster was discarded.*discard='never'"):
            InterleavedSelector(criterion=criterion, discard=lambda weights, final: final).fit(X, y)


@pytest.mark.parametrize("criterion", [MRMR(3), QPFS(3), MaxRel(3)], ids=str)
def test_the_criterion_may_say_how_many(microarray, criterion):
    X, y = microarray
    for selector in (
        TwoLevelSelector(FeatureKMeans(20, init="first"), criterion),
        InterleavedSelector(criterion=criterion),
    ):
        assert selector.fit(X, y).support_.sum() == 3
        assert selector.set_params(n_features_to_select=2).fit(X, y).support_.sum() == 2


def test_the_presets_are_the_framework_with_its_parts(monkeypatch, microarray):
    from qpfs import IKMAQPFS, IKMQPFS, TLKMQPFS
    from qpfs.criteria import Effort

    X, y = microarray
    monkeypatch.setattr(
        "qpfs.selectors.clustered.EFFORT", Effort(0, 0.02, 24)
    )  # a sampled theta is the same one
    for preset, composed in (
        (IKMQPFS(), InterleavedSelector()),
        (IKMQPFS(radius=0.6), InterleavedSelector(FeatureKMeans(), radius=0.6)),
        (IKMAQPFS(), InterleavedSelector(discard="aggressive")),
        (TLKMQPFS(), TwoLevelSelector()),
        (TLKMQPFS(radius=0.9), TwoLevelSelector(TwoLevelFeatureKMeans(radius=0.9))),
    ):
        one, other = preset.fit(X, y), composed.fit(X, y)
        np.testing.assert_array_equal(one.labels_, other.labels_)
        np.testing.assert_array_equal(one.scores_, other.scores_)
        assert one.theta_ == other.theta_


def test_agglomerative_clusters_are_those_of_scikit_learn_on_our_distance(microarray):
    X, y = microarray
    X = X[:, :60]
    fitted = TwoLevelSelector(CLUSTERERS["agglomerative"]).fit(X, y)
    D = np.array([[one.distance for one in sorted(fitted.alternatives(i, n=59))] for i in range(60)])
    D = np.array([np.insert(row, i, 0.0) for i, row in enumerate(D)])
    expected = CLUSTERERS["agglomerative"].fit_predict(D)
    pairs = {(a, b) for a, b in zip(expected, fitted.labels_, strict=True)}
    assert len(pairs) == len(set(expected)) == len(set(fitted.labels_))


def test_noise_stands_for_itself(microarray):
    X, y = microarray
    noise = DBSCAN(eps=1e-6, min_samples=5, metric="precomputed")
    fitted = TwoLevelSelector(noise).fit(X[:, :20], y)
    assert fitted.labels_.tolist() == list(range(20))


@pytest.mark.parametrize(("n_keep", "expected"), [(None, 5), (2, 2)])
def test_a_criterion_that_never_says_zero_keeps_its_best(microarray, n_keep, expected):
    X, y = microarray
    selector = InterleavedSelector(
        criterion=f_classif, discard="aggressive", n_keep=n_keep, n_first=12, radius=0.5
    )
    first = selector.fit(X, y).rounds_[0]
    assert (first.weights > 0).sum() == expected
    scores = f_classif(X[:, first.representatives], y)[0]
    assert set(np.flatnonzero(first.weights)) == set(np.argsort(-scores)[:expected])


def test_fewer_features_than_asked_for_is_said(microarray):
    X, y = microarray
    with pytest.warns(UserWarning, match="asks for 20 features, but only 3 represent a cluster"):
        TwoLevelSelector(FeatureKMeans(3, init="first"), n_features_to_select=20).fit(X, y)


def no_answer(weights, final):
    return None


def three_scores(X, y):
    return np.ones(3)


@dataclass
class Nothing:
    """Neither clusters nor weighs."""


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (TwoLevelSelector(Nothing()), r"clusterer=Nothing\(\), but it must be FeatureKMeans"),
        (TwoLevelSelector("ward"), "clusterer='ward', but it must be one of 'kmeans'"),
        (TwoLevelSelector(FeatureKMeans(0)), "n_clusters=0, but it must be an integer of at least 1"),
        (
            TwoLevelSelector(criterion=Nothing()),
            r"criterion=Nothing\(\), but it must be a selector",
        ),
        (TwoLevelSelector(criterion="ward"), "criterion='ward', but it must be one of 'qpfs'"),
        (TwoLevelSelector(criterion=QPFS(theta=2)), "theta=2, but it must be 'auto' or a number"),
        (
            TwoLevelSelector(criterion=QPFS(measure="chi2"), measure="mi"),
            "criterion has measure='chi2'.*set measure there",
        ),
        (TwoLevelSelector(criterion=three_scores), "gave scores of shape"),
        (InterleavedSelector(discard="sometimes"), "discard='sometimes', but it must be one of 'careful'"),
        (InterleavedSelector(n_keep=0), "n_keep=0, but it must be an integer of at least 1"),
        (TwoLevelSelector(KMeans), "clusterer=<class.*but it must be FeatureKMeans"),
        (TwoLevelSelector(criterion=QPFS), "criterion=<class.*but it must be a selector such as QPFS"),
        (
            TwoLevelSelector(criterion=TwoLevelSelector()),
            r"criterion=TwoLevelSelector\(\), but it must be a selector such as QPFS",
        ),
        (InterleavedSelector(discard=no_answer), "for a round of 75 clusters; it must return an array"),
    ],
    ids=range(14),
)
def test_bad_parts(microarray, selector, message):
    X, y = microarray
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)


def test_labels_have_no_numbers_to_show():
    import pandas as pd

    frame = pd.DataFrame({"a": list("xyxyxy"), "b": [1.0, 2, 3, 4, 5, 6], "c": [2.0, 1, 4, 3, 6, 5]})
    y = [0, 1, 0, 1, 0, 1]
    for selector in (TwoLevelSelector(KMeans(2)), TwoLevelSelector(FeatureKMeans(2), f_classif)):
        with pytest.raises(ValueError, match="needs numbers, but column 'a' holds labels"):
            selector.fit(frame, y)


def test_what_a_clusterer_returns_is_a_value():
    assert Clusters.__dataclass_params__.frozen
