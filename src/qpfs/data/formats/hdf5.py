"""The one door to h5py: matrices in `.mat` files of version 7.3, which are HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from qpfs.data.errors import UnreadableError


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
