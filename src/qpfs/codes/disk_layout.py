"""The layout of blocks in a store: their features and two further arrays, depending on the form.

    levels      counts (levels, k), planes (levels - 1, words, k); of the size of its levels, 2 at least
    scores      shift (k, columns), scores (k, columns, N); of the size of its columns, 1 at least

Letters: k features of a block, N samples. Code that writes, reads or checks a store uses the layout of its
form.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from qpfs.arrays import AnyArray, CountArray, WordArray
from qpfs.checks import MOST_LEVELS, check_kept
from qpfs.codes.disk_check import need
from qpfs.codes.disk_format import INDEX, next_aligned
from qpfs.codes.encoding import Coding, Rule, encoded
from qpfs.codes.forms import LEVELS, Form, Levels, Scores
from qpfs.codes.planes import WORD, PlaneBlock
from qpfs.codes.readable import Readable
from qpfs.codes.score_runs import UNIT
from qpfs.codes.scores import MOST_SCORE, ScoreBlock, scored, shift_for
from qpfs.compiled import kernel, popcount
from qpfs.engines import Engine

Arrays: TypeAlias = tuple[AnyArray, AnyArray, AnyArray]
Shapes: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
Features: TypeAlias = Mapping[str, AnyArray]  # the record of each feature, by the name of its section
Facts: TypeAlias = Mapping[str, Any]
Encoded: TypeAlias = Iterator[tuple[list[Any], list[Coding]]]


class BlockLayout(ABC):
    """What a store needs to know about the form of its features."""

    form: Any
    types: ClassVar[tuple[np.dtype[Any], ...]]
    sizes: ClassVar[range]  # that a block may have
    recorded: ClassVar[tuple[str, ...]] = ()  # the section with the sizes, if they do not follow from others

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The form as plain data, for the directory."""

    @abstractmethod
    def shapes(self, k: int, size: int, n_samples: int) -> Shapes:
        """The shapes of the arrays of a block."""

    @abstractmethod
    def arrays(self, block: Any) -> Arrays:
        """The arrays of a block in memory."""

    @abstractmethod
    def encoded(self, columns: Readable, rule: Rule, engine: Engine | None, room: int) -> Encoded:
        """The features of a table in full blocks, one at a time, and how they were discretised."""

    @abstractmethod
    def size_of(self, known: Features) -> AnyArray:
        """The size of the block that each feature is in, from its record; 0: in none."""

    @abstractmethod
    def check_features(self, known: Features, labels: Facts, merged: Facts, first: int) -> None:
        """Raises UnsoundError unless the records of features agree with this form."""

    @abstractmethod
    def check_second(self, second: AnyArray, n_samples: int, number: int) -> int:
        """The size of each feature of a block by its second array; raises UnsoundError if it is invalid."""

    @abstractmethod
    def check_third(self, arrays: Arrays, n_samples: int, number: int) -> None:
        """Raises UnsoundError unless the last array, the largest, agrees with the others."""

    def places(self, offset: int, k: int, size: int, n_samples: int) -> list[int]:
        """The offsets of the arrays of a block, and its end."""
        found, end = [], offset
        for kind, shape in zip(self.types, self.shapes(k, size, n_samples), strict=True):
            found.append(next_aligned(end))
            end = found[-1] + kind.itemsize * math.prod(shape)
        return [*found, end]

    def views(self, data: Any, offset: int, k: int, size: int, n_samples: int) -> Arrays:
        """The arrays of a block, without a copy."""
        shapes, places = self.shapes(k, size, n_samples), self.places(offset, k, size, n_samples)
        parts = zip(shapes, self.types, places[:-1], strict=True)
        features, second, third = (np.ndarray(shape, kind, data, place) for shape, kind, place in parts)
        return features, second, third


