"""Sums of ranks by class, and products of ranks with those of a quantity, column after column.

Letters. n samples whose number is known, t of them in a group of equal numbers, b below that group. Such a
group has the mid-rank b + (t + 1) / 2; less the mean rank, and doubled, that is the whole number
d = 2 b + t - n. Sums of d over samples are exact. Rounded sums are added group by group in ascending order,
and the zeros that a sparse column does not store are part of one group: so a sparse column and its dense form
give the same bits. A weight means so many copies of a sample, and n, t and b count these.
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
    """The sample of a stored number: its place, if all are stored."""
    return np.int64(rows[place, column]) if len(rows) else place


@inlined
def copies_of(copies: Any, sample: Any) -> Any:
    """The number of copies of a sample; None: one."""
    return np.int64(1) if copies is None else copies[sample]


@kernel
def class_sums(
    keys: AnyArray,
    bits: int,
    n_known: AnyArray,
    rows: AnyArray,
    stored: AnyArray,  # the place after the stored numbers of a column is a zero for all other samples
    codes: AnyArray,
    copies: Any,
    sizes: AnyArray,
    sums: AnyArray,
    known: AnyArray,
    counts: AnyArray,  # the number of samples with a number
    squares: FloatArray,
) -> None:
    """For each column: sums of d over each class, copies of each class with a number, the sum of d^2."""
    n_samples, n_classes, last = len(codes), len(sizes), (np.int64(1) << bits) - 1
    left_out = np.empty(n_classes, np.int64)
    for i in range(len(keys)):
        line, zero = keys[i], np.int64(stored[i])
        known[i], counts[i] = sizes, n_samples
        for r in range(n_known[i], len(line)):
            if line[r] & last < zero:  # missing; everything after the zero is padding
                one = sample_at(rows, line[r] & last, i)
                known[i, codes[one]] -= copies_of(copies, one)
                counts[i] -= 1
        left_out[:] = 0
        if zero < n_samples:
            left_out[:] = sizes
            for place in range(zero):
                one = sample_at(rows, place, i)
                left_out[codes[one]] -= copies_of(copies, one)
        n, n_zeros, below, square, r = known[i].sum(), left_out.sum(), np.int64(0), 0.0, 0
        while r < n_known[i]:
            end = group_end(line, bits, r, n_known[i])
            with_zeros = line[end - 1] & last == zero
            t = end - r - with_zeros + (n_zeros if with_zeros else 0)
            if copies is not None:
                for at in range(r, end - with_zeros):
                    t += copies[sample_at(rows, line[at] & last, i)] - 1
            d = 2 * below + t - n
            for at in range(r, end - with_zeros):
                one = sample_at(rows, line[at] & last, i)
                sums[i, codes[one]] += d * copies_of(copies, one)
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
    order: AnyArray,  # the samples in ascending order of the target,
    groups: AnyArray,  # and the group of equal values of each
    copies: Any,  # of each sample, over which sums are; None: one
    products: FloatArray,
    counts: AnyArray,
    squares: FloatArray,
    target_squares: FloatArray,
) -> None:
    """For each column: the sum of d times that of the target, samples with a number, and both sums of d^2."""
    n_samples, last = len(order), (np.int64(1) << bits) - 1
    whole, every, some = (
        np.ones(n_samples, np.int64),
        np.empty(n_samples, np.int64),
        np.empty(n_samples, np.int64),
    )
    if copies is not None:
        whole[:] = copies
    present, total = whole.copy(), whole.sum()
    whole_square = centred_ranks(order, groups, present, total, every)
    for i in range(len(keys)):
        line, zero, n = keys[i], np.int64(stored[i]), total
        counts[i] = n_samples
        for r in range(n_known[i], len(line)):
            if line[r] & last < zero:
                one = sample_at(rows, line[r] & last, i)
                n -= present[one]
                present[one] = 0
                counts[i] -= 1
        ranks, target_square = every, whole_square
        if counts[i] < n_samples:  # the target is ranked again among the samples that have a number
            ranks, target_square = some, centred_ranks(order, groups, present, n, some)
            present[:] = whole
        of_zeros, n_zeros = np.int64(0), n  # all centred ranks add up to 0
        for r in range(n_known[i]):
            if line[r] & last < zero:
                one = sample_at(rows, line[r] & last, i)
                of_zeros -= whole[one] * ranks[one]
                n_zeros -= whole[one]
        below, square, product, r = np.int64(0), 0.0, 0.0, 0
        while r < n_known[i]:
            end = group_end(line, bits, r, n_known[i])
            with_zeros = line[end - 1] & last == zero
            t, together = (n_zeros, of_zeros) if with_zeros else (np.int64(0), np.int64(0))
            for at in range(r, end - with_zeros):
                one = sample_at(rows, line[at] & last, i)
                together += whole[one] * ranks[one]
                t += whole[one]
            d = 2 * below + t - n
            product += np.float64(d) * np.float64(together)
            square += np.float64(t) * np.float64(d) * np.float64(d)
            below, r = below + t, end
        products[i], squares[i], target_squares[i] = product, square, target_square


@kernel
def centred_ranks(order: AnyArray, groups: AnyArray, present: AnyArray, n: Any, ranks: AnyArray) -> float:
    """Writes d of the samples that are present, with their copies, n in all; returns the sum of d^2."""
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
