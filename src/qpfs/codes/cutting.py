"""Kernels that look at a tile of numbers: a C-ordered float64 array (n_samples, k).

Each column is read from its first sample to its last, whatever the tile's width, so that no result
depends on how the table was divided. NaN is a missing value everywhere.
"""

from __future__ import annotations

import numpy as np

from qpfs.arrays import AnyArray, CodeArray, CountArray, FloatArray
from qpfs.compiled import kernel, popcount


def scaled_moments(tile: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean, standard deviation and largest size of each column times a scale, and that scale.

    The scale is a power of two that keeps squares finite: 1 but for columns of huge or tiny numbers.
    """
    size, mean, deviation = (np.empty(tile.shape[1]) for _ in range(3))
    largest(tile, size)
    exponent = np.frexp(size)[1]
    scale = np.ldexp(1.0, np.where(abs(exponent) > 400, np.minimum(-exponent, 1000), 0))
    moments(tile, scale, mean, deviation)
    return mean, deviation, size * scale, scale


@kernel
def largest(tile: FloatArray, out: FloatArray) -> None:
    """The largest absolute value of each column; inf if there is one; 0 if all are missing."""
    out[:] = 0.0
    for n in range(tile.shape[0]):
        for k in range(tile.shape[1]):
            size = abs(tile[n, k])
            if size > out[k]:
                out[k] = size


@kernel
def moments(tile: FloatArray, scale: FloatArray, mean: FloatArray, deviation: FloatArray) -> None:
    """Mean and population standard deviation of each column times `scale`; missing values left out.

    The mean of what is left over from the first mean corrects both for its rounding.
    """
    n_samples, n_features = tile.shape
    seen = np.zeros(n_features)
    rest = np.zeros(n_features)
    mean[:] = 0.0
    deviation[:] = 0.0
    for n in range(n_samples):
        for k in range(n_features):
            x = tile[n, k]
            if x == x:
                mean[k] += x * scale[k]
                seen[k] += 1.0
    mean /= seen
    for n in range(n_samples):
        for k in range(n_features):
            x = tile[n, k]
            if x == x:
                off = x * scale[k] - mean[k]
                rest[k] += off
                deviation[k] += off * off
    for k in range(n_features):
        rest[k] /= seen[k]
        mean[k] += rest[k]
        deviation[k] = np.sqrt(max(deviation[k] / seen[k] - rest[k] * rest[k], 0.0))


@kernel
def spans(tile: FloatArray, low: FloatArray, high: FloatArray, whole: AnyArray) -> None:
    """The least and the largest value of each column, and whether all are integers."""
    low[:] = np.inf
    high[:] = -np.inf
    whole[:] = True
    for n in range(tile.shape[0]):
        for k in range(tile.shape[1]):
            x = tile[n, k]
            low[k] = x if x < low[k] else low[k]
            high[k] = x if x > high[k] else high[k]
            whole[k] &= (x != x) | (x == np.floor(x))


@kernel
def mark(tile: FloatArray, columns: AnyArray, low: FloatArray, marks: AnyArray) -> None:
    """Sets bit x - low of each of some columns of integers, for every value x there is."""
    for n in range(tile.shape[0]):
        for c in range(len(columns)):
            x = tile[n, columns[c]]
            if x == x:
                marks[c] |= np.uint64(1) << np.uint64(x - low[c])


@kernel
def read_marks(
    marks: AnyArray, columns: AnyArray, low: FloatArray, values: FloatArray, number: AnyArray
) -> None:
    """The values that were marked, ascending, and how many, where there is room for them."""
    for c in range(len(columns)):
        k, left, offset = columns[c], marks[c], 0
        if popcount(left) > len(values):
            continue
        number[k] = 0
        while left:
            if left & np.uint64(1):
                values[number[k], k] = low[c] + offset
                number[k] += 1
            left >>= np.uint64(1)
            offset += 1


@kernel
def distinct(tile: FloatArray, columns: AnyArray, values: FloatArray, number: AnyArray) -> None:
    """The distinct values of some columns, ascending, as long as there are at most len(values).

    `number` is how many there are, or -1 if there are more.
    """
    for k in columns:
        number[k] = 0
        for n in range(tile.shape[0]):
            x = tile[n, k]
            if x == x:
                number[k] = insert(values, k, number[k], x)
                if number[k] > len(values):
                    number[k] = -1
                    break


@kernel
def insert(values: FloatArray, k: int, number: int, x: float) -> int:
    """How many of the ascending values of column k there are with x put in its place, if there is room."""
    place = 0
    while place < number and values[place, k] < x:
        place += 1
    if place < number and values[place, k] == x:
        return number
    if number < len(values):
        for later in range(number, place, -1):
            values[later, k] = values[later - 1, k]
        values[place, k] = x
    return number + 1


@kernel
def snap(tile: FloatArray, edges: FloatArray, rounding: FloatArray) -> None:
    """Moves each edge up to the largest value of its column that exceeds it by no more than `rounding`."""
    for e in range(len(edges)):
        edge = edges[e].copy()
        for n in range(tile.shape[0]):
            for k in range(tile.shape[1]):
                x = tile[n, k]
                if edge[k] < x <= edge[k] + rounding[k] and x > edges[e, k]:
                    edges[e, k] = x


@kernel
def cut(tile: FloatArray, edges: FloatArray, codes: CodeArray, counts: CountArray) -> None:
    """The code of each number, how many of its column's edges it exceeds, and the count of each code.

    A NaN edge is none. A missing number has the code after the last of its column.
    """
    n_edges = len(edges)
    missing = np.ones(tile.shape[1], np.uint8)
    for e in range(n_edges):
        for k in range(tile.shape[1]):
            missing[k] += edges[e, k] == edges[e, k]
    counts[:] = 0
    for n in range(tile.shape[0]):
        for k in range(tile.shape[1]):
            codes[n, k] = 0
        for e in range(n_edges):
            for k in range(tile.shape[1]):
                codes[n, k] += tile[n, k] > edges[e, k]
        for k in range(tile.shape[1]):
            if tile[n, k] != tile[n, k]:
                codes[n, k] = missing[k]
            counts[codes[n, k], k] += 1


@kernel
def close_up(counts: CountArray, labels: CodeArray, n_levels: AnyArray) -> None:
    """Moves the counts of codes that occur to the front of each column, with what becomes of each code."""
    for code in range(counts.shape[0]):
        for k in range(counts.shape[1]):
            n = counts[code, k]
            counts[code, k] = 0
            labels[code, k] = n_levels[k]
            counts[n_levels[k], k] += n
            n_levels[k] += n > 0


@kernel
def relabel(codes: CodeArray, labels: CodeArray) -> None:
    """Replaces each code c of column k by labels[c, k]."""
    for n in range(codes.shape[0]):
        for k in range(codes.shape[1]):
            codes[n, k] = labels[codes[n, k], k]
