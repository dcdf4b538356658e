"""The interface of a measure, and of one made ready for a number of samples.

A measure is symmetric and not negative. A feature shares with itself (its entropy, for mutual information) at
least what it shares with any other, and nothing with a constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import Form
from qpfs.codes.store import BlockT
from qpfs.codes.target import Target, occurrences
from qpfs.codes.weights import Weights, total_of
from qpfs.information.kernels import SUM_UNIT, row_sums

PAIRS = 1 << 16  # per call: enough that the cost of the call does not matter


@dataclass(frozen=True)
class Words:
    """The words for a measure in a report."""

    title: str  # "mutual information": what relevance and redundancy are measured by
    distance: str  # "the distance 1 − I(f; g) / max(H(f), H(g))": what features are clustered under
    shared: (
        str  # "their mutual information as a share of ...": what a cell of the heat map of two features is
    )
    test: str = "shuffles of the target"  # the origin of p values, where counts are large
    apart: str = "its distance is 0 if each determines the other, 1 if they are independent"
    given: str = ""  # "given the covariates": follows what two features share


@dataclass(frozen=True)
class Measure(ABC):
    """How much two features share: a value object, compared and shown by its parameters."""

    name: ClassVar[str]
    words: ClassVar[Words]
    form: ClassVar[Form]  # the form of features it reads: levels, numbers, scores or raw columns
    convex: ClassVar[bool]  # whether the matrix of any features is positive semi-definite by construction
    radius: ClassVar[float] = 0.5  # the default radius of a cluster that need not be split
    several: ClassVar[bool] = False  # whether several targets are used jointly; else their mean

    def apart(self, target: Target) -> tuple[tuple[Target, float], ...]:
        """The targets for which relevance is computed separately, each with its share of the weight."""
        together = not target.others or (self.several and target.importance is None)
        return ((target, 1.0),) if together else target.shares

    @property
    def strata(self) -> IndexArray | None:
        """(n_samples,) the stratum of each sample, within which targets are exchanged; None: one stratum."""
        return None

    @abstractmethod
    def on(self, n_samples: int, weights: Weights | None = None) -> ReadyMeasure:
        """The measure made ready for features of so many samples, which may have weights."""

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        """The measure given covariates; where it reads strata, a rule discretises numeric ones.

        Raises TypeError if the measure cannot be adjusted.
        """
        raise TypeError(
            f"covariates are given, but the measure {self.name!r} cannot be adjusted for them (it has no "
            "method `adjusted`). Use 'rank', 'correlation', 'mi' or 'chi2', or omit the covariates."
        )


@dataclass(frozen=True, eq=False)
class Prepared(Generic[BlockT]):
    """A block with what a measure computes in advance for each of its features."""

    block: BlockT
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,) what each feature shares with itself

    def take(self, slots: IndexArray) -> Prepared:
        return Prepared(self.block.take(slots), self.sums[slots], self.own[slots])

    def by_words(self) -> Prepared:
        """The block in the layout of kernels that compare few features with all."""
        block = self.block.by_words()
        return self if block is self.block else replace(self, block=block)


@dataclass(frozen=True, eq=False)
class Listed:
    """A list of features to compare in single pairs, with what a measure computes in advance for each."""

    features: Any  # as their form lists them
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,)


@dataclass(frozen=True, eq=False)
class Part(Generic[BlockT]):
    """Some features of a list, all of one block: their places in the list, and their slots."""

    places: IndexArray
    block: Prepared
    slots: IndexArray


@dataclass(frozen=True, eq=False)
class Runs(Generic[BlockT]):
    """Some features of a block, each to be compared with a run of a list: from lo to hi - 1."""

    block: Prepared
    slots: IndexArray
    lo: IndexArray
    hi: IndexArray

    @property
    def n_pairs(self) -> int:
        return int((self.hi - self.lo).sum())


class Margins(NamedTuple):
    """How often the values of features occur, which is all that chance depends on."""

    key: AnyArray  # (k,) uint64: the same for features whose values occur equally often; 0: none is too rare
    scale: FloatArray  # (k, ...) what the test needs of them, such as the mean of its statistic


@dataclass(eq=False)
class ReadyMeasure(ABC, Generic[BlockT]):
    """A measure ready for a number of samples, with its look-up tables; used by the feature table."""

    measure: Measure
    n_samples: int
    weights: Weights | None = None  # of the samples; None: all are 1
    # Whether a pair takes microseconds at most. For a slow measure unnecessary pairs are avoided, and it
    # distributes its work over processes itself.
    quick: ClassVar[bool] = True
    puts: ClassVar[bool] = False  # whether it has a `put`, which saves a copy
    fewest: ClassVar[float] = 64  # samples that cost no more than fewer: those of a word
    sum_unit: ClassVar[float] = SUM_UNIT  # sums are whole numbers in units of 1 / sum_unit
    most_samples: ClassVar[int] = 0  # up to so many, pairs are summed by products of samples (`gram`)
    # The target is shuffled if fewer samples are expected with a rare value of a feature and of the target. 5
    # is the usual rule; but with few counts few values of a statistic are possible, and at 10 a false
    # discovery rate of 0.2 was 0.22 (60 samples, three bins, two classes).
    least_expected: ClassVar[float] = 20.0

    @property
    @abstractmethod
    def constant_sum(self) -> Any:
        """What is computed in advance for a constant feature."""

    def __reduce__(self) -> Any:
        """A pickle omits the look-up tables, which are made again."""
        return self.measure.on, (self.n_samples, *(() if self.weights is None else (self.weights,)))

    @property
    def total(self) -> int:
        """The number, or weight, of all samples, in the unit of counts and products."""
        return total_of(self.weights, self.n_samples)

    @property
    def size(self) -> float:
        """The number of samples, or the sum of their weights, which p values are based on."""
        return self.n_samples if self.weights is None else self.weights.size

    def weighted(self, block: BlockT) -> BlockT:
        """The block, with weighted margins if samples have weights."""
        return block if self.weights is None else block.weighted(self.weights)

    @abstractmethod
    def prepare(self, block: BlockT) -> Prepared: ...

    @abstractmethod
    def between(self, pivots: Prepared, rows: slice, other: Prepared) -> FloatArray:
        """What some pivots share with each feature: (rows, k), valid until the thread's next call."""

    def put(self, pivots: Prepared, rows: slice, other: Prepared, out: FloatArray, begin: int) -> None:
        """Writes the result of `between` into an array (rows, n_features), from column `begin` on."""
        raise NotImplementedError

    @abstractmethod
    def relevance(self, target: Target, block: Prepared) -> FloatArray:
        """What each feature of a block shares with the target."""

    @abstractmethod
    def along(self, runs: Runs, others: Listed) -> FloatArray:
        """What each feature shares with those of its run, one run after another."""

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared) -> FloatArray:
        """What each feature shares with the target in several orders of its samples: (orders, k)."""
        return np.array([self.relevance(target.reordered(order), block) for order in orders])

    def degrees(self, target: Target) -> int:
        """The degrees of freedom of the target, or how many columns represent it."""
        return 1 if target.numbers is not None else len(target.counts) - 1

    def rarest(self, target: Target) -> int:
        """The samples of the rarest class; for a quantity, those that differ from its most frequent value."""
        return min(
            int(one.counts.min())
            if one.numbers is None
            else one.total - int(occurrences(one.numbers, one.weights)[1].max())
            for one in target.targets
        )

    def margins(self, block: Prepared, least: float, target: Target) -> Margins:
        """The margins of each feature; a value is rare if fewer than `least` samples have it."""
        size = len(block.block.features)
        return Margins(np.zeros(size, np.uint64), np.ones(size))

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray | None:
        """The probability of so much relevance by chance, by the test of the measure; None: it has none.

        For each feature its number of levels, as in blocks, and the scale of its margins are given.
        """
        return None

    def gram(self, block: Prepared) -> AnyArray:
        """What a block adds to the products of samples: integers (n_samples, n_samples)."""
        raise NotImplementedError

    def sum_of_pairs(self, gram: AnyArray) -> float:
        """The sum of what all pairs of features share, with themselves too, by the products of samples."""
        raise NotImplementedError

    def row_sums(self, values: FloatArray) -> AnyArray:
        """The sum of each row, in units of 1 / sum_unit."""
        return row_sums(values)

    def listed(self, parts: list[Part], size: int) -> Listed:
        """A list of features, from blocks and slots with their places; places left out are constant."""
        placed = [(one.places, one.block.block, one.slots) for one in parts]
        sums, own = np.full(size, self.constant_sum), np.zeros(size)
        for one in parts:
            sums[one.places], own[one.places] = one.block.sums[one.slots], one.block.own[one.slots]
        features = self.measure.form.listed(placed, size, self.n_samples, self.weights)
        return Listed(features, sums, own)


def pivot_rows(ready: ReadyMeasure, pivots: Prepared, block: Prepared) -> FloatArray:
    """What each of many pivots shares with each feature of a block: (pivots, k)."""
    size = len(block.block.features)
    found = np.empty((len(pivots.own), size))
    step = max(1, PAIRS // size)
    for start in range(0, len(found), step):
        rows = slice(start, min(start + step, len(found)))
        if ready.puts:
            ready.put(pivots, rows, block, found[rows], 0)
        else:
            found[rows] = ready.between(pivots, rows, block)
    return found
