"""The rank measure makes the program convex: on every real set the answer is proved to be the best."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import FOLDER

from qpfs import QPFS
from qpfs.information import Rank

SETS = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.npz"))
MOST = 2_000  # samples; of more some are drawn


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("theta", ["auto", 0.3])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("name", SETS or ["colon"])
def test_the_answer_is_proved_on_every_set(benchmark_data, name, degree, theta):
    X, y = benchmark_data(name)
    if len(y) > MOST:
        some = np.random.default_rng(0).permutation(len(y))[:MOST]
        X, y = X[some], y[some]
    fitted = QPFS(theta=theta, measure=Rank(degree)).fit(X, y)
    assert fitted.status_ == "optimal"
    assert fitted.gap_ <= 1e-9
    assert fitted.scores_.sum() == pytest.approx(1, abs=1e-9)
    assert fitted.scores_.min() >= 0
