"""A sparse table and the same table spread out give the same answer, to the last bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from pandas.testing import assert_frame_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.feature_selection import f_classif
from tests.laws.parts import RULES
from tests.laws.sparse_tables import tables

from qpfs import (
    IKMAQPFS,
    IKMQPFS,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    TLKMQPFSCV,
    AsCodes,
    EqualFrequency,
    EqualWidth,
    FeatureKMeans,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    TwoLevelSelector,
)

SELECTORS = {
    "qpfs": QPFS(),
    "qpfs at 0.3 of chi-square": QPFS(theta=0.3, measure="chi2"),
    "qpfs of correlation": QPFS(theta=0.5, measure="correlation"),
    "qpfs of equal width": QPFS(theta=0.5, discretizer=EqualWidth(4)),
    "qpfs of equal frequency": QPFS(theta=0.5, discretizer=EqualFrequency(3)),
    "qpfs of codes": QPFS(theta=0.5, discretizer=AsCodes(4)),
    "nystrom": NystromQPFS(sampling_rate=0.5),
    "nystrom of correlation": NystromQPFS(sampling_rate=0.5, measure="correlation"),
    "mrmr": MRMR(3),
    "mrmr of chi-square": MRMR(3, measure="chi2"),
    "mrmr of correlation": MRMR(3, measure="correlation"),
    "maxrel": MaxRel(2),
    "maxrel of correlation": MaxRel(2, measure="correlation"),
    "tlkm": TLKMQPFS(n_clusters=4),
    "tlkm of correlation": TLKMQPFS(n_clusters=4, measure="correlation"),
    "ikm": IKMQPFS(n_first=3, radius=0.5),
    "ikm of codes": IKMQPFS(n_first=3, radius=0.5, discretizer=AsCodes(5)),
    "ikma": IKMAQPFS(n_first=3, radius=0.5),
    "ikma of chi-square, medoids": IKMAQPFS(n_first=3, measure="chi2", representative="medoid"),
    "two-level": TwoLevelSelector(FeatureKMeans(3), MRMR(2)),
    "two-level, foreign": TwoLevelSelector(KMeans(2, n_init=1, random_state=0), f_classif),
    "interleaved": InterleavedSelector(criterion=MaxRel(), discard="aggressive", n_keep=2),
}
NO_MISSING = [name for name in SELECTORS if any(part in name for part in ("correlation", "foreign"))]
EXAMPLES = max(4, settings.default.max_examples // 8)
LEARNED = (
    "relevance_",
    "pvalues_",
    "scores_",
    "order_",
    "support_",
    "theta_",
    "gap_",
    "objective_",
    "labels_",
    "representatives_",
    "radii_",
    "n_distances_",
)


def fitted(selector, X, y):
    """The selector fitted, or what it said instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of both
        try:
            return clone(selector).fit(X, y)
        except ValueError as error:
            return str(error)


def assert_same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    learned = [name for name in LEARNED if hasattr(one, name)]
    assert {"scores_", "order_", "support_"} < set(learned)
    for name in learned:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name, strict=True)
    if getattr(one, "discretizer_", None) is not None:
        assert_same_levels(one.discretizer_, other.discretizer_)


def assert_same_levels(one, other):
    np.testing.assert_array_equal(one.edges_, other.edges_, strict=True)
    np.testing.assert_array_equal(one.n_levels_, other.n_levels_)
    assert one.labels_ == other.labels_
    assert one.merged_ == other.merged_


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_gives_the_same_answer(name):
    @given(tables(missing=name not in NO_MISSING))
    @settings(max_examples=EXAMPLES, deadline=None)
    def same(table):
        X, y = table
        assert_same(fitted(SELECTORS[name], X.toarray(), y), fitted(SELECTORS[name], X, y))

    same()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_cuts_at_the_same_edges(rule):
    @given(tables())
    @settings(max_examples=2 * EXAMPLES, deadline=None)
    def same(table):
        X, _ = table
        one, other = rule.make().fit(X.toarray()), rule.make().fit(X)
        assert_same_levels(one, other)
        np.testing.assert_array_equal(one.transform(X.toarray()), other.transform(X), strict=True)

    same()


