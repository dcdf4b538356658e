"""Features kept as numbers, for correlation: standardised columns and their inner products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from qpfs.codes.encoding import TILE_BYTES, finite_tile, tiles
from qpfs.codes.readable import Readable
from qpfs.codes.repeated import added
from qpfs.codes.store import SCORE_UNIT, Block, MemoryStore, Spread
from qpfs.codes.tiles import scaled_moments, tile_of
from qpfs.codes.weights import Weights, counts_of, total_of
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial


@dataclass(frozen=True, eq=False)
class NumberBlock(Block):
    """Features with mean 0 and norm 1, laid out [sample][feature]."""

    values: FloatArray  # (n_samples, k)

    def products(
        self, pivots: NumberBlock, rows: slice, out: FloatArray, weights: Weights | None = None
    ) -> None:
        """The correlation of each pivot with each feature: (rows, k)."""
        columns = np.ascontiguousarray(pivots.values[:, rows].T)
        inner_products(columns, np.ascontiguousarray(self.values), counts_of(weights), out)

    def products_along(
        self,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: FloatArray,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """The correlation of each of some features with those of its run of a list, one run after another."""
        products_along(self.rows, slots, lo, hi, others, counts_of(weights), out)

    def add_scores(
        self,
        slots: IndexArray,
        centres: FloatArray,
        centre: IndexArray,
        row: IndexArray,
        total: AnyArray,
        weights: Weights | None = None,
    ) -> None:
        """Adds some features to rows of the total: their standardised values."""
        packed = (self.rows, slots, centres, centre, counts_of(weights))
        add_values(*packed, row, float(SCORE_UNIT), total)

    def in_order(self, has_gaps: BoolArray) -> FloatArray:
        """The standardised values, of which none is missing."""
        return self.values

    @cached_property
    def rows(self) -> FloatArray:
        """The values feature by feature: (k, n_samples)."""
        return np.ascontiguousarray(self.values.T)

    def turned(self) -> NumberBlock:
        """The block with each feature's values contiguous in memory."""
        return replace(self, values=np.ascontiguousarray(self.values.T).T)

    @property
    def is_turned(self) -> bool:
        return self.values.flags.f_contiguous

    def take(self, slots: IndexArray) -> NumberBlock:
        if self.is_turned:
            return NumberBlock(self.features[slots], self.rows.take(slots, axis=0).T)
        return NumberBlock(self.features[slots], np.ascontiguousarray(self.values[:, slots]))

    @staticmethod
    def joined(blocks: list[NumberBlock]) -> NumberBlock:
        """One block of all features."""
        features = np.concatenate([block.features for block in blocks])
        if all(block.is_turned for block in blocks):
            return NumberBlock(features, np.concatenate([block.rows for block in blocks]).T)
        return NumberBlock(features, np.concatenate([block.values for block in blocks], axis=1))


