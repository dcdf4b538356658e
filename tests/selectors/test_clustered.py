"""TLKM-QPFS, IKM-QPFS and IKMA-QPFS against the plain recursion, and their contract."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted
from tests.naive import clustering as naive
from tests.naive.selectors import three_segments
from tests.pairs import crossed, in_turn
from tests.published import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS

from qpfs import AsCodes, EqualFrequency, ThreeSegments
from qpfs.codes import columns_of, encode, target_of
from qpfs.criteria import QuadraticCriterion, TradeOff
from qpfs.data import planted_groups
from qpfs.information import FeatureTable, MutualInformation
from qpfs.selectors import clustered

PRESETS = [IKMQPFS, IKMAQPFS, TLKMQPFS]
INITS = {
    "first": naive.first,
    "relevance": naive.most_relevant,
    "leaders": naive.leaders,
    "farthest": naive.farthest,
    "random": naive.at_random(np.random.RandomState(0).permutation(80)),
}
NAMED = {name: name for name in INITS}
every_preset = pytest.mark.parametrize("selector", PRESETS)


@parametrize_with_checks([IKMQPFS(), IKMAQPFS(), TLKMQPFS()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        TLKMQPFS(repeat=True, init="farthest", representative="medoid"),
        IKMAQPFS(measure="correlation", radius=0.5),
        IKMQPFS(init="random"),
    ]
)
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)


@cache
def distances_of(data, shape):
    """The slow twin's distances between the columns of a table, of which several tests are."""
    return naive.distances_of(three_segments(np.frombuffer(data).reshape(shape)))


class Twin:
    """The table, relevance and weights that the slow twins are shown."""

    def __init__(self, X, y, theta=0.4):
        self.table = FeatureTable(encode(columns_of(X), ThreeSegments())[0], MutualInformation().on(len(X)))
        self.relevance = self.table.relevance(target_of(y, ThreeSegments()))
        self.codes = three_segments(X)
        self.D = distances_of(X.tobytes(), X.shape)
        self.criterion = QuadraticCriterion(None if theta is None else TradeOff(theta))

    def weigh(self, features):
        return self.criterion.weigh(self.table, self.relevance, np.array(features), lambda: None).scores

    def same(self, fitted, kept):
        """The selector fitted kept these clusters, {representative: members}, and weighed them so."""
        assert fitted.representatives_.tolist() == sorted(kept)
        np.testing.assert_array_equal(fitted.scores_, self.weigh(sorted(kept)))
        for number, f in enumerate(sorted(kept)):
            assert np.flatnonzero(fitted.labels_ == number).tolist() == kept[f]


def compared(selector, X, y, init, theta=0.4, **options):
    twin = Twin(X, y, theta)
    fitted = selector(theta=theta, init=init, **options).fit(X, y)
    careful = selector is IKMQPFS
    kept = naive.interleaved(
        twin.codes, twin.D, twin.relevance, twin.weigh, INITS[init], careful=careful, **options
    )
    twin.same(fitted, kept)


@crossed(selector={"IKM": IKMQPFS, "IKMA": IKMAQPFS}, max_depth={"None": None, "2": 2}, init=NAMED)
def test_the_plain_recursion(microarray, selector, max_depth, init):
    X, y = microarray
    compared(selector, X[:, :80], y, init, radius=0.9, n_first=6, n_split=3, max_depth=max_depth)


OPTIONS = [
    {"n_clusters": 16},
    {"n_clusters": 16, "n_first": 7},
    {"n_clusters": 9, "radius": 0.85},
    {"n_clusters": 9, "radius": 0.85, "repeat": True},
    {"n_clusters": 1},
    {"n_clusters": 500},
]


@in_turn(times=2, init=NAMED, options={str(one): one for one in OPTIONS})
def test_the_plain_two_levels(microarray, init, options):
    X, y = microarray
    X = X[:, :80]
    twin = Twin(X, y)
    options = {"n_first": None, "radius": None, "repeat": False} | options
    fitted = TLKMQPFS(theta=0.4, init=init, **options).fit(X, y)
    leader_radius = MutualInformation.radius if options["radius"] is None else options["radius"]
    kept, tau = naive.two_level(
        twin.codes, twin.D, twin.relevance, INITS[init], leader_radius=leader_radius, **options
    )
    twin.same(fitted, kept)
    assert fitted.radius_ == pytest.approx(tau, rel=1e-14)
    assert not options["repeat"] or fitted.radii_.max() <= tau


