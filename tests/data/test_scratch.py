"""Matrices in scratch files give the columns that they were made of."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.apart import script

from qpfs.data.formats.hdf5 import pieces
from qpfs.data.formats.scratch import Scratch, Slabs, Spill, by_columns, poured, runs

X = np.random.default_rng(0).poisson(0.3, (37, 50)).astype(float)
ASKED = ([0], [49], [3, 4, 5], [10, 2, 30], [], list(range(50)), [7, 7])


@pytest.fixture
def scratch(tmp_path):
    with Scratch(tmp_path / "out", 10**6) as scratch:
        yield scratch
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("budget", [1, 8 * 37 * 4, 10**6])
@pytest.mark.parametrize("asked", ASKED)
def test_slabs_give_columns_and_read_no_more_than_they_may(budget, asked):
    widths = []

    def read(columns):
        widths.append(len(columns))
        return X[:, columns]

    slabs = Slabs(read, X.shape, budget)
    np.testing.assert_array_equal(slabs[:, np.array(asked, np.intp)], X[:, asked])
    assert max(widths, default=0) <= max(1, budget // (8 * 37))


def test_slabs_read_columns_in_order_once():
    read = []
    slabs = Slabs(lambda columns: read.extend(columns) or X[:, columns], X.shape, 8 * 37 * 10)
    for start in range(0, 50, 5):
        slabs[:, np.arange(start, start + 5)]
    assert read == list(range(50))


@pytest.mark.parametrize("each", [1, 7, 10**6])
@pytest.mark.parametrize("asked", ASKED)
def test_entries_by_rows_become_columns(scratch, each, asked):
    matrix = sparse.coo_array(X)
    counts = np.bincount(matrix.col, minlength=50)

    def some():
        for start in range(0, matrix.nnz, each):
            part = slice(start, start + each)
            yield matrix.row[part], matrix.col[part], matrix.data[part]

    columns = by_columns(some, counts, 37, scratch)
    np.testing.assert_array_equal(columns[:, asked], X[:, asked])


def test_a_matrix_without_entries(scratch):
    columns = by_columns(lambda: iter(()), np.zeros(4, int), 3, scratch)
    np.testing.assert_array_equal(columns[:, [0, 3]], np.zeros((3, 2)))


def test_rows_are_spilled_and_matrices_poured(scratch):
    spill = Spill(scratch.file("numbers"))
    for part in (X[:5], X[5:5], X[5:]):
        spill.append(part)
    np.testing.assert_array_equal(spill.matrix(50), X)
    np.testing.assert_array_equal(poured(Slabs(lambda some: X[:, some], X.shape, 1000), scratch), X)


@given(st.sets(st.integers(0, 40), min_size=1))
def test_runs_are_the_columns(columns):
    columns = np.array(sorted(columns))
    found = list(runs(columns))
    assert [j for some in found for j in range(some.start, some.stop)] == columns.tolist()
    assert all(a.stop < b.start for a, b in pairwise(found))


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_pieces_hold_every_row_once(lengths, most):
    bounds = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qpfs.data.formats.hdf5.PIECE", most)
        found = list(pieces(bounds))
    assert [row for some in found for row in range(some.start, some.stop - 1)] == list(range(len(lengths)))
    for some in found:
        assert some.stop - some.start == 2 or bounds[some][-1] - bounds[some][0] <= most


KILLED = """
import os, sys
from pathlib import Path
from qpfs.data.formats.scratch import Scratch
Scratch(Path(sys.argv[1]), 10**6).file("numbers").write_bytes(b"old")
os._exit(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks")
def test_what_a_killed_run_left_goes(tmp_path):
    assert script(KILLED, tmp_path / "out").returncode == 0
    assert [one.name for one in tmp_path.glob("out.scratch-*/numbers")] == ["numbers"]
    with Scratch(tmp_path / "out", 10**6) as scratch:
        scratch.file("numbers")
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.scratch", "out.scratch-1"])
def test_files_of_someone_else_stay(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "numbers").write_bytes(b"mine")
    with Scratch(tmp_path / "out", 10**6) as scratch:
        scratch.file("numbers").write_bytes(b"new")
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "numbers").read_bytes() == b"mine"


def test_two_runs_do_not_share_a_folder(tmp_path):
    with Scratch(tmp_path / "out", 10**6) as one:
        one.file("numbers").write_bytes(b"one")
        with Scratch(tmp_path / "out", 10**6) as two:
            two.file("numbers").write_bytes(b"two")
        assert one.file("numbers").read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == []


def test_scratch_beside_what_is_not_there_makes_no_folders(tmp_path):
    with Scratch(tmp_path / "a" / "b" / "out", 10**6) as scratch:
        scratch.file("numbers").write_bytes(b"new")
    assert list(tmp_path.iterdir()) == []
