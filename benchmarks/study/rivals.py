"""What else selects features: functions of the training half that return up to 50 features, best first.

Linear models and fastcan see standardised columns. A package that is not installed is named and left out.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import LinearSVC

Order = NDArray[np.intp]
N_ORDER = 50
MOST_FOR_RFE = 3_000
PATH_OF_C = np.logspace(-2, 2, 9)
PACKAGES = {"fastcan": "fastcan", "HSIC Lasso": "pyHSICLasso", "ReliefF": "fast_select"}


def missing(name: str) -> str | None:
    """The package that a rival needs and that is not installed."""
    package = PACKAGES.get(name)
    return package if package and find_spec(package) is None else None


def standardised(X: Any) -> Any:
    return StandardScaler().fit_transform(np.asarray(X, np.float64))


def f_scores(X: Any, y: Any) -> Any:
    """F of each feature; 0 for a constant one."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(f_classif(X, y)[0], nan=0.0, posinf=1e300)


def f_test(X: Any, y: Any) -> Order:
    return best(f_scores(X, y))


def rfe(X: Any, y: Any) -> Order:
    """Recursive elimination: a tenth of what is left at a time, one by one from the last hundred."""
    X = standardised(X)
    left = best(f_scores(X, y), MOST_FOR_RFE)
    gone: list[int] = []
    while len(left) > 1:
        importance = linear_importance(LinearSVC(C=0.1, random_state=0, max_iter=5000).fit(X[:, left], y))
        n = max(1, min(len(left) // 10, len(left) - 2 * N_ORDER))
        worst = np.argsort(importance, kind="stable")[:n]
        gone.extend(left[worst])
        left = np.delete(left, worst)
    return np.array([*left, *gone[::-1]][:N_ORDER])


def l1(X: Any, y: Any) -> Order:
    """The L1-penalised linear support vector machine at the first C that leaves 50 features."""
    X = standardised(X)
    importance = np.zeros(X.shape[1])
    for C in PATH_OF_C:
        model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0, max_iter=2000).fit(X, y)
        importance = linear_importance(model)
        if np.count_nonzero(importance) >= min(N_ORDER, X.shape[1]):
            break
    order = best(importance)
    return order[importance[order] > 0]


def forest(X: Any, y: Any) -> Order:
    model = RandomForestClassifier(500, n_jobs=1, random_state=0).fit(X, y)
    return best(model.feature_importances_)


def fast_can(X: Any, y: Any) -> Order:
    """fastcan, with an indicator for each class; it ends where the samples are explained."""
    from fastcan import FastCan

    X = standardised(X)
    targets = LabelBinarizer().fit_transform(y).astype(np.float64)
    n = min(N_ORDER, X.shape[1])
    while True:
        try:
            return np.asarray(FastCan(n, verbose=0).fit(X, targets).indices_)
        except RuntimeError:  # no feature left that is not a combination of those taken
            n = n * 9 // 10
            if n < 5:
                raise


def hsic_lasso(X: Any, y: Any) -> Order:
    from pyHSICLasso import HSICLasso

    model = HSICLasso()
    with redirect_stdout(io.StringIO()):
        model.input(np.asarray(X, np.float64), y + 1)
        model.classification(min(N_ORDER, X.shape[1]), B=min(20, len(X)), M=3, n_jobs=1)
    return np.asarray(model.get_index())


def relief(X: Any, y: Any) -> Order:
    from fast_select.ReliefF import ReliefF

    n = min(N_ORDER, X.shape[1])
    model = ReliefF(n_features_to_select=n, n_neighbors=10, n_jobs=1, backend="cpu")
    return best(model.fit(np.asarray(X, np.float32), y).feature_importances_)


def linear_importance(model: Any) -> Any:
    """How much a linear model needs each feature: squared coefficients over all classes."""
    return np.sum(model.coef_**2, axis=0)


def best(scores: Any, n: int = N_ORDER) -> Order:
    """The features with the highest scores; the lowest index first where they are equal."""
    return np.argsort(-np.asarray(scores, np.float64), kind="stable")[:n]
