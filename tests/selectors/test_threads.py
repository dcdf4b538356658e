"""Fits with several threads: the same bits, and an end in any case."""

from __future__ import annotations

import threading
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import clone
from tests.laws.same import assert_same, learned

from qpfs import IKMAQPFS, IKMQPFS, QPFS, TLKMQPFS, EqualFrequency, MaxRel, ThreeSegments
from qpfs.codes import columns_of
from qpfs.criteria import QuadraticCriterion, TradeOff
from qpfs.engines import Threads
from qpfs.groups import Groups
from qpfs.information import FunctionMeasure
from qpfs.selectors.problem import packed_table

pytestmark = pytest.mark.filterwarnings("ignore:.*than chance", "ignore:n_features_to_select")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 1500))
X[:, 700:] = X[:, :800] + 0.4 * RNG.normal(size=(90, 800))  # clusters
Y = (X[:, 0] + X[:, 3] > 0).astype(int)
LEVELS = {"measure": "mi", "discretizer": ThreeSegments()}  # of many different margins
SMALL = {  # work that is shared out, in numbers for tables of any size
    ("qpfs.information.table", "SMALL"): 1.0,
    ("qpfs.information.significance", "FEWEST_KINDS"): 8,
    ("qpfs.information.significance", "MOST_COMPARED"): 50,
    ("qpfs.criteria.quadratic", "PART"): 20,
    ("qpfs.criteria.quadratic", "MOST_ENTRIES"): 500,
    ("qpfs.clustering.batches", "LEAST"): 10,
}


@pytest.fixture
def shared_out(monkeypatch):
    share_out(monkeypatch)


def share_out(monkeypatch):
    for (module, name), number in SMALL.items():
        monkeypatch.setattr(import_module(module), name, number)


@pytest.mark.parametrize(
    ("selector", "given"),
    [
        (MaxRel(**LEVELS), {}),
        (MaxRel(measure="mi", discretizer=EqualFrequency(3)), {}),  # one kind of margins
        (MaxRel(**LEVELS), {"y": np.column_stack([Y, X[:, 5] > 0.4])}),
        (MaxRel(**LEVELS), {"groups": np.arange(90) // 2}),
        (QPFS(20, n_permutations=20, **LEVELS), {}),
        (QPFS(20, fdr=0.5, **LEVELS), {}),
        (QPFS(20, measure="rank"), {"covariates": {"site": np.array(list("ab") * 45)}}),
        (TLKMQPFS(**LEVELS), {}),
        (IKMQPFS(**LEVELS), {}),
        (IKMQPFS(keep=[7, 900], **LEVELS), {}),
        (IKMAQPFS(measure="rank"), {"sample_weight": np.arange(90) % 3 + 1}),
    ],
    ids=lambda one: "" if isinstance(one, dict) else None,
)
def test_threads_do_not_change_a_bit_of_what_they_share(selector, given, shared_out):
    given = {"y": Y, **given}
    one = clone(selector).set_params(n_jobs=1).fit(X, **given)
    for n_jobs in (2, 3):
        assert_same(learned(one), learned(clone(selector).set_params(n_jobs=n_jobs).fit(X, **given)))


def test_what_is_shared_out_changes_no_bit(monkeypatch):
    whole = [
        clone(one).fit(X, Y) for one in (MaxRel(**LEVELS), IKMQPFS(**LEVELS), IKMQPFS(keep=[7], **LEVELS))
    ]
    share_out(monkeypatch)
    for one in whole:
        assert_same(one, clone(one).fit(X, Y))


@pytest.mark.timeout(60)
def test_a_fit_that_ends_early_does_not_wait_for_p_values(monkeypatch, shared_out):
    def interrupted(*_):
        raise KeyboardInterrupt

    groups = np.arange(90) // 3
    with monkeypatch.context() as patch:
        patch.setattr(QPFS, "_weigh", interrupted)
        for _ in range(5):
            with pytest.raises(KeyboardInterrupt):
                QPFS(theta=0.5, measure="mi", n_jobs=2).fit(X, Y, groups=groups)
    fitted = QPFS(theta=0.5, measure="mi", n_jobs=2).fit(X, Y, groups=groups)
    assert (fitted.qvalues_ <= 1).all()


def test_an_error_in_a_p_value_ends_the_fit(monkeypatch):
    def broken(*_, **__):
        raise ValueError("no p values today")

    monkeypatch.setattr(import_module("qpfs.information.significance"), "of_kinds", broken)
    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match="no p values today"):
            QPFS(theta=0.5, n_jobs=n_jobs, **LEVELS).fit(X, Y)


def test_a_function_is_called_by_one_thread(shared_out):
    called = set()

    def shared(f, g):
        called.add(threading.current_thread())
        return abs(float(f @ g))

    groups = Groups(np.arange(60), np.arange(0, 61, 6))
    with Threads(2) as engine:
        table, _ = packed_table(
            columns_of(X[:, :60]), ThreeSegments(), FunctionMeasure(shared, n_jobs=1), engine
        )
        weights = QuadraticCriterion(TradeOff(0.5)).weigh_each(table, np.ones(60), groups)
    np.testing.assert_allclose(weights.reshape(10, 6).sum(axis=1), 1.0)
    assert called == {threading.current_thread()}
