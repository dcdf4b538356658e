"""Short functions are no use if there are too many on the way: who follows a fit must get to its end."""

from __future__ import annotations

from types import SimpleNamespace

from sklearn.datasets import load_breast_cancer
from tests.paths import path_of

from qpfs import QPFS
from qpfs.criteria import quadratic
from qpfs.selectors import selector

FUNCTIONS, CHANGES = 181, 88  # of a fit by ranks, with an order of its own; may only become less
SURE = 25  # functions more that say how sure the answer is


def test_a_fit_can_be_followed(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = QPFS().fit(X, y).fitted_.significance  # kernels are compiled by way of many more
    known = SimpleNamespace(result=lambda: found)
    whole, _ = path_of(lambda: QPFS().fit(X, y))
    monkeypatch.setattr(selector, "pending_significance", lambda *_: known)
    monkeypatch.setattr(selector, "leaks", lambda *_: ())
    monkeypatch.setattr(quadratic, "standing", lambda *_: None)
    answer, changes = path_of(lambda: QPFS().fit(X, y))
    assert len(answer) <= FUNCTIONS, sorted(answer)
    assert changes <= CHANGES
    assert len(whole - answer) <= SURE, sorted(whole - answer)
