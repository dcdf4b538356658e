"""A selection across cohorts against plain loops and definitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.feature_selection import SelectKBest
from tests.naive import evaluation as naive

from qpfs import QPFS, MaxRel
from qpfs.evaluation import across_cohorts, resampled
from qpfs.evaluation.draws import Draw
from qpfs.evaluation.estimators import default_estimator
from qpfs.evaluation.sample import sample_of
from qpfs.messages import UsageError

COHORTS = np.repeat(["north", "south", "east"], [40, 30, 30])
OWN = {"north": 10, "south": 11, "east": 12}  # the marker of each cohort alone


@pytest.fixture(scope="module")
def problem():
    """Two markers in all cohorts, one in each alone, and one that only tells cohorts apart."""
    rng = np.random.default_rng(3)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 20))
    X[:, :2] += 2.5 * y[:, None]
    for name, place in OWN.items():
        X[name == COHORTS, place] += 4.0 * y[name == COHORTS]
    X[:, 15] += 5.0 * (COHORTS == "east")
    return pd.DataFrame(X, columns=[f"g{i}" for i in range(20)]), np.array(["well", "ill"])[y]


@pytest.fixture(scope="module")
def found(problem):
    return across_cohorts(MaxRel(3), *problem, COHORTS)


def test_errors_are_those_of_a_plain_loop(problem, found):
    X, y = problem
    assert found.within
    for name, score, every in zip(found.cohorts, found.scores, found.all_features, strict=True):
        train, test = name != COHORTS, name == COHORTS
        fitted = MaxRel(3).fit(X[train], y[train], covariates=COHORTS[train])
        for expected, columns in ((score, np.sort(fitted.order_[:3])), (every, np.arange(20))):
            model = default_estimator().fit(X.to_numpy()[train][:, columns], y[train])
            assert expected == (model.predict(X.to_numpy()[test][:, columns]) != y[test]).mean()
    wrong = sum(score * n for score, n in zip(found.scores, found.n_samples, strict=True))
    record = found.comparison.record
    assert record["methods"][0]["nested"]["score"] == pytest.approx(wrong / 100)
    assert record["methods"][0]["nested"]["high"] <= 1
    assert record["protocol"]["outer"] == "leave-one-cohort-out"
    assert record["protocol"]["inner"] is None


def test_each_cohort_selects_by_itself(problem, found):
    X, y = problem
    assert found.cohorts == ("north", "south", "east")
    assert found.n_samples == (40, 30, 30)
    for name, some in zip(found.cohorts, found.selections, strict=True):
        mine = name == COHORTS
        assert some.tolist() == MaxRel(3).fit(X[mine], y[mine]).order_[:3].tolist()
        assert set(some) == {0, 1, OWN[name]}
    assert found.selected.tolist() == MaxRel(3).fit(X, y, covariates=COHORTS).order_[:3].tolist()
    assert found.stability.index == pytest.approx(naive.stability(found.masks))
    np.testing.assert_array_equal(found.jaccard, np.where(np.eye(3), 1.0, 0.5))  # 2 of 4 features
    assert found.n_cohorts[[0, 1, 10, 11, 12, 15]].tolist() == [3, 3, 1, 1, 1, 0]
    assert found.record()["n_in_all"] == 2


def test_effects_are_those_within_each_cohort(problem, found):
    X, y = problem
    for name, effects in zip(found.cohorts, found.effects, strict=True):
        ill, well = (X[(name == COHORTS) & (y == one)] for one in ("ill", "well"))
        auc = np.array([mannwhitneyu(ill[c], well[c]).statistic for c in X]) / (len(ill) * len(well))
        np.testing.assert_allclose(effects.size, np.maximum(auc, 1 - auc))
        np.testing.assert_array_equal(effects.towards[auc != 0.5], (auc < 0.5)[auc != 0.5])
    signs = found.towards
    assert found.agree == [len(set(signs[:, f])) == 1 for f in range(20)]


def test_frames(found):
    frame = found.to_frame()
    assert frame["rank"].tolist()[:3] == [1, 2, 3]
    assert frame["rank"][3:].isna().all()
    assert set(frame["feature"]) == {"g0", "g1", "g10", "g11", "g12"}
    assert frame.loc[frame["feature"] == "g11", "selected in south"].item()
    assert frame.loc[frame["feature"] == "g0", "direction in east"].item() == "higher in ill"
    cohorts = found.cohorts_to_frame()
    assert cohorts["common"].tolist() == [len(set(some) & set(found.selected)) for some in found.selections]


def test_the_answer_depends_neither_on_storage_nor_on_threads(problem, found):
    X, y = problem
    other = across_cohorts(MaxRel(3), sparse.csr_matrix(X), y, COHORTS, names=list(X), n_jobs=2)
    assert other.record() == found.record()


def test_the_number_of_features_may_be_given(problem):
    two = across_cohorts(SelectKBest(k=4), *problem, COHORTS, size=2)
    assert two.size == 2
    assert {len(some) for some in two.selections} == {2}
    assert not two.within


def test_a_cohort_of_one_class_is_said_and_does_not_select(problem):
    X, y = problem
    same = np.where(COHORTS == "north", "ill", y)
    found = across_cohorts(MaxRel(2), X, same, COHORTS)
    assert found.notes == ("north has one class only (ill): it cannot select alone",)
    assert found.selections[0] is None
    assert None not in found.scores
    assert np.isnan(found.jaccard[0]).all()
    assert np.isnan(found.effects[0].size).all()
    pair = np.where(COHORTS == "east", "south", COHORTS)
    found = across_cohorts(MaxRel(2), X, same, pair)  # nobody can be trained on the north alone
    assert found.scores[1] is None
    assert found.scores[0] is not None
    assert found.stability is None


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda y, c: (np.where(c == "east", "case", y), c), UsageError, "east has the classes 'case', none"),
        (lambda y, c: (y, ["one"] * 100), UsageError, "one cohort, 'one'; expected at least two"),
        (lambda y, c: (y, [None, *c[1:]]), ValueError, "cohorts is missing"),
        (lambda y, c: (y, c[:50]), ValueError, "inconsistent numbers of samples"),
    ],
)
def test_cohorts_that_make_no_sense(problem, change, error, words):
    X, y = problem
    labels, cohorts = change(y, COHORTS)
    with pytest.raises(error, match=words):
        across_cohorts(MaxRel(2), X, labels, cohorts)


def test_resamples_draw_from_each_cohort_in_its_share(problem):
    X, y = problem
    draw = Draw(sample_of(X, y).in_cohorts(COHORTS), 0.5, False, True, 0)
    for rows in draw.different(5):
        assert [(COHORTS[rows] == one).sum() for one in ("north", "south", "east")] == pytest.approx(
            [20, 15, 15], abs=1
        )
    found = resampled(MaxRel(3), X, y, n=3, cohorts=COHORTS)
    assert found.resample == "3 stratified random halves of the samples of each cohort"
    assert found.frequencies[15] == 0


def test_nothing_selected_in_any_cohort_is_tested_by_guessing(problem):
    X, y = problem
    found = across_cohorts(QPFS(fdr=1e-30), X, y, COHORTS)
    assert [one.tolist() for one in found.selections] == [[], [], []]
    assert (found.size, found.selected.tolist(), found.to_frame().shape[0]) == (1, [], 0)
    for name, score in zip(found.cohorts, found.scores, strict=True):
        labels, times = np.unique(y[name != COHORTS], return_counts=True)
        assert score == (y[name == COHORTS] != labels[times.argmax()]).mean()
    assert repr(found).startswith("<AcrossCohorts: 0 features selected in 3 cohorts together; error ")
    assert "nan" not in repr(found)
