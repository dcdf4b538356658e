"""Kernels over a piece of a tile, a C-ordered array (rows, k) of float32 or float64: survey, edges, codes.

Each updates the results of every column by the rows of a piece, and reads each column from its first sample
to its last, so that no result depends on how the table was divided into tiles or pieces. Arithmetic is in
float64. NaN is a missing value everywhere.

Rows are read two, four or eight at a time, and few arrays are written, so that the compiler can prove that
they do not overlap: only then do the loops over columns become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, CodeArray, CountArray, FloatArray, WordArray
from qpfs.codes.repeated import added
from qpfs.compiled import LINEAR, inner_part, kernel, popcount, prompt

STRIP = 16  # rows that stay in cache while several kernels read them


@prompt(LINEAR)
@kernel
def look(
    piece: FloatArray,
    scale: FloatArray,
    missing: AnyArray,
    total: FloatArray,
    low: FloatArray,
    high: FloatArray,
    whole: AnyArray,
) -> None:
    """The missing values of each column, its sum, least and largest value, and whether all are integers."""
    for n in range(0, len(piece), STRIP):
        rows = piece[n : n + STRIP]
        add_missing(rows, missing)
        add_totals(rows, scale, total)
        widen(rows, low, high)
        if whole.any():
            keep_whole(rows, whole)


@inner_part
def present(x: float) -> float:
    """A number, or 0 for a missing one, which changes no sum."""
    return x if x == x else 0.0


@inner_part
def add_missing(rows: FloatArray, missing: AnyArray) -> None:
    """Adds the number of missing values of each column."""
    n = 0
    while n + 2 <= len(rows):
        one, two = rows[n], rows[n + 1]
        for k in range(len(missing)):
            missing[k] += np.int64(one[k] != one[k]) + np.int64(two[k] != two[k])
        n += 2
    if n < len(rows):
        one = rows[n]
        for k in range(len(missing)):
            missing[k] += np.int64(one[k] != one[k])


@inner_part
def add_totals(rows: FloatArray, scale: FloatArray, total: FloatArray) -> None:
    """Adds each column times its scale."""
    n = 0
    while n + 2 <= len(rows):
        one, two = rows[n], rows[n + 1]
        for k in range(len(total)):
            total[k] = total[k] + present(one[k] * scale[k]) + present(two[k] * scale[k])
        n += 2
    if n < len(rows):
        one = rows[n]
        for k in range(len(total)):
            total[k] += present(one[k] * scale[k])


@kernel
def add_offsets(
    piece: FloatArray, scale: FloatArray, mean: FloatArray, rest: FloatArray, square: FloatArray
) -> None:
    """Adds the deviations of each scaled column from its mean, and their squares."""
    n = 0
    while n + 2 <= len(piece):
        one, two = piece[n], piece[n + 1]
        for k in range(len(mean)):
            off_1 = present(one[k] * scale[k] - mean[k])
            off_2 = present(two[k] * scale[k] - mean[k])
            rest[k] = rest[k] + off_1 + off_2
            square[k] = square[k] + off_1 * off_1 + off_2 * off_2
        n += 2
    if n < len(piece):
        one = piece[n]
        for k in range(len(mean)):
            off = present(one[k] * scale[k] - mean[k])
            rest[k] += off
            square[k] += off * off


@kernel
def add_repeated(piece: FloatArray, counts: AnyArray, scale: FloatArray, total: FloatArray) -> None:
    """Adds each column times its scale, each number as often as its count."""
    for n in range(len(piece)):
        for k in range(len(total)):
            total[k] = added(total[k], present(piece[n, k] * scale[k]), counts[n, k])


@kernel
def add_repeated_offsets(
    piece: FloatArray,
    counts: AnyArray,
    scale: FloatArray,
    mean: FloatArray,
    rest: FloatArray,
    square: FloatArray,
) -> None:
    """Adds the deviations and squares of `add_offsets`, for each number as often as its count."""
    for n in range(len(piece)):
        for k in range(len(mean)):
            off = present(piece[n, k] * scale[k] - mean[k])
            rest[k] = added(rest[k], off, counts[n, k])
            square[k] = added(square[k], off * off, counts[n, k])


@inner_part
def widen(rows: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Lowers `low` and raises `high` to the least and the largest value of each column."""
    n = 0
    while n + 2 <= len(rows):
        one, two = rows[n], rows[n + 1]
        for k in range(len(low)):
            x, z = np.float64(one[k]), np.float64(two[k])
            least = x if x < low[k] else low[k]
            most = x if x > high[k] else high[k]
            low[k] = z if z < least else least
            high[k] = z if z > most else most
        n += 2
    if n < len(rows):
        one = rows[n]
        for k in range(len(low)):
            x = np.float64(one[k])
            low[k] = x if x < low[k] else low[k]
            high[k] = x if x > high[k] else high[k]


