"""The data sets: those of the publication, as stored."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from reproduction import published
from reproduction.sets import DATA_SETS, Shape, folder_of, set_at_hand, table_of
from reproduction.work import given_parts

from qpfs.data import UsageError

FOLDER = Path(os.environ.get("QPFS_DATA", Path(__file__).parents[3] / "shared" / "data"))
STORED = [name for name, one in DATA_SETS.items() if not one.stand_in and name != "wdbc"]


def test_what_is_built_in_needs_no_folder(monkeypatch):
    monkeypatch.delenv("QPFS_DATA", raising=False)
    assert folder_of(None) is None
    assert set_at_hand("wdbc", None)
    table = table_of("wdbc", None)
    assert (table.n_samples, table.n_features) == published.SHAPES["wdbc"][:2]
    assert table.scaled.X.min() == -1
    assert table.scaled.X.max() == pytest.approx(1)


def test_a_folder_that_is_named_comes_first(monkeypatch, tmp_path):
    monkeypatch.setenv("QPFS_DATA", str(tmp_path))
    (tmp_path / "given").mkdir()
    assert folder_of(str(tmp_path / "given")) == tmp_path / "given"
    assert folder_of(None) == tmp_path
    with pytest.raises(UsageError, match="no such folder"):
        folder_of("nowhere")


@pytest.mark.data
@pytest.mark.parametrize("name", STORED)
def test_shapes_and_classes_are_those_of_the_publication(benchmark_data, name):
    X, y = benchmark_data(name)
    table = table_of(name, FOLDER)
    assert table.shape == Shape(*published.SHAPES[name])
    np.testing.assert_array_equal(table.raw.X, X)
    np.testing.assert_array_equal(table.raw.y, y)


@pytest.mark.data
def test_the_rows_of_mnist_to_learn_from_come_first(benchmark_data):
    benchmark_data("wdbc")  # skips where there is no folder
    with np.load(FOLDER / "mnist38.npz", allow_pickle=False) as arrays:
        is_train = arrays["is_train"]
    train, test = given_parts(np.arange(len(is_train)))
    np.testing.assert_array_equal(train, np.flatnonzero(is_train))
    np.testing.assert_array_equal(test, np.flatnonzero(~is_train))
