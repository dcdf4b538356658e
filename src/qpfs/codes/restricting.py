"""Packed features of some samples only."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, CodeArray, CountArray, IndexArray
from qpfs.codes.encoding import Coding, Gathering, block_width
from qpfs.codes.planes import PlaneBlock, pack, unpack
from qpfs.codes.store import MemoryStore, Store, memory_store
from qpfs.compiled import kernel


def restricted(store: Store[Any], coding: Coding, rows: IndexArray) -> tuple[MemoryStore[PlaneBlock], Coding]:
    """The features of a store at some samples, block by block; levels without a sample are closed up."""
    gather, blocks = Gathering(len(rows), block_width), list[PlaneBlock]()
    left = Coding(
        coding.features,
        coding.edges,
        np.ones_like(coding.n_levels),
        coding.occurs.copy(),
        dict(coding.labels),
    )
    left = replace(left, merged=dict(coding.merged))
    for block in store.blocks:
        codes, counts = rows_of(block, rows)
        forget(left, block.features, counts > 0)
        left.n_levels[block.features] = (counts > 0).sum(axis=0)
        for one in closed_up(codes, counts, block.features):
            blocks += gather.add(one)
    return memory_store([*blocks, *gather.rest()], len(rows), store.n_features), left


def rows_of(block: PlaneBlock, rows: IndexArray) -> tuple[CodeArray, CountArray]:
    """The codes of a block at some samples, and their counts."""
    codes = np.ascontiguousarray(unpack(block)[rows])
    return codes, level_counts(codes, block.n_levels)


def closed_up(codes: CodeArray, counts: CountArray, features: IndexArray) -> Iterator[PlaneBlock]:
    """Features that vary, without levels that do not occur, in blocks of equal numbers of levels."""
    there = counts > 0
    level = (np.cumsum(there, axis=0) - 1).astype(np.uint8)  # of each code that occurs
    rename(codes, level)
    order = np.argsort(~there, axis=0, kind="stable")  # codes that occur first
    counts, n_levels = np.take_along_axis(counts, order, axis=0), there.sum(axis=0)
    for n in np.unique(n_levels[n_levels > 1]):
        slots = np.flatnonzero(n_levels == n)
        yield pack(codes.take(slots, axis=1), counts[:n].take(slots, axis=1), features[slots])


@kernel
def rename(codes: CodeArray, level: CodeArray) -> None:
    """Puts the level of each code in its place."""
    for n in range(codes.shape[0]):
        for k in range(codes.shape[1]):
            codes[n, k] = level[codes[n, k], k]


def level_counts(codes: CodeArray, n_levels: int) -> CountArray:
    """Samples at each level of each feature."""
    return np.stack([(codes == level).sum(axis=0, dtype=np.int32) for level in range(n_levels)])


def forget(coding: Coding, features: IndexArray, present: BoolArray) -> None:
    """Takes levels without a sample out of a coding, in place."""
    for slot in np.flatnonzero(~present.all(axis=0)).tolist():
        feature, there = int(features[slot]), present[:, slot]
        if feature in coding.labels:
            forget_labels(coding, feature, there)
        else:
            codes = np.flatnonzero(coding.occurs[:, feature])
            coding.occurs[codes[~there], feature] = False


def forget_labels(coding: Coding, feature: int, there: BoolArray) -> None:
    labels: tuple[Hashable, ...] = coding.labels[feature]
    coding.labels[feature] = tuple(label for label, kept in zip(labels, there, strict=False) if kept)
    if feature in coding.merged and not there[len(labels)]:
        del coding.merged[feature]
