"""The only module that imports anndata: `.h5ad`, cells x genes, with facts about the cells in `obs`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.formats.format import Format
from qpfs.data.formats.hdf5 import columns_in, declared_bytes, opened_file
from qpfs.data.formats.scratch import Scratch
from qpfs.data.reading import Reading, in_columns
from qpfs.data.roles import alike
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet, of_matrix, shortened
from qpfs.messages import Parameter
from qpfs.wording import counted


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose matrix stays there."""
    try:
        from anndata import io
    except ImportError as error:
        raise UnreadableError("this needs anndata: pip install 'qpfs[formats]'.") from error
    if reading.in_rows:
        raise in_columns("an .h5ad file has features in columns")
    file = scratch.open(opened_file(path))
    if scratch.beside is None:
        check_room(declared_bytes(file), "what it holds")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        obs, var = io.read_elem(file["obs"]), io.read_elem(file["var"])
    left, notes = left_out(var, reading.exclude_where)
    kept = frozenset(place for name in reading.keep_where for place in true_of(var, "keep_where", name))
    check_apart(kept & left, var)
    sheet = of_matrix(
        columns_in(node_of(file, reading.layer), scratch),
        feature_names(var, reading.names),
        beside={str(name): observed(obs[name]) for name in obs.columns},
        samples=[str(name) for name in obs.index],
    )
    return replace(sheet, out=left, kept=kept, notes=notes)


def feature_names(var: Any, asked: str | None) -> list[str]:
    """The names of the features: the index of `var`, or a column of it; where that is empty, the index."""
    index = [str(name) for name in var.index]
    if asked is None or asked == var.index.name:
        return index
    column = column_of(var, "names", asked)
    gone = (column.isna() | (column.astype(str) == "")).to_numpy()
    return [old if no else str(new) for old, new, no in zip(index, column, gone, strict=True)]


def left_out(var: Any, asked: tuple[str, ...]) -> tuple[frozenset[int], tuple[str, ...]]:
    """The features for which one of some columns of `var` is true, and a note on each column."""
    out, notes = set[int](), []
    for name in asked:
        true = true_of(var, "exclude_where", name)
        notes.append(f"{counted(len(true), 'feature')} with {name!r} left out")
        out.update(true)
    return frozenset(out), tuple(notes)


def true_of(var: Any, parameter: str, name: str) -> list[int]:
    """The features for which a column of `var` is true."""
    column = column_of(var, parameter, name)
    values = column.dropna().unique().tolist()
    if not {*values} <= {True, False}:
        raise UsageError(
            Parameter(parameter, name),
            f": this column of var holds {shortened([str(one) for one in values], 3)}; expected true "
            "or false.",
        )
    found: list[int] = np.flatnonzero(column.fillna(False).astype(bool).to_numpy()).tolist()
    return found


def check_apart(both: frozenset[int], var: Any) -> None:
    """Raises UsageError for features that are both kept and excluded."""
    if both:
        raise UsageError(
            Parameter("keep_where"),
            " and ",
            Parameter("exclude_where"),
            f" are both true of {shortened([str(var.index[place]) for place in sorted(both)], 3)}; a "
            "feature can have only one of them.",
        )


def column_of(var: Any, parameter: str, asked: str) -> Any:
    """A column of `var`."""
    names = [str(name) for name in var.columns]
    if asked not in names:
        raise UsageError(
            f"There is no column {asked!r} in var (", Parameter(parameter), f"); {alike(asked, names)}"
        )
    return var.iloc[:, names.index(asked)]


def node_of(file: Any, layer: str | None) -> Any:
    """X, or a layer, in the file."""
    layers = list(file.get("layers", ()))
    if layer is not None and layer not in layers:
        there = f"it has {shortened(layers)}" if layers else "it has none"
        raise UsageError(f"There is no layer {layer!r}; {there}.")
    if layer is None and "X" not in file:
        raise UnreadableError("it has no X; name a layer (", Parameter("layer"), f"): {shortened(layers)}.")
    return file["X"] if layer is None else file["layers"][layer]


def observed(column: Any) -> AnyArray:
    """A column of `obs`: numbers, or text with None where it is missing."""
    if column.dtype.kind in "iuf":
        return column.to_numpy()
    missing = column.isna().to_numpy()
    text = [None if gone else str(value) for value, gone in zip(column, missing, strict=True)]
    return np.array(text, object if missing.any() else str)


H5AD = Format("h5ad", "h5ad", lambda head, path: head.startswith(b"\x89HDF\r\n\x1a\n"), read)
