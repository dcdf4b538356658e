"""MATLAB's `.mat`: matrices by name, sparse ones too."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.data.formats.format import Format
from qpfs.data.formats.hdf5 import arrays_in
from qpfs.data.formats.keyed import sheet_of_keys
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet


def matches(head: bytes, path: Path) -> bool:
    """Whether the file says that MATLAB wrote it; version 4 does not say so, but by its name."""
    return head.startswith(b"MATLAB ") or (path.suffix == ".mat" and b"\0" in head[:20])


def read(path: Path, reading: Reading) -> Sheet:
    with path.open("rb") as file:
        modern = file.read(10) == b"MATLAB 7.3"
    arrays = arrays_in(path) if modern else plain_arrays(path)
    return sheet_of_keys(arrays, reading)


def plain_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file up to version 7."""
    from scipy.io import loadmat

    with warnings.catch_warnings():  # matrices become arrays in SciPy 1.20; both are read here
        warnings.filterwarnings("ignore", "The default value for `spmatrix`", DeprecationWarning)
        found = loadmat(path, chars_as_strings=True)
    return {name: simple(array) for name, array in found.items() if not name.startswith("__")}


def simple(array: Any) -> Any:
    """An array; cells of text as text."""
    if array.dtype.kind != "O":
        return array
    return np.array([str(cell.ravel()[0]) if getattr(cell, "size", 0) else "" for cell in array.ravel()])


MAT = Format("mat", "a MATLAB file", matches, read)
