"""The fits of which the kernels of most tests are: neighbours share most of theirs (see kernels.py)."""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np
from scipy import sparse
from tests.shuffles import FEWER

from qpfs import FGM, GDM, IKMAQPFS, JMI, MRMR, QPFS, TLKMQPFS, EqualFrequency, MaxRel, NystromQPFS
from qpfs.compiled import compiled_at_once

RNG = np.random.default_rng(0)
Y = np.arange(70) % 2
X = RNG.normal(size=(70, 300)) + Y[:, None] * (np.arange(300) < 20)
MANY = RNG.integers(0, 6, (70, 40))  # levels
FEW = sparse.csr_array(np.where(X > 1, X, 0))
WEIGHTS = {"sample_weight": np.arange(70) % 4 + 0.5}
FITS = [
    (QPFS(), X),
    (IKMAQPFS(), X),
    (TLKMQPFS(), X),
    (NystromQPFS(), X),
    (QPFS(), X, WEIGHTS),
    (QPFS(measure="mi"), X),
    (QPFS(measure="mi"), X, WEIGHTS),
    (IKMAQPFS(measure="mi"), X),
    (TLKMQPFS(measure="mi"), X),
    (QPFS(measure="mi", discretizer=EqualFrequency(5)), X),
    (TLKMQPFS(measure="mi"), MANY),
    (JMI(5), X),
    (QPFS(measure="mi"), X.astype(np.float32)),
    (IKMAQPFS(measure="mi"), FEW),
    (QPFS(measure="chi2"), X),
    (TLKMQPFS(measure="chi2"), MANY),
    (MRMR(5, measure="chi2"), FEW),
    (MaxRel(), FEW),
    (QPFS(), FEW, WEIGHTS),
    (MRMR(5), FEW),
    (MRMR(5, measure="correlation"), X),
    (MRMR(5, measure="correlation"), FEW),
    (FGM(), FEW),
    (FGM(), X),
    (GDM(), FEW),
    (GDM(), X),
]


def fit_all(first, last, step):
    """Fits from one end of the list, until another process has come from the other."""
    vars(import_module("qpfs.information.significance")).update(FEWER)  # shuffles, which compile nothing
    while True:
        with first.get_lock():
            if first.value > last.value:
                return
            mine = first if step == 1 else last
            place, mine.value = mine.value, mine.value + step
        selector, table, *told = FITS[place]
        with warnings.catch_warnings(), compiled_at_once():
            warnings.simplefilter("ignore")
            selector.fit(table, Y, **dict(*told))
