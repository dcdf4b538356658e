"""Very many features under a hard limit of memory: nothing grows with the square of their number."""

import pytest
from tests.apart import script

resource = pytest.importorskip("resource")

CHILD = """
import resource, sys, warnings
import numpy as np
from qpfs import (
    FGM, GDM, IKMAQPFS, IKMQPFS, MRMR, QPFS, TLKMQPFS,
    IKMAQPFSCV, InterleavedSelector, MaxRel, NystromQPFS, QPFSCV, TLKMQPFSCV, TwoLevelSelector,
)

N, M = 30, int(sys.argv[2])
rng = np.random.default_rng(0)
y = np.arange(N) % 2
X = rng.standard_normal((N, M), np.float32)
X[:, :20] += 1.5 * y[:, None]
warnings.simplefilter("ignore")
selectors = [eval(one) for one in sys.argv[3:]]
for selector in selectors:  # kernels are compiled first, which takes memory of its own
    selector.fit(X[:, :300], y)
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
for selector in selectors:
    found = selector.fit(X, y)
    assert len(found.order_) > 0
    print(type(selector).__name__, flush=True)
"""

SOME = [
    "QPFS()",
    "TLKMQPFS()",
    "IKMAQPFS()",
]  # a program of all features, clusters at once, clusters in turns
OTHERS = [
    "QPFS(theta=0.7)",
    "QPFS(theta=0.7, measure='chi2')",
    "MRMR(20)",
    "MaxRel(20)",
    "NystromQPFS(theta=0.5, sampling_rate=0.0003)",
    "IKMQPFS()",
    "TwoLevelSelector()",
    "InterleavedSelector()",
    "FGM()",
    "GDM()",
    "QPFSCV(param_grid={'theta': [0.7]}, n_features=[10], cv=2)",
    "TLKMQPFSCV(param_grid={'n_clusters': [20]}, n_features=[10], cv=2)",
    "IKMAQPFSCV(param_grid={'radius': [0.8], 'n_first': [15]}, n_features=[10], cv=2)",
]


@pytest.mark.parametrize(
    ("limit", "n_features", "selectors"),
    [  # bits of a matrix of all pairs would be 1.25 GB, and 5 GB
        pytest.param(1_200_000_000, 100_000, SOME, id="some"),
        pytest.param(1_500_000_000, 200_000, SOME + OTHERS, id="all", marks=pytest.mark.slow),
    ],
)
def test_every_selector_within_a_limit(limit, n_features, selectors):
    done = script(CHILD, limit, n_features, *selectors)
    assert done.returncode == 0, f"after {done.stdout.split()}: {done.stderr[-2000:]}"
    assert len(done.stdout.split()) == len(selectors)
