"""What holds for every selector."""

from __future__ import annotations

import numpy as np
import pytest

from qpfs import CMIM, FGM, GDM, JMI, MRMR, QPFS, MaxRel, NystromQPFS
from qpfs.methods import METHODS

SELECTORS = {
    "qpfs": QPFS(10),
    "qpfs at 0.5": QPFS(10, theta=0.5),
    "qpfs at 0": QPFS(10, theta=0),
    "qpfs at 1": QPFS(10, theta=1),
    "qpfs by chi-square": QPFS(10, measure="chi2"),
    "qpfs by correlation": QPFS(10, measure="correlation"),
    "nystrom": NystromQPFS(10, sampling_rate=0.2),
    "nystrom, corrected": NystromQPFS(10, sampling_rate=0.2, diagonal_correction=True),
    "mrmr": MRMR(10),
    "mrmr by quotient": MRMR(10, scheme="quotient"),
    "mrmr by the nearest": MRMR(10, scheme="nearest", measure="rank"),
    "qpfs by ranks": QPFS(10, measure="rank"),
    "jmi": JMI(10),
    "cmim": CMIM(10),
    "maxrel": MaxRel(10),
    "fgm": FGM(10),
    "fgm, logistic, with intercept": FGM(10, loss="logistic", fit_intercept=True),
    "gdm": GDM(10, max_correlation=0.5),
} | {name: method.selector(10) for name, method in METHODS.others.items()}
every_selector = pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
SAMPLES_FEATURES = [name for name in SELECTORS if not name.startswith("nystrom")]
THREADED = [name for name in SELECTORS if "n_jobs" in SELECTORS[name].get_params()]


@every_selector
def test_scores_order_and_support_agree(microarray, selector):
    X, y = microarray
    fitted = selector.fit(X, y)
    assert fitted.scores_.shape == (300,)
    assert getattr(fitted, "relevance_", fitted.scores_).shape == (300,)
    assert len(set(fitted.order_)) == len(fitted.order_)
    assert set(fitted.get_support(indices=True)) == set(fitted.order_[:10])
    assert not np.delete(fitted.scores_, fitted.order_).any()


@every_selector
def test_the_order_of_samples_says_nothing(microarray, selector):
    X, y = microarray
    shuffled = np.random.default_rng(1).permutation(len(y))
    one, other = selector.fit(X, y).order_, selector.fit(X[shuffled], y[shuffled]).order_
    np.testing.assert_array_equal(one[:10], other[:10])


@pytest.mark.parametrize("selector", [SELECTORS[name] for name in SAMPLES_FEATURES], ids=SAMPLES_FEATURES)
def test_the_order_of_features_says_nothing(microarray, selector):
    X, y = microarray
    shuffled = np.random.default_rng(2).permutation(300)
    one = selector.fit(X, y)
    scores, support = one.scores_[shuffled], one.get_support()[shuffled]
    other = selector.fit(X[:, shuffled], y)
    np.testing.assert_allclose(other.scores_, scores, atol=1e-9)
    assert (other.get_support() == support).mean() > 0.99  # but for exact ties


@every_selector
def test_the_type_and_layout_of_numbers_say_nothing(microarray, selector):
    X, y = microarray
    X = X.astype(np.float32)
    expected = selector.fit(X, y).scores_
    for same in (X.astype(np.float64), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(selector.fit(same, y).scores_, expected)


@pytest.mark.parametrize("selector", [SELECTORS[name] for name in THREADED], ids=THREADED)
def test_threads_do_not_change_a_bit(monkeypatch, microarray, selector):
    X, y = microarray
    monkeypatch.setattr("qpfs.information.table.SMALL", 0)
    monkeypatch.setattr("qpfs.codes.columns.FEW_NUMBERS", 0)
    one = selector.set_params(n_jobs=1).fit(X, y)
    scores, order = one.scores_, one.order_
    for n_jobs in (2, 3):
        other = selector.set_params(n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(other.scores_, scores)
        np.testing.assert_array_equal(other.order_, order)
