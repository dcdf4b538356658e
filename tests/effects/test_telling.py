"""Columns made from the target are found, and real ones are not taken for such."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from qpfs import EqualFrequency
from qpfs.codes import target_of
from qpfs.effects import telling
from qpfs.effects.telling import explained, separated

RULE = EqualFrequency(5)
rng = np.random.default_rng(0)
N = 500
CLASSES = {
    "two": rng.integers(0, 2, N),
    "rare": (rng.random(N) < 0.1).astype(int),
    "four": rng.integers(0, 4, N),
}


def wrong(y, share, seed=1):
    """A copy in which a share of the samples have the class of another."""
    draw = np.random.default_rng(seed)
    places = np.flatnonzero(draw.random(len(y)) < share)
    copy = y.copy()
    copy[places] = draw.permutation(y)[places]
    return copy


@pytest.mark.parametrize("kind", CLASSES)
def test_copies_of_classes_are_found(kind):
    y = CLASSES[kind]
    target = target_of(np.array(["a", "b", "c", "d"])[y], RULE)
    assert telling(y.astype(float), target)
    assert telling(np.exp(-3.0 * y), target)
    assert telling((y + 2.0) % 4, target, labelled=True)
    assert telling(y + 0.5 * rng.random(N), target)
    assert kind == "rare" or telling(wrong(y, 0.05).astype(float), target)


def test_a_copy_with_a_twentieth_of_the_samples_turned():
    y = CLASSES["two"]
    turned = np.where(np.random.default_rng(3).random(N) < 0.05, 1 - y, y)
    assert telling(turned.astype(float), target_of(y, RULE))
    assert not telling(wrong(y, 0.5).astype(float), target_of(y, RULE))


def test_that_a_number_is_missing_may_tell():
    y = CLASSES["rare"]
    closed = np.where(y == 1, rng.normal(size=N), np.nan)
    assert telling(closed, target_of(y, RULE))
    assert not telling(np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)), target_of(y, RULE))


def test_functions_of_a_quantity_are_found():
    amount = rng.normal(size=N)
    target = target_of(amount, RULE)
    assert telling(amount, target)
    assert telling(-np.exp(amount), target)
    assert telling(wrong(amount, 0.05), target)
    assert telling(np.where(rng.random(N) < 0.3, np.nan, amount), target)
    assert not telling(np.where(rng.random(N) < 0.7, np.nan, amount), target)
    assert not telling(amount + rng.normal(size=N), target)
    tenths = np.floor(10 * (np.argsort(np.argsort(amount)) / N))
    assert telling(9 - tenths, target)
    assert telling(rng.permutation(10)[tenths.astype(int)].astype(float), target, labelled=True)


@pytest.mark.parametrize("n", [20, 49])
def test_few_samples_tell_nothing(n):
    y = np.arange(n) % 2
    assert not telling(y.astype(float), target_of(y, RULE))
    assert not telling(np.arange(n) + 0.5, target_of(np.arange(n) + 0.5, RULE))


def test_few_samples_of_the_smaller_classes_tell_nothing():
    y = (np.arange(N) < 5).astype(int)
    assert not telling(y.astype(float), target_of(y, RULE))


def test_different_numbers_have_to_part_more_samples_than_good_genes_do():
    for n, found in ((150, False), (300, True)):
        y = np.arange(n) % 2
        assert telling(y + 0.9 * rng.random(n), target_of(y, RULE)) == found
    overlapping = y + 1.1 * rng.random(n)
    assert not telling(overlapping, target_of(y, RULE))


def test_one_of_several_targets_is_enough():
    y = np.stack([CLASSES["two"], CLASSES["four"]], axis=1)
    target = target_of(y, RULE, several=True)
    assert telling(CLASSES["four"].astype(float), target)
    assert not telling(rng.normal(size=N), target)


def test_coarse_measures_of_flowers_are_none():
    X, y = load_iris(return_X_y=True)
    many = np.tile(X, (10, 1)), np.tile(y, 10)  # so many that 22 different widths are few
    assert_no_leak(*many)
    pure = np.where(y == 2, 5 + np.arange(150) % 3, y)  # more values than classes, and each of one class
    assert telling(pure.astype(float), target_of(y, RULE))


def test_the_mistakes_that_a_column_avoids():
    y = np.array([0] * 6 + [1] * 4)
    x = np.array([0] * 5 + [1] + [1] * 3 + [0])
    assert explained(x, y, np.bincount(y)) == (8 - 6) / 4


def test_separated_is_without_a_tie():
    assert separated(np.array([0, 1, 2, 3]), np.array([1, 1, 0, 0]), 2)
    assert not separated(np.array([0, 1, 1, 2]), np.array([1, 1, 0, 0]), 2)
    assert not separated(np.array([0, 1, 2, 3]), np.array([1, 0, 1, 1]), 2)


def runs_of_classes(x, y):
    """Whether, from the least number to the largest, each class is one run of numbers no other class has."""
    alone = all(len(set(y[x == value])) == 1 for value in set(x))
    line = [int(y[x == value][0]) for value in sorted(set(x))]
    return alone and sum(one != after for one, after in itertools.pairwise(line)) == len(set(y)) - 1


def test_separated_is_a_run_of_numbers_for_each_class():
    draw, found = np.random.default_rng(0), []
    for _ in range(2000):
        y = np.append([0, 1, 2], draw.integers(0, 3, 3))
        x = draw.choice([-np.inf, 0.0, 1.0, 2.0, 3.0, 4.0], 6)
        found.append(separated(x, y, 3))
        assert found[-1] == runs_of_classes(x, y)
    assert 20 < sum(found) < 1000


def assert_no_leak(X, y):
    target = target_of(y, RULE)
    assert not [i for i in range(X.shape[1]) if telling(np.asarray(X[:, i], float), target)]


@pytest.mark.parametrize("load", [load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine])
def test_real_columns_are_none(load):
    assert_no_leak(*load(return_X_y=True))


@pytest.mark.data
@pytest.mark.parametrize("name", ["leukemia", "colon", "lymphoma", "srbct", "rac_standin_borovecki", "usps"])
def test_real_genes_are_none(name, benchmark_data):
    assert_no_leak(*benchmark_data(name))
