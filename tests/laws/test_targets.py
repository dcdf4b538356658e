"""Several targets, and targets most of which is one value: what holds for every measure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csr_array
from scipy.stats import norm, rankdata
from sklearn.metrics import mutual_info_score
from tests.naive.information import TWINS, rank_of_targets

from qpfs import CMIM, IKMAQPFS, JMI, MRMR, QPFS, EqualFrequency, MaxRel, SelectionCV
from qpfs.codes import target_of

MEASURES = ["rank", "mi", "chi2", "correlation", "function"]
N = 120
rng = np.random.default_rng(5)
X = rng.normal(size=(N, 8)).round(1)
ONE = np.where(X[:, 0] + rng.normal(size=N) > 0, "b", "a")
OTHER = np.digitize(X[:, 1] + rng.normal(size=N), [-0.5, 0.5])
AMOUNT = X[:, 2] + rng.normal(size=N)
pytestmark = pytest.mark.filterwarnings("ignore:No feature is more relevant than chance")


def covariance(x, y):
    return abs(float(np.mean((x - x.mean()) * (y - y.mean()))))


def fitted(measure, y, **given):
    return MaxRel(3, measure=covariance if measure == "function" else measure, **given).fit(X, y)


def together(*targets):
    return pd.DataFrame(dict(zip("abcd", targets, strict=False)))


def assert_same(one, other):
    for name in ("relevance_", "scores_", "order_", "pvalues_", "qvalues_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("measure", MEASURES)
def test_equal_targets_are_one_to_the_last_bit(measure):
    alone = fitted(measure, ONE, n_permutations=20)
    for y in (together(ONE, ONE), together(ONE, ONE, ONE)):
        found = fitted(measure, y, n_permutations=20)
        assert_same(found, alone)
        np.testing.assert_array_equal(found.familywise_pvalues_, alone.familywise_pvalues_)
        assert_same(fitted(measure, y, target_weights=[0.3] * y.shape[1]), fitted(measure, ONE))


@pytest.mark.parametrize("measure", MEASURES)
def test_a_target_of_weight_0_is_left_out(measure):
    both = together(ONE, OTHER)
    assert_same(fitted(measure, both, target_weights=[1, 0]), fitted(measure, ONE))
    assert_same(fitted(measure, both, target_weights=(0, 3.0)), fitted(measure, OTHER))


@pytest.mark.parametrize("measure", MEASURES)
def test_relevance_is_the_weighted_mean(measure):
    parts = [fitted(measure, y) for y in (ONE, OTHER, AMOUNT)]
    found = fitted(measure, together(ONE, OTHER, AMOUNT), target_weights=np.array([2, 1, 1]))
    mean = sum(w * one.relevance_ for w, one in zip([0.5, 0.25, 0.25], parts, strict=True))
    np.testing.assert_allclose(found.relevance_, mean, rtol=1e-12)
    if measure != "function":
        shares = zip([0.5, 0.25, 0.25], parts, strict=True)
        surest = np.min([one.pvalues_ / share for share, one in shares], axis=0)
        np.testing.assert_allclose(found.pvalues_, np.minimum(surest, 1.0), rtol=1e-12)
    if measure != "rank":
        plain = fitted(measure, together(ONE, OTHER, AMOUNT))
        np.testing.assert_allclose(
            plain.relevance_, np.mean([one.relevance_ for one in parts], 0), rtol=1e-12
        )


@pytest.mark.parametrize("measure", ["mi", "chi2"])
def test_the_mean_is_that_of_the_definition(measure):
    codes = EqualFrequency(3).fit_transform(X)
    twin = TWINS[measure][1]
    expected = [np.mean([twin(column, y) for y in (codes_of(ONE), OTHER)]) for column in codes.T]
    np.testing.assert_allclose(fitted(measure, together(ONE, OTHER)).relevance_, expected, rtol=1e-9)


def codes_of(labels):
    return np.unique(labels, return_inverse=True)[1]


@pytest.mark.parametrize("measure", ["rank", "mi"])
def test_indicators_of_labels_may_be_sparse(measure):
    y = np.column_stack([ONE == "b", OTHER == 1]).astype(int)
    for sparse in (csr_array(y), coo_matrix(y)):
        assert_same(fitted(measure, sparse), fitted(measure, y))
    assert_same(fitted(measure, csr_array(y[:, :1])), fitted(measure, y[:, 0]))


@pytest.mark.parametrize("least", [False, True])
def test_what_features_say_beyond_others_is_a_mean_too(least):
    found = (CMIM if least else JMI)(2).fit(X, together(ONE, OTHER))
    codes = EqualFrequency(3).fit_transform(X).astype(int)
    first = int(np.argmax(found.relevance_))

    def beyond(i):  # I(X_i; Y | X_first), the mean over targets
        known = [mutual_info_score(codes[:, i], codes[:, first] * 10 + y) for y in (codes_of(ONE), OTHER)]
        return np.mean(known) - mutual_info_score(codes[:, i], codes[:, first])

    said = [min(beyond(i), found.relevance_[i]) if least else beyond(i) for i in range(X.shape[1])]
    said[first] = -np.inf
    assert found.order_.tolist() == [first, int(np.argmax(said))]
    assert found.scores_[found.order_[1]] == pytest.approx(max(said))


@pytest.mark.parametrize("selector", [QPFS(3, measure="mi"), MRMR(3, measure="chi2"), IKMAQPFS(3)])
def test_every_method_takes_them(selector):
    found = selector.fit(X, together(ONE, OTHER))
    assert {0, 1} <= set(found.order_[:3].tolist())
    assert found.report().record["data"]["targets"][1]["name"] == "b"


def test_a_search_takes_weights_from_its_grid():
    from sklearn.linear_model import Ridge

    y = together(AMOUNT, X[:, 5] + rng.normal(size=N) / 9)
    grid = {"target_weights": [[1, 0], [0, 1]]}
    search = SelectionCV(MaxRel(measure="correlation"), grid, 1, cv=3, estimator=Ridge(), scoring="r2")
    assert search.fit(X, y).best_selector_.order_[0] == 5


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1], r"target_weights=\[1.0\], but y has 2 columns; give a weight for each"),
        ([1, 1, 1], "but y has 2 columns"),
        ([0, 0], "not all of them 0"),
        ([1, -1], "a number of at least 0 for each target"),
        ([1, np.nan], "a number of at least 0 for each target"),
        ("ab", "target_weights='ab', but it must be a number of at least 0"),
        (3, "target_weights=3, but it must be"),
    ],
)
def test_weights_that_make_no_sense(weights, said):
    with pytest.raises(ValueError, match=said):
        MaxRel(2, target_weights=weights).fit(X, together(ONE, OTHER))


def test_a_label_that_never_occurs_is_named():
    with pytest.raises(ValueError, match="Column '1' of y: y takes a single value"):
        MaxRel(2).fit(X, np.column_stack([ONE == "b", np.zeros(N)]).astype(int))


# One value that most samples have ----------------------------------------------------------------------


def losses(n, seed=0, share=0.1):
    """Losses of which one feature tells whether there is one, and another how large it is."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 20)).round(3)
    occurs = features[:, 0] + 0.5 * rng.normal(size=n)
    y = np.where(
        occurs > np.quantile(occurs, 1 - share), np.exp(features[:, 1] + 0.3 * rng.normal(size=n)), 0.0
    )
    return features, y


