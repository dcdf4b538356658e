"""Every format, written by another library, gives back values and names exactly."""

from __future__ import annotations

import gzip
import io
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.io
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from qpfs.data import Reading, UsageError, open_problem, open_table

N = 24
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 5))
Y = np.array(["ill", "well"])[np.arange(N) % 2]
NAMES = ["age", "a,b", 'he said "hi"', "größe\nzwei", "<script>alert(1)</script>"]
FRAME = pd.DataFrame(X, columns=NAMES).assign(state=Y)


def check(problem, form):
    assert isinstance(problem.X, np.ndarray)
    np.testing.assert_array_equal(problem.X, X)
    assert problem.names == NAMES
    assert problem.y.tolist() == Y.tolist()
    assert (problem.target_name, problem.format) == ("state", form)
    assert (problem.n_samples, problem.n_features) == X.shape


@pytest.mark.parametrize(
    ("separator", "form"), [(",", "csv"), ("\t", "tsv"), (";", "csv"), ("|", "csv")], ids=repr
)
@pytest.mark.parametrize("opener", [io.open, gzip.open], ids=["plain", "gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_text(tmp_path, separator, form, opener, encoding):
    path = tmp_path / "data.unknown"
    with opener(path, "wt", encoding=encoding, newline="") as file:
        FRAME.to_csv(file, index=False, sep=separator)
    check(open_problem(str(path), Reading(target="state")), form)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends(tmp_path, newline):
    path = tmp_path / "data.csv"
    path.write_bytes(FRAME.to_csv(index=False, lineterminator=newline).encode())
    problem = open_problem(str(path), Reading(target="state"))
    np.testing.assert_array_equal(problem.X, X)
    assert problem.y.tolist() == Y.tolist()


def test_parquet_and_feather_whatever_they_are_called(tmp_path):
    FRAME.to_parquet(tmp_path / "a.csv")
    FRAME.to_feather(tmp_path / "b.parquet")
    check(open_problem(str(tmp_path / "a.csv"), Reading(target="state")), "parquet")
    check(open_problem(str(tmp_path / "b.parquet"), Reading(target="state")), "feather")


def test_an_arrow_stream(tmp_path):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    with pa.ipc.new_stream(tmp_path / "s", table.schema) as stream:
        stream.write_table(table)
    check(open_problem(str(tmp_path / "s"), Reading(target="state")), "feather")


def test_the_index_of_a_data_frame_names_the_samples(tmp_path):
    FRAME.set_axis([f"p{i}" for i in range(N)]).to_parquet(tmp_path / "a.parquet")
    problem = open_problem(str(tmp_path / "a.parquet"), Reading(target="state"))
    check(problem, "parquet")
    assert problem.samples == [f"p{i}" for i in range(N)]


def test_mixed_types_of_a_data_frame(tmp_path):
    frame = pd.DataFrame(
        {
            "small": np.arange(N, dtype=np.int8),
            "flag": [True, False, None] * (N // 3),
            "word": pd.Categorical(list("abc") * (N // 3)),
            "long": np.arange(N) + 2**60,
            "gap": [1, None] * (N // 2),
            "state": Y,
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    problem = open_problem(str(tmp_path / "a.parquet"), Reading(target="state"))
    table = problem.X.to_pandas()
    assert table["word"].tolist() == frame["word"].tolist()
    assert table["long"].tolist() == [str(2**60 + i) for i in range(N)]
    np.testing.assert_array_equal(table["flag"], frame["flag"].astype(float))
    np.testing.assert_array_equal(table["gap"], frame["gap"])
    assert any("'long'" in note for note in problem.notes)
    reading = Reading(target="state", drop=("word", "long"))
    numbers = open_problem(str(tmp_path / "a.parquet"), reading).X
    np.testing.assert_array_equal(numbers, frame[["small", "flag", "gap"]].astype(float))


@pytest.mark.parametrize(
    ("kind", "per_day", "said"),
    [("M8[D]", 1, "dates were read as days"), ("m8[s]", 86_400, "durations were read in days")],
)
def test_a_target_of_dates_is_days(tmp_path, kind, per_day, said):
    y = np.arange(N).astype(kind)
    np.savez(tmp_path / "a.npz", X=X, y=y)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    for name, reading in [("a.npz", Reading(target="y")), ("X.npy", Reading(labels=str(tmp_path / "y.npy")))]:
        found = open_problem(str(tmp_path / name), reading)
        np.testing.assert_array_equal(found.y, np.arange(N) / per_day)
        assert said in " ".join(found.notes)


@pytest.mark.parametrize("target", ["5", "x5", "-1"])
def test_npy_has_its_target_by_number(tmp_path, target):
    matrix = np.column_stack([X, np.arange(N) % 3])
    np.save(tmp_path / "a.npy", matrix)
    problem = open_problem(str(tmp_path / "a.npy"), Reading(target=target))
    np.testing.assert_array_equal(problem.X, X)
    np.testing.assert_array_equal(problem.y, np.arange(N) % 3)
    assert problem.names == ["x0", "x1", "x2", "x3", "x4"]


def test_npy_with_labels_beside_it(tmp_path):
    np.save(tmp_path / "a.npy", X.T)
    np.save(tmp_path / "y.npy", np.arange(N) % 3)
    reading = Reading(labels=str(tmp_path / "y.npy"), features_in="rows")
    problem = open_problem(str(tmp_path / "a.npy"), reading)
    np.testing.assert_array_equal(problem.X, X)
    np.testing.assert_array_equal(problem.y, np.arange(N) % 3)


def test_a_structured_array(tmp_path):
    records = np.zeros(N, [("a", "f8"), ("b", "i4"), ("state", "U4")])
    records["a"], records["b"], records["state"] = X[:, 0], np.arange(N), Y
    np.save(tmp_path / "a.npy", records)
    problem = open_problem(str(tmp_path / "a.npy"), Reading(target="state"))
    np.testing.assert_array_equal(problem.X, np.column_stack([X[:, 0], np.arange(N)]))
    assert problem.y.tolist() == Y.tolist()


def test_npz(tmp_path):
    y = np.arange(N) % 2
    np.savez(
        tmp_path / "a.npz",
        X=X.astype(np.float32),
        y=y,
        feature_names=NAMES,
        class_names=["ill", "well"],
        sample_names=[f"s{i}" for i in range(N)],
        is_train=y == 0,
        other=y + 5,
    )
    problem = open_problem(str(tmp_path / "a.npz"))
    assert problem.X.dtype == np.float32
    np.testing.assert_array_equal(problem.X, X.astype(np.float32))
    assert (problem.names, problem.y.tolist(), problem.target_name) == (NAMES, Y.tolist(), "y")
    assert problem.samples[3] == "s3"
    np.testing.assert_array_equal(problem.split, y == 0)
    np.testing.assert_array_equal(open_problem(str(tmp_path / "a.npz"), Reading(target="other")).y, y + 5)


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("queries", [None, np.arange(N) // 4])
def test_svmlight_stays_sparse(tmp_path, zero_based, queries):
    some = sparse.random(N, 40, 0.2, random_state=0, format="lil")
    some[0, 0] = some[1, 39] = 1.0
    some = some.tocsr()
    dump_svmlight_file(some, np.arange(N) % 3, str(tmp_path / "a"), zero_based=zero_based, query_id=queries)
    problem = open_problem(str(tmp_path / "a"))
    assert sparse.issparse(problem.X)
    np.testing.assert_allclose(problem.X.toarray(), some.toarray(), rtol=1e-15)
    assert problem.names == [str(j + (not zero_based)) for j in range(40)]
    assert problem.y.dtype == np.int64
    np.testing.assert_array_equal(problem.y, np.arange(N) % 3)
    if queries is None:
        assert problem.groups is None
    else:
        np.testing.assert_array_equal(problem.groups, queries)


def test_a_sparse_archive(tmp_path):
    some = sparse.random(N, 40, 0.2, random_state=0, format="csc")
    sparse.save_npz(tmp_path / "a.npz", some)
    np.save(tmp_path / "y.npy", np.arange(N) % 2)
    problem = open_problem(str(tmp_path / "a.npz"), Reading(labels=str(tmp_path / "y.npy")))
    assert (some != problem.X).nnz == 0


ARFF = """% a comment
@RELATION people
@attribute 'the age' NUMERIC
@attribute "it\\'s" real
@attribute city {'New York', Rome, "a,b"}
@ATTRIBUTE note string
@attribute state {ill, well}

@DATA
% another
1,2.5,'New York','said \\'hi\\', left',ill
?,-3e-2, Rome ,plain,well
3,?,"a,b",?,ill
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_arff(tmp_path, newline):
    (tmp_path / "a.txt").write_bytes(ARFF.replace("\n", newline).encode())
    problem = open_problem(str(tmp_path / "a.txt"), Reading(target="state"))
    assert problem.format == "arff"
    assert problem.names == ["the age", "it's", "city", "note"]
    table = problem.X.to_pydict()
    np.testing.assert_array_equal(table["the age"], [1, np.nan, 3])
    np.testing.assert_array_equal(table["it's"], [2.5, -3e-2, np.nan])
    assert table["city"] == ["New York", "Rome", "a,b"]
    assert table["note"] == ["said 'hi', left", "plain", None]
    assert problem.y.tolist() == ["ill", "well", "ill"]


def test_arff_agrees_with_scipy(tmp_path):
    rows = "\n".join(",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, Y, strict=True))
    head = "".join(f"@attribute x{j} real\n" for j in range(5))
    (tmp_path / "a.arff").write_text(f"@relation r\n{head}@attribute y {{ill,well}}\n@data\n{rows}\n")
    data, _ = scipy.io.arff.loadarff(tmp_path / "a.arff")
    problem = open_problem(str(tmp_path / "a.arff"), Reading(target="y"))
    np.testing.assert_array_equal(problem.X, np.column_stack([data[f"x{j}"] for j in range(5)]))
    assert problem.y.tolist() == [value.decode() for value in data["y"]]


@pytest.mark.parametrize("version", ["4", "5"])
def test_mat(tmp_path, version):
    scipy.io.savemat(tmp_path / "a.mat", {"X": X, "y": np.arange(N)[:, None] % 3}, format=version)
    problem = open_problem(str(tmp_path / "a.mat"))
    np.testing.assert_array_equal(problem.X, X)
    np.testing.assert_array_equal(problem.y, np.arange(N) % 3)


def test_mat_with_names_and_sparse(tmp_path):
    some = sparse.random(N, 40, 0.2, random_state=0, format="csc")
    names = np.array([f"gene {j}" for j in range(40)], object)
    scipy.io.savemat(
        tmp_path / "a", {"data": some, "gnd": np.arange(N), "feature_names": names}, appendmat=False
    )
    problem = open_problem(str(tmp_path / "a"))
    assert (some != problem.X).nnz == 0
    assert problem.names == names.tolist()


def test_mat_of_version_7_3(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"], file["y"] = X.T, np.arange(N)[None, :] % 3
        names = [
            file.create_dataset(f"#refs#/{j}", data=[[ord(c)] for c in f"g{j}"], dtype="u2") for j in range(5)
        ]
        cells = file.create_dataset("feature_names", (5, 1), h5py.ref_dtype)
        cells.attrs["MATLAB_class"] = np.bytes_("cell")
        cells[:, 0] = [name.ref for name in names]
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(116))
    problem = open_problem(str(path))
    np.testing.assert_array_equal(problem.X, X)
    assert problem.names == [f"g{j}" for j in range(5)]
    np.testing.assert_array_equal(problem.y, np.arange(N) % 3)


@pytest.mark.parametrize("layer", [None, "counts"])
def test_h5ad(tmp_path, layer):
    anndata = pytest.importorskip("anndata")
    some = sparse.random(N, 40, 0.2, random_state=0, format="csr")
    obs = pd.DataFrame({"state": pd.Categorical(Y), "batch": np.arange(N) % 4}, [f"c{i}" for i in range(N)])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(40)])
    anndata.AnnData(some, obs, var, layers={"counts": some * 2}).write_h5ad(tmp_path / "a.h5ad")
    problem = open_problem(str(tmp_path / "a.h5ad"), Reading(target="state", groups="batch", layer=layer))
    assert abs(problem.X - some * (2 if layer else 1)).nnz == 0
    assert (problem.names[3], problem.samples[2], problem.y.tolist()) == ("gene3", "c2", Y.tolist())
    np.testing.assert_array_equal(problem.groups, np.arange(N) % 4)
    with pytest.raises(UsageError, match="no layer 'x'"):
        open_problem(str(tmp_path / "a.h5ad"), Reading(target="state", layer="x"))


def test_standard_input(monkeypatch):
    text = gzip.compress(FRAME.to_csv(index=False).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    problem = open_problem("-", Reading(target="state"))
    check(problem, "csv")
    import hashlib

    assert problem.checksum == f"sha256:{hashlib.sha256(text).hexdigest()}"


def test_a_table_needs_no_target(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    assert open_table(str(tmp_path / "a.csv")).names == [*NAMES, "state"]
    assert open_table(str(tmp_path / "a.csv"), Reading(target="state")).names == NAMES
    assert open_table(str(tmp_path / "a.csv"), Reading(target="nobody")).n_features == 6


def test_a_format_may_be_said(tmp_path):
    (tmp_path / "a").write_text("1 1:2\n2 1:3 2:1\n")
    assert open_problem(str(tmp_path / "a"), Reading(format="svmlight")).n_features == 2
    with pytest.raises(UsageError, match="no format 'xls'"):
        open_problem(str(tmp_path / "a"), Reading(format="xls"))


def test_columns_passed_on_keep_their_types_and_their_spelling(tmp_path):
    from qpfs.data import open_columns

    (tmp_path / "a.csv").write_text("zip,big,yes\n00100,9007199254740993,True\n007,1e3,False\n")
    spelled = open_columns(str(tmp_path / "a.csv"), as_text=True)
    assert spelled.X.to_pydict() == {
        "zip": ["00100", "007"],
        "big": ["9007199254740993", "1e3"],
        "yes": ["True", "False"],
    }
    table = pa.table({"b": [True, None], "i": pa.array([2**60, 1], pa.int64()), "t": ["x", "y"]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert open_columns(str(tmp_path / "a.parquet")).X.equals(table)


def test_a_set_is_found_beside_a_folder_of_its_name(tmp_path, monkeypatch):
    (tmp_path / "wine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert open_problem("wine").n_samples == 178


@pytest.mark.parametrize("save", [np.savez, scipy.io.savemat])
def test_a_matrix_of_one_column_is_one_if_it_is_called_so(tmp_path, save):
    path = tmp_path / ("a.npz" if save is np.savez else "a.mat")
    arrays = {"X": np.arange(6.0)[:, None], "y": np.arange(6) % 2}
    save(path, **arrays) if save is np.savez else save(path, arrays)
    found = open_problem(str(path))
    assert found.names == ["x0"]
    np.testing.assert_array_equal(found.X, arrays["X"])


@pytest.mark.parametrize("kind", ["coo", "csc", "dia", "bsr"])
def test_every_sparse_matrix_of_scipy(tmp_path, kind):
    matrix = sparse.csr_matrix(np.triu(np.arange(16.0).reshape(4, 4)))
    sparse.save_npz(tmp_path / "a.npz", matrix.asformat(kind))
    found = open_problem(str(tmp_path / "a.npz"), Reading(target="x0"))
    np.testing.assert_array_equal(found.X.toarray(), matrix.toarray()[:, 1:])


def test_labels_of_bytes_are_text(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.array(["ä", "b", "ä"]).astype("U"))
    np.savez(tmp_path / "b.npz", X=np.eye(3), y=np.array([s.encode() for s in ("ä", "b", "ä")]))
    texts = [open_problem(str(tmp_path / name)).y.tolist() for name in ("a.npz", "b.npz")]
    assert texts[0] == texts[1] == ["ä", "b", "ä"]
