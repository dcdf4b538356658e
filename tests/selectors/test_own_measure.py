"""A measure that is in no table, that of a recipe, works in every selector and is told in its own words."""

from __future__ import annotations

import operator
import pickle
from functools import cache

import numpy as np
import pytest
from gini import Gains, Gini, twin
from scipy import sparse
from sklearn.base import clone
from tests.naive.information import matrix
from tests.naive.selectors import greedy

from qpfs import IKMAQPFS, MRMR, QPFS, AsCodes, MaxRel, TwoLevelSelector
from qpfs.codes import columns_of, encode, encode_sparse, target_of
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.groups import Groups
from qpfs.information import MEASURES, FeatureTable, MutualInformation
from qpfs.report import selection_page, selection_record
from qpfs.report.page import methods_text


def levels(n_samples, n_features=24, most=6, seed=0):
    """Related columns of one to some levels, most samples of many of them at 0."""
    rng = np.random.default_rng(seed)
    hidden = rng.random((n_samples, 1))
    mixed = np.where(rng.random((n_samples, n_features)) < 0.5, hidden, rng.random((n_samples, n_features)))
    X = np.floor(mixed * rng.integers(1, most, n_features))
    return np.where(rng.random((n_samples, n_features)) < np.arange(n_features) / n_features / 0.9, 0.0, X)


def store_of(X, kind):
    if kind == "planes":
        return encode(columns_of(X), AsCodes())[0]
    return encode_sparse(SparseColumns(sparse.csc_array(X)), AsCodes())[0]


def test_it_is_in_no_table():
    assert "gini" not in MEASURES


@cache
def by_the_twin(n_samples, most):
    """What columns share with each other and with a target, by the definition, and the target."""
    columns, y = levels(n_samples, most=most).T.tolist(), np.arange(n_samples) % 3
    return np.array(matrix(twin, columns, columns)), [twin(one, y.tolist()) for one in columns], y


@pytest.mark.parametrize("kind", ["planes", "lists"])
@pytest.mark.parametrize(("n_samples", "most"), [(60, 4), (100, 4), (100, 6), (300, 4), (300, 7)])
def test_every_loop_is_compiled_with_its_cell(n_samples, most, kind):
    Q, relevance, y = by_the_twin(n_samples, most)
    table = FeatureTable(store_of(levels(n_samples, most=most), kind), Gini().on(n_samples))
    close = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(table.rows(np.arange(24)), Q, **close)
    np.testing.assert_allclose(table.relevance(target_of(y, None)), relevance, **close)
    np.testing.assert_array_equal(table.self_information[table.varying], 1)
    groups = Groups.labelled(table.varying, np.arange(len(table.varying)) % 2, 2)
    both = [Q[np.ix_(groups.of(i), groups.of(i))].ravel() for i in range(2)]
    np.testing.assert_allclose(table.redundancy_within(groups), np.concatenate(both), **close)


@pytest.fixture(params=["dense", "sparse"])
def problem(request):
    """X as it is given, y, and what the slow twin says of both."""
    X = levels(120, seed=3)
    y = (X[:, 1] + X[:, 4] > 2).astype(int)
    columns = X.T.tolist()
    Q, s = np.array(matrix(twin, columns, columns)), np.array([twin(f, y.tolist()) for f in columns])
    return (X if request.param == "dense" else sparse.csr_array(X)), y, Q, s


def check_weights(weights, Q, s, theta):
    """On the simplex, and no feature would lower the objective; Q may be the matrix of some alone."""
    gradient = (1 - theta) * Q @ weights - theta * s
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert gradient.min() >= weights @ gradient - 1e-9


