"""What a fit is told of samples, targets and features together: weights, covariates, groups, kept ones."""

import numpy as np
import pytest

from qpfs import MRMR, QPFS

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


def test_columns_of_obs_by_name():
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    obs = {"kind": FIRST.astype(str), "batch": BATCH.astype(str), "copies": COPIES}
    cells = anndata.AnnData(X, obs=pd.DataFrame(obs, index=[f"c{i}" for i in range(N)]))
    adjusted = QPFS(3).fit(cells, "kind", covariates=["batch"])
    assert_same(adjusted, QPFS(3).fit(X, FIRST, covariates=BATCH.astype(str)))
    weighted = QPFS(3).fit(cells, "kind", sample_weight="copies")
    assert_same(weighted, QPFS(3).fit(X, FIRST, sample_weight=COPIES))
    with pytest.raises(ValueError, match="did you mean 'batch'"):
        QPFS().fit(cells, "kind", covariates=["bath"])