@pytest.mark.data
@in_turn(name={"colon": "colon", "srbct": "srbct"}, selector={"IKMA": IKMAQPFS, "IKM": IKMQPFS}, init=NAMED)
def test_the_plain_recursion_on_real_data(benchmark_data, name, selector, init):
    X, y = benchmark_data(name)
    X = X[:, :80].astype(float)
    compared(selector, X, y, init, radius=0.85, n_first=8, n_split=4, max_depth=None)


@pytest.mark.data
@in_turn(name={"colon": "colon", "leukemia": "leukemia"}, init=NAMED)
def test_the_plain_two_levels_on_real_data(benchmark_data, name, init):
    X, y = benchmark_data(name)
    X = X[:, :80].astype(float)
    twin = Twin(X, y)
    for options in ({"n_clusters": 9, "radius": None}, {"n_clusters": 30, "radius": 0.9}):
        options |= {"n_first": None, "repeat": False}
        fitted = TLKMQPFS(theta=0.4, init=init, **options).fit(X, y)
        leader_radius = options["radius"] or MutualInformation.radius
        kept, _ = naive.two_level(
            twin.codes, twin.D, twin.relevance, INITS[init], leader_radius=leader_radius, **options
        )
        twin.same(fitted, kept)


@every_preset
def test_the_trace_accounts_for_every_feature(microarray, selector):
    X, y = microarray
    fitted = selector(theta=0.4).fit(X, y)
    assert (fitted.labels_[fitted.representatives_] == np.arange(len(fitted.representatives_))).all()
    root = fitted.rounds_[0]
    assert sorted(root.members) == list(range(300))
    assert [one.number for one in fitted.rounds_] == list(range(len(fitted.rounds_)))
    for one in fitted.rounds_:
        assert len(one.fates) == len(one.representatives) == len(one.radii)
        assert (one.parent is None) == (one.number == 0)
        if one.parent is not None:
            made, cluster = fitted.rounds_[one.parent[0]], one.parent[1]
            assert made.fates[cluster] == "split"
            assert made.level == one.level - 1
            assert one.members.tolist() == made.members[made.labels == cluster].tolist()


@every_preset
def test_the_trace_ends_in_the_labels(microarray, selector):
    X, y = microarray
    fitted = selector(theta=0.4).fit(X, y)
    fate = np.full(300, "", object)
    for one in fitted.rounds_:
        for cluster, fallen in enumerate(one.fates):
            fate[one.members[one.labels == cluster]] = fallen
    assert set(fate) <= {"kept", "discarded"}
    np.testing.assert_array_equal(fitted.labels_ >= 0, fate == "kept")


@every_preset
def test_a_program_that_nothing_reads_is_not_solved(monkeypatch, microarray, selector):
    """TLKM asks for none before the last; IKM only where a cluster is final; IKMA always."""
    X, y = microarray
    solved = []
    weigh_each = QuadraticCriterion.weigh_each

    def counted(self, table, relevance, groups):
        solved.append(len(groups))
        return weigh_each(self, table, relevance, groups)

    monkeypatch.setattr(QuadraticCriterion, "weigh_each", counted)
    fitted = selector(theta=0.4).fit(X, y)
    weighed = [one.weights is not None for one in fitted.rounds_]
    assert sum(solved) == sum(weighed)
    final = [any(fate != "split" for fate in one.fates) for one in fitted.rounds_]
    assert (
        weighed == {IKMQPFS: final, IKMAQPFS: [True] * len(final), TLKMQPFS: [False] * len(final)}[selector]
    )


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS])
@pytest.mark.parametrize("k", [3, 15])
@pytest.mark.parametrize("init", INITS)
def test_distances_stay_within_the_published_bound(microarray, selector, init, k):
    """L (2Mk + 2M), M for the radii of each level, and Mk where first centres are chosen by distance."""
    X, y = microarray
    M = X.shape[1]
    fitted = selector(theta=0.4, init=init, n_first=k, n_split=k).fit(X, y)
    L = max(one.level for one in fitted.rounds_)
    choosing = M * k if init in ("leaders", "farthest") else 0
    assert fitted.n_distances_ <= L * (2 * M * k + 2 * M + M + choosing)