def test_qpfs(problem):
    X, y, Q, s = problem
    fitted = QPFS(theta=0.4, measure=Gini(), discretizer=AsCodes()).fit(X, y)
    np.testing.assert_allclose(fitted.relevance_, s, rtol=1e-10, atol=1e-12)
    varying = np.flatnonzero(np.diag(Q))
    check_weights(fitted.scores_[varying], Q[np.ix_(varying, varying)], s[varying], 0.4)
    two = QPFS(theta=0.4, measure=Gini(), discretizer=AsCodes(), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(two.scores_, fitted.scores_)


def test_mrmr(problem):
    X, y, Q, s = problem
    fitted = MRMR(6, measure=Gini(), discretizer=AsCodes()).fit(X, y)
    assert fitted.order_[:6].tolist() == greedy(s, Q, 6, operator.sub)


def test_ikma(problem):
    X, y, Q, s = problem
    fitted = IKMAQPFS(theta=0.4, radius=0.9, n_first=4, n_split=2, measure=Gini(), discretizer=AsCodes()).fit(
        X, y
    )
    kept = fitted.representatives_
    assert len(kept) > 2
    check_weights(fitted.scores_[kept], Q[np.ix_(kept, kept)], s[kept], 0.4)
    for number, f in enumerate(kept):
        apart = 1 - Q[f, fitted.labels_ == number]
        assert apart.max() == pytest.approx(fitted.radii_[number], abs=1e-10)


def test_dense_and_sparse_are_the_same_to_the_last_bit():
    X = levels(120, seed=3)
    y = (X[:, 1] + X[:, 4] > 2).astype(int)
    selector = IKMAQPFS(n_first=4, measure=Gini(), discretizer=AsCodes())
    one, other = (clone(selector).fit(kind, y) for kind in (X, sparse.csc_array(X)))
    for name in ("scores_", "order_", "relevance_", "radii_", "labels_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# As a parameter


def test_a_measure_is_a_value():
    assert Gini() == Gini(50)
    assert len({Gini(), Gini(50), Gini(40), MutualInformation(), MEASURES["mi"]}) == 3
    assert repr(Gini(40)) == "Gini(bits=40)"
    assert pickle.loads(pickle.dumps(Gini(40))) == Gini(40)


@pytest.mark.parametrize("selector", [QPFS(), MRMR(), MaxRel(), IKMAQPFS(), TwoLevelSelector()])
def test_scikit_learn_takes_it_for_a_parameter(selector):
    given = clone(selector).set_params(measure=Gini(40))
    assert clone(given).measure == given.get_params()["measure"] == Gini(40)
    assert "measure=Gini(bits=40)" in repr(given)
    assert given.__sklearn_tags__().input_tags.categorical
    fitted = given.fit(*pair())
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.scores_, fitted.scores_)
    np.testing.assert_array_equal(again.fitted_.table.self_information, fitted.fitted_.table.self_information)


def pair():
    X = levels(60, seed=5)
    return X, (X[:, 1] + X[:, 4] > 2).astype(int)


@pytest.mark.parametrize("name", MEASURES)
def test_a_name_and_its_measure_are_the_same(name):
    X, y = pair()
    named, given = (QPFS(measure=measure).fit(X, y) for measure in (name, MEASURES[name]))
    np.testing.assert_array_equal(named.scores_, given.scores_)


@pytest.mark.parametrize("wrong", ["gini", 3, None, Gini, Gains])
def test_what_is_no_measure_is_refused(wrong):
    with pytest.raises(ValueError, match="but it must be one of 'auto', 'mi', 'correlation', 'chi2'"):
        QPFS(measure=wrong).fit(*pair())


# In words


@pytest.mark.parametrize("selector", [QPFS(3), MRMR(3), MaxRel(3), IKMAQPFS(3, n_first=4)])
def test_the_report_has_its_words_and_no_other(selector):
    record = selection_record(clone(selector).set_params(measure=Gini()).fit(*pair()))
    text = methods_text(record)["text"]
    assert "measured by the symmetric Gini gain" in text
    assert ("the distance 1 − G(f, g)" in text) == isinstance(selector, IKMAQPFS)
    assert record["method"]["parameters"]["measure"] == "Gini(bits=50)"
    assert (record["redundancy"]["measure"], record["redundancy"]["shared"]) == ("gini", Gini.words.shared)
    page = selection_page(record)
    assert Gini.words.shared in page
    assert "mutual information" not in page.replace("based on mutual information", "")  # a reference's title
