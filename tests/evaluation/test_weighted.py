"""Errors and comparisons of samples with weights, and of several targets."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer, max_error, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.conftest import latent_factors

from qpfs import FGM, QPFS, MaxRel
from qpfs.evaluation import across_cohorts, compare, default_estimator, error_curve, resampled
from qpfs.evaluation.rivals import boruta, f_test, forest, l1, relief, rfe

pytestmark = pytest.mark.filterwarnings("ignore:.*than chance", "ignore:.*relevan")

RNG = np.random.default_rng(2)
N = 60
X = RNG.normal(size=(N, 8))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
OTHER = (X[:, 1] + RNG.normal(size=N) > 0).astype(int)
AMOUNT = X[:, 2] + 0.5 * RNG.normal(size=N)
BOTH = np.column_stack([Y, OTHER])
WEIGHTS = RNG.integers(1, 5, N)
SPLITS = [(np.arange(N) % 3 != part, np.arange(N) % 3 == part) for part in range(3)]
SPLITS = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in SPLITS]


def test_weights_count_in_the_selection_in_training_and_in_the_error():
    curve = error_curve(MaxRel(), X, Y, sample_weight=WEIGHTS, cv=SPLITS, sizes=[2])
    lost = 0.0
    for train, test in SPLITS:
        top = MaxRel().fit(X[train], Y[train], sample_weight=WEIGHTS[train]).order_[:2]
        model = default_estimator()
        model.fit(X[np.ix_(train, top)], Y[train], linearsvc__sample_weight=WEIGHTS[train])
        lost += WEIGHTS[test] @ (model.predict(X[np.ix_(test, top)]) != Y[test])
    assert curve.mean[0] == pytest.approx(lost / WEIGHTS.sum(), abs=1e-12)
    assert "are weighted in the selection, in training and in the results" in (curve.protocol["text"])


def test_so_they_do_for_a_quantity_and_for_scores():
    curve = error_curve(MaxRel(), X, AMOUNT, sample_weight=WEIGHTS, cv=SPLITS, sizes=[2])
    lost = known = 0.0
    for train, test in SPLITS:
        top = MaxRel().fit(X[train], AMOUNT[train], sample_weight=WEIGHTS[train]).order_[:2]
        model = default_estimator(True)
        model.fit(X[np.ix_(train, top)], AMOUNT[train], ridge__sample_weight=WEIGHTS[train])
        lost += WEIGHTS[test] @ (model.predict(X[np.ix_(test, top)]) - AMOUNT[test]) ** 2
        known += WEIGHTS[test] @ (AMOUNT[test] - np.average(AMOUNT[train], weights=WEIGHTS[train])) ** 2
    assert curve.mean[0] == pytest.approx(lost / known, rel=1e-12)
    scored = error_curve(MaxRel(), X, Y, sample_weight=WEIGHTS, cv=SPLITS, sizes=[2], scoring="roc_auc")
    each = []
    for train, test in SPLITS:
        top = MaxRel().fit(X[train], Y[train], sample_weight=WEIGHTS[train]).order_[:2]
        model = default_estimator()
        model.fit(X[np.ix_(train, top)], Y[train], linearsvc__sample_weight=WEIGHTS[train])
        far = model.decision_function(X[np.ix_(test, top)])
        each.append(roc_auc_score(Y[test], far, sample_weight=WEIGHTS[test]))
    assert scored.mean[0] == pytest.approx(np.mean(each), abs=1e-12)


def test_weights_of_one_are_none_and_of_zero_are_absent():
    asked = {"cv": 3, "inner_cv": 2, "sizes": [1, 3]}
    plain, ones = (compare([MaxRel()], X, Y, sample_weight=one, **asked) for one in (None, np.ones(N)))
    first, second = (one.record["methods"][0] for one in (plain, ones))
    assert [point["score"] for point in first["curve"]] == [point["score"] for point in second["curve"]]
    assert first["often"] == second["often"]
    there = np.arange(N) % 7 != 0
    given = compare([MaxRel()], X, Y, sample_weight=there * WEIGHTS, **asked).record
    absent = compare([MaxRel()], X[there], Y[there], sample_weight=WEIGHTS[there], **asked).record
    for name in ("curve", "nested", "often"):
        assert given["methods"][0][name] == absent["methods"][0][name]
    assert given["data"]["n_samples"] == there.sum()
    with pytest.raises(ValueError, match="the rows that cv names would be others"):
        compare([MaxRel()], X, Y, sample_weight=there * WEIGHTS, cv=SPLITS)


def test_the_protocol_says_who_takes_no_weights():
    near = KNeighborsClassifier(3)
    found = compare(
        {"ours": MaxRel(), "f": f_test()}, X, Y, sample_weight=WEIGHTS, estimator=near, cv=2, sizes=[2]
    )
    text = found.record["protocol"]["text"]
    assert "Not weighted: f." in text
    assert "not in training, since the estimator takes no weights" in text
    assert "failed" not in found.record["methods"][1]


@pytest.mark.parametrize("y", [Y, AMOUNT], ids=["classes", "quantity"])
@pytest.mark.parametrize("routed", [False, True])
def test_weights_of_rivals_are_copies(y, routed):
    wide = np.hstack([X, np.random.default_rng(3).normal(size=(N, 110))])  # RFE in two steps
    for table in (
        (X, wide) if y is AMOUNT else (X,)
    ):  # on many columns the linear SVM is not solved so exactly
        with config_context(enable_metadata_routing=routed):
            found = rfe().fit(table, y, sample_weight=WEIGHTS)
        expected = rfe().fit(np.repeat(table, WEIGHTS, axis=0), np.repeat(y, WEIGHTS))
        assert found.order_[:5].tolist() == expected.order_[:5].tolist()
    weighted, copies = (
        l1().fit(X, Y, sample_weight=WEIGHTS),
        l1().fit(X.repeat(WEIGHTS, 0), Y.repeat(WEIGHTS)),
    )
    np.testing.assert_allclose(weighted.model_[-1].coef_, copies.model_[-1].coef_, atol=1e-3)


def test_rivals_use_weights_where_their_models_take_them():
    first = np.arange(N) % 2 == 0
    y = np.where(first, X[:, 3] > 0, X[:, 4] > 0).astype(int)
    for rival in (l1(), rfe(), forest(50)):
        for there, best in ((first, 3), (~first, 4)):
            assert rival.fit(X, y, sample_weight=np.where(there, 50, 1)).order_[0] == best
    for rival in (f_test(), relief(), boruta()):
        with pytest.raises(TypeError, match=f"{rival.name} takes no sample_weight"):
            rival.fit(X, y, sample_weight=WEIGHTS)
    methods = {one.name: one for one in (f_test(), l1(), rfe(), forest(5))}
    found = compare(methods, X, Y, sample_weight=WEIGHTS, cv=2, sizes=[2]).record
    assert "Not weighted: f-test." in found["protocol"]["text"]
    assert not any("failed" in one for one in found["methods"])


def test_weights_are_routed():
    asked = {"cv": SPLITS, "sizes": [2], "sample_weight": WEIGHTS}
    selector = make_pipeline(StandardScaler(), MaxRel())
    machine = make_pipeline(StandardScaler(), LogisticRegression())
    expected = error_curve(selector, X, Y, estimator=machine, **asked)
    with config_context(enable_metadata_routing=True):
        found = error_curve(clone(selector), X, Y, estimator=clone(machine), **asked)
        scaled = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), LogisticRegression())
        other = error_curve(clone(selector), X, Y, estimator=scaled, scoring="neg_log_loss", **asked)
        plain = error_curve(clone(selector), X, Y, estimator=machine, scoring="neg_log_loss", **asked)
    np.testing.assert_array_equal(found.losses, expected.losses)
    assert (other.losses != plain.losses).all()  # who asks for weights is given them


def test_what_takes_no_weights_is_refused():
    with pytest.raises(TypeError, match="FGM takes no sample_weight"):
        error_curve(FGM(2), X, Y, sample_weight=WEIGHTS)
    with pytest.raises(ValueError, match="takes no weights of samples"):
        error_curve(MaxRel(), X, AMOUNT, sample_weight=WEIGHTS, scoring="neg_max_error")
    with pytest.raises(ValueError, match="takes no weights of samples"):
        compare([MaxRel()], X, AMOUNT, sample_weight=WEIGHTS, scoring=make_scorer(max_error))
    with pytest.raises(ValueError, match="sample_weight has the shape"):
        compare([MaxRel()], X, Y, sample_weight=WEIGHTS[1:])


def test_cohorts_with_weights():
    cohorts = np.resize(["a", "b", "c"], N)
    found = across_cohorts(QPFS(2), X, Y, cohorts, sample_weight=WEIGHTS)
    for place, name in enumerate("abc"):
        here = cohorts == name
        by_hand = QPFS(2).fit(X[here], Y[here], sample_weight=WEIGHTS[here])
        np.testing.assert_array_equal(found.selections[place], by_hand.order_[:2])
    whole = QPFS(2).fit(X, Y, sample_weight=WEIGHTS, covariates=cohorts)
    np.testing.assert_array_equal(found.selected, whole.order_[:2])
    there = np.arange(N) % 7 != 0
    given = across_cohorts(QPFS(2), X, Y, cohorts, sample_weight=there * WEIGHTS)
    absent = across_cohorts(QPFS(2), X[there], Y[there], cohorts[there], sample_weight=WEIGHTS[there])
    assert given.scores == absent.scores
    assert given.n_samples == absent.n_samples
    drawn = resampled(QPFS(2), X, Y, 4, sample_weight=WEIGHTS, cohorts=cohorts)
    assert drawn.frequencies.sum() == pytest.approx(2)


def test_errors_of_several_targets_are_the_mean_over_them():
    forest = RandomForestClassifier(5, random_state=0)
    for given, fit in ((None, {}), (WEIGHTS, {"sample_weight": WEIGHTS})):
        curve = error_curve(MaxRel(), X, BOTH, estimator=forest, cv=SPLITS, sizes=[3], sample_weight=given)
        lost, times = 0.0, np.ones(N) if given is None else WEIGHTS
        for train, test in SPLITS:
            some = {name: value[train] for name, value in fit.items()}
            top = np.sort(MaxRel().fit(X[train], BOTH[train], **some).order_[:3])
            model = clone(forest).fit(X[np.ix_(train, top)], BOTH[train], **some)
            lost += times[test] @ (model.predict(X[np.ix_(test, top)]) != BOTH[test]).mean(axis=1)
        assert curve.mean[0] == pytest.approx(lost / times.sum(), abs=1e-12)


def test_several_quantities_count_alike_whatever_they_are_measured_in():
    amounts = np.column_stack([AMOUNT, X[:, 3] + RNG.normal(size=N)])
    curve = error_curve(MaxRel(), X, amounts, cv=SPLITS, sizes=[2])
    scaled = error_curve(MaxRel(), X, amounts * [1.0, 1000.0], cv=SPLITS, sizes=[2])
    np.testing.assert_allclose(curve.mean, scaled.mean, rtol=1e-9)
    twice = error_curve(MaxRel(), X, np.column_stack([AMOUNT, AMOUNT]), cv=SPLITS, sizes=[2])
    once = error_curve(MaxRel(), X, AMOUNT, cv=SPLITS, sizes=[2])
    np.testing.assert_allclose(twice.mean, once.mean, rtol=1e-9)


def test_two_equal_targets_are_one():
    twice = np.column_stack([Y, Y])
    asked = {"cv": 3, "inner_cv": 2, "sizes": [1, 3]}
    one, two = (compare([MaxRel()], X, y, **asked).record for y in (Y, twice))
    for name in ("nested", "often"):
        first, second = one["methods"][0][name], two["methods"][0][name]
        assert first == second if name == "often" else first["score"] == pytest.approx(second["score"])
    assert "MultiOutputClassifier" in two["protocol"]["text"]
    assert "Reported is the mean over the targets 0 and 1." in two["protocol"]["text"]
    drawn, plain = (resampled(MaxRel(2), X, y, 6) for y in (twice, Y))
    np.testing.assert_array_equal(drawn.frequencies, plain.frequencies)


def test_several_targets_that_nobody_can_judge_are_refused():
    mixed = np.column_stack([Y, AMOUNT])
    assert resampled(MaxRel(2), X, mixed, 4).frequencies.sum() == pytest.approx(2)  # needs no estimator
    with pytest.raises(ValueError, match="some of classes and some that are quantities"):
        compare([MaxRel()], X, mixed)
    with pytest.raises(ValueError, match=r"LogisticRegression\(\), which predicts one target"):
        compare([MaxRel()], X, BOTH, estimator=LogisticRegression())
    with pytest.raises(ValueError, match="across_cohorts takes one target"):
        across_cohorts(MaxRel(2), X, BOTH, np.resize(["a", "b"], N))
    with pytest.warns(RuntimeWarning, match="takes one target"):
        found = compare({"ours": MaxRel(), "f": f_test()}, X, BOTH, cv=KFold(3), sizes=[2])
    assert "failed" not in found.record["methods"][0]
    linear = error_curve(MaxRel(), X, np.column_stack([AMOUNT, X[:, 3]]), estimator=LinearRegression())
    assert linear.mean.min() < 1


def test_weights_that_are_all_1_are_no_weights():
    X, y = latent_factors(45, 12)
    plain, weighted = (
        error_curve(MaxRel(), X, y, cv=3, sizes=[2], sample_weight=one) for one in (None, np.ones(45))
    )
    assert (weighted.low.tolist(), weighted.high.tolist()) == (plain.low.tolist(), plain.high.tolist())
    assert weighted.protocol == plain.protocol
