"""Features that must be in are in every answer, and those that must be out in none."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from qpfs import (
    CMIM,
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    TwoLevelSelector,
    open_store,
    write_store,
)
from qpfs.evaluation import compare, error_curve, resampled

SELECTORS = {
    "qpfs": QPFS(8),
    "qpfs, all with weight": QPFS(),
    "qpfs by weight": QPFS(8, order="weight", theta=0.5),
    "qpfs at 0": QPFS(8, theta=0),
    "qpfs at 1": QPFS(8, theta=1),
    "qpfs by levels": QPFS(8, measure="mi"),
    "qpfs by chi-square": QPFS(8, measure="chi2"),
    "qpfs by correlation": QPFS(8, measure="correlation"),
    "nystrom": NystromQPFS(8, sampling_rate=0.5),
    "nystrom, corrected": NystromQPFS(8, sampling_rate=0.2, diagonal_correction=True),
    "mrmr": MRMR(8),
    "mrmr, while worth it": MRMR(),
    "mrmr by the nearest": MRMR(8, scheme="nearest"),
    "jmi": JMI(8),
    "cmim": CMIM(8),
    "maxrel": MaxRel(8),
    "tlkm": TLKMQPFS(8, n_clusters=20),
    "tlkm, radius as published": TLKMQPFS(8, n_clusters=20, radius=None, n_first=None),
    "ikm": IKMQPFS(8),
    "ikma by levels": IKMAQPFS(8, measure="mi"),
    "two levels with mrmr": TwoLevelSelector(criterion="mrmr", n_features_to_select=8),
    "scikit-learn's clusters": TwoLevelSelector(KMeans(9, n_init=1), f_classif, n_features_to_select=8),
    "in turns with cmim": InterleavedSelector(criterion="cmim", measure="mi", n_features_to_select=8),
}
every_selector = pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)


@pytest.fixture(scope="module")
def table():
    """60 features in correlated blocks; the last ones say nothing of the target."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(90) % 2)
    factors = rng.normal(size=(90, 12)) + np.outer(y, np.r_[np.full(6, 0.9), np.zeros(6)])
    X = np.repeat(factors, 5, axis=1) + 0.7 * rng.normal(size=(90, 60))
    return X, y


def unlikely(X, y):
    """Two features that no method would choose, the last of them the more relevant, and one it would."""
    s = MaxRel().fit(X, y)
    low = s.order_[-2:]
    return [*low[::-1].tolist(), int(s.order_[0])], s.relevance_


@every_selector
def test_kept_features_are_in_and_first(table, selector):
    X, y = table
    keep, _ = unlikely(X, y)
    fitted = clone(selector).set_params(keep=keep).fit(X, y)
    assert fitted.support_[keep].all()
    assert set(fitted.order_[:3]) == set(keep)
    own = fitted.relevance_[fitted.order_[:3]]
    assert np.all(np.diff(own) <= 0)  # the most relevant first
    assert np.all(fitted.ranking_[keep] == 1)
    if fitted.n_features_to_select is not None:
        assert fitted.support_.sum() == 8
    reasons = fitted.to_frame().set_index("index").reason
    assert (reasons[keep] == "kept, as asked for").all()
    assert len(fitted.alternatives(keep[0], n=2)) == 2


@every_selector
def test_excluded_features_are_out_as_if_they_were_not_there(table, selector):
    X, y = table
    gone = np.r_[0:7, 30:33]
    rest = np.setdiff1d(np.arange(60), gone)
    fitted = clone(selector).set_params(exclude=gone.tolist()).fit(X, y)
    without = clone(selector).fit(X[:, rest], y)
    assert not fitted.support_[gone].any()
    assert not np.isin(fitted.order_, gone).any()
    if not isinstance(selector, NystromQPFS):
        np.testing.assert_array_equal(fitted.scores_[rest], without.scores_)
        np.testing.assert_array_equal(fitted.order_, rest[without.order_])
    assert fitted.relevance_[gone].all()  # they are looked at
    reasons = fitted.to_frame().set_index("index").reason
    assert (reasons[gone] == "excluded, as asked for").all()
    near = {one.feature for one in fitted.alternatives(8, n=60)}
    everything = {one.feature for one in fitted.alternatives(8, n=60, excluded=True)}
    assert near == everything - set(gone.tolist())


@pytest.mark.parametrize("measure", ["rank", "mi", "correlation", "chi2"])
def test_the_bounded_program_is_solved(table, measure):
    """The conditions of an optimum of the bounded problem, from the matrix itself."""
    X, y = table
    keep, _ = unlikely(X, y)
    free = QPFS(measure=measure).fit(X, y)
    fitted = QPFS(measure=measure, keep=keep).fit(X, y)
    least = 1 / np.count_nonzero(free.scores_)
    lower = np.zeros(60)
    lower[keep] = least
    alpha, Q = fitted.scores_, fitted.redundancy(range(60))
    assert fitted.theta_ == free.theta_
    assert alpha.sum() == pytest.approx(1.0)
    assert np.all(alpha >= lower)
    g = (1 - fitted.theta_) * Q @ alpha - fitted.theta_ * fitted.relevance_
    above = alpha > lower + 1e-12
    assert np.ptp(g[above]) < 1e-7
    assert g.min() > g[above].min() - 1e-7
    objective = alpha @ ((1 - fitted.theta_) * Q @ alpha / 2 - fitted.theta_ * fitted.relevance_)
    assert fitted.objective_ == pytest.approx(objective, abs=1e-9)
    assert fitted.gap_ < 1e-9


