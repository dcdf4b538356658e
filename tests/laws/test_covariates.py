"""What holds of every measure and storage where features are adjusted for covariates."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from tests.laws.same import assert_same
from tests.naive import covariates as naive
from tests.naive import information as shared

from qpfs import (
    CMIM,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    AsCodes,
    EqualFrequency,
    MaxRel,
    TwoLevelSelector,
    open_store,
    write_store,
)
from qpfs.codes.covariates import covariates_of
from qpfs.evaluation import resampled
from qpfs.information import Rank, Shuffles
from qpfs.report import feature_rows
from qpfs.selectors.cautions import CautionWarning

rng = np.random.default_rng(7)
N = 90
BATCH = rng.choice(["a", "b", "c"], N)
AGE = rng.normal(50, 10, N)
Y = (rng.random(N) < 0.3 + 0.3 * (BATCH == "b")).astype(int)
X = rng.integers(0, 4, (N, 9)) * (rng.random((N, 9)) < 0.6) * 1.0
X[:, 1] += Y + 2 * (BATCH == "c")
X[:, 7] = np.where(BATCH == "a", 5.0, np.where(BATCH == "b", 1.0, 2.0))  # the batch under other names
X[:, 8] = 3.0
BOTH = pd.DataFrame({"batch": BATCH, "age": AGE})
PARTIAL = ["rank", Rank(2), "correlation"]
COUNTED = ["mi", "chi2"]
EVERY = pytest.mark.parametrize("measure", [*PARTIAL, *COUNTED], ids=str)
FITTED = ("order_", "scores_", "relevance_", "pvalues_", "theta_", "labels_", "representatives_")


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def batch_scores():
    return naive.indicators(BATCH.tolist())


def fit(measure, covariates, table=X, y=Y, **parameters):
    return QPFS(measure=measure, **parameters).fit(table, y, covariates=covariates)


def test_ranks_are_partial_correlations_of_scores():
    found = fit("rank", BOTH)
    taken = [batch_scores(), naive.scores(AGE)]
    v = naive.indicators(Y.tolist())
    expected = [naive.partial(naive.scores(column), v, taken) for column in X.T[:7]]
    assert_allclose(found.relevance_[:7], expected, atol=2e-4)
    between = [[naive.partial(naive.scores(f), naive.scores(g), taken) for g in X.T[:7]] for f in X.T[:7]]
    assert_allclose(found.redundancy(range(7)), between, atol=5e-4)


def test_correlations_are_those_of_residuals():
    found = fit("correlation", BOTH).relevance_
    taken = [batch_scores(), AGE]
    of = [naive.residuals(one.astype(float), taken) for one in (*X.T[:7], Y)]
    expected = [abs(one @ of[-1]) / np.linalg.norm(one) / np.linalg.norm(of[-1]) for one in of[:-1]]
    assert_allclose(found[:7], expected, atol=1e-12)


@pytest.mark.parametrize("measure", COUNTED)
def test_counts_are_means_over_strata(measure):
    twin = {"mi": shared.mutual_information, "chi2": shared.phi_square}[measure]
    found = fit(measure, BATCH, discretizer=AsCodes())
    columns = [column.tolist() for column in X.T[:7]]
    relevance = [naive.in_strata(twin, f, Y.tolist(), BATCH.tolist()) for f in columns]
    assert_allclose(found.relevance_[:7], relevance, atol=1e-12)
    between = [[naive.in_strata(twin, f, g, BATCH.tolist()) for g in columns] for f in columns]
    assert_allclose(found.redundancy(range(7)), between, atol=1e-12)


def test_conditional_information_by_another_road():
    """I(X; Y | Z) = I(X; (Y, Z)) - I(X; Z), by fits that adjust for nothing."""
    asked = MaxRel(measure="mi", discretizer=AsCodes())
    both = [f"{one}{other}" for one, other in zip(Y, BATCH, strict=True)]
    expected = clone(asked).fit(X, both).relevance_ - clone(asked).fit(X, BATCH).relevance_
    assert_allclose(clone(asked).fit(X, Y, covariates=BATCH).relevance_, expected, atol=1e-12)


@pytest.mark.parametrize("method", [JMI, CMIM])
def test_what_features_say_together_is_told_within_strata(method):
    found = method(2, discretizer=AsCodes()).fit(X, Y, covariates=BATCH)
    mi, z = shared.mutual_information, BATCH.tolist()
    columns = [column.tolist() for column in X.T[:7]]
    s = [naive.in_strata(mi, f, Y.tolist(), z) for f in columns]
    first = int(np.argmax(s))
    pairs = [list(zip(f, columns[first], strict=True)) for f in columns]
    both = [naive.in_strata(mi, pair, Y.tolist(), z) for pair in pairs]  # I(X_i, X_first; Y | Z)
    worth = both if method is JMI else np.minimum(s, np.array(both) - s[first])
    worth = [-1.0 if i == first else one for i, one in enumerate(worth)]
    assert found.order_[:2].tolist() == [first, int(np.argmax(worth))]


@EVERY
def test_a_copy_of_a_covariate_says_nothing(measure):
    found = fit(measure, BATCH)
    assert found.relevance_[7] == 0
    assert found.pvalues_[7] == 1
    assert 7 not in found.order_
    reasons = found.to_frame().set_index("feature")["reason"]
    assert reasons["x7"] == "only reflects the covariates"
    assert reasons["x8"] == "constant"


@pytest.mark.parametrize("measure", ["rank", Rank(2), "mi", "chi2"], ids=str)
def test_nor_does_one_that_rises_as_a_number_does(measure):
    table = np.column_stack([X, np.exp(AGE / 10)])
    found = fit(measure, AGE, table)
    assert found.relevance_[9] == 0
    assert found.fitted_.table.store.reflecting.tolist() == [9]
    assert fit("correlation", AGE, np.column_stack([X, 3 * AGE - 4])).relevance_[9] == 0


@EVERY
def test_a_constant_covariate_changes_no_bit(measure):
    expected, found = fit(measure, None), fit(measure, np.full(N, "same"))
    for name in ("order_", "scores_", "relevance_", "pvalues_", "theta_"):
        assert_same(getattr(found, name), getattr(expected, name), name)
    assert found.fitted_.covariates is None


def test_degrees_of_freedom_go_down_by_what_is_taken_out():
    """The p value of a partial correlation is that of the t test of its coefficient in a regression."""
    from scipy import stats

    x, y = rng.normal(size=(N, 1)), rng.normal(size=N)
    found = fit("correlation", BOTH, np.column_stack([x, X[:, :1]]), y)
    free = N - 2 - 3
    r = found.relevance_[0]
    assert_allclose(found.pvalues_[0], 2 * stats.t.sf(r * np.sqrt(free / (1 - r**2)), free), rtol=1e-9)
    ranked = fit("rank", BOTH, np.column_stack([x, X[:, :1]]), y)
    r = np.sqrt(ranked.relevance_[0])
    assert_allclose(ranked.pvalues_[0], 2 * stats.t.sf(r * np.sqrt(free / (1 - r**2)), free), rtol=1e-9)


def test_what_is_shuffled_reaches_what_partial_correlations_do_by_chance():
    """1 / (N - 1 - r) on average, with r numbers taken out; shuffled residuals alone reach 1 / (N - 1)."""
    few, r = 40, 15
    draw = np.random.default_rng(3)
    x, y, numbers = draw.normal(size=(few, 50)), draw.normal(size=few), draw.normal(size=(few, r))
    for measure, power in (("rank", 1), ("correlation", 2)):
        fitted = MaxRel(measure=measure).fit(x, y, covariates=numbers).fitted_
        reached = fitted.table.shuffled(fitted.target, fitted.significance.shuffles.orders(400)) ** power
        assert_allclose(reached.mean(), 1 / (few - 1 - r), rtol=0.03)


def test_a_covariate_that_says_nothing_changes_little():
    """By about 1 / N of what is there, and of what chance makes; the twins above say by how much exactly."""
    nothing = np.random.default_rng(11).normal(size=N)
    for measure, power in (("rank", 1), ("correlation", 2)):
        change = fit(measure, nothing).relevance_ ** power - fit(measure, None).relevance_ ** power
        assert 0 < abs(change).max() < 10 / N


def test_several_targets_are_adjusted_together():
    ys = np.column_stack([X[:, 1] + AGE / 10, AGE + rng.normal(size=N)])
    found = QPFS().fit(X, ys, covariates=BOTH).relevance_
    taken = [batch_scores(), naive.scores(AGE)]
    v = np.column_stack([naive.scores(y) for y in ys.T])
    expected = [naive.partial(naive.scores(column), v, taken) for column in X.T[:7]]
    assert_allclose(found[:7], expected, atol=3e-4)


def test_p_values_of_noise_are_even():
    """Where covariates tell much of features and target, and these nothing of each other."""
    several = np.random.default_rng(1)
    batch = np.repeat([0, 1, 2, 3], 40)
    y = (several.random(160) < 0.2 + 0.2 * batch).astype(int)
    noise = several.normal(size=(160, 400)) + several.normal(size=400) * batch[:, None]
    for measure in ("rank", "mi", "chi2", "correlation"):
        p = MaxRel(measure=measure).fit(noise, y, covariates=batch).pvalues_
        assert 0.02 < (p < 0.05).mean() < 0.085, measure
        assert 0.4 < p.mean() < 0.6, measure


SELECTORS = [
    QPFS(measure="rank"),
    QPFS(measure="mi"),
    IKMQPFS(measure=Rank(2), n_first=2, n_split=2, radius=0.3),
    IKMQPFS(measure="mi", n_first=2, n_split=2, radius=0.3, representative="medoid"),
    TLKMQPFS(measure="rank", n_clusters=3),
    MRMR(4, measure="mi"),
    JMI(4),
]


def named(selector):
    return f"{type(selector).__name__}-{getattr(selector, 'measure', 'mi')}"


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_the_storage_changes_no_bit(selector, tmp_path):
    dask = pytest.importorskip("dask.array")
    selector = clone(selector).set_params(discretizer=AsCodes())
    expected = clone(selector).fit(X, Y, covariates=BOTH)
    measure = getattr(selector, "measure", "mi")
    stored = measure if measure != "mi" else None
    tables = {
        "store": open_store(write_store(X, tmp_path / "x.qpfs", Y, discretizer=AsCodes(), measure=stored)),
        "sparse": sparse.csc_array(X),
        "frame": pd.DataFrame(X),
        "dask": dask.from_array(X, chunks=(-1, 4)),
    }
    for kind, table in tables.items():
        found = clone(selector).fit(table, Y, covariates=BOTH)
        for name in FITTED:
            if hasattr(expected, name):
                assert_same(getattr(found, name), getattr(expected, name), f"{kind} {name}")
        assert_array_equal(found.fitted_.table.store.reflecting, expected.fitted_.table.store.reflecting)
    found = clone(selector).set_params(n_jobs=2).fit(X, Y, covariates=BOTH)
    assert_same(found.scores_, expected.scores_, "threads")


def test_correlation_of_a_sparse_table():
    expected, found = fit("correlation", BOTH), fit("correlation", BOTH, sparse.csc_array(X))
    for name in ("order_", "scores_", "relevance_", "pvalues_"):
        assert_same(getattr(found, name), getattr(expected, name), name)


def dot(x, y):
    return abs(float(np.corrcoef(x, y)[0, 1]))


def test_a_function_is_called_within_strata():
    found = MaxRel(measure=dot).fit(X, Y, covariates=BATCH)
    with np.errstate(invalid="ignore"):
        expected = [naive.in_strata(shared.correlation, f.tolist(), Y.tolist(), BATCH.tolist()) for f in X.T]
    assert_allclose(found.relevance_, expected, atol=1e-12)


def test_shuffles_keep_strata():
    strata = covariates_of(BATCH, N).strata(EqualFrequency(3))
    target = fit("mi", BATCH).fitted_.target
    shuffles = Shuffles(target, None, strata)
    for orders in shuffles.orders(20):
        assert (strata[orders] == strata).all()
        assert (np.sort(orders, axis=1) == np.arange(N)).all()
    assert fit("mi", BATCH, n_permutations=99).fitted_.significance.shuffles.strata is not None
    assert fit("rank", BOTH, n_permutations=99).fitted_.significance.shuffles.strata is None


@pytest.mark.parametrize("measure", ["rank", "mi"])
def test_what_a_fitted_selector_is_asked_is_adjusted(measure):
    found = fit(measure, BATCH, discretizer=AsCodes())
    apart = found.fitted_.table.distances(np.array([1]))[0]
    assert found.alternatives(1, 1)[0].feature == int(np.argmin(np.where(np.arange(9) == 1, 2.0, apart)))
    path = found.theta_path([0.3, 0.9])
    assert (path.weights[:, 7] == 0).all()
    assert_array_equal(found.redundancy([7, 1])[0], [0, 0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (BATCH[:-1], "values for 89 samples, but X has 90"),
        (np.full(N, np.nan), "all values of 'covariate' are missing"),
        (np.where(np.arange(N) == 3, np.inf, AGE), "holds infinity"),
        (np.arange(N).astype(str), "degrees of freedom"),
        (np.zeros((N, 2, 2)), "has the shape"),
        (np.empty((N, 0)), "has no columns"),
    ],
)
def test_what_is_no_covariate_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        fit("rank", given)


def test_other_kinds_are_refused():
    with pytest.raises(TypeError, match="datetime64"):
        fit("rank", np.full(N, np.datetime64("2020-01-01")))
    with pytest.raises(TypeError, match="toarray"):
        fit("rank", sparse.csc_array(np.ones((N, 1))))


@EVERY
def test_a_covariate_that_is_the_target_leaves_nothing(measure):
    with pytest.warns(CautionWarning, match="determine the target"):
        found = fit(measure, Y)
    assert (found.relevance_ == 0).all()
    assert (found.pvalues_ == 1).all()


def test_strata_that_are_too_small_are_warned_of():
    many = np.arange(N) // 3 % 30
    with pytest.warns(CautionWarning, match=r"90 samples into 30 strata, the smallest of 3"):
        fit("mi", many.astype(str))
    with pytest.warns(UserWarning, match="same is the same for all samples"):
        fit("rank", pd.DataFrame({"same": np.ones(N), "batch": BATCH}))


def test_groups_within_strata():
    groups = np.arange(N) // 2
    y, batch = np.repeat(Y[:45], 2), np.repeat(BATCH[:45], 2)
    found = QPFS(measure="mi").fit(X, y, covariates=batch, groups=groups)
    assert found.fitted_.significance.shuffles.whole
    with pytest.raises(ValueError, match="differ in the covariates"):
        QPFS(measure="mi").fit(X, y, covariates=BATCH, groups=groups)
    with pytest.raises(ValueError, match="numeric covariates"):
        QPFS(measure="rank").fit(X, y, covariates=AGE, groups=groups)


def test_parts_that_read_the_numbers_themselves_are_refused():
    from sklearn.feature_selection import f_classif

    with pytest.raises(ValueError, match="would not adjust"):
        TwoLevelSelector("kmeans", f_classif).fit(X, Y, covariates=BATCH)


def test_missing_values_and_kinds_of_covariates():
    objects = BATCH.astype(object)
    objects[:5] = None
    found = covariates_of(pd.DataFrame({"batch": objects, "number": np.arange(N) % 4, "sex": Y == 1}), N)
    assert [one.n_different for one in found.varying] == [4, 4, 2]
    assert found.only_categories
    ages = AGE.copy()
    ages[:5] = np.nan
    assert covariates_of(ages, N).words == "covariate (a number)"
    fit("rank", ages), fit("mi", ages), fit("correlation", ages)
    for frame in (BOTH, BOTH["age"], BATCH.tolist(), np.column_stack([AGE, AGE**2])):
        assert covariates_of(frame, N).n_samples == N


def test_rows_of_covariates_travel_with_the_samples():
    """A fold is fitted as if its rows were given by hand."""
    from qpfs import SelectionCV
    from qpfs.evaluation import compare, error_curve, resampled
    from qpfs.evaluation.rivals import f_test

    half = np.arange(N) % 2 == 0
    splits = [(np.flatnonzero(half), np.flatnonzero(~half))]
    by_hand = QPFS().fit(X[half], Y[half], covariates=BOTH[half]).order_
    curve = error_curve(QPFS(), X, Y, covariates=BOTH, cv=splits, sizes=[2])
    assert_array_equal(curve.orders[0], by_hand[:2])
    assert "adjusted for batch (3 categories) and age (a number)" in curve.protocol["text"]
    found = resampled(QPFS(3), X, Y, 2, covariates=BOTH)
    assert found.frequencies[7] == 0
    search = SelectionCV(QPFS(), {"theta": [0.5, 0.9]}, [2], cv=2).fit(X, Y, covariates=BOTH)
    assert search.fitted_.covariates.words == "batch (3 categories) and age (a number)"
    assert search.relevance_[7] == 0
    with pytest.raises(TypeError, match="cannot adjust"):
        error_curve(f_test(), X, Y, covariates=BOTH)
    asked = {"adjusted": MaxRel(), "f": f_test()}
    compared = compare(asked, X, Y, covariates=BOTH, cv=2, inner_cv=2, sizes=[2])
    assert "Not adjusted: f." in compared.record["protocol"]["text"]


def test_covariates_are_routed():
    from sklearn import config_context
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_validate
    from sklearn.pipeline import make_pipeline

    with config_context(enable_metadata_routing=True):
        selector = QPFS(2).set_fit_request(covariates=True)
        model = make_pipeline(selector, LogisticRegression())
        whole = model.fit(X, Y, covariates=BATCH)
        assert whole[0].relevance_[7] == 0
        found = cross_validate(model, X, Y, params={"covariates": BATCH}, cv=2, return_estimator=True)
        assert all(one[0].relevance_[7] == 0 for one in found["estimator"])
        grid = GridSearchCV(model, {"qpfs__theta": [0.5, 0.9]}, cv=2).fit(X, Y, covariates=BATCH)
        assert grid.best_estimator_[0].fitted_.covariates.words == "covariate (3 categories)"


@pytest.mark.parametrize("measure", ["mi", "chi2"])
def test_a_quantity_in_one_bin_of_a_stratum_says_nothing_there(measure):
    rng = np.random.default_rng(0)
    y, X = np.sort(rng.normal(size=60)), rng.normal(size=(60, 30))
    batch = np.repeat(["a", "b"], [4, 56])
    quantity = MaxRel(measure=measure).fit(X, y, covariates=batch)
    bins = quantity.fitted_.target.codes
    assert len(np.unique(bins[:4])) == 1 < len(np.unique(y[:4]))
    classes = MaxRel(measure=measure).fit(X, bins.astype(str), covariates=batch)
    np.testing.assert_array_equal(quantity.relevance_, classes.relevance_)
    np.testing.assert_array_equal(quantity.pvalues_, classes.pvalues_)


@EVERY
def test_batches_with_one_class_are_cautioned_of(measure):
    """Of 90 samples 60 are in batches that have one class: the adjusted answer rests on the other 30."""
    batch = np.repeat(["a", "b", "c"], 30)
    y = np.r_[np.zeros(30, int), np.ones(30, int), np.arange(30) % 2]
    with pytest.warns(CautionWarning, match="the same class in 2 of 3 strata .* other 30 of 90 samples"):
        QPFS(measure=measure).fit(X, y, covariates=batch)


@pytest.mark.parametrize("measure", PARTIAL, ids=str)
def test_effects_are_not_adjusted(measure):
    adjusted, plain = QPFS(measure=measure).fit(X, Y, covariates=BATCH), QPFS(measure=measure).fit(X, Y)
    assert "effect" not in adjusted.to_frame()
    columns = ["effect", "direction", "effect_measure"]
    found, expected = (one.to_frame(X).set_index("index")[columns].sort_index() for one in (adjusted, plain))
    pd.testing.assert_frame_equal(found, expected)
    assert found.loc[1, "effect"] == feature_rows(adjusted, X=X)[1]["effect"]


def test_resamples_do_not_repeat_cautions_about_covariates():
    batch = np.repeat(["a", "b", "c"], 30)
    y = np.r_[np.zeros(30, int), np.ones(30, int), np.arange(30) % 2]
    drawn = resampled(QPFS(3), X, y, n=12, covariates=batch)
    assert [note for note in drawn.notes if "strata" in note] == []


@pytest.mark.parametrize("measure", ["mi", "chi2", "rank", "correlation"])
def test_many_centres_given_covariates_are_compared_as_few_are(measure, monkeypatch):
    rng = np.random.default_rng(4)
    X, y, site = rng.normal(size=(60, 300)), np.arange(60) % 2, np.arange(60) // 2 % 2
    X[:, 150:] = X[:, :150] + 0.3 * rng.normal(size=(60, 150))
    selector = IKMQPFS(n_first=40, measure=measure, init="relevance")
    one = clone(selector).fit(X, y, covariates={"site": site.astype(str)})
    monkeypatch.setattr("qpfs.information.table.MANY_CENTRES", 1 << 30)
    other = clone(selector).fit(X, y, covariates={"site": site.astype(str)})
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    assert len(one.rounds_[0].representatives) > 16
