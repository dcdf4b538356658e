"""Features kept as numbers, for correlation: standardised columns and their inner products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.columns import Columns
from qpfs.codes.cutting import scaled_moments
from qpfs.codes.encoding import TILE_BYTES, finite_tile, tiles
from qpfs.codes.store import MemoryStore, memory_store
from qpfs.compiled import kernel
from qpfs.engines import Engine, Serial


@dataclass(frozen=True, eq=False)
class NumberBlock:
    """Features with mean 0 and norm 1, laid out [sample][feature]."""

    features: IndexArray
    values: FloatArray  # (n_samples, k)

    @property
    def n_levels(self) -> int:
        return 0  # numbers are not cut

    def products(self, pivots: NumberBlock, rows: slice = slice(None)) -> FloatArray:
        """The correlation of each pivot with each feature: (rows, k)."""
        columns = np.ascontiguousarray(pivots.values[:, rows].T)
        products = np.empty((len(columns), len(self.features)))
        inner_products(columns, self.values, products)
        return products

    def take(self, slots: IndexArray) -> NumberBlock:
        return NumberBlock(self.features[slots], np.ascontiguousarray(self.values[:, slots]))


def standardize(
    columns: Columns, engine: Engine | None = None, tile_bytes: int = TILE_BYTES
) -> MemoryStore[NumberBlock]:
    """The standardised features of a table of numbers."""
    reject_labels(columns)

    def block(features: IndexArray) -> NumberBlock:
        tile = finite_tile(columns, features)
        reject_missing(tile, columns, features)
        return standardized(tile, features)

    blocks = [
        block for block in (engine or Serial()).map(block, tiles(columns, tile_bytes)) if len(block.features)
    ]
    return memory_store(blocks, columns.n_samples, columns.n_features, join)


def standardized(tile: FloatArray, features: IndexArray) -> NumberBlock:
    """The columns of a tile that vary, with mean 0 and norm 1."""
    varying = np.flatnonzero((tile != tile[0]).any(axis=0))
    tile = np.ascontiguousarray(tile[:, varying])
    mean, deviation, _, scale = scaled_moments(tile)
    values = (tile * scale - mean) / (deviation * np.sqrt(len(tile)))
    return NumberBlock(features[varying], values)


def join(blocks: list[NumberBlock]) -> NumberBlock:
    """One block of all features."""
    return NumberBlock(
        np.concatenate([block.features for block in blocks]),
        np.concatenate([block.values for block in blocks], axis=1),
    )


def reject_labels(columns: Columns) -> None:
    labelled = np.flatnonzero(~columns.numeric)
    if len(labelled):
        raise ValueError(
            f"measure='correlation' needs numbers, but {columns.name(int(labelled[0]))} holds labels. "
            "Encode it as numbers, or use measure='mi' or 'chi2'."
        )


def reject_missing(tile: FloatArray, columns: Columns, features: IndexArray) -> None:
    missing = np.flatnonzero(np.isnan(tile).any(axis=0))
    if len(missing):
        raise ValueError(
            f"Input X contains NaN: {columns.name(int(features[missing[0]]))} has missing values, "
            "which measure='correlation' has no place for. Impute them, or use measure='mi' or 'chi2'."
        )


@kernel
def inner_products(pivots: FloatArray, values: FloatArray, products: FloatArray) -> None:
    n_samples, n_features = values.shape
    products[:] = 0.0
    for p in range(len(pivots)):
        for n in range(n_samples):
            for k in range(n_features):
                products[p, k] += pivots[p, n] * values[n, k]
