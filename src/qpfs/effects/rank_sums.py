"""Sums of ranks by class, and products of ranks with those of a quantity, column after column.

Letters. n samples whose number is known, t of them in a group of equal numbers, b below that group. Such a
group has the mid-rank b + (t + 1) / 2; less the mean rank, and doubled, that is the whole number
d = 2 b + t - n. Sums of d over samples are exact. Whatever is rounded is added up group by group in ascending
order, and the zeros that a sparse column leaves out are part of one group: so a sparse column and the same
spread out give the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.compiled import inlined, kernel


@inlined
def group_end(line: AnyArray, bits: int, start: int, stop: int) -> int:
    """Where the group of equal numbers ends that begins at `start` of ascending keys."""
    number = line[start] >> bits
    end = start + 1
    while end < stop and line[end] >> bits == number:
        end += 1
    return end


@inlined
def sample_at(rows: AnyArray, place: Any, column: int) -> Any:
    """The sample of a stored number: the place itself where all are stored."""
    return np.int64(rows[place, column]) if len(rows) else place


@kernel
def class_sums(
    keys: AnyArray,
    bits: int,
    n_known: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    codes: AnyArray,
    sizes: AnyArray,
    sums: AnyArray,
    known: AnyArray,
    squares: FloatArray,
) -> None:
    """Of each column: the sum of d over each class, the samples of each class with a number, the sum of d^2.

    At the place after what is stored of a column is the zero that stands for all samples left out.
    """
    n_samples, n_classes, last = len(codes), len(sizes), (np.int64(1) << bits) - 1
    left_out = np.empty(n_classes, np.int64)
    for i in range(len(keys)):
        line, zero = keys[i], np.int64(stored[i])
        known[i] = sizes
        for r in range(n_known[i], len(line)):
            if line[r] & last < zero:  # missing; what is behind the zero is padding
                known[i, codes[sample_at(rows, line[r] & last, i)]] -= 1
        n_zeros = n_samples - zero
        if n_zeros > 0:
            left_out[:] = sizes
            for place in range(zero):
                left_out[codes[sample_at(rows, place, i)]] -= 1
        n, below, square, r = known[i].sum(), np.int64(0), 0.0, 0
        while r < n_known[i]:
            end = group_end(line, bits, r, n_known[i])
            with_zeros = line[end - 1] & last == zero
            t = end - r + (n_zeros - 1 if with_zeros else 0)
            d = 2 * below + t - n
            for at in range(r, end - with_zeros):
                sums[i, codes[sample_at(rows, line[at] & last, i)]] += d
            if with_zeros:
                for c in range(n_classes):
                    sums[i, c] += d * left_out[c]
            square += np.float64(t) * np.float64(d) * np.float64(d)
            below, r = below + t, end
        squares[i] = square


@kernel
def rank_products(
    keys: AnyArray,
    bits: int,
    n_known: AnyArray,
    rows: AnyArray,
    stored: AnyArray,
    order: AnyArray,
    groups: AnyArray,
    products: FloatArray,
    counts: AnyArray,
    squares: FloatArray,
    target_squares: FloatArray,
) -> None:
    """Of each column: the sum of d times that of the target, samples with a number, and both sums of d^2.

    The target is given as its samples in ascending order and the group of equal values of each. Where numbers
    are missing it is ranked anew among the samples that have one.
    """
    n_samples, last = len(order), (np.int64(1) << bits) - 1
    present, every, some = (
        np.ones(n_samples, np.int64),
        np.empty(n_samples, np.int64),
        np.empty(n_samples, np.int64),
    )
    whole_square = centred_ranks(order, groups, present, n_samples, every)
    for i in range(len(keys)):
        line, zero, n = keys[i], np.int64(stored[i]), np.int64(n_samples)
        for r in range(n_known[i], len(line)):
            if line[r] & last < zero:
                present[sample_at(rows, line[r] & last, i)] = 0
                n -= 1
        ranks, target_square = every, whole_square
        if n < n_samples:
            ranks, target_square = some, centred_ranks(order, groups, present, n, some)
            present[:] = 1
        of_zeros = np.int64(0)  # all ranks that there are add up to 0
        for r in range(n_known[i]):
            if line[r] & last < zero:
                of_zeros -= ranks[sample_at(rows, line[r] & last, i)]
        below, square, product, r = np.int64(0), 0.0, 0.0, 0
        while r < n_known[i]:
            end = group_end(line, bits, r, n_known[i])
            with_zeros = line[end - 1] & last == zero
            t = end - r + (n_samples - zero - 1 if with_zeros else 0)
            d, together = 2 * below + t - n, of_zeros if with_zeros else np.int64(0)
            for at in range(r, end - with_zeros):
                together += ranks[sample_at(rows, line[at] & last, i)]
            product += np.float64(d) * np.float64(together)
            square += np.float64(t) * np.float64(d) * np.float64(d)
            below, r = below + t, end
        products[i], counts[i], squares[i], target_squares[i] = product, n, square, target_square


@kernel
def centred_ranks(order: AnyArray, groups: AnyArray, present: AnyArray, n: Any, ranks: AnyArray) -> float:
    """Writes d of the samples that are present, n of them, and returns the sum of d^2 over these."""
    below, square, r = np.int64(0), 0.0, 0
    while r < len(order):
        end, t = r, np.int64(0)
        while end < len(order) and groups[end] == groups[r]:
            t += present[order[end]]
            end += 1
        d = 2 * below + t - n
        for at in range(r, end):
            ranks[order[at]] = d
        square += np.float64(t) * np.float64(d) * np.float64(d)
        below, r = below + t, end
    return square
