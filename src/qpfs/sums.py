"""Weighted sums of rows in a fixed order, so that the result does not depend on threads or workers."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.compiled import LINEAR, kernel, prompt


@kernel
def add_weighted(matrix: FloatArray, rows: AnyArray, weights: FloatArray, total: FloatArray) -> None:
    """Adds weight times row to the total, row after row."""
    for r in range(len(rows)):
        for k in range(matrix.shape[1]):
            total[k] += weights[r] * matrix[rows[r], k]


@prompt(LINEAR)
@kernel
def weighted_rows(matrix: FloatArray, rows: AnyArray, weights: FloatArray) -> FloatArray:
    """weights @ matrix[rows], without the copy."""
    total = np.zeros(matrix.shape[1])
    add_weighted(matrix, rows, weights, total)
    return total
