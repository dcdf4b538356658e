"""Estimators and data described as JSON values, so that a record can state what it is a result of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.codes import EncodedTable
from qpfs.codes.frame_columns import FrameColumns, is_frame
from qpfs.codes.values import is_sparse

SCALARS = (str, int, float, bool, type(None))


def description(value: Any) -> Any:
    """An estimator, a part of one or a plain value as plain data; the same for equal parameters."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    if isinstance(value, SCALARS):
        return value
    if isinstance(value, np.ndarray):
        return checksum(value)
    if isinstance(value, Mapping):
        return {str(name): description(one) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((description(one) for one in value), key=repr)
    if isinstance(value, (list, tuple, range)):
        return [description(one) for one in value]
    return {"class": place(value), "parameters": description(parameters(value))}


def place(value: Any) -> str:
    """Where the class of a value, or a function, is defined."""
    named = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    home = getattr(named, "__module__", None) or type(named).__module__  # methods of str have none
    return f"{home}.{named.__qualname__}"


def parameters(value: Any) -> dict[str, Any]:
    """The parameters that a value was made with; a class has none."""
    if isinstance(value, type):
        return {}
    if hasattr(value, "get_params"):
        given: dict[str, Any] = value.get_params(deep=False)
        # results depend neither on the number of jobs nor on deprecated parameters of scikit-learn
        return {name: one for name, one in given.items() if name != "n_jobs" and not is_given_up(one)}
    if isinstance(value, partial):
        return {"function": value.func, "arguments": value.args, "keywords": value.keywords}
    if isinstance(value, np.random.RandomState):
        _, words, place, *_ = value.get_state()
        return {"words": np.asarray(words), "place": place}
    if isinstance(value, np.random.Generator):
        return dict(value.bit_generator.state)
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    kept = getattr(value, "__dict__", {})
    return {name: one for name, one in kept.items() if not name.startswith("_") and not name.endswith("_")}


def is_given_up(value: Any) -> bool:
    return isinstance(value, str) and value == "deprecated"


def checksum(X: Any, *others: Any) -> str:
    """SHA-256 of the values of a table, and of further arrays, independent of their container."""
    found = hashlib.sha256()
    for part in (X, *others):
        for array in arrays(part):
            found.update(f"{array.shape} {array.dtype.str}".encode())
            found.update(plain_bytes(array))
    return f"sha256:{found.hexdigest()}"


def arrays(table: Any) -> Iterable[AnyArray]:
    """The arrays that a table is made of."""
    if table is None:
        return []
    if is_sparse(table):
        rows = table.tocsr(copy=True)
        rows.sum_duplicates()
        return [np.array(rows.shape), rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data]
    if isinstance(table, EncodedTable):
        return table.content
    return frame_arrays(table) if is_frame(table) else [np.asarray(table)]


def frame_arrays(frame: Any) -> Iterable[AnyArray]:
    """The columns of a data frame."""
    columns = FrameColumns(frame)
    for feature, numeric in enumerate(columns.numeric):
        yield np.array(columns.names[feature])
        if numeric:
            yield columns.numbers(np.array([feature]))
        else:
            yield np.array([repr(label) for label in columns.labels(feature)])


def plain_bytes(array: AnyArray) -> bytes:
    """The values of an array as bytes; labels by their text."""
    if array.dtype.kind in "biuf":
        return array.tobytes()
    return "\0".join(map(str, array.ravel().tolist())).encode()
