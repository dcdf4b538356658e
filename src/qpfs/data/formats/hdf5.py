"""The one door to h5py: matrices in HDF5, as `.mat` of version 7.3 and `.h5ad` have them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.scratch import PIECE, Entries, Scratch, Slabs, SparseColumns, by_columns, runs

SLAB = 3  # which part of the budget a slab takes


def arrays_in(path: Path) -> dict[str, Any]:
    """The arrays of a `.mat` file of version 7.3, by name."""
    try:
        import h5py
    except ImportError as error:
        raise UnreadableError(
            "it is of version 7.3, which needs h5py: pip install 'qpfs[formats]'; or save it with -v7."
        ) from error
    with h5py.File(path, "r") as file:
        found = {name: array(file[name], file) for name in file if not name.startswith("#")}
    return {name: value for name, value in found.items() if value is not None}


def opened(path: Path) -> Any:
    """A file of HDF5, to be closed by who asked."""
    try:
        import h5py
    except ImportError as error:
        raise UnreadableError("that needs h5py: pip install 'qpfs[formats]'.") from error
    return h5py.File(path, "r")


def columns_of(node: Any, scratch: Scratch) -> Any:
    """A matrix in a file, dense or sparse either way, some columns at a time."""
    if hasattr(node, "shape"):
        budget = scratch.memory // SLAB
        return Slabs(lambda some: np.concatenate([node[:, one] for one in runs(some)], 1), node.shape, budget)
    shape = tuple(int(n) for n in node.attrs["shape"])
    bounds = node["indptr"][()].astype(np.int64)
    if node.attrs["encoding-type"] == "csc_matrix":
        return SparseColumns(bounds, node["indices"], node["data"], (shape[0], shape[1]))
    counts = np.zeros(shape[1], np.int64)
    for some in pieces(bounds):
        counts += np.bincount(node["indices"][bounds[some][0] : bounds[some][-1]], minlength=shape[1])

    def entries() -> Iterator[Entries]:
        for some in pieces(bounds):
            part = slice(int(bounds[some][0]), int(bounds[some][-1]))
            rows = np.repeat(np.arange(some.start, some.stop - 1), np.diff(bounds[some]))
            yield rows, node["indices"][part], node["data"][part]

    return by_columns(entries, counts, shape[0], scratch, node["data"].dtype)


def pieces(bounds: AnyArray) -> Iterator[slice]:
    """The bounds of rows in runs that hold few entries; each begins with the last bound of the one before."""
    start = 0
    while start < len(bounds) - 1:
        stop = max(int(np.searchsorted(bounds, bounds[start] + PIECE, "right")), start + 2)
        yield slice(start, min(stop, len(bounds)))
        start = min(stop, len(bounds)) - 1


def array(node: Any, file: Any) -> Any:
    """An array with its axes as in MATLAB, which counts them the other way round; None for anything else."""
    if "MATLAB_sparse" in node.attrs:
        return sparse_array(node)
    if not hasattr(node, "shape"):
        return None
    if node.attrs.get("MATLAB_class") == b"cell":
        return np.array([text(file[one]) for one in node[()].ravel()])
    return node[()].T if node.dtype.kind in "biuf" else None


def text(node: Any) -> str:
    """A cell as text: MATLAB keeps the numbers of its letters."""
    return "".join(map(chr, node[()].ravel())) if node.dtype.kind == "u" else str(node[()].ravel()[0])


def sparse_array(node: Any) -> Any:
    from scipy import sparse

    columns = node["jc"][()].astype(np.int64)
    shape = (int(node.attrs["MATLAB_sparse"]), len(columns) - 1)
    if "data" not in node:
        return sparse.csc_matrix(shape)
    return sparse.csc_matrix((node["data"][()], node["ir"][()].astype(np.int64), columns), shape)
