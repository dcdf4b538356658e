"""Sparse files: marks of missing values and entries that repeat mean the same read whole and by columns."""

from __future__ import annotations

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from qpfs.data import Reading, UsageError, open_problem, open_stream
from qpfs.data.formats import numpy_files as npy
from qpfs.data.formats.scratch import Scratch
from qpfs.data.sheet import without_marks

COUNTS = np.random.default_rng(0).poisson(0.7, (30, 12)).astype(float)
COUNTS[0, 0] = COUNTS[1, 11] = 3
Y = np.arange(30) % 2


def svmlight(path):
    dump_svmlight_file(COUNTS, Y, str(path), zero_based=False)
    return {}


def h5ad(path, kind=sparse.csr_matrix):
    obs = pd.DataFrame({"y": Y}, index=[f"s{i}" for i in range(30)])
    anndata.AnnData(kind(COUNTS), obs).write_h5ad(path)
    return {"target": "y"}


def h5ad_by_columns(path):
    return h5ad(path, sparse.csc_matrix)


def archive(path):
    with path.open("wb") as file:
        sparse.save_npz(file, sparse.coo_matrix(COUNTS))
    np.save(path.with_name("y.npy"), Y)
    return {"labels": str(path.with_name("y.npy"))}


WAYS = [svmlight, h5ad, h5ad_by_columns, archive]


def both(path, reading):
    """The features read whole, and by columns."""
    whole = open_problem(str(path), reading).X
    assert sparse.issparse(whole)
    with open_stream(str(path), reading, scratch=path.with_name("out"), memory=10**8) as streamed:
        return whole.toarray(), streamed.columns.numbers(np.arange(streamed.shape[1]))


@pytest.mark.parametrize("write", WAYS)
def test_marks_of_missing_values_are_stored_values(tmp_path, write):
    reading = Reading(missing=("3", "none", "77"), **write(tmp_path / "a"))
    for found in both(tmp_path / "a", reading):
        np.testing.assert_array_equal(found, np.where(COUNTS == 3, np.nan, COUNTS))


@pytest.mark.parametrize("write", WAYS)
def test_marks_that_do_not_occur_change_nothing(tmp_path, write):
    for found in both(tmp_path / "a", Reading(missing=("-999",), **write(tmp_path / "a"))):
        np.testing.assert_array_equal(found, COUNTS)


MARKS = [
    ("-99.9", "float32"),
    ("-99.9", "float16"),
    ("1e20", "float32"),
    ("1E+20", "float64"),
    (".5", "float64"),
    ("+7.", "int16"),
    ("-inf", "float32"),
    (" 3 ", "uint8"),
    ("9007199254740993", "int64"),
]
OTHERS = [
    ("1e39", np.inf, "float32"),
    ("2.5", 2, "int8"),
    ("256", 0, "uint8"),
    ("9007199254740993", 2**53, "int64"),
]


def array(path, values):
    np.save(path, np.array([[1, 2], [values, 4], [5, 6]], values.dtype))
    np.save(path.with_name("y.npy"), np.arange(3))
    return path, {"labels": str(path.with_name("y.npy"))}


def streamed_missing(path, reading):
    with open_stream(str(path), reading, scratch=path.with_name("out"), memory=10**8) as streamed:
        return np.isnan(streamed.columns.numbers(np.arange(2)))


def number(text, kind):
    return np.dtype(kind).type(int(text) if text.isdigit() else float(text))


@pytest.mark.parametrize(("mark", "kind"), MARKS)
def test_marks_are_numbers_of_the_type_of_the_table(tmp_path, mark, kind):
    path, more = array(tmp_path / "a.npy", number(mark, kind))
    reading = Reading(missing=(mark,), **more)
    expected = [[False, False], [True, False], [False, False]]
    np.testing.assert_array_equal(np.isnan(open_problem(str(path), reading).X), expected)
    np.testing.assert_array_equal(streamed_missing(path, reading), expected)


