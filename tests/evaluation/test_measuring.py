"""Cost of a fit in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.apart import measure_in_forks
from tests.conftest import latent_factors
from tests.evaluation.costly import Failing, Hungry, Killed, Slow

from qpfs import FGM, QPFS
from qpfs.evaluation import MeasuringError, measured

X, Y = latent_factors(40, 300)


@pytest.mark.slow
def test_a_table_with_labels():
    table = pa.table({"a": ["x", "y"] * 20, "b": X[:, 0]})
    assert measured(QPFS(), table, Y, repeats=2).seconds > 0


@pytest.mark.slow
def test_a_sparse_table():
    assert measured(FGM(2), sparse.csr_array(np.round(X)), Y).seconds > 0


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (Slow(), "Slow did not finish within 2 s"),
        (Killed(), "Killed was killed by the system, most likely because memory ran out"),
        (Failing(), "Failing could not be measured: ValueError: no such luck"),
    ],
)
def test_bad_ends_are_told(selector, message, monkeypatch):
    measure_in_forks(monkeypatch)
    with pytest.raises(MeasuringError, match=message):
        measured(selector, X, Y, timeout=2 if isinstance(selector, Slow) else None)


def test_a_class_that_no_other_process_can_find():
    class Local(Hungry):
        pass

    with pytest.raises(MeasuringError, match="module that can be imported"):
        measured(Local(), X, Y)


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A current folder with modules that go by the names of others, as a folder of data may hold them."""
    for name in ("joblib", "json", "planted"):
        (tmp_path / f"{name}.py").write_text(
            f"from pathlib import Path\nPath({str(tmp_path)!r}, 'run').touch()"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run"


def test_megabytes_are_those_taken_and_nothing_of_the_current_folder_is_run_or_counted(planted, monkeypatch):
    monkeypatch.setattr(sys, "path", [one for one in sys.path if Path(one).resolve() != Path.cwd() and one])
    taken = measured(Hungry(300), X, Y).megabytes
    assert not planted.exists()
    assert 290 < taken < 320 or not sys.platform.startswith("linux")  # where alone peaks can be forgotten


def test_what_this_process_finds_in_the_current_folder_the_other_finds_too(tmp_path, monkeypatch):
    (tmp_path / "own_selector.py").write_text("class Own:\n    def fit(self, X, y):\n        return self\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])  # as in a session at the prompt
    from own_selector import Own

    assert measured(Own(), X, Y).seconds >= 0
