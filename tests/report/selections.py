"""Fitted selectors of every kind, and tables that try to break what is shown of them."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import MinMaxScaler

from qpfs import (
    CMIM,
    FGM,
    GDM,
    IKMAQPFS,
    IKMAQPFSCV,
    IKMQPFS,
    IKMQPFSCV,
    JMI,
    MRMR,
    QPFS,
    QPFSCV,
    TLKMQPFS,
    TLKMQPFSCV,
    InterleavedSelector,
    MaxRel,
    NystromQPFS,
    TwoLevelSelector,
)
from qpfs.report import selection_record

ALIKE = AgglomerativeClustering(10, metric="precomputed", linkage="average")
SELECTORS = [
    QPFS(5),
    QPFS(),
    QPFS(4, theta=0.3, measure="correlation"),
    QPFS(4, measure="chi2"),
    NystromQPFS(5, sampling_rate=0.5),
    MRMR(5),
    MRMR(5, scheme="nearest", measure="rank"),
    QPFS(5, measure="rank"),
    JMI(5),
    CMIM(5),
    MaxRel(5),
    TLKMQPFS(4, n_clusters=12),
    IKMQPFS(4, radius=0.6),
    IKMAQPFS(radius=0.5, n_first=4),
    TwoLevelSelector(ALIKE, f_classif, n_features_to_select=3),
    InterleavedSelector(criterion=MRMR(), discard="aggressive", n_features_to_select=2),
    QPFSCV(param_grid={"theta": [0.3, "auto"]}, n_features=[2, 4]),
    TLKMQPFSCV(param_grid={"n_clusters": [8, 16]}, n_features=[2, 4]),
    IKMQPFSCV(param_grid={"radius": [0.6, 0.8], "n_first": 5}, n_features=[2, 4]),
    IKMAQPFSCV(param_grid={"radius": [0.6, 0.8], "n_first": 5}, n_features=[2, 4]),
    FGM(5),
    GDM(5, max_correlation=0.8),
]


def named(selector):
    return type(selector).__name__


def wdbc():
    """569 x 31, scaled to [-1, 1] so that every selector takes it, one column constant, classes named."""
    X, y = scaled_wdbc()
    return X.copy(), y.copy()


@cache
def scaled_wdbc():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = MinMaxScaler((-1, 1)).set_output(transform="pandas").fit_transform(X)
    X["always one"] = 1.0
    return X, np.array(["malignant", "benign"])[y]


@cache
def fitted_to_wdbc(selector):
    """One of the selectors above, fitted once for all tests that only look at it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(selector).fit(*wdbc())


@cache
def record_of_wdbc(selector, with_data=True):
    """What is written of it, made once for all tests that only look at it."""
    return selection_record(fitted_to_wdbc(selector), X=wdbc()[0] if with_data else None)


PROBE = "window.__run = (window.__run || 0) + 1"
HOSTILE = [
    f"<script>{PROBE}</script>",
    f"<img src=x onerror='{PROBE}'>",
    f"'\"><svg onload='{PROBE}'>",
    f"</title></style></script><script>{PROBE}</script>",
    "a\nb\tc",
    "",
    "   ",
    "שלום עולם",
    "\u202eevil",
    "x" * 400,
    "{{ 7 * 7 }} {% raw %}",
    "=1+1",
    "many words of one name " * 12,
    "&lt;b&gt; & co",
]


def hostile():
    """80 x 15 with hostile names, classes and labels, and missing values."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, len(HOSTILE))), columns=HOSTILE)
    y = np.array([f"<script>{PROBE}</script>", "ok", "'\"&"])[rng.integers(0, 3, 80)]
    X.iloc[:, 0] += 2 * (y == "ok")
    X.iloc[:6, 1] = np.nan
    X["kind <b>"] = rng.choice(["<i>a</i>", "b\nc", None], 80)
    return X, y
