"""The candidates: the few indices whose columns of Q have been computed.

Letters. W the candidates, K_WW their block of K, g the gradient over all M indices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.program.problem import SimplexProgram


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates W, in the order in which they were added, with K_WW."""

    program: SimplexProgram
    indices: IndexArray
    matrix: FloatArray

    def with_indices(self, wanted: IndexArray) -> Candidates:
        """The candidates with the `wanted` ones added; only new blocks are computed; itself if none are."""
        new = wanted[~np.isin(wanted, self.indices)]
        if len(new) == 0:
            return self
        indices = np.concatenate((self.indices, new))
        columns = self.program.block(indices, new)
        n = len(self.indices)
        matrix = np.empty((len(indices), len(indices)))
        matrix[:n, :n] = self.matrix
        matrix[:, n:] = columns
        matrix[n:, :n] = columns[:n].T
        return Candidates(self.program, indices, matrix)


def worst_violators(g: FloatArray, level: float, count: int) -> IndexArray:
    """At most `count` indices with g below `level`, the lowest first, ties to the lower index."""
    below = np.flatnonzero(g < level)
    if len(below) > count:
        cut = np.partition(g[below], count - 1)[count - 1]
        below = below[g[below] <= cut]
    return below[np.argsort(g[below], kind="stable")][:count]
