"""One table as every kind of input that `fit` takes; each must give the same answer to the last bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from qpfs import open_store, write_store


def names_of(X):
    return [f"c{j}" for j in range(X.shape[1])]


def strided(X):
    wide = np.empty((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def reversed_(X):
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def mapped(X):
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, X)
        file.flush()
        return np.load(file.name, mmap_mode="r")


def nullable(X):
    """NaN is no value, as pandas has it in its own types."""
    columns = (pd.array(np.where(np.isnan(x), None, x), "Float64") for x in X.T)
    return pd.DataFrame(dict(zip(names_of(X), columns, strict=True)))


def chunked(X):
    """Arrow in chunks of different lengths."""
    cut = X.shape[0] // 3
    table = pa.table(dict(zip(names_of(X), X.T.copy(), strict=True)))
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)])


def in_blocks(X):
    import dask.array as da

    return da.from_array(X, chunks=(X.shape[0], max(1, X.shape[1] // 3)))


def stored(X, y, rule, measure):
    """A store for a measure; it is open after its file has gone."""
    with tempfile.TemporaryDirectory() as folder:
        return open_store(write_store(X, Path(folder) / "X.qpfs", discretizer=rule, measure=measure))


KINDS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "reversed": reversed_,
    "read-only": read_only,
    "mapped": mapped,
    "list": lambda X: X.tolist(),
    "big-endian": lambda X: X.astype(">f8"),
    "longdouble": lambda X: X.astype(np.longdouble),
    "pandas": lambda X: pd.DataFrame(X, columns=names_of(X)),
    "nullable pandas": nullable,
    "polars": lambda X: pl.DataFrame(dict(zip(names_of(X), X.T.copy(), strict=True))),
    "pyarrow": chunked,
    "dask": in_blocks,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
}
SPARSE = ("csr", "csc", "coo")