@pytest.fixture
def words():
    """200 x 60, a tenth filled, some columns of which say something about the classes."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = sparse.csc_array(sparse.random(200, 60, 0.1, random_state=rng))
    X.data += X.indices % 2 * (np.repeat(np.arange(60), np.diff(X.indptr)) < 5)
    return X, y


@pytest.mark.parametrize(
    "search",
    [
        QPFSCV(param_grid={"theta": [0.3, 0.6]}, n_features=[2, 4]),
        TLKMQPFSCV(param_grid={"n_clusters": [4, 8]}, n_features=[2, 4]),
    ],
)
def test_searches_give_the_same_answer(words, search):
    X, y = words
    one, other = clone(search).fit(X.toarray(), y), clone(search).fit(X, y)
    assert_same(one, other)
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    assert one.best_params_ == other.best_params_


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_a_bit(words, n_jobs, monkeypatch):
    X, y = words
    monkeypatch.setattr("qpfs.information.table.SMALL", 0)
    monkeypatch.setattr("qpfs.codes.columns.FEW_NUMBERS", 0)
    assert_same(QPFS(theta=0.5).fit(X, y), QPFS(theta=0.5, n_jobs=n_jobs).fit(X, y))


FORMATS = ["csc", "csr", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("layout", FORMATS)
def test_every_format_gives_the_same_answer(words, kind, layout):
    X, y = words
    assert_same(QPFS(theta=0.5).fit(X.toarray(), y), QPFS(theta=0.5).fit(kind(X).asformat(layout), y))


@pytest.mark.parametrize(
    "dtype",  # each that is slow compiles the same loops again
    [
        np.float32,
        bool,
        np.longdouble,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (np.int8, np.int64, np.uint16)),
    ],
)
def test_every_type_of_number_gives_the_same_answer(words, dtype):
    X, y = words
    X = (10 * X).astype(dtype)
    assert_same(QPFS(theta=0.5).fit(X.toarray(), y), QPFS(theta=0.5).fit(X, y))
    assert_same(MRMR(4).fit(X.toarray(), y), MRMR(4).fit(X.tocsr(), y))


def test_another_byte_order_gives_the_same_answer(words):
    X, y = words
    swapped = X.copy()
    swapped.data = swapped.data.astype(swapped.data.dtype.newbyteorder())
    assert_same(QPFS(theta=0.5).fit(swapped, y), QPFS(theta=0.5).fit(X, y))


def test_long_indices_give_the_same_answer(words):
    X, y = words
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert_same(QPFS(theta=0.5).fit(X, y), QPFS(theta=0.5).fit(wide, y))


def test_columns_of_which_none_varies_and_weights():
    """Columns with similar numbers of stored values are read together: here some of which none varies."""
    X, y = np.zeros((20, 3)), np.arange(20) % 2
    X[:6, 1], X[3:12, 2] = 1.5, np.arange(9)
    weights = 1.0 + np.arange(20) % 3
    dense = MaxRel(1).fit(X, y, sample_weight=weights)
    spread = MaxRel(1).fit(sparse.csc_array(X), y, sample_weight=weights)
    np.testing.assert_array_equal(spread.scores_, dense.scores_)
    np.testing.assert_array_equal(spread.relevance_, dense.relevance_)
    with pytest.raises(ValueError, match="constant"):
        MaxRel(1).fit(sparse.csc_array(X[:, [0, 0]]), y, sample_weight=weights)


def test_what_is_selected_of_a_sparse_table_is_sparse(words):
    X, y = words
    selector = MRMR(3).fit(X, y)
    found = selector.transform(X)
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), X.toarray()[:, selector.get_support()])


@pytest.mark.parametrize("name", [name for name in SELECTORS if name not in NO_MISSING])
@pytest.mark.filterwarnings("ignore:n_features_to_select asks for")
def test_questions_have_the_same_answers(words, name):
    X, y = words
    one, other = (clone(SELECTORS[name]).fit(table, y) for table in (X, X.toarray()))
    assert one.alternatives(0, 3) == other.alternatives(0, 3)
    assert_frame_equal(one.to_frame(), other.to_frame())
    assert one.metrics() == other.metrics()
    np.testing.assert_array_equal(one.ranking_, other.ranking_)
    np.testing.assert_array_equal(one.redundancy(), other.redundancy())
    np.testing.assert_array_equal(one.redundancy([4, 1]), other.redundancy([4, 1]))


def test_weights_along_theta_are_the_same(words):
    X, y = words
    one, other = (QPFS().fit(table, y).theta_path([0.3, 0.8]) for table in (X, X.toarray()))
    np.testing.assert_array_equal(one.weights, other.weights)


@given(tables())
@settings(max_examples=EXAMPLES, deadline=None)
def test_the_matrix_stays_as_it_was(table):
    X, y = table
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    fitted(QPFS(theta=0.5), X, y)
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old, strict=True)
