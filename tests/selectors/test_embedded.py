"""FGM and GDM as estimators: contract, other roads to the same answer, inputs of every kind, parameters."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.linalg import hadamard
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.conftest import latent_factors
from tests.naive import embedded as naive
from tests.pairs import crossed, in_turn

from qpfs import FGM, GDM

BOTH = [FGM, GDM]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@parametrize_with_checks([FGM(), GDM(0.5, max_correlation=0.3, fit_intercept=True, loss="logistic")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([FGM(1, n_per_step=1, fit_intercept=True), FGM(loss="logistic"), GDM()])
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wdbc():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return MinMaxScaler((-1, 1)).set_output(transform="pandas").fit_transform(X), y


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def same(one, other):
    for name in ("scores_", "order_", "support_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_one_step_with_all_features_is_a_linear_svm(wdbc, C, intercept):
    X, y = wdbc
    svm = LinearSVC(C=C, loss="squared_hinge", dual=False, fit_intercept=intercept, tol=1e-9, max_iter=10**5)
    ours = FGM(n_per_step=30, max_iter=1, C=C, fit_intercept=intercept, tol=1e-11).fit(X, y)
    svm.fit(X, y)
    np.testing.assert_allclose(ours.estimator_.coef_, svm.coef_, atol=1e-5 * abs(svm.coef_).max())
    np.testing.assert_allclose(ours.estimator_.intercept_, svm.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(X), svm.decision_function(X), atol=1e-4)
    assert ours.n_iter_ == 1


def test_one_step_with_all_features_is_logistic_regression(wdbc):
    X, y = wdbc
    model = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=10**4).fit(X, y)
    ours = FGM(n_per_step=30, max_iter=1, C=2.0, loss="logistic", tol=1e-11).fit(X, y)
    np.testing.assert_allclose(ours.estimator_.coef_, model.coef_, atol=1e-4)


def test_several_classes_are_one_machine_against_the_rest_each(flowers):
    X, y = flowers
    ours = FGM(n_per_step=2, fit_intercept=True).fit(X, y)
    rest = OneVsRestClassifier(FGM(n_per_step=2, fit_intercept=True)).fit(X, y)
    coef = np.vstack([one.estimator_.coef_ for one in rest.estimators_])
    np.testing.assert_array_equal(ours.estimator_.coef_, coef)
    np.testing.assert_array_equal(ours.predict(X), rest.predict(X))
    np.testing.assert_allclose(ours.scores_, np.sqrt((coef**2).sum(axis=0)), rtol=1e-14)
    assert ours.objective_ == pytest.approx(sum(one.objective_ for one in rest.estimators_))
    assert ours.gap_ == pytest.approx(sum(one.gap_ for one in rest.estimators_))
    assert len(ours.rounds_) == 3


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_the_fitted_objective_and_gap_are_true(wdbc, loss):
    """The objective is the best P on the groups of the rounds, and the gap ends at the last bound."""
    X, y = wdbc
    fitted = FGM(n_per_step=3, loss=loss).fit(X, y)
    groups = [one.group.tolist() for one in fitted.rounds_[0]]
    signs = np.where(y == 1, 1.0, -1.0)
    optimum = naive.master(X.to_numpy(), signs, groups, 1.0, loss, False)[0]
    assert optimum * (1 - 1e-6) <= fitted.objective_ <= optimum * (1 + 1e-4)
    assert fitted.rounds_[0][-1].bound == pytest.approx(fitted.objective_ - fitted.gap_)


def test_features_are_ranked_by_weight_then_by_what_is_missed(wdbc):
    X, y = wdbc
    fitted = FGM(n_per_step=2, max_iter=3).fit(X, y)
    scores = abs(fitted.estimator_.coef_[0])
    np.testing.assert_array_equal(fitted.scores_, scores)
    n = int((scores > 0).sum())
    assert 2 <= n <= 6
    a = naive.pulls(X.to_numpy(), np.where(y, 1, -1), fitted.estimator_.coef_[0], 0.0, 1.0, "squared_hinge")
    c = abs(naive.correlation_with_pulls(X.to_numpy(), np.where(y, 1, -1), a))
    assert fitted.order_.tolist() == sorted(range(30), key=lambda j: (-scores[j], -c[j]))
    assert set(fitted.get_support(indices=True)) == set(fitted.order_[:n])
    assert set(fitted.set_params(n_features_to_select=10).fit(X, y).get_support(indices=True)) == set(
        fitted.order_[:10]
    )


@pytest.fixture(scope="module")
def thinned():
    """A table with many zeros, its target, and each machine fitted to it."""
    X, y = latent_factors(60, 300)
    X = np.where(abs(X) > 3, X, 0.0)
    X[:, 7] = 0.0
    return X, y, {selector: selector(12).fit(X, y) for selector in BOTH}


@crossed(
    selector={one.__name__: one for one in BOTH},
    kind={one: one for one in FORMATS},
    container={one: one for one in ("array", "matrix")},
)
def test_sparse_is_dense(thinned, selector, kind, container):
    X, y, dense = thinned
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)  # so many diagonals
        given = getattr(sparse, f"{kind}_{container}")(X)
    fitted = selector(12).fit(given, y)
    same(fitted, dense[selector])
    np.testing.assert_allclose(
        fitted.decision_function(given), dense[selector].decision_function(X), atol=1e-10
    )
    assert sparse.issparse(fitted.transform(given))
    assert 7 not in fitted.order_


@pytest.mark.parametrize("selector", BOTH)
def test_frames_and_types_are_the_same_numbers(wdbc, selector):
    X, y = wdbc
    expected = selector(5).fit(X.to_numpy(), y)
    columns = {name: X[name].to_numpy() for name in X.columns}
    for frame in (X, pl.DataFrame(columns), pa.table(columns)):
        fitted = selector(5).fit(frame, y)
        same(fitted, expected)
        assert list(fitted.feature_names_in_) == list(X.columns)
    whole = np.random.default_rng(0).integers(-5, 5, X.shape)
    for kind in (np.int8, np.int64, np.float32):
        same(selector(5).fit(whole.astype(kind), y), selector(5).fit(whole.astype(float), y))


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("selector", BOTH)
def test_set_output(wdbc, selector, output):
    X, y = wdbc
    selected = selector(4).set_output(transform=output).fit(X, y).transform(X)
    assert type(selected).__module__.startswith(output)
    assert selected.shape == (569, 4)


@pytest.mark.parametrize("selector", BOTH)
def test_pipeline_clone_pickle_and_search(wdbc, selector):
    X, y = wdbc
    pipeline = make_pipeline(MinMaxScaler((-1, 1)), selector(6), LogisticRegression()).fit(X, y)
    assert pipeline.score(X, y) > 0.94
    assert pipeline[1].estimator_.predict(X.to_numpy()).shape == y.shape
    alone = make_pipeline(MinMaxScaler((-1, 1)), selector()).fit(X, y)
    assert alone.score(X, y) > 0.97
    copy = pickle.loads(pickle.dumps(alone))
    np.testing.assert_array_equal(copy.predict(X), alone.predict(X))
    assert clone(alone[-1]).get_params() == alone[-1].get_params()
    assert is_classifier(alone)
    search = GridSearchCV(alone, {f"{selector.__name__.lower()}__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.94


def test_labels_of_any_kind(wdbc):
    X, y = wdbc
    expected = FGM().fit(X, y)
    for names in (np.array(["bad", "good"]), np.array([-1, 1]), np.array([False, True])):
        fitted = FGM().fit(X, names[y])
        assert fitted.classes_.tolist() == names.tolist()
        np.testing.assert_array_equal(fitted.predict(X), names[expected.predict(X)])
        same(fitted, expected)
    objects = FGM().fit(X, np.array(["bad", "good"], object)[y])
    assert objects.classes_.tolist() == ["bad", "good"]
    with pytest.warns(DataConversionWarning, match="column-vector"):
        same(FGM().fit(X, y.to_numpy()[:, None]), expected)


def test_swapping_the_classes_swaps_the_sign(wdbc):
    X, y = wdbc
    one, other = FGM(fit_intercept=True).fit(X, y), FGM(fit_intercept=True).fit(X, 1 - y)
    np.testing.assert_allclose(one.estimator_.coef_, -other.estimator_.coef_, atol=1e-9)
    np.testing.assert_array_equal(one.order_, other.order_)


@pytest.mark.parametrize("selector", BOTH)
def test_constant_columns_are_never_taken(wdbc, selector):
    X, y = wdbc
    wide = X.assign(one=1.0, zero=0.0)
    fitted, without = selector().fit(wide, y), selector().fit(X, y)
    np.testing.assert_array_equal(fitted.scores_[:30], without.scores_)
    assert not fitted.scores_[30:].any()
    assert sorted(fitted.order_) == list(range(30))
    with pytest.warns(UserWarning, match="only 30 of 32 are not constant"):
        selector(32).fit(wide, y)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
@pytest.mark.parametrize("selector", BOTH)
def test_of_equal_columns_the_first_is_taken(wdbc, selector, kind):
    X, y = wdbc
    X = X.to_numpy()
    fitted = selector(n_per_step=1, max_iter=8).fit(kind(np.hstack((X, X))), y)
    assert (fitted.scores_[:30] > 0).any()
    assert not fitted.scores_[30:].any()


def test_a_larger_group_than_there_are_features(flowers):
    X, y = flowers
    same(FGM(n_per_step=4).fit(X, y), FGM(n_per_step=1000).fit(X, y))


def test_gdm_without_a_constraint_is_fgm(microarray):
    X, y = microarray
    one, other = FGM().fit(X, y), GDM(max_correlation=1.0).fit(X, y)
    same(one, other)
    assert one.objective_ == other.objective_
    assert one.gap_ == other.gap_
    assert not any(other.affiliated_features_.values())


def test_no_group_of_gdm_holds_correlated_features(wdbc):
    X, y = wdbc
    R = abs(np.corrcoef(X.to_numpy().T))
    for rounds in GDM(max_correlation=0.5).fit(X, y).rounds_:
        for one in rounds:
            assert R[np.ix_(one.group, one.group)][~np.eye(len(one.group), dtype=bool)].max(initial=0) <= 0.5
    groups = [one.group for one in FGM().fit(X, y).rounds_[0]]
    assert any(np.triu(R[np.ix_(group, group)], 1).max() > 0.5 for group in groups)


@pytest.fixture(scope="module")
def blurred_flowers(flowers):
    """Three classes, and each feature twice."""
    X, y = flowers
    return np.hstack((X, X + 0.1 * np.random.default_rng(0).normal(size=X.shape))), y


@pytest.mark.parametrize("data", ["wdbc", "blurred_flowers"])
def test_affiliated_features_are_correlated_with_what_they_are_affiliated_to(data, request):
    X, y = request.getfixturevalue(data)
    fitted = GDM(n_per_step=2, max_iter=2, max_correlation=0.7, fit_intercept=True).fit(X, y)
    R = np.corrcoef(np.asarray(X).T)
    assert list(fitted.affiliated_features_) == fitted.support_features_.tolist()
    assert set(fitted.support_features_) == set(np.flatnonzero(fitted.scores_))
    assert any(fitted.affiliated_features_.values())
    names = getattr(fitted, "feature_names_in_", [f"x{i}" for i in range(8)])
    for support, affiliates in fitted.affiliated_features_.items():
        strengths = [abs(one.correlation) for one in affiliates]
        assert strengths == sorted(strengths, reverse=True)
        assert len({one.feature for one in affiliates}) == len(affiliates)
        for one in affiliates:
            assert one.correlation == pytest.approx(R[support, one.feature])
            assert abs(one.correlation) > 0.7
            assert one.feature not in fitted.support_features_
            assert one.name == names[one.feature]


@pytest.mark.parametrize("n_per_step", [1, 5])
def test_a_copy_is_affiliated_to_its_original(microarray, n_per_step):
    X, y = microarray
    X = np.hstack((X, -X[:, :20]))
    fitted = GDM(max_correlation=0.99, n_per_step=n_per_step).fit(X, y)
    copied = [j for j in fitted.support_features_ if j < 20]
    assert copied
    for j in copied:
        listed = {one.feature: one.correlation for one in fitted.affiliated_features_[j]}
        assert 300 + j in fitted.support_features_ or listed[300 + j] == pytest.approx(-1.0)


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("selector", [FGM(), GDM()], ids=str)
def test_rounding_is_no_weight(selector, scale):
    """The other columns pull at nothing; the unit of X does not change that."""
    X = hadamard(8).astype(float)[:, 1:]
    y = (X[:, :3] @ [2, 1, 0.5] > 0).astype(int)
    assert selector.fit(scale * X, y).get_support(indices=True).tolist() == [0]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (FGM(0), "n_features_to_select=0, but there are 30 features; ask for 1 to 30"),
        (FGM(n_per_step=0), "n_per_step=0, but it must be an integer of at least 1"),
        (FGM(n_per_step=2.0), "n_per_step=2.0, but it must be an integer of at least 1"),
        (GDM(n_per_step=True), "n_per_step=True, but it must be an integer of at least 1"),
        (FGM(C=0), "C=0, but it must be a number from 1e-30 to 1e+30"),
        (FGM(C=np.inf), "C=inf, but it must be a number from 1e-30 to 1e+30"),
        (FGM(C="1"), "C='1', but it must be a number from 1e-30 to 1e+30"),
        (FGM(max_iter=0), "max_iter=0, but it must be an integer of at least 1"),
        (FGM(tol=-1e-3), "tol=-0.001, but it must be a number from 0 to 1"),
        (FGM(tol=np.nan), "tol=nan, but it must be a number from 0 to 1"),
        (FGM(loss="hinge"), "loss='hinge', but it must be one of 'squared_hinge', 'logistic'"),
        (FGM(fit_intercept=1), "fit_intercept=1, but it must be True or False"),
        (GDM(max_correlation=1.1), "max_correlation=1.1, but it must be a number from 0 to 1"),
        (GDM(max_correlation=None), "max_correlation=None, but it must be a number from 0 to 1"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_bad_parameters(wdbc, selector, message):
    X, y = wdbc
    with pytest.raises(ValueError, match=re.escape(message)):
        selector.fit(X, y)


@pytest.mark.parametrize("selector", BOTH)
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_bad_data(wdbc, selector, kind):
    X, y = wdbc[0].to_numpy(), wdbc[1]
    for value in (np.nan, np.inf):
        spoiled = X.copy()
        spoiled[3, 4] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            selector().fit(kind(spoiled), y)
    with pytest.raises(ValueError, match=r"y holds one class, .*1.*at least two"):
        selector().fit(kind(X), np.ones(len(X), int))
    with pytest.raises(ValueError, match="All 3 features are constant"):
        selector().fit(kind(np.ones((len(X), 3))), y)
    for scale in (1e40, 1e-40):
        with pytest.raises(ValueError, match=r"must lie between .* scale X first"):
            selector().fit(kind(scale * X), y)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        selector().fit(kind(X[:1]), y[:1])
    with pytest.raises(ValueError, match="Unknown label type"):
        selector().fit(kind(X), X[:, 0])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        selector().fit(kind(X), np.where(y, 1.0, np.nan))


@pytest.mark.parametrize("selector", BOTH)
def test_data_that_is_not_scaled_is_warned_of(wdbc, selector):
    X, y = wdbc
    with pytest.warns(ConvergenceWarning, match=r"by [\d.]+% of the objective.*Scale X first"):
        selector().fit(1e8 * X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@in_turn(
    selector={one.__name__: one for one in BOTH},
    scale={str(one): one for one in (1e-25, 1e-6, 1e6, 1e25)},
    loss={one: one for one in ("squared_hinge", "logistic")},
)
def test_far_scales_give_finite_answers(wdbc, selector, scale, loss):
    X, y = wdbc
    fitted = selector(5, loss=loss).fit(scale * X.to_numpy(), y)
    start = len(y) * (np.log(2) if loss == "logistic" else 1)
    assert fitted.objective_ <= start * (1 + 1e-12)
    assert np.isfinite(fitted.scores_).all()
    assert 0 <= fitted.gap_ <= fitted.objective_
    assert fitted.scores_.any()


@pytest.mark.parametrize("selector", BOTH)
def test_a_failed_fit_leaves_nothing_that_looks_fitted(wdbc, selector):
    X, y = wdbc
    fitted = selector(3).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent"):
        fitted.fit(X.iloc[:, :5], y[:-1])
    for method in (fitted.transform, fitted.predict, fitted.decision_function):
        with pytest.raises(NotFittedError):
            method(X)


@pytest.mark.parametrize("selector", BOTH)
def test_names_that_mean_something_elsewhere(wdbc, selector):
    X, y = wdbc
    names = ["", " ", "<b>", "x1; DROP", "\n", "é", "0"] + [f"{{{i}}}" for i in range(23)]
    fitted = selector(4).fit(pd.DataFrame(X.to_numpy(), columns=names), y)
    assert set(fitted.get_feature_names_out()) <= set(names)
    same(fitted, selector(4).fit(X, y))


def test_progress_reaches_the_callbacks(flowers):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")

    class Recorder(callback.FitCallback):
        def __init__(self):
            self.seen = []

        def setup(self, estimator, context):
            self.seen.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            self.seen.append(f"/{context.task_name}")

        def teardown(self, estimator, context):
            self.seen.append("teardown")

    X, y = flowers
    recorder = Recorder()
    fitted = FGM(n_per_step=1).set_callbacks(recorder).fit(X, y)
    assert recorder.seen[:3] == ["setup", "fit", "cutting planes"]
    assert recorder.seen[-2:] == ["/fit", "teardown"]
    assert recorder.seen.count("cutting planes") == 3
    assert recorder.seen.count("cutting planes step") == sum(map(len, fitted.rounds_))


def test_tags_are_true():
    for selector in BOTH:
        tags = selector().__sklearn_tags__()
        assert tags.estimator_type == "classifier"
        assert tags.transformer_tags is not None
        assert tags.target_tags.required
        assert tags.input_tags.sparse
        assert not tags.input_tags.allow_nan


@pytest.mark.data
@pytest.mark.parametrize("selector", BOTH)
@pytest.mark.parametrize("name", ["colon", "leukemia", "usps"])
def test_real_sets(benchmark_data, name, selector):
    """What the rounds say of themselves holds on real data, and the classes are told apart."""
    X, y = benchmark_data(name)
    model = make_pipeline(MinMaxScaler((-1, 1)), selector()).fit(X, y)
    rounds = model[-1].rounds_[0]
    assert (np.diff([one.objective for one in rounds]) <= 0).all()
    assert all(one.bound <= one.objective for one in rounds)
    assert model.score(X, y) > 0.93
