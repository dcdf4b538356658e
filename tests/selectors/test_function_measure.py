"""A function of two columns as measure: against its own full matrix, and against ours that it copies."""

from __future__ import annotations

import operator
import pickle
import threading
from functools import partial

import dask.array as da
import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from tests.naive.selectors import greedy

from qpfs import (
    IKMAQPFS,
    IKMQPFS,
    JMI,
    MRMR,
    QPFS,
    TLKMQPFS,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    SelectionCV,
    TwoLevelSelector,
    open_store,
)
from qpfs.codes import write_store
from qpfs.data import planted_groups
from qpfs.evaluation.identities import identity
from qpfs.information import MEASURES, FunctionMeasure
from qpfs.information.measures import function as function_module
from qpfs.program import DenseQuadratic, SimplexProgram, solve
from qpfs.report import selection_page, selection_record
from qpfs.report.page import methods_text


def size_of_correlation(x, y):
    x, y = x - x.mean(), y - y.mean()
    return min(abs(x @ y) / np.sqrt((x @ x) * (y @ y)), 1.0)


def gauss(x, y, width=1.0):
    """HSIC with Gaussian kernels: a Gram matrix, so positive semi-definite."""
    K, L = (centred(np.exp(-((one[:, None] - one) ** 2) / (2 * width**2))) for one in (x, y))
    return (K * L).mean()


def centred(K):
    K = K - K.mean(axis=0)
    return K - K.mean(axis=1, keepdims=True)


def lopsided(x, y):
    """Not the same both ways, and not convex."""
    return abs(np.dot(x, y**3)) / len(x)


class Counting:
    """A function that knows how often, and with what, it was called."""

    def __init__(self, function):
        self.function, self.pairs = function, []

    def __call__(self, x, y):
        self.pairs.append((x.tobytes(), y.tobytes()))
        return self.function(x, y)


