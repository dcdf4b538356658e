"""Targets as scores: contrasts of classes, normal scores of quantities; of several targets one common basis.

The columns of several targets span what all of them say together. Those of the first are as they are; of
each later one that part is taken which is at right angles to all before it, scaled to mean square 1 again
(modified Gram-Schmidt). A column of which next to nothing is left adds nothing, and is dropped: a target
twice, or one that others determine, changes no bit. Rounding to whole numbers comes last, as for features, so
another order of the targets changes relevance by that alone: some 1e-4 of a correlation for each column.

All columns are functions of the combinations of values that occur, so sums run over those, in sorted order:
the order of the samples does not matter, and a million samples of a few classes cost no more than their
combinations.

Letters: N samples, J different combinations of values, D columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qpfs.arrays import AnyArray, FloatArray
from qpfs.codes.scores import (
    UNIT,
    ScoreBlock,
    block_of_codes,
    block_of_numbers,
    contrasts,
    group_values,
    quantiles,
    rounded_values,
)
from qpfs.compiled import kernel

if TYPE_CHECKING:
    from qpfs.codes.target import Target

DEPENDENT = 1e-9  # of a column's square: where less is left it follows from the columns before it


def scores_of_targets(targets: Sequence[Target]) -> ScoreBlock:
    """One target, or several together, as the columns of one feature."""
    if len(targets) > 1:
        return common_basis(targets)
    (target,) = targets
    if target.numbers is not None:
        return block_of_numbers(target.numbers[:, None], np.array([0]), 1)
    return block_of_codes(target.codes, target.counts, 0)


def common_basis(targets: Sequence[Target]) -> ScoreBlock:
    """What several targets say together."""
    found = [group_scores(target) for target in targets]
    rows, place = combinations([codes for codes, _ in found])
    columns = np.concatenate([values[:, row] for (_, values), row in zip(found, rows, strict=True)])
    counts = np.bincount(place)
    n_kept = orthogonalise(columns, counts, len(found[0][1]), float(len(place)) * UNIT * UNIT)
    rounded, shift = rounded_values(columns[:n_kept])
    return ScoreBlock(np.array([0]), rounded[None, :, place], shift[None])


def group_scores(target: Target) -> tuple[AnyArray, FloatArray]:
    """Which group of equal values each sample is in, and the scores of the groups in units of 1 / UNIT."""
    if target.numbers is None:
        return target.codes, contrasts(target.counts.astype(np.float64), len(target.codes))
    _, codes, counts = np.unique(target.numbers, return_inverse=True, return_counts=True)
    values = np.zeros((1, len(counts)))
    group_values(counts, quantiles(len(codes)), values)
    return codes, UNIT * values


def combinations(codes: Sequence[AnyArray]) -> tuple[list[AnyArray], AnyArray]:
    """The combinations of codes that occur, sorted: their codes in each target, and which a sample has."""
    place = np.zeros(len(codes[0]), np.intp)
    for some in codes:
        place = np.unique(place * (int(some.max()) + 1) + some, return_inverse=True)[1]
    first = np.unique(place, return_index=True)[1]
    return [some[first] for some in codes], place


@kernel
def orthogonalise(columns: FloatArray, counts: AnyArray, n_first: int, length: float) -> int:
    """Makes columns after the first few orthogonal to all before, those that add nothing left out.

    The first few are orthogonal as they are. How many columns are left: these come first.
    """
    n_kept = n_first
    for j in range(n_first, len(columns)):
        column = columns[n_kept]
        column[:] = columns[j]
        for i in range(n_kept):
            share = weighted_product(columns[i], column, counts) / length
            for g in range(len(column)):
                column[g] -= share * columns[i, g]
        square = weighted_product(column, column, counts) / length
        if square > DEPENDENT:
            column /= np.sqrt(square)
            n_kept += 1
    return n_kept


@kernel
def weighted_product(one: FloatArray, other: FloatArray, counts: AnyArray) -> float:
    """The inner product of two columns whose values occur so often."""
    total = 0.0
    for g in range(len(one)):
        total += counts[g] * one[g] * other[g]
    return total
