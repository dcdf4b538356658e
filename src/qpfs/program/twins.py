"""Twins: indices that duplicate one another, of which the lowest gets the weight.

Letters. K, b, a, g as in `problem`, nu = a'g.

Twins have the same gradient and no curvature between them, so f does not change when weight is moved from one
to another.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.compiled import LINEAR, kernel, prompt
from qpfs.program.cholesky import FLAT
from qpfs.program.problem import SimplexProgram
from qpfs.program.solution import Point


@prompt(LINEAR)
@kernel
def lowest_twin(j: int, near: IndexArray, at_j: FloatArray, diagonal: FloatArray, rounding: float) -> int:
    """The lowest index of ascending `near` that duplicates j, or j itself; at_j is row j of K on `near`."""
    for k in range(len(near)):
        i = near[k]
        if i >= j:
            break
        if abs(diagonal[i] - diagonal[j]) <= rounding and abs(at_j[k] - diagonal[j]) <= rounding:
            return i
    return j


@prompt(LINEAR)
@kernel
def near_support(a: FloatArray, g: FloatArray, level: float) -> IndexArray:
    """The indices without weight whose gradient is as low as the support's, ascending."""
    near, n = np.empty(len(a), np.intp), 0
    for i in range(len(a)):
        if a[i] == 0.0 and g[i] <= level:
            near[n] = i
            n += 1
    return near[:n]


def lowest_twins(program: SimplexProgram, point: Point) -> FloatArray:
    """The weights, with that of every index moved to the lowest index that duplicates it."""
    rounding = FLAT * program.scale()
    near = near_support(point.weights, point.gradient, point.level + rounding)
    if len(near) == 0:
        return point.weights
    diagonal = program.diagonal()
    weights = np.zeros(program.size)
    for j in point.support:
        at_j = program.block(near, np.array([j])).ravel()
        weights[lowest_twin(j, near, at_j, diagonal, rounding)] += point.weights[j]
    return weights
