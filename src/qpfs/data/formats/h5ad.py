"""The one door to anndata: `.h5ad`, cells x genes, with what is known of the cells in `obs`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.format import Format
from qpfs.data.formats.hdf5 import columns_in, declared_bytes, opened_file
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading, in_columns
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet, of_matrix, shortened
from qpfs.messages import Message, Parameter


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose matrix stays there."""
    try:
        from anndata import io
    except ImportError as error:
        raise UnreadableError("that needs anndata: pip install 'qpfs[formats]'.") from error
    if reading.in_rows:
        raise in_columns("an .h5ad file has features in columns")
    file = scratch.open(opened_file(path))
    if scratch.beside is None:
        check_room(declared_bytes(file), "what it holds")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        obs, var = io.read_elem(file["obs"]), io.read_elem(file["var"])
    return of_matrix(
        columns_in(node_of(file, reading.layer), scratch),
        [str(name) for name in var.index],
        beside={str(name): observed(obs[name]) for name in obs.columns},
        samples=[str(name) for name in obs.index],
    )


def node_of(file: Any, layer: str | None) -> Any:
    """X, or a layer, in the file."""
    layers = list(file.get("layers", ()))
    if layer is not None and layer not in layers:
        there = f"it has {shortened(layers)}" if layers else "it has none"
        raise UsageError(f"There is no layer {layer!r}; {there}.")
    if layer is None and "X" not in file:
        raise UnreadableError(
            Message("it has no X; name a layer (", Parameter("layer"), f"): {shortened(layers)}.")
        )
    return file["X"] if layer is None else file["layers"][layer]


def observed(column: Any) -> AnyArray:
    """A column of `obs`: numbers, or text with None where it is missing."""
    if column.dtype.kind in "iuf":
        return column.to_numpy()
    missing = column.isna().to_numpy()
    text = [None if gone else str(value) for value, gone in zip(column, missing, strict=True)]
    return np.array(text, object if missing.any() else str)


H5AD = Format("h5ad", "h5ad", lambda head, path: head.startswith(b"\x89HDF\r\n\x1a\n"), read)