@pytest.mark.parametrize("measure", ["rank", "mi", "chi2"])
def test_whether_and_how_much_are_both_found(measure):
    features, y = losses(1000)
    found = MaxRel(2, measure=measure).fit(features, y)
    assert found.order_[:2].tolist() == [0, 1]
    assert (found.qvalues_[:2] < 1e-4).all()
    assert (found.qvalues_[2:] > 0.01).all()


def test_as_levels_the_point_is_one_and_the_rest_is_cut():
    y = np.concatenate([np.zeros(600), np.arange(1, 401) + 0.5])
    target = target_of(y, EqualFrequency(5))
    assert target.counts.tolist() == [600, 100, 100, 100, 100]
    amid = target_of(np.where(y == 0, 200.0, y), EqualFrequency(5))  # in the middle of the others
    assert (amid.codes[:600] == amid.codes[0]).all()
    assert (amid.codes == amid.codes[0]).sum() == 600
    assert len(amid.counts) >= 5
    exactly_half = target_of(np.where(np.arange(1000) < 500, 0.0, np.arange(1000) + 0.5), EqualFrequency(5))
    assert exactly_half.point is None
    assert target_of(y, EqualFrequency(2)).counts.tolist() == [600, 400]


def test_as_scores_it_is_two_columns_by_the_definition():
    features, y = losses(300, share=0.2)
    amounts = y > 0
    whether = amounts - amounts.mean()
    among = norm.ppf(rankdata(y[amounts]) / (amounts.sum() + 1))
    how_much = np.zeros(300)
    how_much[amounts] = among - among.mean()
    found = MaxRel(measure="rank").fit(features, y).relevance_
    for i, column in enumerate(features.T):
        scores = norm.ppf(rankdata(column) / 301)
        expected = sum(np.corrcoef(scores, one)[0, 1] ** 2 for one in (whether, how_much))
        assert found[i] == pytest.approx(expected, abs=2e-4)


def test_together_with_another_target_it_is_as_by_the_definition():
    features, y = losses(60, share=0.3)
    labels = (np.arange(60) % 3).tolist()
    found = MaxRel(measure="rank").fit(features, pd.DataFrame({"labels": labels, "loss": y}))
    for i, column in enumerate(features.T[:5]):
        expected = rank_of_targets(column.tolist(), [labels, y.tolist()])
        assert found.relevance_[i] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("measure", ["mi", "chi2", "correlation", "rank"])
@pytest.mark.parametrize("dependent", [False, True])
def test_chance_is_told_as_it_is(measure, dependent):
    """Of 1,500 features that say nothing of three targets as many have small p values as that says, or fewer.

    Bonferroni's correction is nearly exact for targets that are independent.
    """
    rng = np.random.default_rng(1)
    noise, one = rng.normal(size=(60, 1500)), rng.integers(0, 3, 60)
    other = np.where(rng.random(60) < 0.9, one, 2) if dependent else rng.integers(0, 2, 60)
    y = together(one, other, rng.normal(size=60))
    p = MaxRel(2, measure=measure, target_weights=[1, 1, 1]).fit(noise, y).pvalues_
    for level in (0.01, 0.05, 0.2):
        spread = np.sqrt(level * (1 - level) / len(p))
        assert np.mean(p <= level) <= level + 3 * spread
        assert np.mean(p <= level) >= (0.3 if dependent else 0.85) * level - 3 * spread


def test_a_quantity_of_two_values_is_two_classes():
    y = np.where(np.arange(N) < 80, 0.0, 1.5)
    np.testing.assert_allclose(
        fitted("rank", y).relevance_, fitted("rank", y.astype(str)).relevance_, atol=1e-9
    )
