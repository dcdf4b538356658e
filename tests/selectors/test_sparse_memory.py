"""A wide sparse table under a hard limit of memory, far below what it takes spread out."""

from __future__ import annotations

import sys

import pytest
from tests.apart import script

resource = pytest.importorskip("resource")

CHILD = """
import resource, sys
import numpy as np
from scipy import sparse
import qpfs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, {n_samples})
own = [np.flatnonzero((rng.random({n_samples}) < 0.003) & (y == i % 2)) for i in range(40)]
rows = [np.sort(rng.permutation(own[i % 40])[: rng.integers(3, 9)]) for i in range({n_features})]
rows[:20] = [np.flatnonzero((rng.random({n_samples}) < 0.1) & (y == i % 2)) for i in range(20)]
indptr = np.cumsum([0] + [len(one) for one in rows])
stored = rng.lognormal(size=indptr[-1]), np.concatenate(rows), indptr
X = sparse.csc_array(stored, ({n_samples}, {n_features}))
resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))
try:
    X.toarray()
except MemoryError:
    pass
else:
    sys.exit("the limit is too high to say anything")
selector = {selector}.fit(X, y)
assert selector.scores_.shape == ({n_features},)
assert len(selector.order_) > 0
assert set(np.argsort(-selector.relevance_)[:20]) == set(range(20))
"""

SELECTORS = {
    "qpfs": "qpfs.QPFS(10, theta=0.5)",
    "nystrom": "qpfs.NystromQPFS(10, theta=0.5, sampling_rate=0.0001)",
    "mrmr": "qpfs.MRMR(10)",
    "mrmr of chi-square": "qpfs.MRMR(10, measure='chi2')",
    "maxrel of correlation": "qpfs.MaxRel(10, measure='correlation')",
    "tlkm": "qpfs.TLKMQPFS(10, n_clusters=30)",
    "ikm": "qpfs.IKMQPFS(10, n_first=20)",
    "ikma": "qpfs.IKMAQPFS(10, n_first=20)",
}


def run(selector, n_samples, n_features, limit):
    code = CHILD.format(selector=selector, n_samples=n_samples, n_features=n_features, limit=limit)
    return script(code)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit does not hold for arrays")
@pytest.mark.slow
@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_a_wide_sparse_table_is_not_spread_out(selector):
    done = run(selector, 6_000, 200_000, 1 << 30)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit does not hold for arrays")
def test_a_sparse_table_is_not_spread_out():
    done = run("qpfs.MRMR(2)", 10_000, 10_000, 700 << 20)
    assert done.returncode == 0, done.stderr
