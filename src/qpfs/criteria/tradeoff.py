"""theta: how much relevance counts against redundancy.

The automatic value makes both count the same on average, and needs the mean of Q over all pairs. That mean is
exact while computing all pairs is cheap; otherwise it is estimated from a random sample of columns.

Letters. c_j the sum of column j over all features that vary, m their number; the mean of Q is sum(c) / m^2.

Columns are drawn within strata of features with similar numbers of levels, because c_j grows with the levels
and a few features with many levels would make the error of a simple sample unreliable. A small stratum is
used completely. A pilot sample of every stratum is used exactly, and determines how many columns to draw from
the rest; given the pilot, that second sample is a simple random one, so the estimate is unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.information import FeatureTable, Mean
from qpfs.program import balanced_theta
from qpfs.sorting import first_places, sorted_places

# Pairs times samples up to which every pair is computed: a second or two on one core. Only the shape decides,
# so that the result does not depend on the computer.
AFFORDABLE = 25e9
AIM = 0.003  # relative standard error of theta that the sample is planned for
LEEWAY = 3.0  # factor by which it may be larger
PILOT = 64  # columns of a stratum in the pilot
LEADING = 4  # features whose redundancy with a feature enters its hash


@dataclass(frozen=True)
class Effort:
    """How much an automatic theta may cost: pairs times samples, and beyond that the error aimed at."""

    affordable: float
    aim: float
    pilot: int = PILOT  # columns from which the number needed is estimated


@dataclass(frozen=True)
class TradeOff:
    """The trade-off theta, with its standard error if it was estimated."""

    theta: float
    standard_error: float = 0.0


def trade_off(
    table: FeatureTable,
    relevance: FloatArray,
    random_state: np.random.RandomState,
    effort: Effort | None = None,
) -> TradeOff:
    """The theta that balances the means of Q and s over the features that vary."""
    # No effort given means exact QPFS, which reads all of Q of few features to prove that it is convex.
    keep = effort is None and not table.measure.measure.convex
    effort = effort or Effort(AFFORDABLE, AIM)
    mean_relevance = float(relevance[table.varying].mean())
    if table.mean_work <= effort.affordable:
        return balanced(table.mean(keep=keep), mean_relevance)
    sample = ColumnSample.pilot(table, relevance, random_state, effort.pilot)
    found = balanced(sample.mean(), mean_relevance)
    excess = found.standard_error / (effort.aim * found.theta)
    while not sample.more_than_half:
        sample = sample.grown(excess)
        found = balanced(sample.mean(), mean_relevance)
        if found.standard_error <= LEEWAY * effort.aim * found.theta:
            return found
        excess = 2.0
    return balanced(table.mean(), mean_relevance)


def balanced(redundancy: Mean, mean_relevance: float) -> TradeOff:
    """theta = q / (q + s); its error is that of q times d theta / d q = theta (1 - theta) / q."""
    theta = balanced_theta(redundancy.value, mean_relevance)
    error = theta * (1 - theta) * redundancy.standard_error / max(redundancy.value, 1e-300)
    return TradeOff(theta, error)


@dataclass(frozen=True, eq=False)
class Stratum:
    """Features in random order, and the sums of the first of their columns: a pilot, then a sample."""

    features: IndexArray
    totals: FloatArray
    pilot: int

    @property
    def drawn(self) -> FloatArray:
        """The sums after the pilot."""
        return self.totals[self.pilot :]

    @property
    def left(self) -> int:
        """The number of features after the pilot."""
        return max(len(self.features) - self.pilot, 0)

    @property
    def spread(self) -> float:
        """The standard deviation of a sum, estimated from the pilot and the sample."""
        return float(self.totals.std(ddof=1)) if self.left else 0.0

    def total(self) -> float:
        """The sum over all columns: the pilot exactly, the rest estimated from the sample."""
        known = self.totals[: self.pilot].sum()
        guess = self.drawn if len(self.drawn) else self.totals
        return float(known + self.left * guess.mean())

    def variance(self) -> float:
        """The variance of `total`; without a sample, that with a sample as large as the pilot."""
        n = len(self.drawn) or min(self.pilot, self.left)
        return self.left**2 * self.spread**2 / n * (1 - n / self.left) if self.left else 0.0


@dataclass(frozen=True, eq=False)
class ColumnSample:
    """Strata of a table, each with the columns drawn so far."""

    table: FeatureTable
    strata: tuple[Stratum, ...]

    @classmethod
    def pilot(
        cls, table: FeatureTable, relevance: FloatArray, random_state: np.random.RandomState, n: int = PILOT
    ) -> ColumnSample:
        """The first n columns of each stratum."""
        shuffled = in_random_order(table, relevance, random_state)
        octave = np.floor(np.log2(np.maximum(table.levels[shuffled], 1)))
        strata = []
        for one in np.unique(octave):
            features = shuffled[octave == one]
            strata.append(Stratum(features, table.totals(features[:n]), n))
        return cls(table, tuple(strata))

    @property
    def more_than_half(self) -> bool:
        """Whether so many columns are drawn that computing all pairs would cost no more."""
        return sum(len(one.totals) for one in self.strata) >= len(self.table.varying) / 2

    def grown(self, excess: float) -> ColumnSample:
        """The sample with as many further columns as should divide the standard error by `excess`."""
        size = np.array([one.left * one.spread for one in self.strata])
        variance = sum(one.variance() for one in self.strata) / max(excess, 1e-3) ** 2
        # In proportion to each stratum's size and spread, which reduces the error most.
        wanted = size * size.sum() / variance if variance > 0 else np.zeros(len(size))
        return replace(
            self,
            strata=tuple(
                self._drawn(one, int(np.ceil(n))) for one, n in zip(self.strata, wanted, strict=True)
            ),
        )

    def _drawn(self, stratum: Stratum, n: int) -> Stratum:
        """A stratum with n columns beyond its pilot, at least as many as the pilot has, or all."""
        more = stratum.features[len(stratum.totals) : stratum.pilot + max(n, stratum.pilot)]
        if len(more) == 0:
            return stratum
        return replace(stratum, totals=np.concatenate([stratum.totals, self.table.totals(more)]))

    def mean(self) -> Mean:
        """The mean of Q."""
        m = len(self.table.varying)
        total = sum(one.total() for one in self.strata)
        error = np.sqrt(sum(one.variance() for one in self.strata))
        return Mean(total / m**2, float(error) / m**2)


def in_random_order(
    table: FeatureTable, relevance: FloatArray, random_state: np.random.RandomState
) -> IndexArray:
    """The features that vary, in a random order that depends on their content, not on their position."""
    features = table.varying
    leading = features[first_places(-relevance[features], LEADING)]
    # A hash of what each shares with itself, the target and the most relevant features, so that the sample is
    # the same for any order of columns or samples, except for features equal in all of these.
    key = np.full(len(features), random_state.randint(2**31 - 1), np.uint64)
    for fact in (table.self_information, relevance, *table.rows(leading)):
        key = mixed(key, fact[features].view(np.uint64))
    return features[sorted_places(mixed(key, repeats(key)))]


def mixed(key: AnyArray, bits: AnyArray) -> AnyArray:
    """A hash of a key and bits."""
    key = (key ^ bits) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


def repeats(key: AnyArray) -> AnyArray:
    """How often each value occurred before in the array; nearly always 0."""
    ordered, number = np.sort(key), np.zeros(len(key), np.uint64)
    again = np.flatnonzero(np.isin(key, ordered[1:][ordered[1:] == ordered[:-1]], kind="sort"))
    order = again[np.argsort(key[again], kind="stable")]
    begin = np.flatnonzero(np.append(True, key[order][1:] != key[order][:-1]))
    number[order] = np.arange(len(order)) - np.repeat(begin, np.diff(np.append(begin, len(order))))
    return number
