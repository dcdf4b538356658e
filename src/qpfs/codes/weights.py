"""Weights of samples: whole numbers, so that weight n equals n copies of a sample, to the last bit.

All results about features come from counts, from products of whole numbers, or from sums in a fixed order;
each of these has an exact weighted form. A weighted count is computed digit by digit: w = sum 2^b w_b, so the
samples at two levels weigh sum 2^b |x & y & w_b|, with the digits w_b of all weights as planes. Ranks are
those among the copies, and products are multiplied by the weights. Packed features do not contain the
weights; discretisation and the measure use them.

Weights that are not whole are rounded to whole multiples of 1 / unit, a power of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, WordArray
from qpfs.compiled import kernel

DIGITS = 16  # binary digits of a weight
MOST_TOTAL = 1 << 28  # limit of the sum of weights: products of scores are then exact, and counts fit 32 bits


@dataclass(frozen=True, eq=False)
class Weights:
    """The weight of each sample, as a number of copies."""

    counts: AnyArray  # (n_samples,) int64, none of them 0
    unit: float = 1.0  # copies per weight of 1, a power of two

    @cached_property
    def total(self) -> int:
        """All copies."""
        return int(self.counts.sum())

    @property
    def size(self) -> float:
        """The sum of the weights, as given."""
        return self.total / self.unit

    @property
    def effective(self) -> float:
        """The effective sample size (Kish)."""
        return self.total**2 / float((self.counts.astype(np.float64) ** 2).sum())

    @property
    def n_digits(self) -> int:
        """Binary digits of the largest weight."""
        return int(self.counts.max()).bit_length()

    @cached_property
    def digits(self) -> WordArray:
        """The binary digits of the weights as planes, the lowest first: (n_digits, words)."""
        planes = np.zeros((self.n_digits, -(-len(self.counts) // 64)), np.uint64)
        set_digits(self.counts, planes)
        return planes

    @cached_property
    def before(self) -> AnyArray:
        """(n_samples + 1,) the copies of all samples before each."""
        return np.append(0, np.cumsum(self.counts))

    def part(self, rows: AnyArray) -> Weights:
        """The weights of some samples."""
        return Weights(self.counts[rows], self.unit)

    def added_up(self, codes: AnyArray, n_levels: int = 0) -> AnyArray:
        """The total weight of the samples of each code."""
        return np.bincount(codes, self.counts, n_levels).astype(np.int64)  # exact: far below 2^53


def total_of(weights: Weights | None, n_samples: int) -> int:
    """The number of copies of all samples; without weights the number of samples."""
    return n_samples if weights is None else weights.total


def weights_at(weights: Weights | None, rows: AnyArray) -> Weights | None:
    """The weights of some samples; None: all are 1."""
    return None if weights is None else weights.part(rows)


def counts_of(weights: Weights | None) -> AnyArray | None:
    """The copies of each sample; None: one of each."""
    return None if weights is None else weights.counts


def digits_of(weights: Weights | None) -> WordArray | None:
    """Their digits as planes; None: one copy of each sample."""
    return None if weights is None else weights.digits


def whole_weights(weights: FloatArray) -> tuple[AnyArray, float]:
    """Finite weights as whole numbers, and the unit that a weight of 1 has."""
    whole, largest = bool((weights == np.floor(weights)).all()), weights.max()
    most = min((1 << DIGITS) - 1, MOST_TOTAL / (weights / largest).sum())  # copies of the largest
    if whole and largest <= most:
        return weights.astype(np.int64), 1.0  # they have at most 16 binary digits
    # Rounded to 16 digits, or to fewer where they would add up to more than 2^28.
    exponent = int(np.floor(np.log2(most) - np.log2(largest)))
    return np.rint(np.ldexp(weights, exponent)).astype(np.int64), float(2.0**exponent)


@kernel
def set_digits(counts: AnyArray, planes: WordArray) -> None:
    for n in range(len(counts)):
        for b in range(len(planes)):
            planes[b, n >> 6] |= np.uint64(counts[n] >> b & 1) << np.uint64(n & 63)
