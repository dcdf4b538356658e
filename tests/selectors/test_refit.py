"""A fit lets what was learned before go, first of all: two packed tables are never in memory at once."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from qpfs import FGM, GDM, IKMAQPFS, MRMR, QPFS, QPFSCV, MaxRel, ThreeSegments

X = np.random.default_rng(0).normal(size=(40, 12))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
KEEPING = [QPFS(), MRMR(3), MaxRel(), IKMAQPFS(n_first=3), QPFSCV(QPFS(), {"theta": [0.3, 0.6]}, [2], cv=2)]


class Watching(ThreeSegments):
    """A rule that notes, whenever columns are cut, whether somebody still has the store before."""

    def __init__(self, before=None):
        super().__init__()
        self.before = before

    def edges(self, tile):
        if self.before is not None:
            self.before.alive.append(self.before.store() is not None)
        return super().edges(tile)


class Before:
    """The store of an earlier fit, and whether it was there each time that columns were cut."""

    def __init__(self, selector):
        self.store = weakref.ref(selector.fitted_.table.store)
        self.alive = []

    def __deepcopy__(self, memo):  # as a parameter is cloned
        return self


@pytest.mark.parametrize("selector", KEEPING, ids=lambda one: type(one).__name__)
def test_the_store_before_is_gone_while_a_new_one_is_made(selector):
    before = Before(clone(selector).fit(X, Y))
    assert before.store() is None  # nothing but the selector has it
    selector = clone(selector).fit(X, Y)
    before = Before(selector)
    rule = "selector__discretizer" if "selector" in selector.get_params() else "discretizer"
    selector.set_params(**{rule: Watching(before)}).fit(X, Y)
    assert before.alive
    assert not any(before.alive)


@pytest.mark.parametrize("selector", KEEPING, ids=lambda one: type(one).__name__)
def test_a_fit_that_fails_keeps_nothing(selector):
    selector = clone(selector).fit(X, Y)
    before = Before(selector)
    with pytest.raises(ValueError, match="inconsistent"):
        selector.fit(X, Y[:-1])
    assert before.store() is None
    with pytest.raises(NotFittedError):
        _ = selector.fitted_


@pytest.mark.parametrize("selector", [FGM(2), GDM(2)], ids=lambda one: type(one).__name__)
def test_machines_forget_their_target(selector):
    target = weakref.ref(selector.fit(X, Y).fitted_.target)
    with pytest.raises(ValueError, match="inconsistent"):
        selector.fit(X, Y[:-1])
    assert target() is None


def test_another_fit_does_not_change_what_a_selector_learned():
    """By default all selectors discretise by one rule, which none of them may write on."""
    first = MRMR(3, measure="mi").fit(X, Y)
    edges = first.discretizer_.edges_.copy()
    MRMR(3, measure="mi").fit(X[:, 5:10], Y)
    np.testing.assert_array_equal(first.discretizer_.edges_, edges)