@inner_part
def keep_whole(rows: FloatArray, whole: AnyArray) -> None:
    """Clears `whole` for columns with a value that is not an integer."""
    for n in range(len(rows)):
        row = rows[n]
        for k in range(len(whole)):
            whole[k] &= (row[k] != row[k]) | (row[k] == np.floor(row[k]))


@kernel
def mark(piece: FloatArray, columns: AnyArray, low: FloatArray, marks: AnyArray) -> None:
    """Sets bit x - low of some columns of integers, for every value x that occurs."""
    for n in range(len(piece)):
        for c in range(len(columns)):
            x = piece[n, columns[c]]
            if x == x:
                marks[c] |= np.uint64(1) << np.uint64(x - low[c])


@kernel
def read_marks(
    marks: AnyArray, columns: AnyArray, low: FloatArray, values: FloatArray, number: AnyArray
) -> None:
    """The marked values, ascending, and how many, where there is room for them."""
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
def distinct(piece: FloatArray, columns: AnyArray, values: FloatArray, number: AnyArray) -> None:
    """Inserts the values of columns into their `number` distinct ones, ascending, while there is room."""
    for k in columns:
        n = 0
        while number[k] >= 0 and n < len(piece):
            x = piece[n, k]
            if x == x:
                number[k] = insert(values, k, number[k], x)
                if number[k] > len(values):
                    number[k] = -1  # more than there is room for
            n += 1


@inner_part
def insert(values: FloatArray, k: int, number: int, x: float) -> int:
    """Inserts x into the ascending values of column k, if there is room; returns their number."""
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
def snap(piece: FloatArray, top: FloatArray, edges: FloatArray) -> None:
    """Moves each edge up to the largest value of its column that exceeds it and not `top`."""
    for n in range(0, len(piece), STRIP):
        rows = piece[n : n + STRIP]
        for e in range(len(edges)):
            snap_edge(rows, top[e], edges[e])


@inner_part
def snap_edge(rows: FloatArray, top: FloatArray, edge: FloatArray) -> None:
    n = 0
    while n + 4 <= len(rows):
        one, two, three, four = rows[n], rows[n + 1], rows[n + 2], rows[n + 3]
        for k in range(len(edge)):
            up = snapped(one[k], edge[k], top[k])
            up = snapped(two[k], up, top[k])
            up = snapped(three[k], up, top[k])
            edge[k] = snapped(four[k], up, top[k])
        n += 4
    while n < len(rows):
        one = rows[n]
        for k in range(len(edge)):
            edge[k] = snapped(one[k], edge[k], top[k])
        n += 1


@inner_part
def snapped(x: float, edge: float, top: float) -> float:
    """x if it is beyond the edge and not beyond the top, else the edge."""
    return np.float64(x) if (x > edge) & (x <= top) else edge


@kernel
def cut(piece: FloatArray, edges: FloatArray, codes: CodeArray) -> None:
    """The code of each number: how many of its column's edges it exceeds; a NaN edge does not count."""
    missing = np.ones(piece.shape[1], np.uint8)  # the code after the last of its column
    for e in range(len(edges)):
        for k in range(piece.shape[1]):
            missing[k] += edges[e, k] == edges[e, k]
    for n in range(len(piece)):
        for k in range(piece.shape[1]):
            codes[n, k] = 0
        for e in range(len(edges)):
            for k in range(piece.shape[1]):
                codes[n, k] += piece[n, k] > edges[e, k]
        for k in range(piece.shape[1]):
            if piece[n, k] != piece[n, k]:
                codes[n, k] = missing[k]


