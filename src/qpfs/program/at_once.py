"""A small program solved in one compiled call, with every index as a candidate.

Letters. K, b, a, g as in `problem`, on all indices.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.compiled import CUBIC, inner_part, kernel, prompt
from qpfs.program.active_set import NO_REST, gradient, steps_to_rest
from qpfs.program.cholesky import FLAT
from qpfs.program.twins import lowest_twin, near_support
from qpfs.program.vectors import diagonal_of, dot, largest

# With the matrix in memory this is faster than column generation up to about 256 indices (at 64: 0.3 ms
# against 0.7 to 1.4); the limit is lower because columns of Q may have to be computed.
SMALL = 64


@prompt(CUBIC)
@kernel
def best_vertex(diagonal: FloatArray, b: FloatArray) -> int:
    """The index that alone gives the lowest f, given the diagonal of K."""
    best = 0
    for i in range(len(b)):
        if diagonal[i] / 2.0 + b[i] < diagonal[best] / 2.0 + b[best]:
            best = i
    return best


@prompt(CUBIC)
@kernel
def steps_at_once(K: FloatArray, b: FloatArray, a: FloatArray, tol: float) -> int:
    """The number of steps until the gap is half of `tol`, relative to the scale, or NO_REST; updates `a`."""
    diagonal = diagonal_of(K)
    scale = max(largest(b), largest(diagonal))
    n_steps = 0
    for _ in range(len(a) + 1):
        more = steps_to_rest(K, b, a, tol * scale / 2.0)
        if more == NO_REST:
            return NO_REST
        n_steps += more
        # At the end the lowest index of each set of twins has the weight.
        if not moved_to_twins(K, b, a, diagonal, FLAT * scale):
            return n_steps
    return NO_REST


@inner_part
def moved_to_twins(
    K: FloatArray, b: FloatArray, a: FloatArray, diagonal: FloatArray, rounding: float
) -> bool:
    """Moves weights to lower indices that duplicate their own; returns whether any was moved."""
    g = np.empty(len(a))
    gradient(K, b, a, g)
    near = near_support(a, g, dot(a, g) + rounding)
    moved = False
    at_j = np.empty(len(near))
    for j in range(len(a)):
        if a[j] > 0.0:
            for k in range(len(near)):
                at_j[k] = K[near[k], j]
            i = lowest_twin(j, near, at_j, diagonal, rounding)
            if i != j:
                a[i], a[j], moved = a[i] + a[j], 0.0, True
    return moved
