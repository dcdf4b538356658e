"""Divisions of samples: who is tested how often, shares of classes, groups."""

from __future__ import annotations

import json

import numpy as np
import pytest

from qpfs.evaluation import Folds, GivenSplit, LeaveOneOut, RandomSplits
from qpfs.evaluation.splits import splits_of

Y = np.repeat([0, 1, 2], [30, 20, 10])
GROUPS = np.random.default_rng(0).integers(0, 15, len(Y))
ALL = [
    LeaveOneOut(),
    Folds(5),
    Folds(4, repeats=3),
    Folds(3, stratified=False),
    RandomSplits(7),
    RandomSplits(4, train=0.5, stratified=False),
    GivenSplit(np.arange(60) % 3 == 0),
]


@pytest.mark.parametrize("splits", ALL, ids=lambda one: one.text())
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["plain", "groups"])
def test_parts_are_disjoint_whole_and_repeatable(splits, groups):
    parts = list(splits.parts(Y, groups))
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(60))
    again = list(splits.parts(Y, groups))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(parts, again, strict=True))
    json.dumps(splits.description())


@pytest.mark.parametrize("splits", ALL[:-1], ids=lambda one: one.text())
def test_groups_are_never_divided(splits):
    for train, test in splits.parts(Y, GROUPS):
        assert not set(GROUPS[train]) & set(GROUPS[test])


@pytest.mark.parametrize("splits", [LeaveOneOut(), Folds(5), Folds(4, repeats=3)], ids=lambda one: one.text())
def test_every_sample_is_tested_as_often_as_it_says(splits):
    tests = np.concatenate([test for _, test in splits.parts(Y)])
    assert (np.bincount(tests) == splits.repeats).all()


def test_leave_one_out_counts():
    assert len(list(LeaveOneOut().parts(Y))) == 60
    assert len(list(LeaveOneOut().parts(Y, GROUPS))) == len(np.unique(GROUPS))


def test_classes_keep_their_shares():
    for _, test in Folds(5).parts(Y):
        assert np.bincount(Y[test]).tolist() == [6, 4, 2]
    for train, _ in RandomSplits(5).parts(Y):
        assert np.bincount(Y[train]).tolist() == [18, 12, 6]


def test_seeds_and_repeats_differ():
    first, second = (next(Folds(5, seed=seed).parts(Y))[1].tolist() for seed in (0, 1))
    assert first != second
    tests = [tuple(test) for _, test in Folds(5, repeats=2).parts(Y)]
    assert len(set(tests)) == 10


def test_rare_classes_are_in_some_folds_only():
    y = np.array([0] * 12 + [1] * 3)
    assert len(list(Folds(5).parts(y))) == 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Folds(1), "n_folds=1"),
        (lambda: Folds(5, repeats=0), "repeats=0"),
        (lambda: RandomSplits(train=60), "train=60"),
        (lambda: list(Folds(9).parts(Y[:4])), "4 samples; ask for 2 to 4"),
        (lambda: list(Folds(9).parts(Y, Y)), "3 groups"),
        (lambda: list(GivenSplit([True, False]).parts(Y)), "2 entries for 60"),
        (lambda: list(GivenSplit(np.ones(60, bool)).parts(Y)), "nothing to learn"),
        (lambda: splits_of("loo"), "must be a number of folds"),
    ],
)
def test_what_makes_no_sense(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_more_folds_than_samples_of_any_class():
    with pytest.raises(ValueError, match="n_folds=4, but there are 3 samples in the largest class"):
        list(Folds(4).parts(np.array([0, 0, 0, 1, 1, 1])))
    assert len(list(Folds(4, stratified=False).parts(np.array([0, 0, 0, 1, 1, 1])))) == 4
    with pytest.raises(ValueError, match="There are 1 groups to divide; expected at least 2"):
        list(Folds(2).parts(np.array([0, 1, 0, 1]), np.zeros(4)))


@pytest.mark.parametrize("test", [[], [4], [-1], [1.5], ["a"]])
def test_a_given_split_of_rows_that_are_not_there(test):
    with pytest.raises(ValueError, match="a mask of the samples, or rows from 0 to 3"):
        list(GivenSplit(test).parts(np.array([0, 1, 0, 1])))