@kernel
def cut_planes(piece: FloatArray, edges: FloatArray, planes: WordArray, word: int, column: int) -> None:
    """Sets the bits of a piece's samples in the plane of each code but 0, from a word on."""
    last = column + planes.shape[2]  # the planes are of as many columns, from the given one on
    for n in range(0, len(piece), 64):
        rows, w = piece[n : n + 64], word + n // 64
        for e in range(len(edges)):
            set_beyond(rows, column, edges[e, column:last], planes[e, w])
        for e in range(len(edges) - 1):  # edges ascend, NaN last
            take_beyond(planes[e, w], planes[e + 1, w])
        if len(planes) > len(edges):  # the last plane is for missing values
            set_missing(rows, column, planes[len(edges), w])


@inner_part
def take_beyond(words: WordArray, beyond: WordArray) -> None:
    """Clears the bits of each word that are also beyond the next edge."""
    for k in range(len(words)):
        words[k] &= ~beyond[k]


@inner_part
def set_beyond(rows: FloatArray, column: int, edge: FloatArray, words: WordArray) -> None:
    """Sets bit n of each word if the number in row n exceeds the edge."""
    n = 0
    while n + 8 <= len(rows):
        a, b, c, d = rows[n], rows[n + 1], rows[n + 2], rows[n + 3]
        e, f, g, h = rows[n + 4], rows[n + 5], rows[n + 6], rows[n + 7]
        for k in range(len(words)):
            i, x = column + k, edge[k]
            low = bit(a[i] > x, 0) | bit(b[i] > x, 1) | bit(c[i] > x, 2) | bit(d[i] > x, 3)
            high = bit(e[i] > x, 4) | bit(f[i] > x, 5) | bit(g[i] > x, 6) | bit(h[i] > x, 7)
            words[k] |= (low | high) << np.uint64(n)
        n += 8
    while n < len(rows):
        a = rows[n]
        for k in range(len(words)):
            words[k] |= bit(a[column + k] > edge[k], n)
        n += 1


@inner_part
def set_missing(rows: FloatArray, column: int, words: WordArray) -> None:
    """Sets bit n of each word if the number in row n is missing."""
    for n in range(len(rows)):
        row = rows[n]
        for k in range(len(words)):
            words[k] |= bit(row[column + k] != row[column + k], n)


@inner_part
def bit(there: bool, n: int) -> Any:
    """A word with bit n set, or none."""
    return np.uint64(1) << np.uint64(n) if there else np.uint64(0)


@kernel
def count_bits(planes: WordArray, counts: CountArray) -> None:
    """The number of one bits in each plane of each feature: (planes, k)."""
    counts[:] = 0
    for a in range(planes.shape[0]):
        row = counts[a]
        for w in range(planes.shape[1]):
            words = planes[a, w]
            for k in range(len(row)):
                row[k] += np.int32(popcount(words[k]))


@kernel
def close_up(counts: CountArray, codes: AnyArray, n_levels: AnyArray) -> None:
    """Moves the counts of codes that occur to the front of each column, and writes the code of each level."""
    for code in range(counts.shape[0]):
        for k in range(counts.shape[1]):
            n = counts[code, k]
            if n > 0:
                counts[code, k] = 0
                counts[n_levels[k], k] = n
                codes[n_levels[k], k] = code
                n_levels[k] += 1


@kernel
def take_planes(planes: WordArray, codes: AnyArray, slots: AnyArray, out: WordArray) -> None:
    """The planes of some columns for each level except the first: the plane of its code."""
    for a in range(out.shape[0]):
        for w in range(out.shape[1]):
            for i in range(out.shape[2]):
                k = slots[i]
                out[a, w, i] = planes[codes[a + 1, k] - 1, w, k]
