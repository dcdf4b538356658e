"""Selections on resamples: who is drawn, and that it depends on the seed alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, f_classif
from tests.conftest import latent_factors

from qpfs import FGM, QPFS, MaxRel
from qpfs.evaluation import resampled
from qpfs.evaluation.resampling import Draw
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


def test_frequencies_are_those_of_a_plain_loop():
    X, y = latent_factors(60, 40)
    found = resampled(QPFS(4), X, y, n=8)
    masks = [
        QPFS(4).fit(X[rows], y[rows]).get_support()
        for rows in map(Draw(sample_of(X, y), 0.5, False, True, 0).rows, range(8))
    ]
    np.testing.assert_array_equal(found.frequencies, np.mean(masks, axis=0))
    assert found.stability.n == 8
    assert len(found.orders) == 8


def test_the_answer_depends_on_the_seed_and_not_on_n_jobs():
    X, y = latent_factors(60, 40)
    one, three, other = (
        resampled(QPFS(4), X, y, n=9, random_state=seed, n_jobs=n) for seed, n in ((3, 1), (3, 3), (4, 1))
    )
    np.testing.assert_array_equal(one.frequencies, three.frequencies)
    assert one.stability.index == three.stability.index
    assert (one.frequencies != other.frequencies).any()


def test_kinds_of_tables():
    X, y = latent_factors(60, 10)
    X = np.round(np.abs(X))
    array = resampled(QPFS(4), X, y, n=4).frequencies
    table = resampled(QPFS(4), pa.table({f"f{i}": X[:, i] for i in range(10)}), y, n=4).frequencies
    np.testing.assert_array_equal(array, table)
    dense, thin = (resampled(FGM(3), one, y, n=4).frequencies for one in (X, sparse.csr_matrix(X)))
    np.testing.assert_array_equal(dense, thin)


def test_other_selectors_join():
    X, y = latent_factors(60, 10)
    found = resampled(SelectKBest(f_classif, k=3), X, y, n=4)
    assert found.frequencies.sum() == pytest.approx(3)
    assert resampled(MaxRel(), X, y, n=4, size=2).frequencies.sum() == pytest.approx(2)


def test_ticks_and_words():
    X, y = latent_factors(60, 10)
    ticks = []
    found = resampled(MaxRel(2), X, y, n=3, fraction=0.8, tick=lambda *done: ticks.append(done[:2]))
    assert ticks == [(1, 3), (2, 3), (3, 3)]
    assert found.resample == "3 stratified random parts (80 %) of the samples"


@pytest.mark.parametrize(("how", "message"), [({"n": 1}, "n=1"), ({"fraction": 50}, "fraction=50")])
def test_what_makes_no_sense(how, message):
    X, y = latent_factors(20, 5)
    with pytest.raises(ValueError, match=message):
        resampled(MaxRel(2), X, y, **how)


@pytest.mark.parametrize("size", [0, -1, 5, 1.5])
def test_sizes_that_cannot_be(size):
    with pytest.raises(ValueError, match="size="):
        resampled(MaxRel(), *load_iris(return_X_y=True), 3, size=size)


@pytest.mark.parametrize("nobody", [None, np.nan])
def test_samples_without_a_group(nobody):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="groups is missing"):
        resampled(MaxRel(), X, y, 3, groups=np.array([nobody, *map(str, range(149))], object))


def test_records_keep_sizes_apart(tmp_path):
    X, y = latent_factors(60, 10)
    for size in (2, 4, None):
        kept = resampled(MaxRel(3), X, y, n=3, size=size, records=tmp_path / "r.jsonl")
        assert kept.frequencies.sum() == pytest.approx(size or 3)
