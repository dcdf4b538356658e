"""What a measure is, and what is asked of one that has been made ready for a number of samples.

A measure is symmetric and not negative. A feature shares with itself (its entropy, for mutual information) at
least what it shares with any other, and nothing with a constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.covariates import Covariates
from qpfs.codes.encoding import Rule
from qpfs.codes.forms import Form
from qpfs.codes.store import Block
from qpfs.codes.target import Target
from qpfs.codes.weights import Weights, total_of
from qpfs.information.kernels import SUM_UNIT, row_sums

BlockT = TypeVar("BlockT", bound=Block)
PAIRS = 1 << 16  # asked about in one call: long enough that the call costs nothing


@dataclass(frozen=True)
class Words:
    """What a report says of a measure."""

    title: str  # "mutual information": what relevance and redundancy are measured by
    distance: str  # "the distance 1 − I(f; g) / max(H(f), H(g))": what features are clustered under
    shared: (
        str  # "their mutual information as a share of ...": what a cell of the heat map of two features is
    )
    test: str = "shuffles of the target"  # what p values come from, where counts are large
    apart: str = "its distance is 0 if each tells the other exactly, 1 if neither says anything of the other"


@dataclass(frozen=True)
class Measure(ABC):
    """How much two features share: a value, compared and shown by its parameters, that fits any data."""

    name: ClassVar[str]
    words: ClassVar[Words]
    form: ClassVar[Form]  # what it reads of features: levels, numbers, scores or raw columns
    convex: ClassVar[bool]  # whether the matrix of any features is positive semi-definite by construction
    radius: ClassVar[float] = 0.5  # of a cluster of like features that need not be split, unless it is said
    several: ClassVar[bool] = False  # whether it takes several targets for one: else the mean over them

    def apart(self, target: Target) -> tuple[tuple[Target, float], ...]:
        """The targets that relevance is told of one by one, each with its share of the whole."""
        together = not target.others or (self.several and target.importance is None)
        return ((target, 1.0),) if together else target.shares

    @property
    def strata(self) -> IndexArray | None:
        """(n_samples,) the stratum of each sample, within which targets may be exchanged; None: all alike."""
        return None

    @abstractmethod
    def on(self, n_samples: int, weights: Weights | None = None) -> ReadyMeasure[Any]:
        """The measure made ready for features of so many samples, which may have weights."""

    def adjusted(self, covariates: Covariates, rule: Rule) -> Measure:
        """What is left of the measure given covariates; where it counts, a rule cuts those that are numbers.

        Raises TypeError if the measure cannot be adjusted.
        """
        raise TypeError(
            f"covariates are given, but the measure {self.name!r} does not say what is left of it once they "
            "are taken out (it has no `adjusted`). Use 'rank', 'correlation', 'mi' or 'chi2', or leave them "
            "out."
        )


@dataclass(frozen=True, eq=False)
class Prepared(Generic[BlockT]):
    """A block with what a measure wants to know of each of its features beforehand."""

    block: BlockT
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,) what each feature shares with itself

    def take(self, slots: IndexArray) -> Prepared[BlockT]:
        return Prepared(self.block.take(slots), self.sums[slots], self.own[slots])


@dataclass(frozen=True, eq=False)
class Listed:
    """Features one after another, to be paired one by one, with what a measure wants to know of each."""

    features: Any  # as their form lists them
    sums: AnyArray  # (k,)
    own: FloatArray  # (k,)


@dataclass(frozen=True, eq=False)
class Part(Generic[BlockT]):
    """Some of the features of a list, all of one block: which of them, and where they are."""

    places: IndexArray
    block: Prepared[BlockT]
    slots: IndexArray


@dataclass(frozen=True, eq=False)
class Runs(Generic[BlockT]):
    """Some features of a block, each to be paired with a run of a list: from lo to hi - 1."""

    block: Prepared[BlockT]
    slots: IndexArray
    lo: IndexArray
    hi: IndexArray

    @property
    def n_pairs(self) -> int:
        return int((self.hi - self.lo).sum())


class Margins(NamedTuple):
    """How the values of features are spread over the samples, which is all that chance depends on."""

    key: AnyArray  # (k,) uint64: the same for features whose values occur equally often; 0: none is too rare
    scale: FloatArray  # (k, ...) what the test wants to know of them, such as its statistic on average


@dataclass(eq=False)
class ReadyMeasure(ABC, Generic[BlockT]):
    """A measure with what it looks up for a number of samples; what the feature table asks."""

    measure: Measure
    n_samples: int
    weights: Weights | None = None  # of the samples; None: all are 1
    # Whether a pair takes microseconds at most. One that is not quick is asked for no pair that can be done
    # without, and spreads its work over processes by itself.
    quick: ClassVar[bool] = True
    fewest: ClassVar[float] = 64  # samples in which two features meet in no less time than in fewer: a word
    sum_unit: ClassVar[float] = SUM_UNIT  # sums are whole numbers in units of 1 / sum_unit
    most_samples: ClassVar[int] = 0  # up to which all pairs are added up through products of samples (`gram`)
    # Samples that are expected where a rare value of a feature and one of the target meet, below which the
    # target is shuffled. 5 is the usual rule; but with few counts few values of a statistic are possible, and
    # at 10 a false discovery rate of 0.2 was 0.22 (60 samples, three bins, two classes).
    least_expected: ClassVar[float] = 20.0

    @property
    @abstractmethod
    def constant_sum(self) -> Any:
        """What is kept of a constant feature beforehand."""

    def __reduce__(self) -> Any:
        """What is looked up is made anew, rather than sent or kept."""
        return self.measure.on, (self.n_samples, *(() if self.weights is None else (self.weights,)))

    @property
    def total(self) -> int:
        """All samples, or what they weigh, in the unit of counts and products."""
        return total_of(self.weights, self.n_samples)

    @property
    def size(self) -> float:
        """How many samples there are, or what their weights add up to: the evidence that p values go by."""
        return self.n_samples if self.weights is None else self.weights.size

    def weighted(self, block: BlockT) -> BlockT:
        """A block, with what is known of its samples beforehand weighted if they have weights."""
        return block if self.weights is None else block.weighted(self.weights)

    @abstractmethod
    def prepare(self, block: BlockT) -> Prepared[BlockT]: ...

    @abstractmethod
    def between(self, pivots: Prepared[BlockT], rows: slice, other: Prepared[BlockT]) -> FloatArray:
        """What each of some pivots shares with each feature: (rows, k), good until the thread asks again."""

    @abstractmethod
    def relevance(self, target: Target, block: Prepared[BlockT]) -> FloatArray:
        """What each feature of a block shares with the target."""

    @abstractmethod
    def along(self, runs: Runs[BlockT], others: Listed) -> FloatArray:
        """What each feature shares with those of its run, one run after another."""

    def shuffled(self, target: Target, orders: IndexArray, block: Prepared[BlockT]) -> FloatArray:
        """What each feature shares with the target in each of some orders of its samples: (orders, k)."""
        return np.array([self.relevance(target.reordered(order), block) for order in orders])

    def degrees(self, target: Target) -> int:
        """The degrees of freedom of the target, or how many columns stand for it."""
        return 1 if target.numbers is not None else len(target.counts) - 1

    def rarest(self, target: Target) -> int:
        """Samples at the rarest value of the target."""
        return target.rarest

    def margins(self, block: Prepared[BlockT], least: float, target: Target) -> Margins:
        """How the values of each feature are spread; rare are those that fewer than `least` samples have."""
        size = len(block.block.features)
        return Margins(np.zeros(size, np.uint64), np.ones(size))

    def tail(
        self, relevance: FloatArray, levels: IndexArray, scale: FloatArray, target: Target
    ) -> FloatArray | None:
        """How probable so much relevance is by chance, by the test that the measure is; None: it is none.

        Of each feature there are the number of its levels, as blocks have it, and the scale of its margins.
        """
        return None

    def gram(self, block: Prepared[BlockT]) -> AnyArray:
        """What a block adds to the products of samples: integers (n_samples, n_samples)."""
        raise NotImplementedError

    def sum_of_pairs(self, gram: AnyArray) -> float:
        """What all features share with one another, themselves included, by the products of samples."""
        raise NotImplementedError

    def row_sums(self, values: FloatArray) -> AnyArray:
        """The sum of each row, in units of 1 / sum_unit."""
        return row_sums(values)

    def listed(self, parts: list[Part[BlockT]], size: int) -> Listed:
        """Features of blocks at given places of a list; what is at no place is constant."""
        placed = [(one.places, one.block.block, one.slots) for one in parts]
        sums, own = np.full(size, self.constant_sum), np.zeros(size)
        for one in parts:
            sums[one.places], own[one.places] = one.block.sums[one.slots], one.block.own[one.slots]
        features = self.measure.form.listed(placed, size, self.n_samples, self.weights)
        return Listed(features, sums, own)


def pivot_rows(ready: ReadyMeasure[BlockT], pivots: Prepared[BlockT], block: Prepared[BlockT]) -> FloatArray:
    """What each of many pivots shares with each feature of a block: (pivots, k)."""
    size = len(block.block.features)
    found = np.empty((len(pivots.own), size))
    step = max(1, PAIRS // size)
    for start in range(0, len(found), step):
        rows = slice(start, min(start + step, len(found)))
        found[rows] = ready.between(pivots, rows, block)
    return found