class SpreadNumbers(Spread):
    """Features with mean 0 and norm 1, made dense a few at a time on demand."""

    @property
    def n_samples(self) -> int:
        raise NotImplementedError

    def products(
        self, pivots: NumberBlock, rows: slice, out: FloatArray, weights: Weights | None = None
    ) -> None:
        """The correlation of each pivot with each feature: (rows, k)."""
        for some, block, _ in self.all_pieces():
            part = np.empty((len(out), len(block.features)))
            block.products(pivots, rows, part, weights)
            out[:, some] = part

    def products_along(
        self,
        slots: IndexArray,
        lo: IndexArray,
        hi: IndexArray,
        others: FloatArray,
        out: FloatArray,
        weights: Weights | None = None,
    ) -> None:
        """The correlation of each of some features with those of its run of a list, one run after another."""
        for block, at, first, last, place in self.along(slots, lo, hi, out):
            block.products_along(at, first, last, others, place, weights)

    @property
    def piece_width(self) -> int:
        return max(1, TILE_BYTES // (8 * self.n_samples))


def standardize(
    columns: Readable, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> MemoryStore[NumberBlock]:
    """The standardised features of a table of numbers."""

    def block(features: IndexArray) -> NumberBlock:
        remedy = ", or use measure='mi'"
        tile = plain_numbers(columns, features, "measure='correlation'", remedy)
        return standardized(tile, features, getattr(columns, "weights", None))

    blocks = [
        block for block in (engine or Serial()).map(block, tiles(columns, tile_bytes)) if len(block.features)
    ]
    return MemoryStore(blocks, columns.n_samples, columns.n_features)


def standardized(tile: FloatArray, features: IndexArray, weights: Weights | None = None) -> NumberBlock:
    """The columns of a tile that vary, with mean 0 and norm 1."""
    varying = np.flatnonzero((tile != tile[0]).any(axis=0))
    tile = np.ascontiguousarray(tile[:, varying])
    mean, rest, deviation, scale = scaled_moments(tile_of(tile, weights))
    values = (tile * scale - mean - rest) / (deviation * np.sqrt(total_of(weights, len(tile))))
    return NumberBlock(features[varying], values)


def reject_labels(columns: Readable, features: IndexArray, who: str, remedy: str = "") -> None:
    labelled = features[~columns.numeric[features]]
    if len(labelled):
        raise ValueError(
            f"{who} needs numbers, but {columns.name(int(labelled[0]))} holds labels. "
            f"Encode it as numbers{remedy}."
        )


def plain_numbers(columns: Readable, features: IndexArray, who: str, remedy: str = "") -> FloatArray:
    """The numbers of some features; raises ValueError where there are labels or missing values."""
    reject_labels(columns, features, who, remedy)
    tile = finite_tile(columns, features)
    missing = np.flatnonzero(np.isnan(tile).any(axis=0))
    if len(missing):
        raise ValueError(
            f"Input X contains NaN: {columns.name(int(features[missing[0]]))} has missing values, "
            f"which {who} does not allow. Impute them{remedy}."
        )
    return tile


@kernel
def inner_products(pivots: FloatArray, values: FloatArray, counts: Any, products: FloatArray) -> None:
    """Inner products, added up from the first sample to the last, each `counts` times; None: once."""
    n_samples, n_features = values.shape
    products[:] = 0.0
    for p in range(len(pivots)):
        for n in range(n_samples):
            for k in range(n_features):
                if counts is None:
                    products[p, k] += pivots[p, n] * values[n, k]
                else:
                    products[p, k] = added(products[p, k], pivots[p, n] * values[n, k], counts[n])


@kernel
def product(one: FloatArray, other: FloatArray, counts: Any) -> float:
    """The inner product, added up from the first sample to the last."""
    total = 0.0
    for n in range(len(one)):
        if counts is None:
            total += one[n] * other[n]
        else:
            total = added(total, one[n] * other[n], counts[n])
    return total


@kernel
def products_along(
    rows: FloatArray,
    slots: AnyArray,
    lo: AnyArray,
    hi: AnyArray,
    others: FloatArray,
    counts: Any,
    out: FloatArray,
) -> None:
    """The inner product of feature slots[i] with each from lo[i] to hi[i] - 1 of others, run after run."""
    t = 0
    for i in range(len(slots)):
        for j in range(lo[i], hi[i]):
            out[t] = product(rows[slots[i]], others[j], counts)
            t += 1


@kernel
def add_values(
    rows: FloatArray,
    slots: AnyArray,
    centres: FloatArray,
    centre: AnyArray,
    counts: Any,
    row: AnyArray,
    unit: float,
    total: AnyArray,
) -> None:
    """Adds each of some features, with its sign matched to its centre, to a row of the total, in integers."""
    for i in range(len(slots)):
        values, sums = rows[slots[i]], total[row[i]]
        turned = -unit if product(values, centres[centre[i]], counts) < -1e-9 else unit
        for n in range(len(values)):
            sums[n] += np.int64(np.rint(turned * values[n]))
