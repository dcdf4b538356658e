"""A user's module, which `mypy --strict` checks against the installed package; it is not run."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import qpfs
from qpfs import FGM, IKMAQPFS, MRMR, QPFS, QPFSCV, EncodedTable, EqualFrequency, open_store
from qpfs.evaluation import Comparison, Cost, ErrorCurve, Stability, compare, error_curve, measured, resampled
from qpfs.report import Report

X = np.zeros((4, 3))
y = np.array([0, 1, 0, 1])

assert_type(qpfs.__version__, str)
assert_type(open_store("table.qpfs"), EncodedTable)

selector = QPFS(2, measure="mi", discretizer=EqualFrequency(3)).fit(X, y)
assert_type(selector, QPFS)
assert_type(selector.scores_, NDArray[np.float64])
assert_type(selector.pvalues_, NDArray[np.float64])
assert_type(selector.order_, NDArray[np.intp])
assert_type(selector.gap_, float)
assert_type(selector.status_, str)
assert_type(selector.theta_, float)
assert_type(selector.redundancy([0, 1]), NDArray[np.float64])
assert_type(selector.theta_path([0.5]).weights, NDArray[np.float64])
assert_type([one.name for one in selector.alternatives(0)], list[str])
assert_type(selector.metrics(), dict[str, int | float])
assert_type(selector.report(X), Report)

assert_type(MRMR(2).fit(X, y), MRMR)
assert_type(IKMAQPFS(2).fit(X, y).labels_, NDArray[np.intp])
assert_type(FGM().fit(X, y), FGM)
assert_type(QPFSCV(n_features=[1, 2]).fit(X, y).best_params_, dict[str, Any])

assert_type(compare({"mrmr": MRMR()}, X, y), Comparison)
assert_type(error_curve(selector, X, y, cv=2), ErrorCurve)
assert_type(resampled(selector, X, y, n=10).stability, Stability)
assert_type(measured(selector, X, y), Cost)

QPFS("two")  # type: ignore[arg-type]
QPFS(2, no_such_parameter=1)  # type: ignore[call-arg]
