"""Features divided into strata: samples with equal covariates.

A block consists of one block for each stratum, with the same features at the samples of that stratum. Counts
in a stratum are those of its samples alone; a level without a sample is kept, with a count of 0, so that a
feature has the same slot everywhere. A feature that is constant in every stratum carries no information
beyond the covariates, and is in no block.

Blocks of lists and of files are divided a few features at a time, on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IndexArray
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import FormAround, Placed
from qpfs.codes.planes import unpack
from qpfs.codes.readable import Readable
from qpfs.codes.store import Block, Derived, MemoryStore, Spread, Store, one_block
from qpfs.codes.weights import Weights, weights_at
from qpfs.engines import Engine, Serial
from qpfs.groups import by_label

PIECE_CELLS = 1 << 22  # samples times features that are divided at a time


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of samples."""

    codes: IndexArray  # (n_samples,) the stratum of each sample, from 0 without gaps

    @property
    def n_samples(self) -> int:
        return len(self.codes)

    @cached_property
    def rows(self) -> list[IndexArray]:
        """The samples of each stratum."""
        order, bounds = by_label(self.codes, int(self.codes.max()) + 1)
        return np.split(order, bounds[1:-1])

    @cached_property
    def place(self) -> IndexArray:
        """(n_samples,) the place of each sample in its stratum."""
        found = np.empty(self.n_samples, np.intp)
        for rows in self.rows:
            found[rows] = np.arange(len(rows))
        return found


@dataclass(frozen=True, eq=False)
class StrataBlock(Block):
    """A block of features, divided into strata."""

    parts: tuple[Any, ...]
    strata: Strata

    @property
    def n_levels(self) -> int:
        return int(self.parts[0].n_levels)

    def varies(self) -> BoolArray:
        """Which features have several values in at least one stratum."""
        return np.any([part.varies() for part in self.parts], axis=0)

    def codes(self) -> CodeArray:
        """The levels of each feature at all samples: (n_samples, k)."""
        found = np.empty((self.strata.n_samples, len(self.features)), np.uint8)
        for rows, part in zip(self.strata.rows, self.parts, strict=True):
            found[rows] = unpack(part)
        return found

    def in_order(self, has_gaps: BoolArray) -> FloatArray | None:
        """The levels, in the order of the numbers; missing values have the last level."""
        if not self.n_levels:  # raw columns, where labels are not known as such
            return None
        codes = self.codes()
        return np.where(has_gaps & (codes == self.n_levels - 1), np.nan, codes)

    def categories(self, slot: int, has_gaps: bool) -> AnyArray:
        """The level of each sample."""
        codes = self.take(np.array([slot])).codes()[:, 0].astype(np.intp)
        return np.where(has_gaps & (codes == self.n_levels - 1), -1, codes)

    def take(self, slots: IndexArray) -> StrataBlock:
        parts = tuple(part.take(slots) for part in self.parts)
        return StrataBlock(self.features[slots], parts, self.strata)

    def turned(self) -> StrataBlock:
        return replace(self, parts=tuple(part.turned() for part in self.parts))

    def numbered(self, features: IndexArray) -> StrataBlock:
        return StrataBlock(features, tuple(part.numbered(features) for part in self.parts), self.strata)

    @staticmethod
    def joined(blocks: list[StrataBlock]) -> StrataBlock:
        """One block of all features."""
        features = np.concatenate([one.features for one in blocks])
        parts = tuple(one_block(list(some)) for some in zip(*(one.parts for one in blocks), strict=True))
        return StrataBlock(features, parts, blocks[0].strata)

    def add_scores(
        self,
        slots: IndexArray,
        centres: Any,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds some features to rows of the total, with signs matched to the centre in each stratum."""
        for rows, part, listed in zip(self.strata.rows, self.parts, centres, strict=True):
            some, own = np.zeros((len(total), len(rows)), np.int64), weights_at(weights, rows)
            weighed = part if own is None else part.weighted(own)
            weighed.add_scores(slots, listed.features, centre, row, some, own)
            total[:, rows] += some


@dataclass(frozen=True, eq=False)
class LazyStrata(Derived, Spread):
    """Features of another block, divided a few at a time on demand."""

    base: Any
    slots: IndexArray  # (k,) their slots in it
    strata: Strata

    @property
    def n_levels(self) -> int:
        return int(self.base.n_levels)

    @property
    def piece_width(self) -> int:
        return max(1, PIECE_CELLS // self.strata.n_samples)

    def take(self, slots: IndexArray) -> StrataBlock:
        """The features at the given places, divided."""
        return divided(self.base.take(self.slots[slots]).numbered(self.features[slots]), self.strata)


def divided(block: Any, strata: Strata) -> StrataBlock:
    """The features of a block in each stratum."""
    return StrataBlock(block.features, tuple(block.divided(strata.rows)), strata)


@dataclass(frozen=True, eq=False)
class StratifiedForm(FormAround):
    """A form whose features are divided into strata."""

    strata: Strata

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        store, coding = self.plain.table(columns, rule, engine)
        blocks = [one for some in (engine or Serial()).map(self._varying, store.blocks) for one in some]
        varying, store.blocks = store.varying, ()
        return MemoryStore.adjusted(blocks, store, varying), coding

    def _varying(self, block: Any) -> list[StrataBlock]:
        """A block divided, without features that are constant in every stratum."""
        found = divided(block, self.strata)
        varies = found.varies()
        if varies.all():
            return [found]
        return [found.take(np.flatnonzero(varies))] if varies.any() else []

    def _lazy(self, block: Any) -> Iterator[LazyStrata]:
        every = np.arange(len(block.features))
        whole = LazyStrata(block.features, block, every, self.strata)
        varies = np.concatenate([one.take(at).varies() for _, one, at in whole.pieces(every)])
        if varies.any():
            yield whole.part(np.flatnonzero(varies))

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[Any]:
        return [one for block in self.plain.packed(tile, rule, weights) for one in self._varying(block)]

    def listed(
        self, parts: Sequence[Placed], size: int, n_samples: int, weights: Weights | None = None
    ) -> Any:
        raise NotImplementedError("features in strata are listed stratum by stratum")
