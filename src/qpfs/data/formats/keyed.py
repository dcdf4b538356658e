"""Files that hold several arrays by name (`.npz`, `.mat`): which is X, which y, which are names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.data.errors import UnreadableError
from qpfs.data.reading import Reading
from qpfs.data.sheet import Sheet, of_matrix

MATRIX = ("X", "x", "data", "fea", "features")
TARGET = ("y", "Y", "target", "labels", "label", "gnd", "class")
FEATURES = ("feature_names", "feature_name", "gene_names", "columns", "names")
SAMPLES = ("sample_names", "samples", "index")
CLASSES = ("class_names", "target_names", "classes")
SPLIT = "is_train"


def sheet_of_keys(arrays: Mapping[str, Any], reading: Reading) -> Sheet:
    """The sheet of arrays by name: the matrix, and beside it every vector with a value for each sample."""
    key = matrix_key(arrays)
    X = checked_matrix(arrays[key], f"{key!r}")
    n_features, n_samples = X.shape if reading.in_rows else X.shape[::-1]
    vectors = {name: flat(array) for name, array in arrays.items() if name != key}
    of_samples = {name: vector for name, vector in vectors.items() if len(vector) == n_samples}
    return of_matrix(
        X.T if reading.in_rows else X,
        names_in(vectors, FEATURES, n_features),
        beside={name: with_classes(name, vector, vectors) for name, vector in of_samples.items()},
        target=next((name for name in TARGET if name in of_samples), None),
        samples=names_in(vectors, SAMPLES, n_samples),
        split=of_samples[SPLIT].astype(bool) if SPLIT in of_samples else None,
    )


def matrix_key(arrays: Mapping[str, Any]) -> str:
    """The name of the array that holds the features."""
    known = [
        name for name in MATRIX if name in arrays and is_matrix(arrays[name], least=1 + (name not in "Xx"))
    ]
    others = [name for name, array in arrays.items() if is_matrix(array)]
    if not known and len(others) != 1:
        raise UnreadableError(
            f"it holds {listed(arrays)}; expected a matrix of numbers named X, or just one matrix."
        )
    return known[0] if known else others[0]


def is_matrix(array: Any, least: int = 2) -> bool:
    """Whether this is numbers with at least so many rows and columns; one of either may be a vector."""
    return array.ndim == 2 and min(array.shape) >= least and array.dtype.kind in "biuf"


def listed(arrays: Mapping[str, Any]) -> str:
    """The arrays with their shapes, for a message."""
    some = [f"{name!r} {' x '.join(map(str, array.shape))}" for name, array in list(arrays.items())[:8]]
    return ", ".join(some) + (", ..." if len(arrays) > 8 else "") if some else "no array"


def checked_matrix(array: Any, what: str) -> Any:
    """A matrix of numbers; raises UnreadableError if it is not."""
    if array.ndim != 2:
        raise UnreadableError(
            f"{what} has {array.ndim} dimension{'s' * (array.ndim != 1)}; expected 2: samples x features."
        )
    if array.dtype.kind not in "biuf":
        raise UnreadableError(f"{what} holds {array.dtype}; expected numbers.")
    if array.dtype.kind != "b":
        return array
    return array.view(np.uint8) if isinstance(array, np.ndarray) else array.astype(np.uint8)


def flat(array: Any) -> AnyArray:
    """A vector, also if it came as a matrix with one row or column; else an empty one."""
    if hasattr(array, "toarray") or max(array.shape, default=0) != array.size:
        return np.empty(0)
    return np.asarray(array).ravel()


def names_in(vectors: Mapping[str, AnyArray], known: tuple[str, ...], n: int) -> list[str] | None:
    """The names of n things, if one of the vectors has them."""
    found = [vectors[name] for name in known if name in vectors and len(vectors[name]) == n]
    return [str(name) for name in found[0]] if found else None


def with_classes(name: str, vector: AnyArray, vectors: Mapping[str, AnyArray]) -> AnyArray:
    """The target as names of classes, if it holds their numbers and the names are given."""
    names = next((vectors[key] for key in CLASSES if key in vectors), np.empty(0))
    numbers = name in TARGET and vector.dtype.kind in "iu" and len(names) > 0
    if numbers and vector.min(initial=0) >= 0 and vector.max(initial=0) < len(names):
        return names.astype(str)[vector]
    return vector
