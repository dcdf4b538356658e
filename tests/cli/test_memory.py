"""The commands keep within their memory on tables several times as large, under a hard limit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.command import qpfs

from qpfs import open_store, write_store

resource = pytest.importorskip("resource", reason="limits as on POSIX")

pytestmark = pytest.mark.first
MEMORY = 400_000_000
LIMIT = 600_000_000  # stacks of threads and the like are reserved, and counted, but never touched
N = 500
RNG = np.random.default_rng(0)
FEW = RNG.normal(size=(N, 40)).astype(np.float32)  # the columns that vary


def limited(*arguments, cwd):
    """The command with so much memory and no more: of all that is not a page of a file."""
    return subprocess.run(
        [sys.executable, "-c", "from qpfs.cli import main; main()", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},  # the usual one reserves a gigabyte
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT)),
    )


def npy(path, m=155_000):
    """620 MB, most of it holes that take no room on the disk."""
    X = np.lib.format.open_memmap(path, "w+", np.float64, (N, m))
    X[:, np.linspace(0, m - 1, 40).astype(int)] = FEW
    X.flush()
    return []


def wide_parquet(path, m=4_000, groups=8):
    """1.3 GB of numbers that all but a few columns keep in no room."""
    zeros = pa.array(np.zeros(10 * N))
    some = np.tile(FEW, (10, 1))
    columns = {f"g{j}": zeros for j in range(m)} | {f"v{j}": pa.array(some[:, j]) for j in range(40)}
    table = pa.table(columns)
    with parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return []


def dense_h5ad(path, m=400_000):
    """1.6 GB of numbers, packed."""
    import anndata

    obs = pd.DataFrame({"y": np.arange(N) % 2}, index=[f"s{i}" for i in range(N)])
    anndata.AnnData(obs=obs, var=pd.DataFrame(index=[f"g{j}" for j in range(m)])).write_h5ad(path)
    with h5py.File(path, "a") as file:
        if "X" in file:
            del file["X"]
        X = file.create_dataset("X", (N, m), np.float64, chunks=(N, 100), compression="gzip")
        zeros = np.zeros((N, 10_000))  # one number for all would be written row by row, chunk by chunk
        for start in range(0, m, 10_000):  # to its end: numbers that are nowhere written are refused
            X[:, start : start + 10_000] = zeros
        X[:, :40] = FEW
        X.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    return ["--target", "y"]


def csr_h5ad(path, m=2000, n=60_000, each=700):
    """42 million entries, half a gigabyte."""
    import anndata

    obs = pd.DataFrame({"y": np.arange(n) % 2}, index=[f"s{i}" for i in range(n)])
    anndata.AnnData(obs=obs, var=pd.DataFrame(index=[f"g{j}" for j in range(m)])).write_h5ad(path)
    with h5py.File(path, "a") as file:
        if "X" in file:
            del file["X"]
        X = file.create_group("X")
        X.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": (n, m)})
        X["indptr"] = np.arange(n + 1, dtype=np.int64) * each
        indices = X.create_dataset("indices", (n * each,), np.int32)
        data = X.create_dataset("data", (n * each,), np.float64)
        for start in range(0, n, 1000):
            rows = np.sort(RNG.permuted(np.tile(np.arange(m, dtype=np.int32), (1000, 1)), axis=1)[:, :each])
            indices[start * each : (start + 1000) * each] = rows.ravel()
            data[start * each : (start + 1000) * each] = RNG.poisson(1.0, 1000 * each) + 1
    return ["--target", "y"]


def long_csv(path, m=2000, times=60):
    """900 MB."""
    rows = "".join(",".join(f"{x:.4f}" for x in row) + "\n" for row in np.tile(FEW, (1, m // 40)))
    with path.open("w") as file:
        file.write(",".join(f"g{j}" for j in range(m)) + "\n")
        for _ in range(times):
            file.write(rows)
    return []


def stray_csv(path, rows=150_000):
    """60 MB with a quote in the middle of a cell near its top, and one cell in quotes."""
    row = ",".join(f"{x:.4f}" for x in FEW[0])
    with path.open("w") as file:
        file.write(",".join(f"g{j}" for j in range(40)) + ',"the, size"\n')
        for i in range(rows):
            file.write(f"{i % 9}{row[1:]},{'6' + chr(34) + ' tube' if i == 5 else i % 3}\n")
    return ["--target", "the, size"]


def svmlight(path, m=200_000, each=1000, n=30_000):
    """30 million entries, half a gigabyte."""
    rows = [
        " ".join(f"{j}:{RNG.random():.4f}" for j in np.sort(RNG.choice(m, each, replace=False)) + 1)
        for _ in range(100)
    ]
    with path.open("w") as file:
        for i in range(n):
            file.write(f"{i % 2} {rows[i % 100]}\n")
    return []


def bed(path, m=400_000):
    """200,000,000 genotypes, 1.6 GB as numbers."""
    with path.open("wb") as file:
        file.write(b"\x6c\x1b\x01" + RNG.bytes(m * (N // 4)))
    path.with_suffix(".bim").write_text("".join(f"1\trs{j}\t0\t{j}\tA\tC\n" for j in range(m)))
    path.with_suffix(".fam").write_text("".join(f"f\ts{i}\t0\t0\t1\t{1 + i % 2}\n" for i in range(N)))
    return []


def wide_npy(path):
    """1.6 GB."""
    return npy(path, 400_000)


SLOW = {
    "wide.npy": wide_npy,
    "wide.parquet": wide_parquet,
    "dense.h5ad": dense_h5ad,
    "csr.h5ad": csr_h5ad,
    "long.csv": long_csv,
    "stray.csv": stray_csv,
    "a.svmlight": svmlight,
    "a.bed": bed,
}
TABLES = [
    pytest.param("a.npy", npy, id="a.npy"),
    *(pytest.param(name, write, id=name, marks=pytest.mark.slow) for name, write in SLOW.items()),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is of Linux")
@pytest.mark.parametrize(("name", "write"), TABLES)
def test_a_table_larger_than_memory_is_encoded_within_it(tmp_path, name, write):
    reading = write(tmp_path / name)
    run = limited("encode", name, *reading, "--out", "a.qpfs", "--memory", f"{MEMORY}", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    table = open_store(tmp_path / "a.qpfs", verify=True)
    assert len(table.store.varying) >= (1 if name == "stray.csv" else 40)
    assert {one.suffix for one in tmp_path.iterdir()} - {".bim", ".fam"} == {Path(name).suffix, ".qpfs"}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is of Linux")
@pytest.mark.slow
def test_tall_columns_are_ranked_within_memory(tmp_path):
    """300 MB by rows, of which some columns at a time are read, ranked and written."""
    X = np.lib.format.open_memmap(tmp_path / "a.npy", "w+", np.float32, (700_000, 110))
    X[:, ::10] = RNG.normal(size=(700_000, 11))
    X.flush()
    given = ["--measure", "rank", "--memory", f"{MEMORY}"]
    run = limited("encode", "a.npy", "--out", "a.qpfs", *given, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert open_store(tmp_path / "a.qpfs").store.varying.tolist() == list(range(0, 110, 10))


@pytest.mark.parametrize(
    "command", [qpfs, pytest.param(limited, marks=pytest.mark.slow)], ids=["here", "limited"]
)
def test_what_cannot_be_kept_is_refused_before_anything_is_written(tmp_path, command):
    np.lib.format.open_memmap(tmp_path / "a.npy", "w+", np.int8, (3_000_000, 2)).flush()
    run = command("encode", "a.npy", "--out", "a.qpfs", "--memory", "300MB", cwd=tmp_path)
    assert run.returncode == 2
    assert "cannot be encoded within 300 MB; allow about 413 MB" in run.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["a.npy"]


HUGE = "1 1:0.5 99999999:1\n0 1:0.1 2:3\n", "line 1 has an index of 99,999,999; so many features"
OPEN = 'a,b,y\n1,2,u\n3,"4,v\n' + "1,2,u\n" * 10**6, "opens a cell in line 3 is never closed"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is of Linux")
@pytest.mark.parametrize(
    ("command", "name", "content", "message"),
    [
        pytest.param(qpfs, "h.svm", *HUGE, id="here"),
        pytest.param(limited, "h.svm", *HUGE, id="h.svm", marks=pytest.mark.slow),
        pytest.param(limited, "u.csv", *OPEN, id="u.csv", marks=pytest.mark.slow),
    ],
)
def test_small_files_that_would_take_all_memory_are_refused(tmp_path, command, name, content, message):
    (tmp_path / name).write_text(content)
    run = command("encode", name, "--out", "a.qpfs", "--memory", "256MB", cwd=tmp_path)
    assert run.returncode == 1
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is of Linux")
@pytest.mark.slow
def test_a_row_for_each_of_many_features_is_written_within_a_limit(tmp_path):
    m = 300_000
    X = np.lib.format.open_memmap(tmp_path / "a.npy", "w+", np.int8, (60, m))
    X[:] = RNG.integers(0, 3, (60, m), np.int8)
    X.flush()
    write_store(X, tmp_path / "a.qpfs", y=np.arange(60) % 2)
    run = limited("select", "a.qpfs", "--top", "50", "--out", "found", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    with (tmp_path / "found" / "selection.csv").open() as file:
        assert sum(1 for _ in file) == m + 1
