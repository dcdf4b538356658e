"""Samples drawn anew: who is drawn, how many different draws there are, and that none comes twice."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace as replaced
from itertools import product

import numpy as np
import pytest
from tests.naive import evaluation as naive

from qpfs.evaluation import draws
from qpfs.evaluation.draws import COUNTABLE, Draw, first_of_equal, overlap
from qpfs.evaluation.sample import sample_of


def draw(y, groups=None, fraction=0.5, replace=False, stratified=True, seed=0):
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    return Draw(sample_of(X, y, groups), fraction, replace, stratified, seed)


def test_halves_keep_the_shares_of_the_classes_and_repeat_nobody():
    y = np.repeat([0, 1], [30, 12])
    for place in range(20):
        rows = draw(y).rows(place)
        assert np.bincount(y[rows]).tolist() == [15, 6]
        assert len(set(rows)) == 21


def test_a_class_is_never_lost_and_odd_sizes_are_right_on_average():
    y = np.repeat([0, 1], [29, 1])
    sizes = [np.bincount(y[draw(y).rows(place)]).tolist() for place in range(300)]
    assert {one for _, one in sizes} == {1}
    assert {zero for zero, _ in sizes} == {14, 15}


def test_bootstrap_draws_as_many_as_there_are():
    y = np.repeat([0, 1], [30, 12])
    rows = draw(y, fraction=1.0, replace=True).rows(0)
    assert np.bincount(y[rows]).tolist() == [30, 12]
    assert len(set(rows)) < 42


def test_groups_are_drawn_whole():
    y = np.repeat([0, 1], 20)
    groups = np.arange(40) // 4
    for place in range(10):
        rows = draw(y, groups).rows(place)
        assert np.bincount(groups[rows], minlength=10).tolist().count(4) == len(rows) // 4
        assert np.bincount(y[rows]).min() >= 8


def test_every_sample_is_drawn_as_often():
    y = np.repeat([0, 1], [30, 12])
    times = sum(np.bincount(draw(y).rows(place), minlength=42) for place in range(400))
    assert abs(times / 400 - 0.5).max() < 0.11  # 4.4 standard errors


CASES = [  # the class of each unit, the fraction, whether units are replaced
    ([0, 0, 1, 1], 0.5, False),
    ([0, 0, 0, 0, 1, 1], 0.5, False),
    ([0, 0, 0, 1, 1, 1, 1, 1], 0.5, False),
    ([0, 0, 0, 0, 0, 1], 0.5, False),
    ([0, 1, 2], 0.5, False),
    ([0, 0, 0, 1, 1, 1, 1], 0.4, False),
    ([0] * 10 + [1] * 2, 0.1, False),
    ([0] * 6 + [1] * 3, 0.3, False),
    ([0, 0, 1, 1], 1.0, True),
    ([0, 0, 0, 1, 1, 1, 1], 1.0, True),
]


@pytest.mark.parametrize(("classes", "fraction", "replace"), CASES)
@pytest.mark.parametrize("grouped", [False, True])
def test_how_many_exist_is_how_many_there_are(classes, fraction, replace, grouped):
    units = np.repeat(np.arange(len(classes)), 3 if grouped else 1)
    made = draw(np.array(classes)[units], units if grouped else None, fraction, replace)
    every = naive.draws(classes, fraction, replace)
    assert made.n_different == len(every)
    found = made.different(10 * len(every))
    drawn = [tuple(units[rows][:: 3 if grouped else 1].tolist()) for rows in found]
    assert sorted(drawn) == sorted(every)
    for rows in found:
        assert (np.diff(rows) >= 0).all()


@pytest.mark.parametrize(("classes", "fraction", "replace"), CASES)
def test_draws_at_random_are_among_those_and_as_likely(classes, fraction, replace):
    made, n = draw(np.array(classes), None, fraction, replace), 400
    chances = {}
    for parts in product(*(pool.every() for pool in made.pools)):
        units = tuple(sorted(unit for some, _ in parts for unit in some))
        chances[units] = math.prod(chance for _, chance in parts)
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-12)
    times = Counter(tuple(made.rows(place).tolist()) for place in range(n))
    assert set(times) <= naive.draws(classes, fraction, replace) == set(chances)
    for units, chance in chances.items():
        assert abs(times[units] / n - chance) < 4.5 * math.sqrt(chance / n)


def test_where_all_are_listed_the_first_is_one_at_random():
    made, n = draw(np.array([0, 0, 0, 1, 1, 1, 1]), None, 0.4), 1500
    plain = Counter(tuple(made.rows(place).tolist()) for place in range(n))
    seeds = (replaced(made, random_state=seed) for seed in range(n))
    first = Counter(tuple(one.different(1)[0].tolist()) for one in seeds)
    for units in plain | first:
        error = math.sqrt((plain[units] + first[units]) / n**2)
        assert abs(plain[units] - first[units]) / n < 4.5 * error


@pytest.mark.parametrize("n_units", [20, 60])  # of which all are listed, or of which some are drawn again
def test_none_comes_twice_and_more_begin_with_the_fewer(n_units):
    y = np.arange(n_units) % 2
    made = draw(y, fraction=0.1 if n_units == 60 else 0.5)
    many, few = made.different(400), made.different(40)
    assert len({rows.tobytes() for rows in many}) == 400
    assert [rows.tolist() for rows in few] == [rows.tolist() for rows in many[:40]]


def test_repeats_are_drawn_again(monkeypatch):
    monkeypatch.setattr(draws, "FEW", 0)  # so that they are not listed
    made = draw(np.arange(20) % 2, fraction=0.2, stratified=False)  # C(20, 4)
    plain = [made.rows(place).tobytes() for place in range(450)]
    assert made.n_different == 4845
    assert len(set(plain)) < 450
    assert len({rows.tobytes() for rows in made.different(450)}) == 450


@pytest.mark.parametrize(("n_samples", "exact"), [(50, True), (60, False), (500, False), (400_000, False)])
def test_what_cannot_be_counted_is_many(n_samples, exact):
    y = np.arange(n_samples) % 2
    made = draw(y, stratified=False)
    assert (made.n_different is not None) == exact
    assert made.n_different is None or made.n_different == math.comb(50, 25) <= COUNTABLE
    assert draw(y, fraction=1.0, replace=True, stratified=False).n_different is None


def test_a_small_share_of_many_is_counted():
    made = draw(np.arange(100_000) % 2, fraction=2e-5, stratified=False)
    assert made.n_different == 100_000 * 99_999 // 2


@pytest.mark.parametrize(("stratified", "exist"), [(True, 4), (False, 6)])
def test_two_donors_of_each_class_have_four_halves_with_both_classes(stratified, exist):
    groups = np.repeat(np.arange(4), 5)
    assert draw(groups // 2, groups, stratified=stratified).n_different == exist


def test_equal_parts_and_what_parts_share():
    parts = [np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, 1, 2]), np.array([5, 5, 1])]
    assert first_of_equal(parts) == [0, 1, 3]
    assert overlap(parts, 6) == pytest.approx(naive.overlap(parts))
    assert overlap([np.array([0, 1]), np.array([2, 3])], 4) == 0.0
    folds = [np.setdiff1d(np.arange(20), np.arange(4) + 4 * k) for k in range(5)]
    assert overlap(folds, 20) == pytest.approx(0.75)
