"""What the real sets show."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from sklearn.svm import LinearSVC
from tests.published import IKMAQPFS, IKMQPFS

from qpfs import QPFS

SETS = [
    "wdbc",
    "colon",
    "srbct",
    "lymphoma",
    "leukemia",
    "mnist38",
    "usps",
    "rac_standin_borovecki",
    "rac_standin_hsmm",
]


@pytest.mark.data
@pytest.mark.parametrize("theta", ["auto", 0.5, 0.1])
@pytest.mark.parametrize(
    "name", ["colon", *(pytest.param(name, marks=pytest.mark.slow) for name in SETS if name != "colon")]
)
def test_the_certificate_and_the_threads(benchmark_data, name, theta):
    X, y = benchmark_data(name)
    one, two = (QPFS(theta=theta, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.gap_ <= 1e-6
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.order_, two.order_)
    assert one.theta_ == two.theta_


@pytest.mark.data
@pytest.mark.slow
def test_srbct_without_error_by_eleven_features(benchmark_data):
    """Leave-one-out around all of it: cutting, selection, scaling, training."""
    X, y = benchmark_data("srbct")
    wrong = np.zeros(11, int)
    for train, test in LeaveOneOut().split(X):
        order = QPFS().fit(X[train], y[train]).order_
        for k in range(1, 12):
            top = order[:k]
            scaler = MinMaxScaler((-1, 1)).fit(X[np.ix_(train, top)])
            svm = LinearSVC(dual=False).fit(scaler.transform(X[np.ix_(train, top)]), y[train])
            wrong[k - 1] += svm.predict(scaler.transform(X[np.ix_(test, top)]))[0] != y[test][0]
    assert wrong.min() == 0, f"errors by number of features: {wrong}"


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:n_features_to_select asks for")
@pytest.mark.parametrize(
    ("selector", "n", "published"),
    [
        (IKMQPFS(init="relevance", radius=0.8, n_first=5), 20, 9.68),
        (IKMAQPFS(init="leaders", radius=0.76, n_first=20), 10, 8.06),
    ],
    ids=str,
)
def test_colon_by_the_published_protocol(benchmark_data, selector, n, published):
    """One selection on all rows, then leave-one-out of the classifier: cells of `benchmarks/colon.py`.

    No estimate of the error on new samples, for the rows that are tested on took part in the selection.
    """
    X, y = benchmark_data("colon")
    X = minmax_scale(X.astype(float), (-1, 1))
    top = selector.fit(X, y).order_[:n]
    wrong = sum(
        LinearSVC(dual=False).fit(X[np.ix_(train, top)], y[train]).predict(X[np.ix_(test, top)])[0]
        != y[test][0]
        for train, test in LeaveOneOut().split(X)
    )
    assert round(100 * wrong / len(y), 2) <= published
