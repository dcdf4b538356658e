"""Groups of features as single features: an orthonormal basis of the span of their columns of scores.

The columns are orthogonalised one after another, so that a group of copies equals the first of them to the
last bit. Where a group spans many directions only the leading ones are kept, those along which its columns
vary most: a basis of nearly as many directions as there are samples would fit any target. Where samples have
weights, inner products and variances are weighted, as for copies.

Letters: N samples, D columns of a group, d directions that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.score_runs import UNIT
from qpfs.codes.scores import ScoreBlock, rounded_values
from qpfs.codes.store import Store, joined
from qpfs.codes.weights import Weights, counts_of, total_of
from qpfs.engines import one_blas_thread

# With more directions a group fits any target: 300 genes span all of 80 samples (decision 0017).
MOST = 32  # directions of a group, and
SHARE = 4  # samples for each of them, at least
FOLLOWS = 1e-6  # of a column's square: a smaller residual is rounding error of scores


def most_directions(n_samples: int) -> int:
    """The most directions that represent a group."""
    return max(1, min(n_samples // SHARE, MOST))


def unions(
    store: Store, groups: Sequence[IndexArray], leads: Sequence[int], weights: Weights | None = None
) -> list[ScoreBlock]:
    """Each group of features as one feature, under the number of its first column, in blocks."""
    with one_blas_thread():  # one thread: sums of floats depend on their order
        found = [union(store, members, lead, weights) for members, lead in zip(groups, leads, strict=True)]
    return joined(block for block in found if block is not None)


def union(store: Store, members: IndexArray, lead: int, weights: Weights | None = None) -> ScoreBlock | None:
    """The features of a group as one feature; None if all are constant."""
    n_samples = store.n_samples if weights is None else int(weights.size)
    basis = directions(columns_of_members(store, members), most_directions(n_samples), weights)
    if len(basis) == 0:
        return None
    scores, shift = rounded_values(basis)
    return ScoreBlock(np.array([lead]), scores[None], shift[None])


def columns_of_members(store: Store, members: IndexArray) -> FloatArray:
    """The columns of some features one after another, in units of 1 / UNIT: (D, N)."""
    found: dict[int, FloatArray] = {}
    for block in store.pick(members):
        for slot, feature in enumerate(block.features.tolist()):
            found[feature] = block.columns(slice(slot, slot + 1))
    return np.concatenate([np.empty((0, store.n_samples)), *(found[i] for i in sorted(found))])


def directions(columns: FloatArray, most: int, weights: Weights | None = None) -> FloatArray:
    """At most so many orthogonal rows of mean square UNIT^2 that span columns (D, N), or most of them."""
    length = total_of(weights, columns.shape[1]) * float(UNIT) ** 2
    basis = np.empty((0, columns.shape[1]))
    for column in columns:
        rest = column
        if len(basis):
            for _ in range(2):  # a second time, against rounding errors
                rest = rest - (basis @ weighed(rest, weights) / length) @ basis
            square = rest @ weighed(rest, weights) / length
            if square <= FOLLOWS:
                continue
            rest = rest / np.sqrt(square)
        basis = np.vstack((basis, rest))
        if len(basis) > most:
            return leading(columns, most, weights)
    return basis


def weighed(columns: FloatArray, weights: Weights | None) -> FloatArray:
    """Columns (..., N), each sample multiplied by its number of copies."""
    return columns if weights is None else columns * weights.counts


def leading(columns: FloatArray, most: int, weights: Weights | None = None) -> FloatArray:
    """The orthogonal rows along which columns vary most, from the smaller of the two Gram matrices."""
    n_columns, n_samples = columns.shape
    if n_columns <= n_samples:
        values, vectors = np.linalg.eigh(columns @ weighed(columns, weights).T)
        rows = vectors[:, ::-1][:, :most].T @ columns
    else:
        root = np.ones(1) if weights is None else np.sqrt(weights.counts)
        values, vectors = np.linalg.eigh((columns * root).T @ (columns * root))
        rows = vectors[:, ::-1][:, :most].T / root
    rows = rows[values[::-1][:most] > FOLLOWS * values[-1]]
    return rows / np.sqrt(np.average(rows**2, axis=1, weights=counts_of(weights)))[:, None] * UNIT
