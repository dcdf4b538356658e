"""TLKM-QPFS, IKM-QPFS and IKMA-QPFS against the plain recursion, and their contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.naive import clustering as naive
from tests.naive.selectors import three_segments

from qpfs import IKMAQPFS, IKMQPFS, TLKMQPFS, ThreeSegments
from qpfs.codes import columns_of, encode, target_of
from qpfs.criteria import QuadraticCriterion
from qpfs.information import FeatureTable, MutualInformation

INITS = {
    "first": naive.first,
    "relevance": naive.most_relevant,
    "leaders": naive.leaders,
    "farthest": naive.farthest,
}


@parametrize_with_checks([IKMQPFS(), IKMAQPFS(), TLKMQPFS(), IKMAQPFS(measure="correlation", radius=0.5)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("max_levels", [None, 2])
@pytest.mark.parametrize(("selector", "careful"), [(IKMQPFS, True), (IKMAQPFS, False)])
def test_the_plain_recursion(microarray, selector, careful, max_levels, init):
    X, y = microarray
    X = X[:, :80]
    options = {"radius": 0.9, "n_first": 6, "n_split": 3, "max_levels": max_levels}
    fitted = selector(theta=0.4, init=init, **options).fit(X, y)
    table = FeatureTable(encode(columns_of(X), ThreeSegments())[0], MutualInformation(len(X)))
    relevance = table.relevance(target_of(y, ThreeSegments()))

    def weigh(features):
        return QuadraticCriterion(0.4).weigh(table, relevance, np.array(features), lambda: None).scores

    codes = three_segments(X)
    kept = naive.interleaved(
        codes, naive.distances_of(codes), relevance, weigh, INITS[init], careful=careful, **options
    )
    assert fitted.representatives_.tolist() == sorted(kept)
    np.testing.assert_array_equal(fitted.scores_, weigh(sorted(kept)))
    for number, f in enumerate(sorted(kept)):
        assert np.flatnonzero(fitted.labels_ == number).tolist() == kept[f]


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS, TLKMQPFS])
def test_the_trace_accounts_for_every_feature(microarray, selector):
    X, y = microarray
    fitted = selector(theta=0.4).fit(X, y)
    assert (fitted.labels_[fitted.representatives_] == np.arange(len(fitted.representatives_))).all()
    root = fitted.rounds_[0]
    assert sorted(root.members) == list(range(300))
    for one in fitted.rounds_:
        assert len(one.fates) == len(one.representatives) == len(one.radii)
        if one.parent is not None:
            made, cluster = fitted.rounds_[one.parent[0]], one.parent[1]
            assert made.fates[cluster] == "split"
            assert made.level == one.level - 1
            assert one.members.tolist() == made.members[made.labels == cluster].tolist()


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS])
def test_the_trace_ends_in_the_labels(microarray, selector):
    X, y = microarray
    fitted = selector(theta=0.4).fit(X, y)
    fate = np.full(300, "", object)
    for one in fitted.rounds_:
        for cluster, fallen in enumerate(one.fates):
            fate[one.members[one.labels == cluster]] = fallen
    assert set(fate) <= {"kept", "discarded"}
    np.testing.assert_array_equal(fitted.labels_ >= 0, fate == "kept")


@pytest.mark.parametrize("selector", [IKMQPFS, IKMAQPFS, TLKMQPFS])
@pytest.mark.parametrize("init", [*INITS, "random"])
def test_threads_do_not_change_a_bit(microarray, selector, init):
    X, y = microarray
    one, two = (selector(theta=0.4, init=init, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_fewer_features_than_asked_for_is_said(microarray):
    X, y = microarray
    with pytest.warns(UserWarning, match=r"only \d+ stand for a cluster.*smaller radius"):
        IKMAQPFS(200, radius=1.0).fit(X, y)


def test_depth_is_no_limit():
    """Each split parts one feature from the rest: hundreds of levels."""
    rng = np.random.default_rng(0)
    X = np.tril(np.ones((400, 399)))
    y = rng.integers(0, 2, 400)
    fitted = IKMQPFS(theta=0.5, radius=0.0, n_first=2, n_split=2, init="first").fit(X, y)
    assert len(fitted.rounds_) > 100


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (IKMQPFS(radius=1.5), "radius=1.5, but it must be a number from 0 to 1"),
        (IKMQPFS(n_split=1), "n_split=1, but it must be an integer of at least 2"),
        (IKMQPFS(init="best"), "init='best', but it must be one of 'leaders'"),
        (TLKMQPFS(n_clusters=0), "n_clusters=0, but it must be an integer of at least 1"),
    ],
)
def test_bad_parameters(microarray, selector, message):
    X, y = microarray
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)