def test_keeping_what_has_its_weight_anyway_changes_no_weight(table):
    X, y = table
    free = QPFS().fit(X, y)
    heavy = np.flatnonzero(free.scores_ >= 1 / np.count_nonzero(free.scores_))
    fitted = QPFS(keep=heavy).fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, free.scores_)
    assert set(fitted.order_[: len(heavy)]) == set(heavy)


def test_the_order_does_not_depend_on_how_many_are_selected(table):
    X, y = table
    orders = [QPFS(n, keep=[58, 3]).fit(X, y).order_ for n in (2, 10, None)]
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])


def test_a_copy_of_a_kept_feature_gains_nothing(table):
    X, y = table
    X = np.column_stack([X, X[:, 0]])
    assert QPFS(8, keep=[0]).fit(X, y).scores_[60] == 0
    assert 60 not in MRMR(8, keep=[0]).fit(X, y).order_


def test_taken_one_by_one_the_rest_goes_on_from_those_kept(table):
    X, y = table
    keep, s = unlikely(X, y)
    fitted = MRMR(8, keep=keep).fit(X, y)
    Q, taken = fitted.redundancy(range(60)), sorted(keep, key=lambda i: -s[i])
    while len(taken) < 8:
        value = s - Q[:, taken].mean(axis=1)
        value[taken] = -np.inf
        taken.append(int(np.argmax(value)))
    assert fitted.order_.tolist() == taken


@pytest.mark.parametrize(
    "name", ["tlkm", "tlkm, radius as published", "ikm", "ikma by levels", "scikit-learn's clusters"]
)
def test_kept_features_stand_for_their_clusters(table, name):
    X, y = table
    keep = [10, 11, 12, 13]  # of one block
    fitted = clone(SELECTORS[name]).set_params(keep=keep).fit(X, y)
    assert set(keep) <= set(fitted.representatives_.tolist())
    own = fitted.labels_[fitted.representatives_]
    np.testing.assert_array_equal(own, np.arange(len(own)))
    for final in fitted.rounds_:
        kept = np.isin(final.representatives, keep)
        assert "discarded" not in np.array(final.fates)[kept]
        assert np.isin(final.representatives, final.members).all()
        assert np.array_equal(np.unique(final.labels), np.arange(len(final.representatives)))
        Q = fitted.fitted_.table.distances(final.representatives)[:, final.members]
        if kept.any() and len(final.representatives) > 1:  # each member is with the nearest, by distance
            np.testing.assert_allclose(
                Q[final.labels, np.arange(len(final.members))], Q.min(axis=0), atol=1e-12
            )
        radii = [Q[k, final.labels == k].max() for k in range(len(Q))]
        np.testing.assert_allclose(final.radii, radii, atol=1e-12)


def test_the_path_along_theta_keeps_them(table):
    X, y = table
    fitted = QPFS(keep=[58, 59]).fit(X, y)
    path = fitted.theta_path([0.2, fitted.theta_, 1.0])
    np.testing.assert_allclose(path.weights[1], fitted.scores_, atol=1e-9)
    assert np.all(path.weights[:, [58, 59]] > 0)
    assert path.gaps.max() < 1e-9


def test_a_false_discovery_rate_removes_none_of_them(table):
    X, y = table
    keep, _ = unlikely(X, y)
    fitted = QPFS(fdr=0.001, keep=keep).fit(X, y)
    assert fitted.qvalues_[keep].max() > 0.001
    assert fitted.support_[keep].all()
    assert fitted.theta_ == QPFS(fdr=0.001).fit(X, y).theta_  # by all features


def test_all_ways_of_naming_are_the_same(table):
    X, y = table
    names = [f"{'odd' if i % 2 else 'even'}_{i}" for i in range(60)]
    frame = pd.DataFrame(X, columns=names)
    mask = np.zeros(60, bool)
    mask[[3, 58]] = True
    fitted = [QPFS(8, keep=one).fit(frame, y) for one in (["odd_3", "even_58"], [3, 58], mask, ["odd_3", 58])]
    for one in fitted[1:]:
        np.testing.assert_array_equal(one.scores_, fitted[0].scores_)
    assert not QPFS(8, exclude="odd_*").fit(frame, y).support_[1::2].any()
    assert QPFS(8, keep="x3").fit(X, y).support_[3]
    every = QPFS(keep=range(60)).fit(X, y)
    assert every.support_.all()


