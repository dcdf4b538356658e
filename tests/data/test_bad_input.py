"""Input that cannot be read: one clear message that names the file, never a library's alone."""

from __future__ import annotations

import gzip
import os
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.io

from qpfs.data import Reading, UnreadableError, UsageError, open_problem, open_table

FRAME = pd.DataFrame({"a": np.arange(50.0), "b": np.arange(50) % 7, "y": ["u", "v"] * 25})
GOOD = FRAME.to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b,y\n", "0 rows"),
        (b"a,b,y\n1,2,u\n", "1 row and"),
        (b"y\nu\nv\n", "0 columns for features"),
        (b"a,b,y\n1,2,u\n3,4\n5,6,v\n", "cannot be read as CSV: line 3 has 2 cells, but there are 3 columns"),
        (b'a,b,y\n1,2,u\n"3\n3",4,5,u\n', "line 3 has 4 cells"),
        (b'a,b,y\n1,2,u\n3,"4,v\n', "the quote that opens a cell in line 3 is never closed"),
        ("größe,y\n1,a\n2,b\n".encode("latin-1"), "not text in UTF-8; save it as UTF-8"),
        ("a,y\n1,größe\n2,b\n".encode("latin-1"), "not text in UTF-8; save it as UTF-8"),
        ("a,y\n1,u\n2,b\n".encode("utf-16"), "UTF-16"),
        ("a,y\n1,u\n2,b\n".encode("utf-32"), "UTF-32"),
        (b"a,y\r1,u\r2,v\r", "carriage returns"),
        (bytes(range(256)) * 4, "none of the known formats"),
        (b"PK\x03\x04 a zip of something else", "none of the known formats"),
        (gzip.compress(GOOD, mtime=0)[:60], "is compressed, but cannot be unpacked"),
        (b"PAR1" + bytes(100), "cannot be read as Parquet"),
        (b"ARROW1" + bytes(100), "cannot be read as Feather"),
        (b"FEA1" + bytes(100), "Feather of version 1"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'", "cannot be read as a NumPy array"),
        (b"MATLAB 5.0 MAT-file" + bytes(30), "cannot be read as a MATLAB file"),
        (b"MATLAB 7.3 MAT-file" + bytes(3000), "cannot be read as a MATLAB file"),
        (b"\x89HDF\r\n\x1a\n" + bytes(100), "cannot be read as h5ad"),
        (b"@relation r\n@attribute a numeric\n", "no line @data"),
        (b"@relation r\n@attribute a numeric\n@attribute y {u}\n@data\n{0 1}\n", "sparse row"),
        (b"@relation r\n@attribute a numeric\n@attribute y {u}\n@data\n1\n", "line 5 has 1 cells"),
        (
            b"@relation r\n@attribute a numeric\n@attribute y {u}\n@data\n1,u\nz,u\n",
            "'a' is numeric, but not all",
        ),
        (b"@relation r\n@attribute a relational\n@data\n1\n", "line 2 is '@attribute a relational'"),
    ],
)
def test_content(tmp_path, content, message):
    path = tmp_path / "data.dat"
    path.write_bytes(content)
    with pytest.raises(UnreadableError) as caught:
        open_problem(str(path), Reading(target="y"))
    assert message in str(caught.value)
    assert "data.dat" in str(caught.value)


@pytest.mark.parametrize("form", ["parquet", "feather", "npz", "npy", "mat", "h5ad"])
@pytest.mark.parametrize("part", [0.3, 0.7, 0.99])
def test_files_cut_short(tmp_path, form, part):
    whole = tmp_path / "whole"
    X = np.random.default_rng(0).normal(size=(200, 30))
    if form in ("parquet", "feather"):
        getattr(FRAME, f"to_{form}")(whole)
    elif form == "npz":
        with whole.open("wb") as file:
            np.savez(file, X=X, y=np.arange(200))
    elif form == "npy":
        with whole.open("wb") as file:
            np.save(file, X)
    elif form == "mat":
        scipy.io.savemat(whole, {"X": X, "y": np.arange(200)}, appendmat=False)
    else:
        anndata = pytest.importorskip("anndata")
        anndata.AnnData(X).write_h5ad(whole)
    content = whole.read_bytes()
    path = tmp_path / "short"
    path.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(UnreadableError, match=r"'.*short' cannot be read as .*(damaged|holds)"):
        open_problem(str(path), Reading(target="x0"))


