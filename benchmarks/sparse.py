"""Sparse tables of a million features and more: selectors beside `SelectKBest(chi2)`.

A table like those of words: each column is filled in 0.02 to 0.1 % of the samples, with positive real
numbers. Some columns are planted: groups of near copies, filled in a tenth of the samples of one class more.
Memory is the peak of the fit above its start, in multiples of the matrix in CSC form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_selection import SelectKBest, chi2

from benchmarks.datasets import LEVELS
from benchmarks.rows import Row, duration, limited
from benchmarks.timing import race
from qpfs import IKMAQPFS, MRMR, QPFS
from qpfs.evaluation import measured

SHAPE = (6_000, 1_300_000)
FILLED = (0.0002, 0.001)
PLANTED, COPIES = 20, 5
MULTIPLES = 6.0  # of the CSC matrix, at most


def main() -> list[Row]:
    X, y, planted = words(*SHAPE)
    selectors = {
        "QPFS(theta=0.5)": QPFS(theta=0.5, **LEVELS, n_jobs=2),
        "MRMR(50)": MRMR(50, **LEVELS, n_jobs=2),
        "MRMR(50) by ranks": MRMR(50, n_jobs=2),
        "IKMAQPFS(50) by ranks": IKMAQPFS(50, n_jobs=2),
    }
    return [row for name, selector in selectors.items() for row in rows(name, selector, X, y, planted)]


def rows(name: str, selector: Any, X: Any, y: np.ndarray, planted: np.ndarray) -> list[Row]:
    shape = f"{X.shape[0]:,} x {X.shape[1]:,}, {100 * X.nnz / np.prod(X.shape):.3f} % filled"
    ours, theirs = race(lambda: selector.fit(X, y), lambda: SelectKBest(chi2, k=50).fit(X, y), repeats=1)
    found = planted[selector.order_[:PLANTED]]
    precision = f"{(found > 0).mean():.0%} planted, {len(set(found[found > 0]))} of {PLANTED} groups"
    used = measured(selector, X, y).megabytes * 2**20 / csc_bytes(X)
    size, about = f"CSC: {csc_bytes(X) / 2**20:.0f} MB", f"memory of {name}.fit, in CSC matrices"
    bounded = not isinstance(selector, IKMAQPFS)  # keeps what it did in each round
    return [
        Row(f"{name}.fit, {shape}; SelectKBest(chi2)", duration(ours), duration(theirs), theirs / ours),
        limited(about, used, MULTIPLES, f"{used:.2f}", size) if bounded else Row(about, f"{used:.2f}", size),
        Row(f"the first {PLANTED} of {name}", precision),
    ]


def csc_bytes(X: Any) -> int:
    """What the matrix takes by columns."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def words(n_samples: int, n_features: int, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    """A sparse table, its classes, and for each column the planted group that it belongs to, or 0."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_samples)
    n_filled = rng.binomial(n_samples, rng.uniform(*FILLED, n_features))
    column = np.repeat(np.arange(n_features, dtype=np.int32), n_filled)
    row = rng.integers(0, n_samples, len(column), dtype=np.int32)
    planted = np.zeros(n_features, np.intp)
    places = rng.choice(n_features, PLANTED * COPIES, replace=False)
    planted[places] = np.repeat(np.arange(1, PLANTED + 1), COPIES)
    more = [groups_of_copies(y, rng) for _ in range(PLANTED)]
    row = np.concatenate([row, *(rows for group in more for rows in group)])
    sizes = [len(rows) for group in more for rows in group]
    column = np.concatenate([column, np.repeat(places, sizes).astype(np.int32)])
    value = rng.lognormal(size=len(row))
    X = sparse.coo_array((value, (row, column)), (n_samples, n_features)).tocsc()
    return X, y, planted


def groups_of_copies(y: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """The samples of the columns of a group: a tenth of one class, nine in ten of it in each copy."""
    own = np.flatnonzero((y == rng.integers(0, 2)) & (rng.random(len(y)) < 0.1)).astype(np.int32)
    return [own[rng.random(len(own)) < 0.9] for _ in range(COPIES)]
