"""The columns of an AnnData object of single-cell packages: cells x genes, with names for both.

`X` is read as the array or sparse matrix that it is; one that is backed by a file is read whole. The names of
the features are `var_names`, and annotations of the samples are in `obs`, by name. The package is not
imported: an object of it can exist only if the user has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Self, TypeGuard

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.columns import ArrayColumns, NumberColumns
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import Form
from qpfs.codes.ordering import Sorted
from qpfs.codes.sparse_columns import SparseColumns
from qpfs.codes.store import Store
from qpfs.codes.values import is_sparse
from qpfs.codes.weights import Weights
from qpfs.engines import Engine
from qpfs.wording import listed

MOST_SHOWN = 8  # columns named in a message


def is_anndata(table: Any) -> TypeGuard[Any]:
    """Whether this is an AnnData object."""
    module = sys.modules.get("anndata")
    return module is not None and isinstance(table, module.AnnData)


class AnnDataColumns(NumberColumns):
    """X of an AnnData object, with the names of its variables."""

    takes = staticmethod(is_anndata)

    def __init__(self, table: Any) -> None:
        matrix = matrix_of(table)
        self.table, self.names = table, variable_names(table)
        self.inner = SparseColumns.of(matrix) if is_sparse(matrix) else ArrayColumns.of(matrix)
        self._take_over()

    def _take_over(self) -> None:
        self.n_samples, self.n_features = self.inner.n_samples, self.inner.n_features
        self.numeric, self.integer = self.inner.numeric, self.inner.integer
        self.row_wise, self.cache_bytes = self.inner.row_wise, self.inner.cache_bytes
        self.inner.names = self.names  # so that messages name the variables

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        found, matrix = cls(table), matrix_of(table)
        kind = SparseColumns if is_sparse(matrix) else ArrayColumns
        found.inner = kind.checked(estimator, matrix, reset=reset, min_samples=min_samples)
        found._take_over()
        if reset:
            estimator.feature_names_in_ = np.array(found.names, object)
        return found

    def weighted(self, weights: Weights | None) -> Self:
        found = super().weighted(weights)
        found.inner = self.inner.weighted(weights)
        return found

    def marked(self, name: str) -> AnyArray | None:
        """A column of `var`."""
        there = [str(one) for one in self.table.var.columns]
        return self.table.var.iloc[:, there.index(name)].to_numpy() if name in there else None

    @staticmethod
    def take_columns(table: Any, features: Sequence[int]) -> Any:
        return table[:, np.asarray(features, np.intp)]

    @staticmethod
    def by_rows(table: Any) -> Any:
        matrix = matrix_of(table)
        return (SparseColumns if is_sparse(matrix) else ArrayColumns).by_rows(matrix)

    @staticmethod
    def dense(table: Any) -> AnyArray:
        matrix = matrix_of(table)
        return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix)

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.inner.part(features, rows)

    def numbers(self, features: IndexArray) -> FloatArray:
        return self.inner.numbers(features)

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        return self.inner.packed(form, rule, engine)

    def learned(self, rule: Rule) -> Coding:
        return self.inner.learned(rule)

    def in_order(self, features: IndexArray) -> Iterator[tuple[IndexArray, Sorted]]:
        return self.inner.in_order(features)


def matrix_of(table: Any) -> Any:
    """X as an array or a sparse matrix, in memory; raises ValueError if there is none."""
    X = table.X
    if X is None:
        there = f"; it has the layers {listed([*map(repr, table.layers)])}" if len(table.layers) else ""
        raise ValueError(
            f"The AnnData object has no X{there}. To use a layer, pass AnnData(adata.layers[NAME], "
            "adata.obs, adata.var), which copies nothing."
        )
    if hasattr(X, "dask"):
        raise TypeError("X of the AnnData object is a Dask array; pass adata.X itself, or adata.to_memory().")
    if hasattr(X, "to_memory"):  # sparse, in a file
        return X.to_memory()
    return X if isinstance(X, np.ndarray) or is_sparse(X) else np.asarray(X[...])


def variable_names(table: Any) -> list[str]:
    """The names of the features; raises ValueError if some are equal."""
    if not table.var_names.is_unique:
        twice = table.var_names[table.var_names.duplicated()][0]
        raise ValueError(
            f"Several variables of the AnnData object are called {str(twice)!r}; make names unique with "
            "adata.var_names_make_unique(), so that each feature can be identified."
        )
    return [str(name) for name in table.var_names]


def of_samples(table: Any, given: Any, parameter: str) -> Any:
    """The values given for the samples of a table; for AnnData the name of a column of `obs` is enough."""
    # Covariates and targets may be several names; a list as long as the samples has values, not names.
    texts = isinstance(given, list) and all(isinstance(one, str) for one in given)
    several = texts and parameter in ("covariates", "y") and is_anndata(table) and len(given) != table.n_obs
    if not (isinstance(given, str) or several) or not is_anndata(table):
        return given
    names = [str(name) for name in table.obs.columns]
    if several:
        for name in given:
            of_samples(table, name, parameter)
        return table.obs[given]
    if given in names:
        return table.obs[given]
    close = get_close_matches(given, names, n=3)
    said = f"did you mean {listed([*map(repr, close)], 'or')}?" if close else f"it has {some_of(names)}."
    raise ValueError(f"{parameter}={given!r}, but obs of the AnnData object has no such column; {said}")


def some_of(names: list[str]) -> str:
    more = [f"{len(names) - MOST_SHOWN} more"] if len(names) > MOST_SHOWN else []
    return listed([*map(repr, names[:MOST_SHOWN]), *more]) or "none"
