"""Selections on resamples: how often each feature is selected, on features and clusters, and what is said."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.conftest import latent_factors

from qpfs import FGM, GDM, IKMAQPFS, MRMR, QPFS, MaxRel
from qpfs.evaluation import resampled, stability
from qpfs.evaluation.draws import Draw
from qpfs.evaluation.sample import sample_of


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


def donors(nested=False):
    """Four donors with samples of both classes; nested: two donors of each class."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(4), 10)
    y = groups // 2 if nested else np.tile([0, 1], 20)
    X = rng.normal(size=(40, 30))
    X[:, 0] += y
    return X, y, groups


@pytest.mark.parametrize("n", [20, 200])
def test_four_donors_have_six_halves_however_many_are_asked_for(n):
    X, y, groups = donors()
    found = resampled(MaxRel(3), X, y, n=n, groups=groups)
    halves = [np.isin(groups, pair) for pair in combinations(range(4), 2)]
    masks = [MaxRel(3).fit(X[half], y[half]).support_ for half in halves]
    assert (found.stability.n, found.n_asked, found.n_different, len(found.orders)) == (6, n, 6, 6)
    assert found.stability.index == pytest.approx(stability(masks).index, abs=1e-12)
    np.testing.assert_allclose(found.frequencies, np.mean(masks, axis=0))
    assert np.isnan([found.stability.low, found.stability.high, found.cluster_stability.low]).all()
    assert found.notes == (
        f"{n} resamples were requested, but only 6 different ones exist: each was used once.",
        "6 resamples are too few for an interval of the stability; expected at least 10.",
    )
    assert found.resample == "6 stratified random halves of the groups"
    assert found.overlap == pytest.approx(0.4)  # of 15 pairs 12 share one donor of two, and 3 none


def test_two_donors_of_each_class_have_four_halves_with_both_classes():
    X, y, groups = donors(nested=True)
    found = resampled(MaxRel(3), X, y, n=20, groups=groups)
    assert (found.stability.n, found.n_different) == (4, 4)


def test_enough_resamples_need_no_note():
    X, y = latent_factors(60, 10)
    found = resampled(MaxRel(3), X, y, n=10)
    assert found.notes == ()
    assert found.n_different is None
    assert np.isfinite([found.stability.low, found.stability.high]).all()


def test_a_single_resample_is_refused():
    X, y, _ = donors(nested=True)
    with pytest.raises(ValueError, match=r"only 1 different resample .*groups.* expected more groups"):
        resampled(MaxRel(3), X, y, n=20, groups=y)


def test_what_comes_up_in_a_selection_is_said_to_be_of_a_resample():
    X, y = latent_factors(40, 6)
    X[:, 5] = 1.0
    found = resampled(MaxRel(6), X, y, n=10)
    ((note, n),) = found.warned.items()
    assert "not constant" in note
    assert n == 10
    assert found.notes == (f"in 10 of 10 resamples: {note}",)


def test_what_is_selected_on_all_samples_comes_best_first():
    X, y = latent_factors(60, 20)
    fitted = QPFS(4).fit(X, y)
    found = resampled(QPFS(4), X, y, n=3)
    assert found.selected.tolist() == fitted.order_[:4].tolist()
    assert resampled(QPFS(4), X, y, n=3, size=2).selected.tolist() == fitted.order_[:2].tolist()
    given = resampled(QPFS(4), X, y, n=3, fitted=MaxRel(5).fit(X, y))
    assert given.selected.tolist() == MaxRel(5).fit(X, y).order_[:5].tolist()
    with pytest.raises(ValueError, match="fitted to 19 features, but X has 20"):
        resampled(QPFS(4), X, y, n=3, fitted=QPFS(4).fit(X[:, 1:], y))


def blocks(n_samples=80, copies=6):
    """Ten factors with nearly equal copies each, three of which differ between two classes."""
    rng = np.random.default_rng(3)
    y = np.arange(n_samples) % 2
    factors = rng.normal(size=(n_samples, 10))
    factors[:, :3] += 2.5 * y[:, None]
    return np.repeat(factors, copies, axis=1) + 0.3 * rng.normal(size=(n_samples, 10 * copies)), y


@pytest.mark.parametrize("selector", [QPFS(3), MRMR(3), IKMAQPFS(3, n_first=10), MRMR(3, measure="mi")])
def test_features_change_and_clusters_stay(selector):
    X, y = blocks()
    found = resampled(selector, X, y, n=12)
    assert found.cluster_stability.index > found.stability.index + 0.2
    over = found.cluster_stability.frequencies
    for feature in found.selected:
        members = np.flatnonzero(found.clusters == found.clusters[feature])
        assert over[found.clusters[feature]] >= found.frequencies[members].max()


def test_selectors_that_compare_no_features_have_no_clusters():
    X, y = latent_factors(60, 20)
    for selector in (FGM(3), SelectKBest(f_classif, k=3)):
        found = resampled(selector, X, y, n=3)
        assert (found.cluster_stability, found.clusters, found.cluster_text) == (None, None, None)
        assert found.record()["clusters"] is None
    assert resampled(GDM(3), X, y, n=3).cluster_stability is not None


def test_the_record_is_plain_and_complete():
    X, y, groups = donors()
    found = resampled(make_pipeline(StandardScaler(), QPFS(3)), X, y, n=20, groups=groups)
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record == found.record()
    assert (record["n"], record["n_asked"], record["n_different"], record["units"]) == (6, 20, 6, "groups")
    assert (record["low"], record["high"]) == (None, None)
    assert record["clusters"]["index"] == found.cluster_stability.index
    assert record["clusters"]["n"] == found.clusters.max() + 1