@pytest.fixture
def problem():
    """A table with a constant column, two classes, and no two equal columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 30)) + rng.normal(size=(50, 30))
    y = (X[:, 3] + X[:, 8] > 0).astype(int)
    X[:, 5] = 7.0
    return X, y


def matrix(f, X, y):
    """Q and s of the columns that vary, from the definition: the column that comes first is the first."""
    columns = [column for column in np.ascontiguousarray(X.T) if np.ptp(column)]
    m = len(columns)
    Q = np.array([[f(columns[min(i, j)], columns[max(i, j)]) for j in range(m)] for i in range(m)])
    return Q, np.array([f(column, y.astype(float)) for column in columns])


# The answer


@pytest.mark.parametrize("f", [size_of_correlation, gauss, lopsided])
def test_qpfs_is_the_program_of_the_full_matrix(problem, f):
    X, y = problem
    Q, s = matrix(f, X, y)
    fitted = QPFS(measure=f).fit(X, y)
    theta = Q.mean() / (Q.mean() + s.mean())
    assert fitted.theta_ == pytest.approx(theta, rel=1e-12)
    solution = solve(SimplexProgram(DenseQuadratic(Q), s, fitted.theta_))
    varying = np.delete(np.arange(30), 5)
    np.testing.assert_array_equal(fitted.relevance_[varying], s)
    np.testing.assert_allclose(fitted.scores_[varying], solution.weights, atol=1e-9)
    assert (fitted.status_, fitted.scores_[5], fitted.relevance_[5]) == (solution.status, 0, 0)


@pytest.mark.parametrize("scheme", ["difference", "quotient", "nearest"])
def test_mrmr(problem, scheme):
    X, y = problem
    Q, s = matrix(lopsided, X, y)
    how = np.max if scheme == "nearest" else np.mean
    combine = operator.truediv if scheme == "quotient" else operator.sub
    varying = np.delete(np.arange(30), 5)
    order = MRMR(8, scheme=scheme, measure=lopsided).fit(X, y).order_
    assert order.tolist() == varying[greedy(s, Q, 8, combine, how)].tolist()


CLUSTERED = [
    TLKMQPFS(theta=0.5, radius=0.5),
    IKMQPFS(theta=0.5, radius=0.5, n_first=4, n_split=3),
    IKMAQPFS(radius=0.5, n_first=4, n_split=3),
    TwoLevelSelector(criterion=MRMR(3), measure="correlation"),
    InterleavedSelector(criterion="qpfs", n_first=4, measure="correlation"),
    IKMQPFS(theta=0.5, radius=0.5, n_first=4, representative="medoid"),
]


@pytest.mark.parametrize("selector", [QPFS(), MaxRel(4), NystromQPFS(theta=0.5), *CLUSTERED], ids=repr)
def test_a_copy_of_correlation_answers_as_correlation_does(problem, selector):
    X, y = problem
    own, ours = (
        clone(selector).set_params(measure=one).fit(X, y) for one in (size_of_correlation, "correlation")
    )
    np.testing.assert_allclose(own.relevance_, ours.relevance_, atol=1e-12)  # of two classes Hall's is |r|
    np.testing.assert_array_equal(own.support_, ours.support_)
    np.testing.assert_allclose(own.scores_, ours.scores_, atol=1e-9)
    if hasattr(ours, "labels_"):
        np.testing.assert_array_equal(own.labels_, ours.labels_)
        np.testing.assert_allclose(own.radii_, ours.radii_, atol=1e-9)
        assert own.n_distances_ == ours.n_distances_


@pytest.mark.parametrize("selector", [TLKMQPFS(), IKMAQPFS(n_first=6, n_split=4)], ids=repr)
def test_clustered_methods_find_planted_groups(selector):
    planted = planted_groups(100, n_groups=4, n_copies=4, n_noise=10)
    X = StandardScaler().fit_transform(planted.X)
    fitted = selector.set_params(measure=gauss, radius=0.8, theta=0.5).fit(X, planted.y)
    assert set(planted.group[fitted.order_[:4]]) == {0, 1, 2, 3}


@pytest.mark.parametrize("unit", [1e-15, 1e12])
def test_numbers_may_be_of_any_size(problem, unit):
    """The mean of Q is exact, and the program knows no unit."""
    X, y = problem
    one, other = (QPFS(measure=f).fit(X, y) for f in (gauss, lambda a, b: unit * gauss(a, b)))
    assert other.theta_ == pytest.approx(one.theta_, rel=1e-12)
    np.testing.assert_allclose(other.scores_, one.scores_, atol=1e-9)


def test_a_promise_of_convexity_is_believed(microarray):
    X, y = microarray
    f = FunctionMeasure(size_of_correlation, semidefinite=True)
    fitted = [QPFS(theta=0.5, measure=one).fit(X, y).status_ for one in (size_of_correlation, f)]
    assert fitted == ["stationary", "optimal"]  # nobody reads 300 x 300 pairs to prove it


# How often it is called


@pytest.mark.parametrize(
    ("selector", "most"),
    [
        (MaxRel(10), 300),
        (MRMR(10), 300 + 9 * 300),
        (QPFS(10, theta=0.5), 7000),
        (IKMQPFS(theta=0.5, radius=0.8, n_first=15, n_split=15, init="leaders"), 7000),
    ],
    ids=repr,
)
def test_only_pairs_that_are_asked_for_and_each_once(microarray, selector, most):
    X, y = microarray
    f = Counting(size_of_correlation)
    selector.set_params(measure=f).fit(X, y)
    columns = {*map(np.ndarray.tobytes, np.ascontiguousarray(X.T))}  # as against the means of clusters
    pairs = [frozenset(pair) for pair in f.pairs if columns.issuperset(pair)]
    assert len(pairs) == len(set(pairs))
    assert len(f.pairs) <= most < 300 * 301 / 2


def test_a_pair_is_shown_lower_index_first_whatever_asks(problem):
    X, y = problem
    place = {X[:, i].tobytes(): i for i in range(30)}
    f = Counting(size_of_correlation)
    IKMQPFS(theta=0.5, radius=0.5, n_first=4, measure=f).fit(X, y).fitted_.table.rows(np.arange(29, -1, -1))
    pairs = [(place[x], place[z]) for x, z in f.pairs if x in place and z in place]
    assert len(pairs) == len(set(pairs)) == 29 * 30 / 2
    assert all(i <= j for i, j in pairs)


def test_pairs_beyond_what_is_remembered_are_called_again(problem, monkeypatch):
    X, y = problem
    expected = QPFS(measure=lopsided).fit(X, y)
    monkeypatch.setattr(function_module, "REMEMBERED", 20)
    f = Counting(lopsided)
    found = QPFS(measure=f).fit(X, y)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert len(found.fitted_.table.measure.known) == 20
    assert len(f.pairs) > len(set(f.pairs))


# Over processes


def test_the_answer_does_not_depend_on_n_jobs(problem):
    X, y = problem
    selector = IKMQPFS(theta=0.5, radius=0.5, n_first=4)
    X = np.repeat(X, 4, axis=0)  # long enough that the number of threads would change bits
    y = np.repeat(y, 4)
    kernel = lambda x: np.exp(-(np.subtract.outer(x, x) ** 2))  # noqa: E731, which pickle does not know

    def f(x, z):
        return np.trace(kernel(x) @ kernel(z)) / len(x) ** 2

    one, two = (clone(selector).set_params(measure=f, n_jobs=n).fit(X, y) for n in (None, 2))
    for name in ("scores_", "order_", "relevance_", "labels_", "radii_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_what_cannot_be_sent_to_processes_is_said_and_goes_to_threads(problem):
    X, y = problem
    lock = threading.Lock()

    def locked(x, z):
        with lock:
            return size_of_correlation(x, z)

    with pytest.raises(ValueError, match=r"cannot be pickled.*n_jobs=2.*Use n_jobs=None, threads"):
        QPFS(measure=locked, n_jobs=2).fit(X, y)
    with joblib.parallel_config("threading"):
        threads = QPFS(measure=locked, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threads.scores_, QPFS(measure=locked).fit(X, y).scores_)


# What it is shown


def test_columns_are_shown_as_they_are_and_may_be_written_to():
    seen = {}

    def f(x, y):
        assert x.ndim == y.ndim == 1
        assert x.dtype == y.dtype == np.float64
        seen[tuple(x), tuple(y)] = True
        x[:], y[:] = 0, 0
        return 1.0

    table = pd.DataFrame(
        {"n": [5, 7, 9, 8], "c": pd.Categorical(["b", "a", "b", "c"]), "t": [True, False] * 2}
    )
    MaxRel(measure=f).fit(table, ["yes", "no", "no", "yes"])
    assert set(seen) == {(x, (1, 0, 0, 1)) for x in [(5, 7, 9, 8), (1, 0, 1, 2), (1, 0, 1, 0)]}
    seen.clear()
    MaxRel(measure=f).fit(table[["n"]], [0.5, 1.5, 2.5, 0.25])
    assert list(seen) == [((5, 7, 9, 8), (0.5, 1.5, 2.5, 0.25))]
    assert table["n"].tolist() == [5, 7, 9, 8]


# What goes wrong


def two_columns():
    return pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3]}), [0, 1, 0, 1]


def told(value):
    """0.5, but `value` of the columns a and b."""

    def f(x, y):
        if (x[0], y[0]) != (1.0, 2.0):
            return 0.5
        if isinstance(value, Exception):
            raise value
        return value

    return f


@pytest.mark.parametrize(
    "value",
    [-0.1, np.nan, np.inf, None, "1", True, 1j, np.eye(2), np.ones(1)],
    ids=lambda one: repr(one)[:12],
)
def test_what_is_no_number_of_at_least_0_is_told_with_its_columns(value):
    with pytest.raises(
        ValueError, match=r"told.* returned .*, for column 'a' and column 'b'\. It must return"
    ):
        QPFS(theta=0.5, measure=told(value)).fit(*two_columns())


@pytest.mark.parametrize("value", [np.float32(0.5), np.array(0.5), 1, np.int8(1)])
def test_any_real_number_will_do(value):
    assert QPFS(theta=0.5, measure=told(value)).fit(*two_columns()).scores_.sum() == 1


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_is_told_with_its_columns_and_its_cause(problem, n_jobs):
    X, y = problem
    X[0, :2], X[0, 2:] = (1, 2), 3

    class OddError(Exception):
        """One that cannot be sent."""

    def failing(kind, x, z):  # nothing of this module, which takes long to import, is in it
        if (x[0], z[0]) == (1, 2):
            raise kind("gone")
        return 0.5

    with pytest.raises(ValueError, match=r"raised KeyError: 'gone', for column 0 and column 1\.") as caught:
        QPFS(theta=0.5, measure=partial(failing, KeyError), n_jobs=n_jobs).fit(X, y)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match=r"raised OddError: gone, for column 0 and column 1\."):
        QPFS(theta=0.5, measure=partial(failing, OddError), n_jobs=n_jobs).fit(X, y)


def test_tables_it_cannot_be_shown_are_refused_in_words(problem, tmp_path):
    X, y = problem
    missing, label = pd.DataFrame(X[:, :3].copy()), pd.DataFrame({"a": X[:, 0], "b": [None, *"uv" * 24, "u"]})
    missing.iloc[3, 1] = np.nan
    for table, error, words in [
        (sparse.csr_array(X), TypeError, r"X is sparse.*Give X\.toarray\(\)"),
        (da.from_array(X), TypeError, r"X is a Dask array.*Give X\.compute\(\)"),
        (open_store(write_store(X, tmp_path / "a.qpfs")), TypeError, "holds levels, not numbers.*a function"),
        (missing, ValueError, r"NaN: column 1 has missing values.*Impute them first"),
        (label, ValueError, r"NaN: column 'b' has missing values.*a separate category"),
    ]:
        with pytest.raises(error, match=words):
            QPFS(measure=gauss).fit(table, y)
    with pytest.raises(ValueError, match="criterion has measure='mi'"):
        InterleavedSelector(criterion=JMI(3), measure=gauss).fit(X, y)
    with pytest.raises(ValueError, match="function=3, but it must be a function"):
        FunctionMeasure(3)


# As a parameter, and in words


def test_scikit_learn_takes_it_for_a_parameter(problem):
    X, y = problem
    given = QPFS(3).set_params(measure=gauss)
    assert clone(given).get_params()["measure"] is gauss
    assert "gauss" in repr(given)
    tags = given.__sklearn_tags__().input_tags
    assert (tags.sparse, tags.allow_nan, tags.categorical) == (False, False, True)
    fitted = given.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.scores_, fitted.scores_)
    assert again.alternatives(int(fitted.order_[0]), 2)[0] == fitted.alternatives(int(fitted.order_[0]), 2)[0]
    assert FunctionMeasure(gauss) == FunctionMeasure(gauss, n_jobs=2) != FunctionMeasure(lopsided)


def test_a_search_takes_it(problem):
    X, y = problem
    grid = {"measure": [gauss, size_of_correlation], "theta": [0.3, 0.6]}
    search = SelectionCV(QPFS(), grid, n_features=[2, 4], cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_params_["measure"] in grid["measure"]


def test_a_function_may_be_registered_by_name(problem, monkeypatch):
    monkeypatch.setitem(MEASURES.others, "mine", gauss)
    X, y = problem
    by_name, given = (QPFS(measure=one).fit(X, y) for one in ("mine", gauss))
    np.testing.assert_array_equal(by_name.scores_, given.scores_)
    assert not by_name.__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("selector", [QPFS(3), MRMR(3), MaxRel(3), IKMAQPFS(3, n_first=4)], ids=repr)
def test_the_report_says_which_function(problem, selector):
    fitted = clone(selector).set_params(measure=partial(gauss, width=2.0)).fit(*problem)
    record = selection_record(fitted)
    name = f"{__name__}.gauss(width=2.0)"
    text = methods_text(record)["text"]
    assert f"measured by the function {name}" in text
    assert (f"with Q the function {name}" in text) == isinstance(selector, IKMAQPFS)
    assert record["method"]["parameters"]["measure"] == record["redundancy"]["measure"] == name
    page = selection_page(record)
    assert "passed to the function unchanged" in page
    assert "0x" not in text


def test_a_lambda_is_no_markup(problem):
    page = selection_page(selection_record(QPFS(3, measure=lambda x, y: gauss(x, y)).fit(*problem)))
    assert "&lt;lambda&gt;" in page
    assert "<lambda>" not in page


def test_records_tell_functions_apart():
    one, other = (QPFS(3, measure=f) for f in (lambda x, y: abs(x @ y), lambda x, y: abs(y @ x)))
    same = clone(one).set_params(n_jobs=2)
    assert identity(one, "") == identity(same, "") != identity(other, "")
