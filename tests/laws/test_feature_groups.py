"""Features that belong together: chosen as one by ranks, or at most so many of each group."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from tests.laws.same import assert_same, learned
from tests.laws.test_keep import SELECTORS, table  # noqa: F401 - the fixture
from tests.pairs import in_turn

from qpfs import IKMQPFS, JMI, MRMR, QPFS, QPFSCV, MaxRel, open_store, write_store
from qpfs.codes.merging import most_directions
from qpfs.evaluation import compare, resampled

BY_RANKS = {
    name: one
    for name, one in SELECTORS.items()
    if one.get_params().get("measure", "mi") in ("auto", "rank") and "scikit" not in name
}
GROUPS = np.repeat(np.arange(12), 5)  # the blocks of the table
by_ranks = pytest.mark.parametrize("selector", BY_RANKS.values(), ids=BY_RANKS)


def quiet(selector, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fewer features than were asked for
        return selector.fit(X, y)


@in_turn(selector=SELECTORS, at_most={"1": 1, "3": 3})
def test_at_most_so_many_of_a_group(table, selector, at_most):  # noqa: F811
    X, y = table
    fitted = quiet(clone(selector).set_params(feature_groups=GROUPS.tolist(), at_most=at_most), X, y)
    times = np.bincount(GROUPS[fitted.order_], minlength=12)
    assert times.max() <= at_most
    assert fitted.support_.any()
    reasons = fitted.to_frame().set_index("index").reason
    full = np.flatnonzero(np.bincount(GROUPS[fitted.support_], minlength=12) == at_most)
    passed = [i for i in range(60) if GROUPS[i] in full and i not in fitted.order_]
    assert all(reasons[i] == f"its group '{GROUPS[i]}' already has {at_most}" for i in passed)


def test_taken_one_by_one_full_groups_are_passed_over(table):  # noqa: F811
    X, y = table
    fitted = MRMR(6, feature_groups=GROUPS.tolist(), at_most=1).fit(X, y)
    s, Q, taken = fitted.relevance_, fitted.redundancy(range(60)), []
    while len(taken) < 6:
        value = s - Q[:, taken].mean(axis=1) if taken else s.copy()
        value[np.isin(GROUPS, GROUPS[taken])] = -np.inf
        taken.append(int(np.argmax(value)))
    assert fitted.order_.tolist() == taken


def test_kept_features_count_for_their_group(table):  # noqa: F811
    X, y = table
    fitted = quiet(QPFS(5, keep=[58], feature_groups=GROUPS.tolist(), at_most=1), X, y)
    assert fitted.support_[58]
    assert not fitted.support_[[55, 56, 57, 59]].any()
    with pytest.raises(ValueError, match="keep names 2 features of the group '11', but at_most=1"):
        QPFS(keep=[57, 58], feature_groups=GROUPS.tolist(), at_most=1).fit(X, y)


@by_ranks
def test_groups_of_one_are_no_groups(table, selector):  # noqa: F811
    X, y = table
    plain = learned(clone(selector).fit(X, y))
    for alone in (list(range(60)), [None] * 59 + ["x"], {"a": [7], "b": 9}):
        grouped = learned(clone(selector).set_params(feature_groups=alone).fit(X, y))
        grouped.pop("feature_groups_")
        assert_same(grouped, plain)


@by_ranks
def test_a_group_is_chosen_or_left_as_one(table, selector):  # noqa: F811
    X, y = table
    labels = [f"block {g}" if g % 2 else None for g in GROUPS]
    fitted = quiet(clone(selector).set_params(feature_groups=labels), X, y)
    for g in range(1, 12, 2):
        own = np.flatnonzero(g == GROUPS)
        for name in ("support_", "scores_", "relevance_", "pvalues_", "qvalues_"):
            assert len(set(getattr(fitted, name)[own].tolist())) == 1
        places = np.flatnonzero(np.isin(fitted.order_, own))
        assert len(places) == 0 or (len(places) == 5 and np.ptp(places) == 4)  # together
    n_units = len({labels[i] or i for i in np.flatnonzero(fitted.support_).tolist()})
    if fitted.n_features_to_select is not None:
        assert n_units <= 8
    assert [one.name for one in fitted.feature_groups_] == [f"block {g}" for g in range(1, 12, 2)]
    first = fitted.feature_groups_[0]
    assert first.weight == fitted.scores_[5]
    assert first.selected == fitted.support_[5]
    assert first.features.tolist() == [5, 6, 7, 8, 9]


def test_a_group_says_what_its_columns_say_together(table):  # noqa: F811
    """Sums of squared canonical correlations of normal scores, by their definition."""
    from scipy.stats import norm, rankdata

    X, y = table
    fitted = MaxRel(3, feature_groups=GROUPS.tolist()).fit(X, y)
    scores = norm.ppf(rankdata(X, axis=0) / 91)
    V = np.linalg.qr((y - y.mean())[:, None])[0]
    bases = [
        np.linalg.qr(scores[:, own] - scores[:, own].mean(axis=0))[0] for own in np.arange(60).reshape(12, 5)
    ]
    s = np.array([np.sum((U.T @ V) ** 2) for U in bases])
    Q = np.array([[np.sum((U.T @ W) ** 2) for W in bases] for U in bases])
    np.testing.assert_allclose(fitted.relevance_[::5], s, atol=2e-4)
    np.testing.assert_allclose(fitted.redundancy(range(0, 60, 5)), Q, atol=5e-4)
    np.testing.assert_array_equal(fitted.redundancy([0, 3, 7]), fitted.redundancy([1, 4, 9]))


@by_ranks
def test_a_group_of_copies_is_the_one_feature(table, selector):  # noqa: F811
    X, y = table
    copies = np.column_stack([X, X[:, [7, 7, 7]]])
    labels = ["copies" if i in (7, 60, 61, 62) else None for i in range(63)]
    one, other = clone(selector).fit(X, y), clone(selector).set_params(feature_groups=labels).fit(copies, y)
    np.testing.assert_array_equal(other.scores_[:60], one.scores_)
    np.testing.assert_array_equal(other.order_[other.order_ < 60], one.order_)
    assert len(set(other.support_[[7, 60, 61, 62]])) == 1


def test_the_columns_of_a_category_are_the_category():
    rng = np.random.default_rng(1)
    colour = rng.choice(["blue", "green", "red", "white"], 200, p=[0.4, 0.3, 0.2, 0.1])
    y = (rng.random(200) < np.where(colour == "red", 0.8, 0.4)).astype(int)
    other = rng.normal(size=(200, 3)) + 0.3 * y[:, None]
    frame = pd.DataFrame(other, columns=["a", "b", "c"]).assign(colour=pd.Categorical(colour))
    spread = pd.get_dummies(frame, columns=["colour"], prefix_sep="__", dtype=float)
    whole = QPFS(2).fit(frame, y)
    for given in ("__", {"colour": "colour__*"}, {"colour": [3, 4, 5, 6]}):
        parts = QPFS(2, feature_groups=given).fit(spread, y)
        np.testing.assert_allclose(parts.relevance_[3:], whole.relevance_[3], rtol=1e-3)
        np.testing.assert_allclose(parts.scores_[[0, 1, 2, 3]], whole.scores_, atol=1e-3)
        np.testing.assert_allclose(parts.pvalues_[3], whole.pvalues_[3], rtol=0.05)
        assert parts.transform(spread).shape[1] in (2, 5)


def test_a_wide_group_of_noise_is_not_more_than_chance():
    rng = np.random.default_rng(2)
    y = np.arange(80) % 2
    X = np.column_stack([rng.normal(size=(80, 300)), rng.normal(size=(80, 5)) + 0.9 * y[:, None]])
    labels = ["pathway"] * 300 + [None] * 5
    fitted = QPFS(feature_groups=labels).fit(X, y)
    assert most_directions(80) == 20
    assert fitted.fitted_.table.levels[0] == 20
    assert fitted.relevance_[0] < 0.6  # of 79 directions all
    assert fitted.pvalues_[0] > 0.01
    assert fitted.scores_[0] < fitted.scores_[300:].max()


def test_members_may_be_out_kept_or_constant(table):  # noqa: F811
    X, y = table
    X = X.copy()
    X[:, 5] = 1.0  # of block 1, and its first
    groups = GROUPS.tolist()
    gone = QPFS(4, feature_groups=groups, exclude=[10, 11]).fit(X, y)
    assert not gone.support_[[10, 11]].any()
    assert gone.feature_groups_[2].features.tolist() == [12, 13, 14]
    kept = QPFS(4, feature_groups=groups, keep=[58]).fit(X, y)
    assert kept.support_[55:60].all()
    assert len(np.unique(GROUPS[kept.support_])) == 4
    near = kept.alternatives(58, n=20)
    assert len(near) == 11
    assert all(one.name.endswith("(5 columns)") for one in near)
    path = kept.theta_path([kept.theta_])
    np.testing.assert_allclose(path.weights[0], kept.scores_, atol=1e-9)


def test_the_table_may_lie_anywhere(table, tmp_path):  # noqa: F811
    X, y = table
    X = np.where(X < 0.4, 0.0, X).round(1)
    groups = GROUPS.tolist()
    for make in (QPFS(4, measure="rank"), IKMQPFS(4, measure="rank"), MRMR(4, measure="rank")):
        expected = make.set_params(feature_groups=groups).fit(X, y)
        tables = [csc_array(X), pd.DataFrame(X, columns=[f"c{i}" for i in range(60)])]
        for other in tables:
            found = clone(make).fit(other, y)
            np.testing.assert_array_equal(found.scores_, expected.scores_)
            np.testing.assert_array_equal(found.order_, expected.order_)
    write_store(X, tmp_path / "store", y=y, measure="rank")
    found = clone(make).fit(open_store(tmp_path / "store"), y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_a_report_has_a_row_for_a_group(table):  # noqa: F811
    X, y = table
    frame = pd.DataFrame(X, columns=[f"g{i // 5}__{i % 5}" for i in range(60)])
    fitted = IKMQPFS(3, feature_groups="__").fit(frame, y)
    report = fitted.report(X=frame)
    features = report.record["features"]
    assert len(features) == report.record["n_selected"] == 3
    assert all(one["feature"].endswith("(5 columns)") and len(one["columns"]) == 5 for one in features)
    assert [one["rank"] for one in features] == [1, 2, 3]
    assert "(5 columns)" in report.html
    rows = fitted.to_frame()
    assert rows.selected.sum() == 15
    assert (
        rows.reason[rows.selected]
        == [f"selected (with its group {n.split('__')[0]!r})" for n in rows.feature[rows.selected]]
    ).all()
    assert report.record["method"]["parameters"]["feature_groups"] == "12 groups of 60 columns"


def test_evaluations_take_them(table):  # noqa: F811
    X, y = table
    selector = QPFS(2, feature_groups=GROUPS.tolist())
    found = resampled(selector, X, y, 4)
    assert len(np.unique(found.frequencies[:5])) == 1
    assert "failed" not in compare({"qpfs": selector}, X, y, cv=3, sizes=[5, 10]).record["methods"][0]
    with pytest.raises(ValueError, match="chosen as one, and n_features counts columns"):
        QPFSCV(selector, n_features=[2]).fit(X, y)
    limited = QPFS(feature_groups=GROUPS.tolist(), at_most=1)
    search = QPFSCV(limited, param_grid={"theta": [0.4, 0.6]}, n_features=[3], cv=3).fit(X, y)
    assert np.bincount(GROUPS[search.support_]).max() == 1


@pytest.mark.parametrize(
    ("selector", "asked", "message"),
    [
        (
            QPFS(),
            {"at_most": 1},
            "at_most=1 is the largest number of features of a group, but there are no groups",
        ),
        (QPFS(), {"at_most": 0, "feature_groups": "_"}, "at_most=0, but it must be None or an integer"),
        (QPFS(), {"feature_groups": {"a": [1, 2], "b": [2]}}, "has 'gene_2' in 'a' and in 'b'"),
        (QPFS(), {"feature_groups": {"a": "gene_x"}}, "feature_groups='gene_x', but no column"),
        (QPFS(), {"feature_groups": ["a", "b"]}, "There are 60 columns"),
        (QPFS(), {"feature_groups": "::"}, "feature_groups='::', but no column name contains that"),
        (
            QPFS(measure="mi"),
            {"feature_groups": "_"},
            "only measure='rank' allows; this is 'mi'. Give at_most",
        ),
        (JMI(), {"feature_groups": "_"}, "only measure='rank' allows"),
    ],
)
def test_what_cannot_be_is_said(table, selector, asked, message):  # noqa: F811
    X, y = table
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    with pytest.raises(ValueError, match=message):
        clone(selector).set_params(**asked).fit(frame, y)


def test_more_than_there_are_is_all(table):  # noqa: F811
    X, y = table
    with pytest.warns(
        UserWarning, match="asks for 13 features, but there are 12 features and groups; all of them"
    ):
        found = QPFS(13, feature_groups=GROUPS.tolist()).fit(X, y)
    assert found.support_.all()
