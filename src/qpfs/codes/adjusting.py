"""Features adjusted for covariates: the residuals of scores and of numbers.

With C an orthonormal basis of the constant and the covariates, a column u becomes (I - C C') u, scaled to its
former length; a feature of several columns also has each made orthogonal to those before it. Where samples
have weights w, inner products are weighted: C' diag(w) C = I, and u becomes (I - C C' diag(w)) u; each sum is
that of copies, to the last bit (`codes/repeated.py`). Inner products are then partial correlations, and
everything computed from them is unchanged. Scores are rounded to whole numbers again, as before. A column
whose residual is only rounding error is dropped; a feature without columns carries no information beyond the
covariates, and is in no block, like a constant one.

A dense table is adjusted once. Columns of a sparse table or of a file are adjusted a few at a time, on
demand, since a sparse one becomes dense: the residual of a zero is not zero.

Letters: N samples, k features, d columns of each, r columns of C.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import FormAround, Placed
from qpfs.codes.numbers import NumberBlock, SpreadNumbers, product
from qpfs.codes.readable import Readable
from qpfs.codes.repeated import added
from qpfs.codes.score_runs import UNIT
from qpfs.codes.scores import ScoreBlock, SpreadScores, shift_for
from qpfs.codes.store import Block, Derived, MemoryStore, Store
from qpfs.codes.weights import Weights, counts_of, total_of
from qpfs.compiled import inner_part, kernel
from qpfs.engines import Engine, Serial

ROUNDING = 1e-6  # of the mean square of scores: a smaller residual is rounding error
TINY = 1e-9  # likewise for numbers, which are not rounded
PIECE = 4096  # features whose residuals are computed together


class Projection(Protocol):
    """Removes the part that covariates explain from blocks."""

    @property
    def basis(self) -> FloatArray:
        """(N, r) orthonormal columns."""

    def parts(self, block: Any) -> Iterator[tuple[IndexArray, Any]]:
        """The residuals of a block: features with equally many columns each, and their slots in the block."""

    def lazily(self, base: Block, slots: IndexArray, n_levels: int) -> Block:
        """Some features of a block with equally many residual columns, adjusted on demand."""


@dataclass(frozen=True, eq=False)
class ScoreProjection:
    """Removes the part that covariates explain from scores."""

    basis: FloatArray
    weights: Weights | None = None  # of the samples; None: all are 1

    def parts(self, block: ScoreBlock) -> Iterator[tuple[IndexArray, ScoreBlock]]:
        scores, shift = np.zeros_like(block.scores), np.zeros_like(block.shift)
        left = np.zeros(len(block.features), np.intp)
        length = float(total_of(self.weights, len(self.basis))) * UNIT * UNIT
        given = (block.scores, block.shift, self.basis, counts_of(self.weights), length, ROUNDING)
        project_scores(*given, scores, shift, left)
        for d in np.unique(left[left > 0]).tolist():
            some = np.flatnonzero(left == d)
            yield some, ScoreBlock(block.features[some], scores[some, :d], shift[some, :d])

    def lazily(self, base: Block, slots: IndexArray, n_levels: int) -> Block:
        return AdjustedScores(base.features[slots], base, slots, n_levels, self, len(self.basis))


@dataclass(frozen=True, eq=False)
class NumberProjection:
    """Removes the part that covariates explain from standardised numbers."""

    basis: FloatArray
    weights: Weights | None = None  # of the samples; None: all are 1

    def parts(self, block: NumberBlock) -> Iterator[tuple[IndexArray, NumberBlock]]:
        values = np.empty((len(block.features), len(self.basis)))
        square = np.empty(len(values))
        project_numbers(block.rows, self.basis, counts_of(self.weights), values, square)
        some = np.flatnonzero(square > TINY)
        if len(some):
            yield some, NumberBlock(block.features[some], np.ascontiguousarray(values[some].T))

    def lazily(self, base: Block, slots: IndexArray, n_levels: int) -> Block:
        return AdjustedNumbers(base.features[slots], base, slots, self)


class Lazily(Derived):
    """Features of another block, adjusted a few at a time on demand."""

    projection: Projection

    def take(self, slots: IndexArray) -> Any:
        """The features at the given places, adjusted."""
        plain = self.base.take(self.slots[slots])
        found = next((block for _, block in self.projection.parts(plain)), plain)  # one kind of block
        return found.numbered(self.features[slots])


@dataclass(frozen=True, eq=False)
class AdjustedScores(Lazily, SpreadScores):
    """Scores of another block, adjusted on demand."""

    base: Any
    slots: IndexArray
    left: int  # columns of each feature
    projection: Projection
    n_samples: int

    @property
    def n_levels(self) -> int:
        return self.left


@dataclass(frozen=True, eq=False)
class AdjustedNumbers(Lazily, SpreadNumbers):
    """Standardised numbers of another block, adjusted on demand."""

    base: Any
    slots: IndexArray
    projection: Projection

    @property
    def n_samples(self) -> int:
        return len(self.projection.basis)


@dataclass(frozen=True, eq=False)
class AdjustedForm(FormAround):
    """A form whose features are adjusted for covariates."""

    projection: Projection

    def table(self, columns: Readable, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        store, coding = self.plain.table(columns, rule, engine)
        varying = store.varying
        found = (engine or Serial()).map(self._left, released(store))
        blocks = [block for some in found for block in some]
        return MemoryStore.adjusted(blocks, store, varying), coding

    def _left(self, block: Any) -> list[Any]:
        return [one for _, one in self.projection.parts(block)]

    def _lazy(self, block: Any) -> Iterator[Block]:
        """Blocks of the features of a block, by the number of their residual columns."""
        left: dict[int, list[IndexArray]] = {}
        for start in range(0, len(block.features), PIECE):
            slots = np.arange(start, min(start + PIECE, len(block.features)))
            for some, spread, at in block.pieces(slots):
                for which, part in self.projection.parts(spread.take(at)):
                    left.setdefault(part.n_levels, []).append(slots[some][which])
        for n_levels, found in sorted(left.items()):
            yield self.projection.lazily(block, np.concatenate(found), n_levels)

    def packed(self, tile: FloatArray, rule: Rule, weights: Weights | None = None) -> list[Any]:
        return [one for block in self.plain.packed(tile, rule, weights) for one in self._left(block)]

    def listed(self, parts: list[Placed], size: int, n_samples: int, weights: Weights | None = None) -> Any:
        return self.plain.listed(parts, size, n_samples, weights)


def released(store: Store) -> Iterator[Any]:
    """The blocks of a store, of which only those in use are kept in memory."""
    waiting = list(store.blocks)
    store.blocks = ()
    while waiting:
        yield waiting.pop(0)


@inner_part
def take_out(column: FloatArray, basis: FloatArray, counts: Any, shares: FloatArray) -> None:
    """Subtracts the projection on an orthonormal basis (N, r) from a column; `shares` is room for r."""
    shares[:] = 0.0
    for n in range(len(column)):
        for j in range(len(shares)):
            if counts is None:  # one copy of each sample
                shares[j] += basis[n, j] * column[n]
            else:
                shares[j] = added(shares[j], basis[n, j] * column[n], counts[n])
    for n in range(len(column)):
        for j in range(len(shares)):
            column[n] -= basis[n, j] * shares[j]


@kernel
def project_scores(
    scores: AnyArray,
    shift: AnyArray,
    basis: FloatArray,
    counts: Any,
    length: float,
    least: float,
    found: AnyArray,
    found_shift: AnyArray,
    left: AnyArray,
) -> None:
    """Writes the residual columns of each feature, and how many there are."""
    n_features, n_columns, n_samples = scores.shape
    room, shares = np.empty((n_columns, n_samples)), np.empty(basis.shape[1])
    for k in range(n_features):  # column after column, so that bits do not depend on blocks (decision 0016)
        d = 0
        for a in range(n_columns):
            column, unit = room[d], 2.0 ** np.float64(shift[k, a])
            for n in range(n_samples):
                column[n] = unit * scores[k, a, n]
            take_out(column, basis, counts, shares)
            for b in range(d):
                share = product(room[b], column, counts) / length
                for n in range(n_samples):
                    column[n] -= share * room[b, n]
            square = product(column, column, counts) / length
            if square > least:
                column /= np.sqrt(square)
                d += 1
        for a in range(d):
            largest = 0.0
            for n in range(n_samples):
                largest = max(largest, abs(room[a, n]))
            found_shift[k, a] = shift_for(largest)
            half = 2.0 ** -np.float64(found_shift[k, a])
            for n in range(n_samples):
                found[k, a, n] = np.int16(np.rint(room[a, n] * half))
        left[k] = d


@kernel
def project_numbers(
    rows: FloatArray, basis: FloatArray, counts: Any, found: FloatArray, squares: FloatArray
) -> None:
    """Writes the residual of each column of norm 1, scaled to norm 1, and its squared norm before that."""
    shares = np.empty(basis.shape[1])
    for k in range(len(rows)):
        column = found[k]
        column[:] = rows[k]
        take_out(column, basis, counts, shares)
        squares[k] = product(column, column, counts)
        if squares[k] > 0.0:
            column /= np.sqrt(squares[k])
