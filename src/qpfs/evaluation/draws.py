"""Random draws of samples: halves, other parts or bootstrap samples, no draw twice.

Units (samples, or groups of samples that are drawn together) are drawn stratum by stratum. Letters. m the
units of a stratum, s how many of them are drawn: fraction * m, rounded up or down at random so that it is
correct on average, and at least 1. There are C(m, s) different draws without replacement and
C(m + s - 1, s) with it (multisets); those of the one or two values of s are added, those of the strata
multiplied.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, count, product

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.evaluation.descriptions import checksum
from qpfs.evaluation.sample import Sample

FEW = 10_000  # different draws up to which all are listed, and some of them chosen
SPARE = 10  # or up to so many times the requested number: with more, a draw is rarely a repeat
COUNTABLE = 2**53  # the largest number of draws that is reported, and that records keep
LARGE = 64  # C(n, s) is at least 2^min(s, n - s): from here on it need not be computed
ROUNDING = 1e-9  # tolerance within which fraction * m counts as an integer


@dataclass(frozen=True, eq=False)
class Pool:
    """The units of one stratum, of which a fraction is drawn."""

    units: IndexArray
    fraction: float
    replace: bool

    @cached_property
    def sizes(self) -> dict[int, float]:
        """The possible numbers of units drawn, and their probabilities."""
        m, wanted = len(self.units), self.fraction * len(self.units)
        low = math.floor(wanted + ROUNDING)
        up = max(wanted - low, 0.0)
        found: dict[int, float] = {}
        for s, chance in ((low, 1 - up), (low + 1, up)):
            if chance > ROUNDING:
                size = min(max(s, 1), m)
                found[size] = found.get(size, 0.0) + chance
        return found

    @property
    def n_different(self) -> int:
        """How many different draws there are; any number above COUNTABLE means more than that."""
        m = len(self.units)
        return sum(n_subsets(m + s - 1 if self.replace else m, s) for s in self.sizes)

    def every(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """Each different draw, and its probability."""
        units, m = self.units.tolist(), len(self.units)
        for s, chance in self.sizes.items():
            if self.replace:
                for some in combinations_with_replacement(units, s):
                    yield some, chance * n_orders(some) / m**s
            else:
                yield from ((some, chance / math.comb(m, s)) for some in combinations(units, s))

    def some(self, rng: np.random.Generator) -> IndexArray:
        """A draw at random."""
        m = len(self.units)
        s = max(1, math.floor(self.fraction * m + rng.random()))  # on average exactly the fraction
        return rng.choice(self.units, size=min(s, m), replace=self.replace)


def n_subsets(n: int, s: int) -> int:
    """C(n, s), or any number above COUNTABLE if that is larger."""
    return COUNTABLE + 1 if min(s, n - s) >= LARGE else math.comb(n, s)


def n_orders(drawn: Sequence[int]) -> int:
    """In how many orders the same units can be drawn, some of them several times."""
    times = np.unique(drawn, return_counts=True)[1].tolist()
    return math.factorial(len(drawn)) // math.prod(map(math.factorial, times))


@dataclass(frozen=True, eq=False)
class Draw:
    """The rows that are drawn each time."""

    sample: Sample
    fraction: float
    replace: bool
    stratified: bool
    random_state: int

    @cached_property
    def n_different(self) -> int | None:
        """How many different resamples there are; None for more than 2^53."""
        total = 1
        for pool in self.pools:
            total *= pool.n_different
            if total > COUNTABLE:
                return None
        return total

    def different(self, n: int) -> list[IndexArray]:
        """The rows of n different resamples, or of all that exist; those of a smaller n come first."""
        total = self.n_different
        if total is not None and total <= max(FEW, SPARE * n):
            return self._picked(n)
        found: dict[str, IndexArray] = {}
        for place in count():
            if len(found) == n:
                break
            rows = self.rows(place)
            found.setdefault(checksum(rows), rows)  # one that comes again is no evidence (decision 0009)
        return list(found.values())

    def _picked(self, n: int) -> list[IndexArray]:
        """Some of all resamples, with the probabilities of drawing one by one and drawing repeats again."""
        every = list(product(*(pool.every() for pool in self.pools)))
        chances = np.array([math.prod(chance for _, chance in one) for one in every])
        # The shortest exponential waiting times with rates `chances` are such a sample, for any n.
        waiting = np.random.default_rng(self.random_state).exponential(size=len(every)) / chances
        order = np.argsort(waiting, kind="stable")[:n].tolist()
        return [self._rows_of([unit for some, _ in every[place] for unit in some]) for place in order]

    def rows(self, place: int) -> IndexArray:
        """The rows of a random resample, ascending; determined by the seed and its number alone."""
        rng = np.random.default_rng([self.random_state, place])
        return self._rows_of(np.concatenate([pool.some(rng) for pool in self.pools]))

    def _rows_of(self, units: Sequence[int] | IndexArray) -> IndexArray:
        times = np.bincount(units, minlength=int(self.units.max()) + 1)
        return np.repeat(np.arange(self.sample.n_samples), times[self.units])

    @property
    def unit_name(self) -> str:
        """The name of the units that are drawn."""
        return "samples" if self.sample.groups is None else "groups"

    @cached_property
    def units(self) -> IndexArray:
        """The unit of each sample: its group, or itself."""
        groups = self.sample.groups
        return (
            np.arange(self.sample.n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
        )

    @cached_property
    def pools(self) -> list[Pool]:
        classes = self._classes()
        each = (np.flatnonzero(classes == one) for one in np.unique(classes))
        return [Pool(units, self.fraction, self.replace) for units in each]

    def _classes(self) -> AnyArray:
        """The class of each unit: the one most of its samples have."""
        n_units = int(self.units.max()) + 1
        if not self.stratified:
            return np.zeros(n_units, np.intp)
        strata = self.sample.strata_of_cohorts
        times = np.zeros((n_units, int(strata.max()) + 1), np.intp)
        np.add.at(times, (self.units, strata), 1)
        return times.argmax(axis=1)

    def text(self, n: int) -> str:
        """How samples are drawn, in words."""
        what = self.unit_name
        share = "halves" if self.fraction == 0.5 else f"parts ({100 * self.fraction:g} %)"
        how = f"bootstrap draws of the {what}" if self.replace else f"random {share} of the {what}"
        of_each = " of each cohort" * (self.stratified and self.sample.cohorts is not None)
        return f"{n} {'stratified ' * self.stratified}{how}{of_each}"


def first_of_equal(parts: Sequence[IndexArray]) -> list[int]:
    """The indices of the different parts of the samples, the first of equal ones."""
    known: dict[str, int] = {}
    for place, rows in enumerate(parts):
        known.setdefault(checksum(rows), place)
    return list(known.values())


def overlap(parts: Sequence[IndexArray], n_samples: int) -> float:
    """The share of their samples that two parts have in common, on average over all pairs."""
    times = np.zeros(n_samples, np.int64)
    for rows in parts:
        times[np.unique(rows)] += 1
    pairs = len(parts) * (len(parts) - 1)
    return float((times * (times - 1)).sum() / pairs / (times.sum() / len(parts)))
