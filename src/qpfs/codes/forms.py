"""The forms of features: levels, which are counted; numbers; scores of ranks; raw columns.

What is needed of a form without a block of the table: how the columns of a table become features, how columns
that are not in the table become such features, and how features of several blocks are put into one list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.encoding import Coding, Rule, cut_columns, encode
from qpfs.codes.numbers import NumberBlock, standardize, standardized
from qpfs.codes.planes import PlaneBlock, PlaneList, plane_list
from qpfs.codes.raw import WHO, RawBlock, raw, raw_list, raw_points
from qpfs.codes.readable import Readable
from qpfs.codes.score_runs import ScoreList, score_list
from qpfs.codes.scores import ScoreBlock, block_of_numbers, score
from qpfs.codes.sparse_encoding import encode_sparse
from qpfs.codes.sparse_numbers import standardize_sparse
from qpfs.codes.sparse_scores import SparseScoreBlock, SparseScoreList, score_sparse, sparse_list
from qpfs.codes.store import MemoryStore, Store
from qpfs.codes.weights import Weights
from qpfs.engines import Engine

if TYPE_CHECKING:
    from qpfs.codes.sparse_columns import SparseColumns

Placed: TypeAlias = tuple[IndexArray, Any, IndexArray]  # places of a list, a block, and the slots in it
Table: TypeAlias = tuple[Store, Coding | None]  # all features, and how they were discretised


class Form(Protocol):
    """The form in which features are kept."""

    @property
    def name(self) -> str: ...

    @property
    def plain(self) -> Form:
        """The form without adjustment for covariates."""

    @property
    def cell_bytes(self) -> float:
        """About how many bytes a feature takes for each sample."""

    @property
    def takes_gaps(self) -> bool:
        """Whether it can hold missing values and labels."""

    @property
    def travels(self) -> bool:
        """Whether its blocks may be held and used on other computers."""

    @property
    def account(self) -> str:
        """How columns were transformed, as a sentence of a report; for levels the rule gives more detail."""

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> Table:
        """The features of a table of readable columns."""

    def sparse_table(self, columns: SparseColumns, rule: Rule, engine: Engine | None) -> Table:
        """The features of a sparse table, equal to those of the dense table to the last bit."""

    def over(self, store: Store) -> Store:
        """A store of this form around one in the plain form, without a copy of its features."""

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[Any]:
        """Columns of numbers as blocks, discretised by the rule if needed; a constant one is in no block."""

    def listed(self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None) -> Any:
        """Features of several blocks as one list to compare with; places that are left out are constant."""


class PlainForm:
    """A form of features that are not adjusted for covariates."""

    @property
    def plain(self) -> Self:
        return self

    def over(self, store: Store) -> Store:
        return store


@dataclass(frozen=True, eq=False)
class FormAround:
    """A form that transforms the features of a plain one."""

    plain: Form

    @property
    def name(self) -> str:
        return self.plain.name

    @property
    def cell_bytes(self) -> float:
        return self.plain.cell_bytes

    @property
    def takes_gaps(self) -> bool:
        return self.plain.takes_gaps

    @property
    def travels(self) -> bool:
        return self.plain.travels

    @property
    def account(self) -> str:
        return self.plain.account

    def sparse_table(self, columns: Any, rule: Rule, engine: Engine | None) -> Table:
        store, coding = self.plain.sparse_table(columns, rule, engine)
        return self.over(store), coding

    def over(self, store: Store) -> Store:
        """A store of transformed features around a store, whose features are not copied."""
        blocks = [one for block in store.blocks for one in self._lazy(block)]
        return MemoryStore.adjusted(blocks, store, store.varying)

    def _lazy(self, block: Any) -> Iterable[Any]:
        """Blocks of the transformed features of a block, computed on demand."""
        raise NotImplementedError


@dataclass(frozen=True)
class Levels(PlainForm):
    """Features as levels, in planes or on lists; a list of features is of planes."""

    name = "levels"
    cell_bytes = 0.25  # two bits, for three levels
    takes_gaps = True
    travels = True
    account = "Each column was discretised."

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> Table:
        return encode(columns, rule, engine)

    def sparse_table(self, columns: SparseColumns, rule: Rule, engine: Engine | None) -> Table:
        return encode_sparse(columns, rule, engine)

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[PlaneBlock]:
        return list(cut_columns(tile, rule, weights))

    def listed(
        self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None
    ) -> PlaneList:
        return plane_list(parts, size, n_samples, weights)


@dataclass(frozen=True)
class Numbers(PlainForm):
    """Features as standardised numbers; a list of features is an array of rows."""

    name = "numbers"
    cell_bytes = 8.0
    takes_gaps = False
    travels = True
    account = "The numbers themselves were used; nothing was discretised."

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> Table:
        return standardize(columns, engine), None

    def sparse_table(self, columns: SparseColumns, rule: Rule, engine: Engine | None) -> Table:
        return standardize_sparse(columns, engine), None

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[NumberBlock]:
        block = standardized(tile, np.arange(tile.shape[1]), weights)
        return [block] if len(block.features) else []

    def listed(
        self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None
    ) -> FloatArray:
        values = np.zeros((size, n_samples))
        for places, whole, slots in parts:
            for some, block, at in whole.pieces(slots):
                values[places[some]] = block.rows[at]
        return values


@dataclass(frozen=True)
class Scores(PlainForm):
    """Features as scores of ranks, each of `degree` columns or as many as a label needs."""

    degree: int

    name = "scores"
    takes_gaps = True
    travels = True
    account = (
        "Each column of numbers was replaced by the normal scores of its ranks, equal for ties; "
        "nothing was discretised. A missing number has the score 0."
    )

    @property
    def cell_bytes(self) -> float:
        return 2.0 * self.degree

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> Table:
        return score(columns, rule.max_categories, self.degree, engine)

    def sparse_table(self, columns: SparseColumns, rule: Rule, engine: Engine | None) -> Table:
        return score_sparse(columns, self.degree, engine), None

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[ScoreBlock]:
        block = block_of_numbers(tile, np.arange(tile.shape[1]), self.degree, weights)
        return [block] if len(block.features) else []

    def listed(
        self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None
    ) -> ScoreList | SparseScoreList:
        if parts and all(isinstance(block, SparseScoreBlock) for _, block, _ in parts):
            return sparse_list(parts, size)
        return score_list(parts, size, n_samples)


@dataclass(frozen=True)
class Raw(PlainForm):
    """Features as raw columns, for a function of two columns; a list of features is a block."""

    name = "raw"
    takes_gaps = False
    cell_bytes = 8.0
    travels = False
    account = (
        "Each column was passed to the function unchanged, labels as the numbers 0, 1, ... of their "
        "categories in sorted order; nothing was discretised."
    )

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> Table:
        return raw(columns, engine), None

    def sparse_table(self, columns: SparseColumns, rule: Rule, engine: Engine | None) -> Table:
        raise TypeError(
            f"X is sparse, but {WHO} needs dense columns. Give X.toarray(), if it fits in memory."
        )

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[RawBlock]:
        return raw_points(tile)

    def listed(
        self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None
    ) -> RawBlock:
        return raw_list(parts, size, n_samples)


LEVELS, NUMBERS, RAW = Levels(), Numbers(), Raw()
