"""Named sets that need no download: those that scikit-learn ships."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from sklearn import datasets

BUILT_IN: dict[str, Callable[[], Any]] = {
    "wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "diabetes": datasets.load_diabetes,
}


def built_in(name: str) -> tuple[pa.Table, str]:
    """A named set as a table, and the column that is its target."""
    bunch = BUILT_IN[name]()
    columns = {str(key): bunch.data[:, j] for j, key in enumerate(bunch.feature_names)}
    if "target_names" in bunch:
        columns["target"] = bunch.target_names[bunch.target]
    else:
        columns["target"] = bunch.target
    return pa.table(columns), "target"
