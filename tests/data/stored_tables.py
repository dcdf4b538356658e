"""One table in every format that can be read some columns at a time."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, ipc, parquet
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

N, M = 60, 230
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, M)).round(3)
Y = np.where(X[:, 3] + X[:, 40] + 0.3 * RNG.normal(size=N) > 0, "ill", "well")
COUNTS = RNG.poisson(0.4, (N, M)).astype(np.float32)
CALLS = RNG.integers(0, 3, (N, M)).astype(np.int8)
CALLS[RNG.random((N, M)) < 0.02] = -127
SAMPLES = [f"s{i}" for i in range(N)]


def mixed():
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(M)])
    frame["state"] = Y
    frame["tissue"] = pd.Categorical([("lung", "skin", None)[i % 3] for i in range(N)])
    frame["smokes"] = [("True", "false")[i % 2] for i in range(N)]
    frame["age"] = pd.array([None if i == 7 else i * 7 % 80 for i in range(N)], "Int64")
    frame["ill since"] = np.arange(N) % 4
    frame["half"] = X[:, 0].astype(np.float32)
    return frame


def csv(path):
    mixed().to_csv(path, index=False)
    return ["--target", "state"]


def late_text(path):
    """A column of numbers but for its last cell."""
    frame = mixed()
    frame["g5"] = [*map(str, X[:-1, 5]), "low"]
    frame.to_csv(path, index=False, sep="\t")
    return ["--target", "state"]


def gzipped(path):
    plain = mixed().to_csv(index=False).encode()
    path.write_bytes(gzip.compress(plain))
    return ["--target", "state"]


def in_rows(path):
    frame = pd.DataFrame(X.T, index=[f"g{j}" for j in range(M)], columns=SAMPLES)
    frame.to_csv(path, index_label="gene")
    labels = path.with_name("labels.csv")
    pd.Series(Y, index=SAMPLES, name="state").sample(frac=1, random_state=0).to_csv(
        labels, index_label="sample"
    )
    return ["--features-in", "rows", "--labels", labels]


def target_in_rows(path):
    codes = (Y == "ill").astype(float)
    frame = pd.DataFrame(np.vstack([X.T[:9], codes, X.T[9:]]), columns=SAMPLES)
    frame.insert(0, "gene", [*(f"g{j}" for j in range(9)), "state", *(f"g{j}" for j in range(9, M))])
    frame.to_csv(path, index=False)
    return ["--features-in", "rows", "--target", "state"]


def parquet_groups(path):
    parquet.write_table(pa.Table.from_pandas(mixed(), preserve_index=False), path, row_group_size=17)
    return ["--target", "state"]


def parquet_indexed(path):
    frame = mixed().assign(sample=SAMPLES).set_index("sample")
    frame.to_parquet(path)
    return ["--target", "state", "--drop", "g1?"]


def parquet_in_rows(path):
    frame = pd.DataFrame(X.T, columns=SAMPLES)
    frame.insert(0, "gene", [f"g{j}" for j in range(M)])
    frame.to_parquet(path, index=False)
    labels = path.with_name("y.txt")
    labels.write_text("\n".join(Y))
    return ["--features-in", "rows", "--labels", labels]


def awkward_names(path):
    table = pa.Table.from_pandas(mixed(), preserve_index=False)
    names = [*table.column_names]
    names[0], names[1], names[2], names[3], names[4] = "a", "a", "a.b", "", "b\nc"
    parquet.write_table(table.rename_columns(names), path)
    return ["--target", "state"]


def feather_packed(path):
    feather.write_feather(pa.Table.from_pandas(mixed(), preserve_index=False), path, compression="lz4")
    return ["--target", "state", "--categorical", "ill since"]


def arrow_plain(path):
    table = pa.Table.from_pandas(mixed(), preserve_index=False)
    with pa.OSFile(str(path), "wb") as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=13)
    return ["--target", "ill since"]


def arrow_stream(path):
    table = pa.Table.from_pandas(mixed(), preserve_index=False)
    with pa.OSFile(str(path), "wb") as file, ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=13)
    return ["--target", "state", "--groups", "smokes", "--drop", "smokes"]


def npy(path, X=X):
    with path.open("wb") as file:
        np.save(file, X)
    labels = path.with_name("labels.npy")
    np.save(labels, Y)
    return ["--labels", labels]


def npy_columns_first(path):
    return npy(path, np.asfortranarray(X.astype(np.float32)))


def npy_in_rows(path):
    return [*npy(path, np.ascontiguousarray(X.T)), "--features-in", "rows"]


def npy_missing(path):
    return [*npy(path, np.where(X > 2, -999, X)), "--missing", "-999"]


def npy_with_target(path):
    with path.open("wb") as file:
        np.save(file, np.column_stack([X[:, :7], (Y == "ill"), X[:, 7:]]))
    return ["--target", "x7"]


def svmlight(path, zero_based=False):
    sparse_counts = sparse.csr_matrix(COUNTS)
    dump_svmlight_file(sparse_counts, (Y == "ill").astype(int), str(path), zero_based=zero_based)
    return []


def svmlight_from_zero(path):
    return svmlight(path, zero_based=True)


def svmlight_missing(path):
    return [*svmlight(path), "--missing", "2"]


def h5ad(path, matrix=COUNTS):
    import anndata

    obs = pd.DataFrame({"state": pd.Categorical(Y), "batch": np.arange(N) % 3}, index=SAMPLES)
    var = pd.DataFrame(index=[f"gene {j}" for j in range(M)])
    data = anndata.AnnData(matrix, obs, var, layers={"raw": sparse.csr_matrix(COUNTS * 2)})
    data.write_h5ad(path)
    return ["--target", "state", "--groups", "batch"]


def h5ad_csr(path):
    return h5ad(path, sparse.csr_matrix(COUNTS))


def h5ad_csc(path):
    return h5ad(path, sparse.csc_matrix(COUNTS))


def h5ad_missing(path):
    return [*h5ad_csr(path), "--missing", "2", "--missing", "1"]


def h5ad_layer(path):
    return [*h5ad(path), "--layer", "raw"]


def bed(path):
    from bed_reader import to_bed

    properties = {
        "sid": [f"rs{j}" for j in range(M)],
        "iid": SAMPLES,
        "pheno": np.where(Y == "ill", "2", "1"),
    }
    to_bed(path, CALLS, properties=properties)
    return []


def npz(path):
    with path.open("wb") as file:
        np.savez(file, X=X, y=Y, feature_names=[f"g{j}" for j in range(M)])
    return []


def arff(path):
    lines = [
        "@relation r",
        *(f"@attribute g{j} numeric" for j in range(M)),
        "@attribute state {ill,well}",
        "@data",
    ]
    rows = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), Y, strict=True)]
    path.write_text("\n".join([*lines, *rows]) + "\n")
    return ["--target", "state"]


TABLES = {
    "a.csv": csv,
    "late.tsv": late_text,
    "a.csv.gz": gzipped,
    "rows.csv": in_rows,
    "target in rows.csv": target_in_rows,
    "groups.parquet": parquet_groups,
    "indexed.parquet": parquet_indexed,
    "rows.parquet": parquet_in_rows,
    "awkward.parquet": awkward_names,
    "lz4.feather": feather_packed,
    "plain.arrow": arrow_plain,
    "stream.arrows": arrow_stream,
    "a.npy": npy,
    "f.npy": npy_columns_first,
    "rows.npy": npy_in_rows,
    "missing.npy": npy_missing,
    "with target.npy": npy_with_target,
    "a.svm": svmlight,
    "zero.svm": svmlight_from_zero,
    "missing.svm": svmlight_missing,
    "a.h5ad": h5ad,
    "csr.h5ad": h5ad_csr,
    "csc.h5ad": h5ad_csc,
    "missing.h5ad": h5ad_missing,
    "layer.h5ad": h5ad_layer,
    "a.bed": bed,
    "a.npz": npz,
    "a.arff": arff,
}