@in_turn(selector={one.__name__: one for one in PRESETS}, init=NAMED)
def test_threads_do_not_change_a_bit(monkeypatch, microarray, selector, init):
    X, y = microarray
    monkeypatch.setattr("qpfs.information.table.SMALL", 0)
    monkeypatch.setattr("qpfs.information.table.PAIRS", 200)
    one, two = (selector(theta=0.4, init=init, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.radii_, two.radii_)


@every_preset
@pytest.mark.parametrize("measure", ["mi", "correlation"])
def test_how_features_are_packed_does_not_matter(monkeypatch, microarray, selector, measure):
    X, y = microarray
    options = {"theta": 0.4, "measure": measure, "n_first": 5}
    options |= {"repeat": True} if selector is TLKMQPFS else {"n_split": 4}
    expected = selector(**options).fit(X, y)
    monkeypatch.setattr("qpfs.information.table.FEW_BLOCKS", 1)
    monkeypatch.setattr("qpfs.information.table.block_width", lambda n_samples, n_levels: 13)
    found = selector(**options).fit(X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.n_distances_ == expected.n_distances_
    assert len(found.rounds_) == len(expected.rounds_)
    for one, other in zip(found.rounds_, expected.rounds_, strict=True):
        assert (one.number, one.level, one.parent, one.fates) == (
            other.number,
            other.level,
            other.parent,
            other.fates,
        )
        for name in ("members", "labels", "representatives", "radii"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@every_preset
@pytest.mark.parametrize("init", ["leaders", "relevance"])
@pytest.mark.parametrize("affordable", [clustered.EFFORT.affordable, 0], ids=["all pairs", "sampled pairs"])
def test_the_order_of_columns_says_nothing(monkeypatch, microarray, selector, init, affordable):
    """No ties here: features tell apart by relevance once N is large enough."""
    monkeypatch.setattr(clustered, "EFFORT", replace(clustered.EFFORT, affordable=affordable))
    made = planted_groups(500, 5, 4, 80)
    X, y = made.X, made.y
    shuffled = np.random.default_rng(2).permutation(X.shape[1])
    one, other = selector(init=init).fit(X, y), selector(init=init).fit(X[:, shuffled], y)
    assert len(set(one.relevance_)) == X.shape[1]
    assert other.theta_ == pytest.approx(one.theta_, rel=1e-12)
    np.testing.assert_allclose(other.scores_, one.scores_[shuffled], atol=1e-12)
    assert adjusted_rand_score(other.labels_, one.labels_[shuffled]) == 1.0
    assert set(shuffled[other.order_[:20]]) == set(one.order_[:20])


PLANTED = [planted_groups(random_state=seed) for seed in range(3)]


@every_preset
def test_planted_groups_are_recovered(selector):
    """Copies of one hidden feature end in one cluster; each of the first eight stands for another."""
    for made in PLANTED:
        fitted = selector().fit(made.X, made.y)
        planted = made.group >= 0
        index = adjusted_rand_score(made.group[planted], fitted.labels_[planted])
        print(f"{selector.__name__}: adjusted Rand index {index:.3f}")  # noqa: T201 - shown by pytest -rP
        assert index > 0.9
        first = fitted.order_[:8]
        assert sorted(made.group[first]) == list(range(8))
        for feature in first:
            copies = [one.feature for one in fitted.alternatives(int(feature), n=5)]
            assert set(made.group[copies]) == {made.group[feature]}


@pytest.mark.parametrize(
    "selector",
    [TLKMQPFS, *(pytest.param(one, marks=pytest.mark.slow) for one in (IKMQPFS, IKMAQPFS))],
)
def test_eight_of_eight_over_ten_seeds(selector):
    for seed in range(10):
        made = planted_groups(random_state=seed)
        first = selector().fit(made.X, made.y).order_[:8]
        assert sorted(made.group[first]) == list(range(8)), seed


def test_exact_qpfs_does_not_tell_copies_apart():
    """What clustering is for."""
    reached = [len(set(made.group[QPFS().fit(made.X, made.y).order_[:8]]) - {-1}) for made in PLANTED]
    assert max(reached) < 8


@pytest.mark.parametrize("representative", ["mean", "medoid"])
@pytest.mark.parametrize("discretizer", [None, EqualFrequency(4), AsCodes()], ids=str)
def test_every_representative_with_every_rule(microarray, representative, discretizer):
    X, y = microarray
    X = np.round(X[:, :60])
    fitted = IKMQPFS(2, representative=representative, discretizer=discretizer).fit(X, y)
    assert fitted.support_.sum() == 2
    assert (fitted.labels_[fitted.representatives_] == np.arange(len(fitted.representatives_))).all()


def test_the_mean_is_cut_by_the_rule_that_cut_the_features(microarray):
    X, y = microarray
    X = X[:, :60]
    rule = EqualFrequency(4)
    table = FeatureTable(encode(columns_of(X), rule)[0], MutualInformation().on(len(X)))
    relevance = table.relevance(target_of(y, rule))
    codes = rule.fit_transform(X)

    def weigh(features):
        return QuadraticCriterion(TradeOff(0.4)).weigh(table, relevance, np.array(features), int).scores

    options = {"radius": 0.85, "n_first": 6, "n_split": 3, "max_depth": None}
    kept = naive.interleaved(
        codes,
        naive.distances_of(codes),
        relevance,
        weigh,
        naive.leaders,
        careful=True,
        representative=naive.nearest_to_mean(rule),
        **options,
    )
    fitted = IKMQPFS(theta=0.4, discretizer=EqualFrequency(4), **options).fit(X, y)
    assert fitted.representatives_.tolist() == sorted(kept)


def test_a_fit_that_fails_leaves_nothing_that_looks_fitted(microarray):
    X, y = microarray
    fitted = IKMQPFS().fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        fitted.fit(X[:, :5], None)
    with pytest.raises(NotFittedError):
        check_is_fitted(fitted)


def test_huge_counts(microarray):
    X, y = microarray
    assert len(IKMQPFS(n_first=10**30, n_split=10**30, max_depth=1).fit(X, y).labels_) == 300


@pytest.mark.parametrize(
    ("selector", "advice"),
    [
        (IKMAQPFS(200, radius=1.0), "smaller radius"),
        (IKMQPFS(200, radius=1.0), "smaller radius"),
        (TLKMQPFS(200, n_clusters=3), "larger n_clusters"),
    ],
    ids=str,
)
def test_fewer_features_than_asked_for_is_said(microarray, selector, advice):
    X, y = microarray
    with pytest.warns(
        UserWarning, match=rf"asks for 200 features, but only \d+ represent a cluster.*{advice}"
    ):
        fitted = selector.fit(X, y)
    assert fitted.support_.sum() == len(fitted.order_) < 200


@pytest.mark.parametrize("selector", [IKMQPFS(), IKMAQPFS(), TLKMQPFS(repeat=True)], ids=str)
def test_copies_end_in_one_cluster(microarray, selector):
    X, y = microarray
    X = np.hstack([X[:, :10], X[:, :10], -X[:, :10]])
    fitted = selector.set_params(theta=0.4, radius=0.0).fit(X, y)
    assert (fitted.labels_[:10] >= 0).any()
    for i in range(10):
        assert len(set(fitted.labels_[[i, i + 10, i + 20]])) == 1


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (IKMQPFS(radius=1.5), "radius=1.5, but it must be 'auto' or a number from 0 to 1"),
        (IKMQPFS(radius=np.nan), "radius=nan, but it must be 'auto' or a number from 0 to 1"),
        (IKMQPFS(n_split=1), "n_split=1, but it must be an integer of at least 2"),
        (IKMQPFS(n_first=2.5), "n_first=2.5, but it must be 'auto' or an integer of at least 1"),
        (IKMQPFS(max_depth=0), "max_depth=0, but it must be an integer of at least 1"),
        (IKMQPFS(init="best"), "init='best', but it must be one of 'leaders'"),
        (IKMAQPFS(representative="mode"), "representative='mode', but it must be one of 'mean'"),
        (TLKMQPFS(n_clusters=0), "n_clusters=0, but it must be an integer of at least 1"),
        (TLKMQPFS(repeat=1), "repeat=1, but it must be True or False"),
    ],
    ids=str,
)
def test_bad_parameters(microarray, selector, message):
    X, y = microarray
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
