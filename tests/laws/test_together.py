"""What a fit is told of samples, targets and features together: weights, covariates, groups, kept ones."""

import numpy as np
import pytest

from qpfs import FGM, MRMR, QPFS
from qpfs.evaluation import across_cohorts, resampled

pytestmark = pytest.mark.filterwarnings("ignore:The covariates", "ignore:.*strata of")

RNG = np.random.default_rng(3)
N = 72
X = RNG.normal(size=(N, 24))
FIRST, SECOND = (X[:, 0] + X[:, 1] > 0).astype(int), (X[:, 2] > 0).astype(int)
SEVERAL = np.column_stack([FIRST, SECOND])
LOSSES = np.where(X[:, 3] > 0.6, np.exp(X[:, 4]), 0.0)  # most are 0
COPIES = RNG.integers(0, 4, N)
BATCH = RNG.integers(0, 3, N)
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


@pytest.mark.parametrize("measure", MEASURES)
def test_weights_and_covariates_are_refused_in_words(measure):
    with pytest.raises(ValueError, match="cannot be adjusted and weighted at once"):
        QPFS(measure=measure).fit(X, FIRST, sample_weight=COPIES, covariates=BATCH)


def test_groups_of_features_chosen_as_one_have_no_weights():
    groups = ["a"] * 3 + [str(i) for i in range(21)]
    with pytest.raises(ValueError, match="cannot be done where samples have weights"):
        QPFS(feature_groups=groups).fit(X, FIRST, sample_weight=COPIES)
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
    with pytest.raises(ValueError, match="nothing is left once the covariates are known"):
        QPFS(3, keep=[4]).fit(X, FIRST, covariates=X[:, 4])


def test_groups_as_one_are_not_cut_in_two():
    united = QPFS(2, feature_groups=["a"] * 3 + [str(i) for i in range(21)])
    with pytest.raises(ValueError, match="groups of columns chosen as one"):
        across_cohorts(united, X, FIRST, BATCH)
    with pytest.raises(ValueError, match="chosen as one, and size counts columns"):
        resampled(united, X, FIRST, 4, size=2)
    assert (
        "Features belonged to 22 groups, each of which was chosen or left as one."
        in (united.fit(X, FIRST).report().record["method"]["account"]["text"])
    )


def test_where_nothing_was_weighed_there_is_no_path():
    with pytest.raises(ValueError, match="nothing was weighed"):
        QPFS(fdr=1e-9).fit(X[:, 10:], FIRST).theta_path()


def test_weights_that_nobody_takes():
    with pytest.raises(TypeError, match="FGM takes no sample_weight"):
        resampled(FGM(2), X, FIRST, 4, sample_weight=COPIES)


def test_columns_of_obs_by_name():
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    obs = {"kind": FIRST.astype(str), "batch": BATCH.astype(str), "copies": COPIES}
    cells = anndata.AnnData(X, obs=pd.DataFrame(obs, index=[f"c{i}" for i in range(N)]))
    adjusted = QPFS(3).fit(cells, "kind", covariates=["batch"])
    assert_same(adjusted, QPFS(3).fit(X, FIRST, covariates=BATCH.astype(str)))
    weighted = QPFS(3).fit(cells, "kind", sample_weight="copies")
    assert_same(weighted, QPFS(3).fit(X, FIRST, sample_weight=COPIES))
    cells.obs["other"] = SECOND.astype(str)
    assert_same(QPFS(3).fit(cells, ["kind", "other"]), QPFS(3).fit(X, SEVERAL))
    with pytest.raises(ValueError, match="did you mean 'batch'"):
        QPFS().fit(cells, "kind", covariates=["bath"])