@dataclass(frozen=True)
class LevelLayout(BlockLayout):
    """Levels as bit planes."""

    form: Levels = LEVELS

    types = INDEX, np.dtype("<i4"), np.dtype("<u8")
    sizes = range(2, MOST_LEVELS + 2)

    def facts(self) -> dict[str, Any]:
        return {"name": self.form.name}

    def shapes(self, k: int, size: int, n_samples: int) -> Shapes:
        return (k,), (size, k), (size - 1, -(-n_samples // WORD), k)

    def arrays(self, block: PlaneBlock) -> Arrays:
        return block.features, block.counts, block.planes

    def encoded(self, columns: Readable, rule: Rule, engine: Engine | None, room: int) -> Encoded:
        return encoded(columns, rule, engine)

    def size_of(self, known: Features) -> AnyArray:
        return np.where(known["levels"] > 1, known["levels"], 0)

    def check_features(self, known: Features, labels: Facts, merged: Facts, first: int) -> None:
        need("columns" not in known, "it has both levels and columns of scores")

    def check_second(self, second: AnyArray, n_samples: int, number: int) -> int:
        counted = (second > 0).all() and (second.sum(axis=0, dtype=np.int64) == n_samples).all()
        need(counted, f"the counts of its block {number} are not those of {n_samples} samples")
        return len(second)

    def check_third(self, arrays: Arrays, n_samples: int, number: int) -> None:
        beyond = ~np.uint64(0) << np.uint64(n_samples % WORD) if n_samples % WORD else np.uint64(0)
        sound = planes_agree(arrays[2], arrays[1], beyond)
        need(sound, f"the samples of its block {number} are not those that are counted")


@dataclass(frozen=True)
class ScoreLayout(BlockLayout):
    """Scores of ranks, 16 bits each."""

    form: Scores

    types = INDEX, np.dtype("|i1"), np.dtype("<i2")
    sizes = range(1, MOST_LEVELS)
    recorded = ("columns",)

    def facts(self) -> dict[str, Any]:
        return {"name": self.form.name, "degree": self.form.degree}

    def shapes(self, k: int, size: int, n_samples: int) -> Shapes:
        return (k,), (k, size), (k, size, n_samples)

    def arrays(self, block: ScoreBlock) -> Arrays:
        return block.features, block.shift, block.scores

    def encoded(self, columns: Readable, rule: Rule, engine: Engine | None, room: int) -> Encoded:
        return scored(columns, rule.max_categories, self.form.degree, engine, room)

    def size_of(self, known: Features) -> AnyArray:
        return known["columns"]

    def check_features(self, known: Features, labels: Facts, merged: Facts, first: int) -> None:
        sound = "columns" in known and known["edges"].shape[1] == 0
        need(sound, "it holds scores, but has edges, or no columns of scores")
        columns = known["columns"]
        wrong = (columns != 0) & (columns != self.form.degree)  # a constant feature has none
        for feature, some in labels.items():
            needed = max(len(some) + (feature in merged) - 1, 0)
            wrong[int(feature) - first] = columns[int(feature) - first] != needed
        need(not wrong.any(), "a feature has the wrong number of columns of scores")

    def check_second(self, second: AnyArray, n_samples: int, number: int) -> int:
        most = shift_for(UNIT * math.sqrt(n_samples))  # how often a column can be halved
        need((second >= 0).all() and (second <= most).all(), f"its block {number} was halved too often")
        return int(second.shape[1])

    def check_third(self, arrays: Arrays, n_samples: int, number: int) -> None:
        sound = scores_agree(arrays[2], arrays[1])
        need(sound, f"its block {number} holds values that are not scores of ranks")


IN_PLANES = LevelLayout()
LAYOUTS: dict[str, Callable[[Any], BlockLayout]] = {LEVELS.name: LevelLayout, Scores.name: ScoreLayout}


def layout_for(form: Form) -> BlockLayout:
    """The layout of a form in a store; raises ValueError for one that a store cannot keep."""
    check_kept(form.name)
    return LAYOUTS[form.name](form)


def layout_in(facts: Facts) -> BlockLayout:
    """The layout of a store with these facts, which have been checked."""
    return layout_for(Scores(facts["degree"]) if "degree" in facts else LEVELS)


@kernel
def planes_agree(planes: WordArray, counts: CountArray, beyond: Any) -> bool:
    """Whether planes are disjoint, have no bits beyond the last sample, and agree with the counts."""
    n_planes, n_words, k = planes.shape
    found, taken = np.zeros((n_planes, k), np.int64), np.empty(k, np.uint64)
    clash = np.zeros(k, np.uint64)
    for w in range(n_words):
        taken[:] = beyond if w == n_words - 1 else np.uint64(0)
        for a in range(n_planes):
            for j in range(k):
                word = planes[a, w, j]
                clash[j] |= taken[j] & word
                taken[j] |= word
                found[a, j] += np.int64(popcount(word))
    for j in range(k):
        if clash[j] != 0:
            return False
        for a in range(n_planes):
            if found[a, j] != counts[a + 1, j]:
                return False
    return True


@kernel
def scores_agree(scores: AnyArray, shift: AnyArray) -> bool:
    """Whether each column has mean 0 and mean square 1, up to rounding; a square that adds nothing is 0."""
    # Sums of products are exact only then.
    n_samples = scores.shape[2]
    for k in range(scores.shape[0]):
        for a in range(scores.shape[1]):
            total, square, least = np.int64(0), np.int64(0), np.int64(0)
            for n in range(n_samples):
                one = np.int64(scores[k, a, n])
                total, square, least = total + one, square + one * one, min(least, one)
            if least < -MOST_SCORE or abs(total) > n_samples / 2 + 1:  # each was rounded by at most 1/2
                return False
            size, half = np.sqrt(square / n_samples), UNIT / 2.0 ** np.float64(shift[k, a])
            if abs(size - half) > 0.5 + 1e-6 and (square > 0 or a == 0):
                return False
    return True