@pytest.mark.parametrize("save", [np.save, lambda path, array: np.savez(path, X=array)])
def test_python_objects_are_refused(tmp_path, save):
    with (tmp_path / "a").open("wb") as file:
        save(file, np.array([["a", None]] * 3, object))
    with pytest.raises(UnreadableError, match="holds Python objects"):
        open_problem(str(tmp_path / "a"), Reading(target="y"))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.arange(5.0), "1 dimension;"),
        (np.zeros((2, 2, 2)), "3 dimensions;"),
        (np.array([["a"]]), "holds <U1"),
    ],
)
def test_arrays_that_are_no_matrix(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(UnreadableError, match=message):
        open_problem(str(tmp_path / "a.npy"), Reading(target="0"))


def test_archives_without_a_matrix(tmp_path):
    np.savez(tmp_path / "a.npz", one=np.zeros((3, 3)), other=np.zeros((3, 4)))
    with pytest.raises(UnreadableError, match="it holds 'one' 3 x 3, 'other' 3 x 4; expected a matrix"):
        open_problem(str(tmp_path / "a.npz"))
    np.savez(tmp_path / "b.npz", X=np.zeros((3, 3)))
    with pytest.raises(UsageError, match=r"Name the target column of .* with target="):
        open_problem(str(tmp_path / "b.npz"))


def test_names_for_other_columns(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.zeros((3, 4)), y=np.zeros(3), feature_names=["a", "b"])
    assert open_problem(str(tmp_path / "a.npz")).names == ["x0", "x1", "x2", "x3"]


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "patients.csv").write_bytes(GOOD)
    with pytest.raises(UsageError, match=r"neither a file .* Did you mean '.*patients.csv'"):
        open_problem(str(tmp_path / "patiens.csv"))
    with pytest.raises(UsageError, match="is a folder; name a file in it"):
        open_problem(str(tmp_path))
    with pytest.raises(UsageError, match="Did you mean 'digits'"):
        open_problem("digts")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    from pathlib import Path

    path = tmp_path / "a.csv"
    path.write_bytes(GOOD)

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(UnreadableError, match=r"a.csv' cannot be opened: Permission denied"):
        open_problem(str(path))


def test_missing_targets(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,u\n2,\n3,NA\n")
    with pytest.raises(UnreadableError, match=r"'y' of '.*a.csv' is missing in 2 of 3 samples; drop or fill"):
        open_problem(str(path), Reading(target="y"))
    with pytest.raises(UsageError, match="target='COLUMN'"):
        open_problem(str(path))


@pytest.mark.parametrize(("package", "form"), [("anndata", "h5ad"), ("h5py", "mat")])
def test_packages_that_are_not_installed(tmp_path, monkeypatch, package, form):
    head = {"h5ad": b"\x89HDF\r\n\x1a\n", "mat": b"MATLAB 7.3 MAT-file"}[form]
    (tmp_path / "a").write_bytes(head + bytes(600))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UnreadableError, match=r"pip install 'qpfs\[formats\]'"):
        open_problem(str(tmp_path / "a"), Reading(target="y"))


def test_features_in_neither():
    with pytest.raises(UsageError, match="must be 'columns' or 'rows'"):
        Reading(features_in="diagonal")


def test_what_comes_through_a_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(GOOD,))
    writer.start()
    found = open_problem(str(tmp_path / "pipe"), Reading(target="y"))
    writer.join()
    (tmp_path / "a.csv").write_bytes(GOOD)
    same = open_problem(str(tmp_path / "a.csv"), Reading(target="y"))
    assert found.checksum == same.checksum
    np.testing.assert_array_equal(found.X, same.X)


def test_a_device_without_end_is_refused():
    with pytest.raises(UsageError, match="'/dev/zero' is a device or socket"):
        open_problem("/dev/zero", Reading(target="y"))


