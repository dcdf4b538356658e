"""Packed features of some samples only."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from qpfs.arrays import BoolArray, CountArray, IndexArray
from qpfs.codes.cutting import close_up, relabel
from qpfs.codes.encoding import CodedTile, Coding, Gathering, packed_by_levels
from qpfs.codes.planes import PlaneBlock, join, unpack
from qpfs.codes.store import MemoryStore, Store, memory_store


def restricted(store: Store[Any], coding: Coding, rows: IndexArray) -> tuple[MemoryStore[PlaneBlock], Coding]:
    """The features of a store at some samples, block by block; levels without a sample are closed up."""
    gather, blocks = Gathering(len(rows)), list[PlaneBlock]()
    left = Coding(
        coding.features,
        coding.edges,
        np.ones_like(coding.n_levels),
        coding.occurs.copy(),
        dict(coding.labels),
    )
    left = replace(left, merged=dict(coding.merged))
    for block in store.blocks:
        part, present = rows_of(block, rows)
        forget(left, block.features, present)
        left.n_levels[block.features] = part.coding.n_levels
        for one in packed_by_levels(part):
            blocks += gather.add(one)
    return memory_store([*blocks, *gather.rest()], len(rows), store.n_features, join), left


def rows_of(block: PlaneBlock, rows: IndexArray) -> tuple[CodedTile, BoolArray]:
    """The codes of a block at some samples, closed up, and which levels there still are."""
    codes = np.ascontiguousarray(unpack(block)[rows])
    counts = level_counts(codes, block.n_levels)
    present = counts > 0
    labels, n_levels = np.empty(counts.shape, np.uint8), np.zeros(len(block.features), np.intp)
    close_up(counts, labels, n_levels)
    relabel(codes, labels)
    coding = Coding(block.features, np.empty((0, len(n_levels))), n_levels, present)
    return CodedTile(codes, counts, coding), present


def level_counts(codes: Any, n_levels: int) -> CountArray:
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
