"""Short functions are no use if there are too many on the way: who follows a fit must get to its end."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from tests.paths import path_of

from qpfs import QPFS

FUNCTIONS, CHANGES = 181, 88  # of a fit by ranks, with an order of its own; may only become less


def test_a_fit_can_be_followed():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    QPFS().fit(X, y)  # kernels are compiled by way of many more
    functions, changes = path_of(lambda: QPFS().fit(X, y))
    assert len(functions) <= FUNCTIONS, sorted(functions)
    assert changes <= CHANGES
