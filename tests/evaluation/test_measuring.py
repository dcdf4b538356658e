"""Cost of a fit in a process of its own."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.conftest import latent_factors
from tests.evaluation.costly import Failing, Hungry, Killed, Slow

from qpfs import FGM, QPFS
from qpfs.evaluation import MeasuringError, measured

X, Y = latent_factors(40, 300)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks can be forgotten on Linux only")
def test_megabytes_are_those_taken():
    little, much = (measured(Hungry(n), X, Y).megabytes for n in (0, 300))
    assert little < 20
    assert 290 < much < 330


def test_kinds_of_tables():
    table = pa.table({"a": ["x", "y"] * 20, "b": X[:, 0]})
    assert measured(QPFS(), table, Y, repeats=2).seconds > 0
    assert measured(FGM(2), sparse.csr_array(np.round(X)), Y).seconds > 0


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (Slow(), "Slow did not come to its end within 2 s"),
        (Killed(), "Killed was killed by the system, most likely because memory ran out"),
        (Failing(), "Failing could not be measured: ValueError: no such luck"),
    ],
)
def test_bad_ends_are_told(selector, message):
    with pytest.raises(MeasuringError, match=message):
        measured(selector, X, Y, timeout=2 if isinstance(selector, Slow) else None)


def test_a_class_that_no_other_process_can_find():
    class Local(Hungry):
        pass

    with pytest.raises(MeasuringError, match="module that can be imported"):
        measured(Local(), X, Y)