def test_a_link_to_nothing(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(UsageError, match="is a link to something that does not exist"):
        open_problem(str(tmp_path / "a.csv"), Reading(target="y"))


def test_an_address_that_is_none():
    with pytest.raises(UsageError, match="'http://\\[::1' has no checksum"):
        open_problem("http://[::1", Reading(target="y"))
    with pytest.raises(UsageError, match="'http:colon' is neither a file nor"):
        open_problem("http:colon", Reading(target="y"))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.arange(4) * 1j, "'y' of '.*a.npz' holds complex128; expected numbers or text"),
        (np.array([1.0, 2.0, np.inf, -np.inf]), "is infinite in 2 of 4 rows"),
        (np.array(["2020-01-01", "NaT", "NaT", "NaT"], "M8[D]"), "is missing in 3 of 4 samples"),
    ],
)
def test_targets_that_say_nothing(tmp_path, y, message):
    np.savez(tmp_path / "a.npz", X=np.eye(4), y=y)
    with pytest.raises(UnreadableError, match=message):
        open_problem(str(tmp_path / "a.npz"))


def test_an_index_that_would_take_all_memory(tmp_path):
    (tmp_path / "a.svm").write_text("1 2147483646:1\n2 1:2\n")
    with pytest.raises(UnreadableError, match="an index of 2,147,483,646; expected at most 100,000,000"):
        open_problem(str(tmp_path / "a.svm"))


def listed(tmp_path):
    """A file with two columns of lists."""
    frame = FRAME.assign(when=[[2020]] * len(FRAME), some=[[1, 2]] * len(FRAME))
    frame[["a", "when", "b", "some", "y"]].to_parquet(tmp_path / "a.parquet")
    return str(tmp_path / "a.parquet")


def test_columns_that_cannot_be_read_stop_nobody_who_leaves_them_out(tmp_path):
    source = listed(tmp_path)
    with pytest.raises(UnreadableError, match=r"'when' holds list.*; column 'some' holds list.*\(drop\)"):
        open_problem(source, Reading(target="y"))
    with pytest.raises(UnreadableError, match=r"a.parquet' .*column 'when' holds list"):
        open_problem(source, Reading(target="when", drop=("some",)))
    found = open_problem(source, Reading(target="y", drop=("when", "some")))
    assert found.names == ["a", "b"]
    np.testing.assert_array_equal(found.X, FRAME[["a", "b"]])


def test_a_table_is_opened_without_what_cannot_be_read(tmp_path):
    table = open_table(listed(tmp_path))
    assert table.names == ["a", "b", "y"]
    assert table.X.column("b").to_pylist() == FRAME["b"].tolist()
    assert "left out: 'when', 'some'" in " ".join(table.notes)


@pytest.mark.parametrize("order", ["<", ">"])
def test_text_of_an_array_is_of_characters_that_there_are(tmp_path, order):
    names = np.array([f"g{j}" for j in range(4)], f"{order}U3")
    names.view(f"{order}u4")[5] = 0xFFFFFFFF  # no character; Python ends at it when it is written
    np.savez(tmp_path / "a.npz", X=np.eye(4), y=np.arange(4) % 2, feature_names=names)
    with pytest.raises(UnreadableError, match="text with invalid characters"):
        open_problem(str(tmp_path / "a.npz"))
    np.save(tmp_path / "y.npy", names)
    np.save(tmp_path / "X.npy", np.eye(4))
    with pytest.raises(UnreadableError, match="text with invalid characters"):
        open_problem(str(tmp_path / "X.npy"), Reading(labels=str(tmp_path / "y.npy")))


def test_a_message_shows_the_beginning_of_a_long_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1" * 16_000 + "x\n" + "0\n" * 5)
    with pytest.raises(UsageError, match="There is no column 'y'") as caught:
        open_problem(str(path), Reading(target="y"))
    assert len(str(caught.value)) < 500


def test_a_target_that_names_several_columns_is_refused_in_words(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,x\n" + "0,1,2\n1,0,3\n" * 3)
    with pytest.raises(
        UsageError, match=r"target='a, b' names 2 columns; .* give each on its own: target='a' target='b'"
    ):
        open_problem(str(path), Reading(target="a, b"))
    path.write_text('"a,b",a,b\n' + "0,1,2\n1,0,3\n" * 3)
    assert open_problem(str(path), Reading(target="a,b")).target_name == "a,b"