@pytest.mark.parametrize(("mark", "value", "kind"), OTHERS)
def test_marks_that_a_type_does_not_have_mark_nothing(tmp_path, mark, value, kind):
    path, more = array(tmp_path / "a.npy", np.dtype(kind).type(value))
    sheet = npy.read_npy(path, Reading(), Scratch())
    assert not np.isnan(without_marks(sheet, (mark,)).taken().numbers.astype(float)).any()
    assert not streamed_missing(path, Reading(missing=(mark,), **more)).any()


@pytest.mark.parametrize("mark", ["-99.9", "-9.99e1"])
def test_marks_of_sparse_float32(tmp_path, mark):
    some = COUNTS.astype(np.float32)
    some[2, 3] = np.float32(-99.9)
    np.save(tmp_path / "y.npy", Y)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(some))
    reading = Reading(missing=(mark,), labels=str(tmp_path / "y.npy"))
    for found in both(tmp_path / "a.npz", reading):
        assert np.argwhere(np.isnan(found)).tolist() == [[2, 3]]


def test_marks_are_of_the_type_of_each_column(tmp_path):
    path = tmp_path / "a.parquet"
    columns = {"a": np.array([-99.9, 2, 3], "f4"), "b": np.array([1, -99.9, 3]), "y": ["u", "v", "u"]}
    pd.DataFrame(columns).to_parquet(path)
    reading = Reading(target="y", missing=("-99.9",))
    expected = [[True, False], [False, True], [False, False]]
    np.testing.assert_array_equal(np.isnan(open_problem(str(path), reading).X), expected)
    np.testing.assert_array_equal(streamed_missing(path, reading), expected)


@pytest.mark.parametrize("mark", ["0", "0.0", "-0"])
@pytest.mark.parametrize("write", WAYS)
def test_zeros_that_are_not_stored_cannot_be_missing(tmp_path, write, mark):
    reading = Reading(missing=("3", mark), **write(tmp_path / "a"))
    with pytest.raises(UsageError, match="zeros that are not stored cannot be missing"):
        open_problem(str(tmp_path / "a"), reading)
    opening = open_stream(str(tmp_path / "a"), reading, scratch=tmp_path / "out", memory=10**8)
    with pytest.raises(UsageError, match="zeros that are not stored cannot be missing"), opening:
        pass


@pytest.mark.parametrize("write", [svmlight, h5ad, h5ad_by_columns])
def test_sparse_columns_with_marks_cannot_be_labels(tmp_path, write):
    reading = Reading(missing=("3",), categorical=("1",), **write(tmp_path / "a"))
    opening = open_stream(str(tmp_path / "a"), reading, scratch=tmp_path / "out", memory=10**8)
    with pytest.raises(UsageError, match="is sparse"), opening:
        pass


@pytest.mark.parametrize("write", [h5ad, h5ad_by_columns])
@pytest.mark.parametrize("missing", [(), ("3",)])
def test_entries_that_repeat_are_added_up(tmp_path, write, missing):
    reading = Reading(missing=missing, **write(tmp_path / "a.h5ad"))
    with h5py.File(tmp_path / "a.h5ad", "a") as file:
        matrix, indices = file["X"], file["X"]["indices"][:]
        first = int(matrix["indptr"][np.flatnonzero(np.diff(matrix["indptr"][:]) >= 2)[0]])
        indices[first + 1] = indices[first]
        matrix["indices"][:] = indices
        kind = sparse.csr_matrix if write is h5ad else sparse.csc_matrix
        sums = kind((matrix["data"][:], indices, matrix["indptr"][:]), COUNTS.shape).toarray()
    assert (sums != COUNTS).any()
    for found in both(tmp_path / "a.h5ad", reading):
        np.testing.assert_array_equal(found, np.where(np.isin(sums, [*map(float, missing)]), np.nan, sums))
