"""`qpfs select` on real files of every format, against the estimator called directly."""

from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from tests.cli.command import qpfs

from qpfs import FGM, IKMAQPFS, MRMR

N, M = 60, 12
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, M)).round(3) + np.linspace(0, 1.5, M) * Y[:, None]
NAMES = [f"gene {i}" for i in range(M)]
FRAME = pd.DataFrame(X, columns=NAMES).assign(ill=np.where(Y, "yes", "no"))


def as_csv(path):
    FRAME.to_csv(path, index=False)


def as_tsv(path):
    FRAME.to_csv(path, index=False, sep="\t")


def as_zipped(path):
    path.write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))


def as_parquet(path):
    FRAME.to_parquet(path)


def as_feather(path):
    FRAME.to_feather(path)


def as_npz(path):
    with path.open("wb") as file:
        np.savez(file, X=X, y=Y, feature_names=np.array(NAMES))


def as_npy(path):
    with path.open("wb") as file:
        np.save(file, np.column_stack([X, Y]))


def as_svmlight(path):
    dump_svmlight_file(X, Y, str(path), zero_based=False)


def as_arff(path):
    head = ["@relation r", *(f"@attribute 'gene {i}' numeric" for i in range(M)), "@attribute ill {no,yes}"]
    rows = [",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, FRAME.ill, strict=True)]
    path.write_text("\n".join([*head, "@data", *rows]))


def as_mat(path):
    scipy.io.savemat(path, {"X": X, "Y": Y[:, None] + 1}, appendmat=False)


def as_h5ad(path):
    import anndata

    table = anndata.AnnData(sp.csr_matrix(X), obs=pd.DataFrame({"ill": FRAME.ill.to_numpy()}))
    table.obs_names = [f"cell {i}" for i in range(N)]
    table.var_names = NAMES
    table.write_h5ad(path)


FORMATS = {
    "csv": (as_csv, ["--target", "ill"], True),
    "tsv": (as_tsv, ["--target", "ill"], True),
    "gz": (as_zipped, ["--target", "ill"], True),
    "parquet": (as_parquet, ["--target", "ill"], True),
    "feather": (as_feather, ["--target", "ill"], True),
    "npz": (as_npz, [], True),
    "npy": (as_npy, ["--target", str(M)], False),
    "svmlight": (as_svmlight, [], False),
    "arff": (as_arff, ["--target", "ill"], True),
    "mat": (as_mat, [], False),
    "h5ad": (as_h5ad, ["--target", "ill"], True),
}


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_estimators_answer(tmp_path, name):
    write, arguments, named = FORMATS[name]
    path = tmp_path / "no ending that says anything"
    write(path)
    run = qpfs("select", path, *arguments, "--method", "mrmr", "--top", 5, "--out", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    direct = MRMR(5).fit(X, Y)
    record = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert [row["index"] for row in record["features"]] == direct.order_[:5].tolist()
    np.testing.assert_allclose(
        [row["weight"] for row in record["features"]], direct.scores_[direct.order_[:5]]
    )
    if named:
        assert record["features"][0]["feature"] == NAMES[direct.order_[0]]
    with (tmp_path / "out" / "selection.csv").open(newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["index"]))
    assert len(rows) == M
    np.testing.assert_allclose([float(row["relevance"]) for row in rows], direct.relevance_)
    assert {int(row["index"]) for row in rows if row["selected"] == "yes"} == set(direct.order_[:5].tolist())


def test_sparse_stays_sparse_for_the_linear_machines(tmp_path, monkeypatch):
    sparse = sp.random(80, 300, density=0.05, random_state=0, format="csr")
    dump_svmlight_file(sparse, np.arange(80) % 2, str(tmp_path / "words"))
    shapes = []
    fit = FGM.fit

    def seen(self, X, y):
        shapes.append(sp.issparse(X))
        return fit(self, X, y)

    monkeypatch.setattr(FGM, "fit", seen)
    assert qpfs("select", tmp_path / "words", "--method", "fgm", "--top", 5).returncode == 0
    assert set(shapes) == {True}


def test_an_expression_matrix_with_labels_in_another_file(tmp_path):
    matrix = pd.DataFrame(X.T, index=NAMES, columns=[f"sample {i}" for i in range(N)])
    matrix.index.name = "gene"
    matrix.to_csv(tmp_path / "matrix.tsv", sep="\t")
    shuffled = np.random.default_rng(1).permutation(N)
    labels = pd.DataFrame({"sample": matrix.columns[shuffled], "ill": FRAME.ill.to_numpy()[shuffled]})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    arguments = ["matrix.tsv", "--features-in", "rows", "--labels", "labels.csv"]
    run = qpfs("select", *arguments, "--method", "ikma", "--top", 3, "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert [row["index"] for row in json.loads(run.stdout)["features"]] == IKMAQPFS(3).fit(X, Y).order_[
        :3
    ].tolist()


def test_columns_left_out_named_and_marked(tmp_path):
    frame = FRAME.assign(id=[f"p{i}" for i in range(N)], note_1="a", note_2="b", site=RNG.integers(0, 3, N))
    frame.loc[3, "gene 0"] = -999
    frame.to_csv(tmp_path / "a.csv", index=False)
    arguments = ["--drop", "note_*", "--index", "id", "--groups", "site", "--missing", "-999"]
    arguments += ["--measure", "mi"]
    run = qpfs("select", tmp_path / "a.csv", "--target", "ill", "--top", M, *arguments, "--json")
    assert run.returncode == 0, run.stderr
    record = json.loads(run.stdout)
    assert record["data"]["n_features"] == M
    levels = next(row for row in record["features"] if row["feature"] == "gene 0")["levels"]
    assert [sum(counts) for counts in levels["counts"]] == [N / 2, N / 2]
    assert sum(counts[-1] for counts in levels["counts"]) == 1  # the missing value is a level of its own


@pytest.mark.parametrize(
    ("name", "content", "code", "message"),
    [
        ("empty.csv", b"", 1, "empty"),
        ("folder", None, 2, "folder"),
        ("junk.bin", bytes(range(256)) * 8, 1, "none of the known formats"),
        ("short.parquet", b"PAR1 and then nothing", 1, "Parquet"),
        ("ragged.csv", b"a,b,t\n1,2,x\n1,2\n3,4,y\n", 1, "ragged.csv"),
        ("one_class.csv", b"a,b,t\n1,2,x\n1,3,x\n3,4,x\n", 1, "class"),
        ("constant.csv", b"a,b,t\n1,2,x\n1,2,y\n1,2,x\n", 1, "constant"),
        ("target_gaps.csv", b"a,b,t\n1,2,x\n1,3,\n3,4,x\n", 1, "missing in 1 of 3"),
        ("infinite.csv", b"a,b,t\n1,2,x\ninf,3,y\n3,4,x\n", 1, "infin"),
    ],
)
def test_bad_files_are_one_message_and_no_result(tmp_path, name, content, code, message):
    path = tmp_path / name
    path.mkdir() if content is None else path.write_bytes(content)
    run = qpfs("select", path, "--target", "t", "--out", tmp_path / "out")
    assert run.returncode == code, run.stderr
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "command",
    [["select"], ["select", "--method", "fgm"], ["compare"], ["encode", "--out", "o.qpfs"]],
    ids=str,
)
def test_infinity_is_told_by_the_name_of_its_column(tmp_path, command):
    (tmp_path / "a.csv").write_text("a,long name,t\n" + "1,2,x\n2,3,y\n" * 9 + "1,-1e999,x\n")
    run = qpfs(command[0], "a.csv", "--target", "t", *command[1:], cwd=tmp_path)
    assert run.returncode == 1
    assert "contains infinity: column 'long name' has -inf in row 18" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_infinity_in_a_sparse_table_is_told_by_name(tmp_path):
    (tmp_path / "a.svm").write_text("0 1:1 3:2\n1 2:inf\n" + "0 1:2\n1 2:3\n" * 5)
    run = qpfs("select", "a.svm", cwd=tmp_path)
    assert run.returncode == 1
    assert "has inf in row 1" in run.stderr
    assert len(run.stderr.splitlines()) == 1
