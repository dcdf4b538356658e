"""What a user gets who sets nothing: ranks, features one by one, clusters from the most relevant."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.naive.selectors import greedy

from qpfs import (
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    EqualFrequency,
    FeatureKMeans,
    InterleavedSelector,
    MaxRel,
    ThreeSegments,
    TwoLevelSelector,
    open_store,
    write_store,
)
from qpfs.data import planted_groups
from qpfs.information import Rank

MEASURED = [QPFS, MRMR, MaxRel, TLKMQPFS, IKMQPFS, IKMAQPFS, InterleavedSelector]


@pytest.fixture(scope="module")
def data():
    return load_breast_cancer(return_X_y=True)


def used(fitted):
    return fitted.fitted_.table.measure.measure.name


def same(one, other):
    np.testing.assert_array_equal(one.order_, other.order_)
    np.testing.assert_array_equal(one.scores_, other.scores_)


@pytest.mark.parametrize("selector", MEASURED)
def test_auto_is_by_ranks(data, selector):
    found = selector().fit(*data)
    assert used(found) == "rank"
    assert found.discretizer_ is None
    same(found, selector(measure=Rank()).fit(*data))


def test_who_says_how_to_cut_is_measured_by_levels(data):
    found = QPFS(discretizer=ThreeSegments()).fit(*data)
    assert used(found) == "mi"
    same(found, QPFS(measure="mi", discretizer=ThreeSegments()).fit(*data))


def test_a_quantity_that_is_said_to_be_one_is_still_measured_by_ranks(data):
    X, _ = data
    y = np.arange(len(X)) % 40
    found = QPFS(target_discretizer=EqualFrequency(5)).fit(X, y)
    assert used(found) == "rank"
    same(found, QPFS().fit(X, y + 0.5))


def test_an_encoded_table_is_measured_by_its_levels(data, tmp_path):
    X, y = data
    table = open_store(write_store(X, tmp_path / "levels.qpfs", y))
    found = QPFS().fit(table, y)
    assert used(found) == "mi"
    same(found, QPFS(measure="mi").fit(X, y))


@pytest.mark.parametrize("selector", [QPFS(measure="mi"), JMI(5)])
def test_numbers_are_cut_into_thirds(data, selector):
    assert selector.fit(*data).discretizer_.bins == 3
    assert isinstance(selector.discretizer_, EqualFrequency)


@pytest.mark.parametrize("rule", [None, EqualFrequency(3)])
def test_a_criterion_with_a_measure_of_its_own_is_measured_by_it(data, rule):
    for measure in ("chi2", "mi"):
        found = TwoLevelSelector(FeatureKMeans(5), QPFS(measure=measure), discretizer=rule).fit(*data)
        assert used(found) == measure
    assert used(TwoLevelSelector(FeatureKMeans(5), JMI(2), discretizer=rule).fit(*data)) == "mi"


@pytest.mark.parametrize("selector", [TLKMQPFS, IKMQPFS, IKMAQPFS])
def test_few_features_are_clustered_too(data, selector):
    found = selector().fit(*data)
    assert len(found.rounds_[0].representatives) == 30 // 4
    assert len(set(found.labels_[found.labels_ >= 0])) < (found.labels_ >= 0).sum()
    assert "7 clusters" in found.account().text


def test_the_account_names_what_was_used(data):
    assert "normal scores" in QPFS().fit(*data).account().text
    assert "mutual information" in QPFS(discretizer=EqualFrequency(3)).fit(*data).account().text


@pytest.mark.parametrize(
    ("measure", "radius"), [("rank", 0.4), ("correlation", 0.5), ("mi", 0.8), ("chi2", 0.8)]
)
def test_the_radius_goes_with_the_measure(data, measure, radius):
    found = IKMQPFS(measure=measure).fit(*data)
    assert found.radius_ == radius
    same(found, IKMQPFS(measure=measure, radius=radius).fit(*data))


def test_features_with_weight_come_one_by_one(data):
    X, y = data
    found = QPFS().fit(X, y)
    among = np.flatnonzero(found.scores_)
    Q = found.fitted_.table.between(among, among)
    taken = greedy(found.relevance_[among], Q, len(among), lambda s, r: s - r, max)
    np.testing.assert_array_equal(found.order_[: len(among)], among[taken])
    by_weight = QPFS(order="weight").fit(X, y)
    np.testing.assert_array_equal(by_weight.scores_, found.scores_)
    assert (np.diff(found.scores_[by_weight.order_]) <= 0).all()


def test_a_search_ranks_as_a_fit_does(data):
    X, y = data
    for order in ("nearest", "weight"):
        search = QPFSCV(QPFS(order=order), {"theta": [0.3, 0.5]}, [3], cv=3).fit(X, y)
        same(search, QPFS(3, order=order, theta=search.best_params_["theta"]).fit(X, y))


@pytest.mark.parametrize("wrong", [{"order": "size"}, {"measure": "ranks"}])
def test_another_word_is_refused(data, wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name}='{value}'"):
        QPFS(**wrong).fit(*data)
    with pytest.raises(ValueError, match="radius"):
        IKMQPFS(radius="wide").fit(*data)


@pytest.mark.parametrize("selector", [QPFS(), TLKMQPFS(), IKMQPFS(), IKMAQPFS()], ids=repr)
def test_planted_groups_are_all_among_the_first(selector):
    for seed in (0, 1):
        problem = planted_groups(random_state=seed)
        order = selector.fit(problem.X, problem.y).order_[:8]
        assert set(problem.group[order]) == set(range(8))
