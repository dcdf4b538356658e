"""Packed features of some samples only."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from qpfs.arrays import BoolArray, CodeArray, CountArray, IndexArray
from qpfs.codes.cutting import close_up
from qpfs.codes.encoding import CodedTile, Coding, Gathering, block_width, packed_by_levels
from qpfs.codes.planes import PlaneBlock, pack, unpack
from qpfs.codes.scores import ScoreBlock, ScoreGathering, block_of_codes, block_of_numbers, contrasted
from qpfs.codes.scores import block_width as score_width
from qpfs.codes.store import MemoryStore, Store
from qpfs.codes.weights import Weights, counts_of


def restricted(store: Store, coding: Coding, rows: IndexArray) -> tuple[MemoryStore[PlaneBlock], Coding]:
    """The features of a store at some samples, block by block; levels without a sample are removed."""
    gather, blocks = Gathering(len(rows), block_width), list[PlaneBlock]()
    left = replace(copied(coding), n_levels=np.ones_like(coding.n_levels))
    for block in store.blocks:
        for one in packed_by_levels(rows_of(block, rows, left)):
            blocks += gather.add(one)
    return MemoryStore([*blocks, *gather.rest()], len(rows), store.n_features), left


def copied(coding: Coding) -> Coding:
    """A copy of a coding, from which levels can be removed."""
    return replace(
        coding,
        n_levels=coding.n_levels.copy(),
        occurs=coding.occurs.copy(),
        labels=dict(coding.labels),
        merged=dict(coding.merged),
    )


def restricted_scores(
    store: Store, coding: Coding, rows: IndexArray, weights: Weights | None = None
) -> tuple[MemoryStore[ScoreBlock], Coding]:
    """The features of a store of scores at some samples: numbers are ranked, and labels contrasted, again."""
    # Scores increase with the numbers, and up to some thousand samples different numbers have different
    # scores; the result is then that of the numbers themselves. In a column with missing values, scores of 0
    # are read as missing.
    gather, blocks, left = ScoreGathering(len(rows), score_width), list[ScoreBlock](), copied(coding)
    for block in store.blocks:
        labelled = np.isin(block.features, list(coding.labels))
        found = [numbers_at(block, np.flatnonzero(~labelled), rows, left, weights)]
        found += [labels_at(block, slot, rows, left, weights) for slot in np.flatnonzero(labelled).tolist()]
        blocks += [full for one in found if one.scores.size for full in gather.add(one)]
    return MemoryStore([*blocks, *gather.rest()], len(rows), store.n_features), left


def numbers_at(
    block: ScoreBlock, slots: IndexArray, rows: IndexArray, left: Coding, weights: Weights | None
) -> ScoreBlock:
    """Features that were numbers, ranked among some samples."""
    features, lines = block.features[slots], block.scores[slots, 0][:, rows].astype(np.float64)
    lines[left.occurs[1, features][:, None] & (lines == 0)] = np.nan
    missing = np.isnan(lines)
    left.occurs[:, features] = [~missing.all(axis=1), missing.any(axis=1)]
    left.n_levels[features] = left.occurs[:, features].sum(axis=0)
    return block_of_numbers(lines.T, features, block.n_levels, weights)


def labels_at(
    block: ScoreBlock, slot: int, rows: IndexArray, left: Coding, weights: Weights | None
) -> ScoreBlock:
    """A feature of labels at some samples, by decreasing frequency, without labels that do not occur."""
    feature, n = int(block.features[slot]), block.n_levels + 1
    codes = contrasted(block.scores[slot], left.n_levels[feature] > n)[rows]
    counts, labels = np.bincount(codes, counts_of(weights), n + 1), left.labels[feature]
    order = [code for code in range(len(labels)) if counts[code]]
    order.sort(key=lambda code: (-counts[code], str(labels[code])))
    left.labels[feature] = tuple(labels[code] for code in order)
    if feature in left.merged and counts[len(labels)]:
        order.append(len(labels))
    else:
        left.merged.pop(feature, None)
    left.n_levels[feature] = len(order) + bool(counts[n])
    place = np.full(n + 1, len(order), np.uint8)
    place[order] = np.arange(len(order))
    return block_of_codes(place[codes], counts[order], feature, weights)


def rows_of(block: PlaneBlock, rows: IndexArray, coding: Coding) -> CodedTile:
    """The features of a block at some samples, with levels that do not occur removed from their coding."""
    codes = np.ascontiguousarray(unpack(block)[rows])
    counts = level_counts(codes, block.n_levels)
    forget(coding, block.features, counts > 0)
    planes = pack(codes, counts, block.features).planes
    level_codes, n_levels = np.zeros(counts.shape, np.intp), np.zeros(counts.shape[1], np.intp)
    close_up(counts, level_codes, n_levels)
    coding.n_levels[block.features] = n_levels
    known = Coding(block.features, np.empty((0, len(n_levels))), n_levels, np.zeros((2, len(n_levels)), bool))
    return CodedTile(planes, counts, level_codes, np.arange(len(n_levels)), known, len(rows))


def level_counts(codes: CodeArray, n_levels: int) -> CountArray:
    """Samples at each level of each feature."""
    return np.stack([(codes == level).sum(axis=0, dtype=np.int32) for level in range(n_levels)])


def forget(coding: Coding, features: IndexArray, present: BoolArray) -> None:
    """Removes levels without a sample from a coding, in place."""
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
