"""Sparse tables as users may hand them in, for tests that compare them with what they are when spread out."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

KINDS = {
    "reals": lambda rng, n: rng.normal(size=n),
    "counts": lambda rng, n: rng.integers(-1, 5, n).astype(float),
    "huge": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-180, 180, n),
    "few reals": lambda rng, n: rng.choice([0.1, 0.2, 0.7, -0.3], n),
}


@st.composite
def tables(draw, samples=(4, 300), features=(2, 12), missing=True):
    """A CSC matrix and its classes: any share filled, explicit zeros, -0.0 and NaN, rows in any order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(*samples)), draw(st.integers(*features))
    filled = draw(st.sampled_from([0.0, 0.01, 0.05, 0.3, 0.9, 1.0]))
    there = rng.random((n, m)) < filled * rng.uniform(0, 1 if filled < 1 else 2, m).clip(0.1, 1)
    rows, columns = np.nonzero(there)
    values = KINDS[draw(st.sampled_from(sorted(KINDS)))](rng, len(rows))
    odd = rng.random(len(values))
    values[odd < 0.1], values[(odd > 0.1) & (odd < 0.15)] = 0.0, -0.0
    if missing and draw(st.booleans()):
        values[odd > 0.9] = np.nan
    y = rng.permutation(np.arange(n) % draw(st.integers(2, 3)))
    return shuffled(sparse.csc_array((values, (rows, columns)), (n, m)), rng), y


def shuffled(X, rng):
    """The same matrix with the stored values of each column in another order, the first ones in two parts."""
    data, indices, indptr = [], [], [0]
    for j in range(X.shape[1]):
        part = slice(X.indptr[j], X.indptr[j + 1])
        values, rows = X.data[part], X.indices[part]
        twice = np.arange(len(rows)) < len(rows) // 3
        values = np.concatenate([np.where(twice, values / 2, values), values[twice] / 2])
        rows = np.concatenate([rows, rows[twice]])
        order = rng.permutation(len(rows))
        data.append(values[order])
        indices.append(rows[order])
        indptr.append(indptr[-1] + len(rows))
    arrays = np.concatenate(data), np.concatenate(indices), np.array(indptr)
    return sparse.csc_array(arrays, X.shape)
