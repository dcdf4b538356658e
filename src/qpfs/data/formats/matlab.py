"""MATLAB's `.mat`: matrices by name, sparse ones too."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

from qpfs.data.formats import hdf5, matlab_five
from qpfs.data.formats.format import Format
from qpfs.data.formats.keyed import sheet_of_keys
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet
from qpfs.sparse import sound_sparse


def matches(head: bytes, path: Path) -> bool:
    """Whether the file states that MATLAB wrote it; version 4 is recognised by its name only."""
    return head.startswith(b"MATLAB ") or (path.suffix == ".mat" and b"\0" in head[:20])


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    with path.open("rb") as file:
        head = file.read(10)
    if head == b"MATLAB 7.3":
        return sheet_of_keys(hdf5.arrays_in(path), reading)
    arrays = oldest_arrays(path) if 0 in head[:4] else matlab_five.arrays_in(path)
    return sheet_of_keys(arrays, reading)


def oldest_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file of version 4, which SciPy reads in plain Python."""
    from scipy.io import loadmat, whosmat

    known = [math.prod(shape) for _, shape, kind in whosmat(path) if kind != "sparse"]
    check_room(8 * sum(known), "what it holds")
    with warnings.catch_warnings():  # matrices become arrays in SciPy 1.20; both are read here
        warnings.filterwarnings("ignore", "The default value for `spmatrix`", DeprecationWarning)
        found = loadmat(path, chars_as_strings=True)
    return {name: sound_sparse(array) for name, array in found.items() if not name.startswith("__")}


MAT = Format("mat", "a MATLAB file", matches, read, times=3)