def test_the_table_may_lie_anywhere(table, tmp_path):
    X, y = table
    X = np.where(X < 0.4, 0.0, X).round(1)
    asked = {"keep": [58], "exclude": [0, 1, 2]}
    write_store(X, tmp_path / "store", y=y)
    for make in (QPFS(8, measure="mi"), IKMQPFS(8, measure="mi"), MRMR(8, measure="mi")):
        expected = make.set_params(**asked).fit(X, y)
        tables = [csc_array(X), pd.DataFrame(X, columns=[f"c{i}" for i in range(60)])]
        for other in tables:
            found = clone(make).fit(other, y)
            np.testing.assert_array_equal(found.scores_, expected.scores_)
            np.testing.assert_array_equal(found.order_, expected.order_)
        again = pickle.loads(pickle.dumps(expected))
        np.testing.assert_array_equal(again.support_, expected.support_)
    stored = open_store(tmp_path / "store")
    found = QPFS(8, **asked).fit(stored, y)
    expected = QPFS(8, measure="mi" if stored.form.name == "levels" else "rank", **asked).fit(X, y)
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_searches_pipelines_and_resamples_find_them_by_name(table):
    X, y = table
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    selector = QPFS(6, keep="gene_58", exclude="gene_1*")
    assert (
        QPFSCV(selector, param_grid={"theta": [0.3, 0.6]}, n_features=[3, 5], cv=3).fit(frame, y).support_[58]
    )
    pipe = make_pipeline(selector, LogisticRegression()).set_output(transform="pandas")
    search = GridSearchCV(pipe, {"qpfs__n_features_to_select": [2, 4]}, cv=3).fit(frame, y)
    assert search.best_estimator_[0].support_[58]
    found = resampled(selector, frame, y, 4)
    assert found.frequencies[58] == 1
    assert found.frequencies[10:20].max() == 0
    assert "failed" not in compare({"qpfs": selector}, frame, y, cv=3, sizes=[2, 4]).record["methods"][0]
    error_curve(selector, frame, y, cv=3, sizes=[2])
    with pytest.raises(ValueError, match="keep names 3 features, but n_features_to_select asks for 2"):
        QPFSCV(QPFS(keep=[1, 2, 3]), n_features=[2, 5]).fit(X, y)
    differs = QPFSCV(QPFS(), param_grid={"keep": [[58], [59]]}, n_features=[2], cv=3).fit(X, y)
    assert len(differs.cv_results_["params"]) == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"keep": "gene_7x"}, "keep='gene_7x', but no column .* did you mean 'gene_7'"),
        ({"exclude": "nothing*"}, "exclude='nothing\\*', but no column"),
        ({"keep": 60}, "keep=60, but there are 60 features"),
        ({"keep": [True, False]}, "keep is a mask of length 2, but there are 60"),
        ({"keep": [3], "exclude": "gene_3"}, "keep and exclude both name 'gene_3'"),
        (
            {"keep": [1, 2, 3], "n_features_to_select": 2},
            "keep names 3 features, but n_features_to_select asks for 2",
        ),
        ({"exclude": "*"}, "exclude names all 60 features"),
        ({"keep": "gene_0"}, "keep names 'gene_0', constant in these samples"),
        ({"exclude": np.arange(60) > 0}, "exclude leaves no feature that is not constant"),
    ],
)
def test_what_cannot_be_is_said(table, asked, message):
    X, y = table
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    frame["gene_0"] = 1.0
    with pytest.raises(ValueError, match=message):
        QPFS().set_params(**asked).fit(frame, y)


def test_fewer_than_asked_for_is_said(table):
    X, y = table
    with pytest.warns(UserWarning, match="only 2 features that are not excluded vary"):
        QPFS(5, exclude=np.arange(60) > 1).fit(X, y)


def test_a_store_is_not_copied_beyond_its_memory(table, tmp_path):
    X, y = table
    write_store(X, tmp_path / "store", y=y)
    stored = open_store(tmp_path / "store")
    stored.store.room = 1000
    with pytest.raises(MemoryError, match="exclude needs a copy of the remaining features"):
        QPFS(5, exclude=[3]).fit(stored, y)


def test_a_criterion_leaves_it_to_the_selector_around_it(table):
    with pytest.raises(ValueError, match="criterion has keep"):
        TwoLevelSelector(criterion=QPFS(keep=[1])).fit(*table)


def test_a_record_says_what_was_asked_for(table):
    X, y = table
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    report = QPFS(4, keep=[58], exclude=["gene_1?"]).fit(frame, y).report(X=frame)
    features = report.record["features"]
    assert [one["kept"] for one in features] == [True, False, False, False]
    given = report.record["method"]["parameters"]
    assert given["keep"] == ["gene_58"]
    assert len(given["exclude"]) == 10
    assert "1 feature ('gene_58') was selected beforehand" in report.record["method"]["account"]["text"]
    assert "10 features were excluded beforehand" in report.record["method"]["account"]["text"]
    assert "kept, as asked for" in report.html
    assert "kept" not in QPFS(4).fit(frame, y).report().record["features"][0]
