"""What a fit is told of samples, targets and features together: weights, covariates, groups, kept ones."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from tests.naive import covariates as naive
from tests.pairs import in_turn

from qpfs import (
    FGM,
    IKMAQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    AsCodes,
    MaxRel,
    SelectionCV,
    open_store,
    write_store,
)
from qpfs.codes import some_rows
from qpfs.codes.merging import leading
from qpfs.codes.weights import Weights
from qpfs.evaluation import across_cohorts, compare, error_curve, resampled
from qpfs.information import Rank
from qpfs.information.significance import Test as ChanceTest

pytestmark = pytest.mark.filterwarnings(
    "ignore:The covariates", "ignore:.*strata of", "ignore:.*than chance", "ignore:.*relevan"
)

RNG = np.random.default_rng(3)
N = 72
X = RNG.normal(size=(N, 24))
FIRST, SECOND = (X[:, 0] + X[:, 1] > 0).astype(int), (X[:, 2] > 0).astype(int)
SEVERAL = np.column_stack([FIRST, SECOND])
LOSSES = np.where(X[:, 3] > 0.6, np.exp(X[:, 4]), 0.0)  # most are 0
COPIES = RNG.integers(0, 4, N)
BATCH = RNG.integers(0, 3, N)
AGE = RNG.normal(50, 10, N)
BOTH = pd.DataFrame({"batch": BATCH, "age": AGE})
MEASURES = ["rank", "mi", "chi2", "correlation"]


def assert_same(one, other):
    for name in ("order_", "scores_", "relevance_", "support_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("y", [SEVERAL, LOSSES], ids=["several targets", "mostly zeros"])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_weight_is_so_many_copies_whatever_the_target(measure, y):
    weighted = QPFS(5, measure=measure).fit(X, y, sample_weight=COPIES)
    assert_same(weighted, QPFS(5, measure=measure).fit(X.repeat(COPIES, 0), y.repeat(COPIES, 0)))


@pytest.mark.parametrize("measure", MEASURES)
def test_a_sample_without_weight_has_no_covariate(measure):
    there = COPIES > 0
    weighted = QPFS(5, measure=measure).fit(X, FIRST, sample_weight=there, covariates=BATCH)
    assert_same(weighted, QPFS(5, measure=measure).fit(X[there], FIRST[there], covariates=BATCH[there]))


def assert_as_copies(selector, table, y, covariates, atol=0.0):
    """Of weighted and adjusted samples the same is learned as of copies, and p values where it is a test."""
    rows = np.repeat(np.arange(N), COPIES)
    one = clone(selector).fit(table, y, sample_weight=COPIES, covariates=covariates)
    other = clone(selector).fit(some_rows(table, rows), y[rows], covariates=some_rows(covariates, rows))
    np.testing.assert_array_equal(one.order_, other.order_)
    for name in ("scores_", "relevance_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=atol, err_msg=name)
    tested = [ChanceTest(each.fitted_.table, each.fitted_.target).margins.key == 0 for each in (one, other)]
    np.testing.assert_array_equal(*tested)
    np.testing.assert_allclose(one.pvalues_[tested[0]], other.pvalues_[tested[0]], rtol=atol, atol=0)


@in_turn(
    measure={one: one for one in MEASURES},
    y={"two": FIRST, "four": FIRST + 2 * SECOND, "mostly zeros": LOSSES},
)
def test_a_weight_is_so_many_copies_given_covariates(measure, y):
    for selector in (QPFS(5, measure=measure), TLKMQPFS(n_clusters=5, measure=measure)):
        # p values of many classes by correlation come of products of matrices, in no certain order.
        near = 0.02 if measure == "correlation" and y is not FIRST else 0.0
        assert_as_copies(selector, X, y, BATCH, near)
    # A number itself, and not its ranks, is standardised by sums in another order.
    assert_as_copies(QPFS(5, measure=measure), X, FIRST, BOTH, 1e-9 if measure == "correlation" else 0.0)


@pytest.mark.parametrize("selector", [JMI(4), QPFS(measure=Rank(2)), IKMAQPFS(measure="mi")], ids=str)
def test_so_it_is_for_any_selector(selector):
    assert_as_copies(selector, X, FIRST, BOTH)


@pytest.mark.parametrize("measure", ["rank", "mi"])
def test_storages_agree_on_weighted_samples_given_covariates(measure, tmp_path):
    numbers = X.round() * (X > 0)
    selector = QPFS(measure=measure, discretizer=AsCodes())
    weights = COPIES + 0.25  # no whole numbers
    expected = clone(selector).fit(numbers, FIRST, sample_weight=weights, covariates=BOTH)
    asked = {"discretizer": AsCodes(), "measure": None if measure == "mi" else measure}
    tables = [
        csc_array(numbers),
        pd.DataFrame(numbers),
        open_store(write_store(numbers, tmp_path / "x.qpfs", FIRST, **asked)),
        pytest.importorskip("dask.array").from_array(numbers, chunks=(-1, 10)),
    ]
    for table in tables:
        found = clone(selector).set_params(n_jobs=2).fit(table, FIRST, sample_weight=weights, covariates=BOTH)
        for name in ("order_", "scores_", "relevance_", "pvalues_"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    again = pickle.loads(pickle.dumps(expected))
    np.testing.assert_array_equal(again.redundancy([0, 1, 2]), expected.redundancy([0, 1, 2]))


def test_weighted_partial_correlations_from_the_definition():
    """What is left of weighted least squares on scores, by another road; counts as means over strata."""
    weights = COPIES + 1
    found = QPFS().fit(X, FIRST, sample_weight=weights, covariates=BOTH).relevance_
    rows = np.repeat(np.arange(N), weights)
    taken = [naive.indicators(BATCH[rows].tolist()), naive.scores(AGE[rows])]
    v = naive.indicators(FIRST[rows].tolist())
    expected = [naive.partial(naive.scores(column), v, taken) for column in X[rows].T[:6]]
    np.testing.assert_allclose(found[:6], expected, atol=2e-4)


@pytest.mark.parametrize(
    ("measure", "known"), [*((one, BATCH) for one in MEASURES), ("rank", AGE), ("correlation", AGE)]
)
def test_p_values_of_weighted_noise_given_covariates_are_even(measure, known):
    """Shuffles leave weights and covariates with the features, whatever the target is."""
    draw = np.random.default_rng(1)
    noise = draw.normal(size=(N, 200)) + draw.normal(size=200) * (known - known.mean())[:, None]
    fitted = MaxRel(measure=measure).fit(noise, FIRST, sample_weight=COPIES + 1, covariates=known).fitted_
    table, target = fitted.table, fitted.target
    reached = table.shuffled(target, fitted.significance.shuffles.orders(199))
    above = (reached >= table.relevance(target)).mean(axis=0)
    assert 0.4 < above.mean() < 0.6
    assert 0.01 < (above < 0.05).mean() < 0.1


def test_a_copy_of_a_covariate_says_nothing_whatever_samples_weigh():
    table = np.column_stack([X, np.exp(AGE / 10), BATCH])
    for measure in ("rank", "mi", "chi2"):
        found = QPFS(measure=measure).fit(table, FIRST, sample_weight=COPIES + 0.5, covariates=BOTH)
        assert not found.relevance_[24:].any()
        assert found.fitted_.table.store.reflecting.tolist() == [24, 25]


def test_a_function_is_shown_no_weights_given_covariates():
    with pytest.raises(TypeError, match="does not use sample weights"):
        MaxRel(measure=lambda x, y: 1.0).fit(X, FIRST, sample_weight=COPIES, covariates=BATCH)


@pytest.mark.parametrize("size", [3, 16], ids=["few directions", "the leading ones"])
def test_groups_of_features_chosen_as_one_are_weighted_as_copies(size):
    """Sums of a basis have no certain order, but its scores are rounded to the same whole numbers."""
    groups = ["a"] * size + [str(i) for i in range(24 - size)]
    few = np.minimum(COPIES, 1 + (np.arange(N) < 5))  # of 60 copies there are at most 15 directions
    rows = np.repeat(np.arange(N), few)
    for known in (None, BOTH):
        one = QPFS(feature_groups=groups).fit(X, FIRST, sample_weight=few, covariates=known)
        some = None if known is None else known.iloc[rows]
        assert_same(one, QPFS(feature_groups=groups).fit(X[rows], FIRST[rows], covariates=some))


def test_the_leading_directions_of_many_columns_are_those_of_copies():
    """Whichever of the two matrices is the smaller one."""
    columns, few = np.random.default_rng(0).normal(size=(30, 20)), Weights(np.resize([1, 2, 3], 20))
    found = leading(columns, 4, few).repeat(few.counts, axis=1)
    expected = leading(columns.repeat(few.counts, axis=1), 4)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-9)


def test_groups_with_the_most_features_of_each_take_weights():
    groups = ["a"] * 3 + [str(i) for i in range(21)]
    found = MRMR(3, feature_groups=groups, at_most=1).fit(X, FIRST, sample_weight=COPIES)
    assert found.support_[:3].sum() <= 1


@pytest.mark.parametrize("measure", MEASURES)
def test_kept_and_excluded_features_whatever_else_is_asked(measure):
    for given in ({"sample_weight": COPIES}, {"covariates": BATCH}, {"groups": np.arange(N) // 2}):
        found = QPFS(4, measure=measure, keep=[7], exclude=[0, 1]).fit(X, SEVERAL, **given)
        assert found.support_[7]
        assert not found.support_[:2].any()
        assert found.support_.sum() == 4


def test_groups_are_those_of_the_samples_that_weigh_something():
    there, groups = COPIES > 0, np.arange(N) // 3
    given = QPFS(3, n_permutations=30).fit(X, FIRST, sample_weight=there, groups=groups)
    alone = QPFS(3, n_permutations=30).fit(X[there], FIRST[there], groups=groups[there])
    np.testing.assert_array_equal(given.pvalues_, alone.pvalues_)
    np.testing.assert_array_equal(given.familywise_pvalues_, alone.familywise_pvalues_)


def test_a_kept_feature_that_the_covariates_explain():
    with pytest.raises(ValueError, match="carries no information beyond the covariates"):
        QPFS(3, keep=[4]).fit(X, FIRST, covariates=X[:, 4])


def test_groups_as_one_are_not_cut_in_two():
    groups = ["a"] * 3 + [str(i) for i in range(21)]
    united = QPFS(2, feature_groups=groups)
    parts = [united.fit(X[one == BATCH], FIRST[one == BATCH]).support_ for one in pd.unique(BATCH)]
    cohorts = across_cohorts(clone(united), X, FIRST, BATCH)
    assert cohorts.size == 2
    for found, expected in zip(cohorts.selections, parts, strict=True):
        np.testing.assert_array_equal(np.sort(found), np.flatnonzero(expected))
    for size in (1, 2):
        drawn = resampled(clone(united), X, FIRST, 4, size=size)
        by_itself = resampled(clone(united).set_params(n_features_to_select=size), X, FIRST, 4)
        np.testing.assert_array_equal(drawn.frequencies, by_itself.frequencies)
        np.testing.assert_array_equal(np.sort(drawn.selected), np.sort(by_itself.selected))
    curve = error_curve(clone(united), X, FIRST, sizes=[1, 2, 22], cv=2)
    assert {int(mask[:3].sum()) for mask in curve.masks(2)} <= {0, 3}
    assert all(mask.sum() == 2 + 2 * mask[0] for mask in curve.masks(2))
    assert curve.masks(22).all()
    assert curve.ranked.tolist() == [22, 22]
    found = compare([clone(united)], X, FIRST, sizes=[1, 2], cv=2, inner_cv=2).record
    assert "A group of features that is selected as a whole counts as one." in found["protocol"]["text"]
    with pytest.raises(ValueError, match="groups of columns chosen as one"):
        SelectionCV(clone(united), n_features=[1, 2]).fit(X, FIRST)
    assert (
        "Features belonged to 22 groups, each of which was selected or left out as a whole."
        in (united.fit(X, FIRST).report().record["method"]["account"]["text"])
    )


def test_where_nothing_was_weighed_there_is_no_path():
    with pytest.raises(ValueError, match="no program was solved"):
        QPFS(fdr=1e-9).fit(X[:, 10:], FIRST).theta_path()


def test_weights_that_nobody_takes():
    with pytest.raises(TypeError, match="FGM takes no sample_weight"):
        resampled(FGM(2), X, FIRST, 4, sample_weight=COPIES)


def test_columns_of_obs_by_name():
    anndata = pytest.importorskip("anndata")
    obs = {"kind": FIRST.astype(str), "batch": BATCH.astype(str), "copies": COPIES}
    cells = anndata.AnnData(X, obs=pd.DataFrame(obs, index=[f"c{i}" for i in range(N)]))
    adjusted = QPFS(3).fit(cells, "kind", covariates=["batch"])
    assert_same(adjusted, QPFS(3).fit(X, FIRST, covariates=BATCH.astype(str)))
    weighted = QPFS(3).fit(cells, "kind", sample_weight="copies")
    assert_same(weighted, QPFS(3).fit(X, FIRST, sample_weight=COPIES))
    cells.obs["other"] = SECOND.astype(str)
    assert_same(QPFS(3).fit(cells, ["kind", "other"]), QPFS(3).fit(X, SEVERAL))
    cells.var["known"] = pd.array([True, None] + [False] * 21 + [True], "boolean")
    cells.var["x"] = np.arange(24)
    kept = QPFS(4, keep=["known", "5"]).fit(cells, "kind")
    assert_same(kept, QPFS(4, keep=[0, 5, 23]).fit(X, FIRST))
    assert_same(QPFS(4, exclude="known").fit(cells, "kind"), QPFS(4, exclude=[0, 23]).fit(X, FIRST))
    with pytest.raises(ValueError, match="keep='x' is a column of var that holds 0, 1 and 2; expected"):
        QPFS(keep="x").fit(cells, "kind")
    with pytest.raises(ValueError, match="keep='y', but no column seen in fit"):
        QPFS(keep="y").fit(cells, "kind")
    with pytest.raises(ValueError, match="did you mean 'batch'"):
        QPFS().fit(cells, "kind", covariates=["bath"])
