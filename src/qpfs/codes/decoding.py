"""Some columns of an encoded table as arrays: levels, scores, labels.

An encoded table holds no numbers. A level is given by its number, from 0, the lowest; a score by its value.
In a column of scores with missing values, scores in the very middle are read as missing, as where rows are
selected.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.disk_table import EncodedTable
from qpfs.codes.forms import Scores
from qpfs.codes.score_runs import UNIT

OTHER = "(other)"  # a label that was merged with others when the table was encoded
Labels = list[Hashable]  # None where missing


def decoded(table: EncodedTable, features: IndexArray) -> list[FloatArray | Labels]:
    """The level, score or label of each sample in some columns; NaN or None where missing."""
    found: dict[int, FloatArray | Labels] = {}
    for block in table.store.pick(features):
        gaps = table.coding.has_gaps(block.features)
        tile = block.in_order(gaps)
        for slot, feature in enumerate(block.features.tolist()):
            if feature in table.coding.labels:
                codes = block.categories(slot, bool(gaps[slot]))
                found[feature] = labelled(table, feature, np.asarray(codes, np.intp))
            elif table.form.name == Scores.name:
                scores = np.ldexp(tile[:, slot], int(block.shift[slot, 0])) / UNIT
                found[feature] = np.where(gaps[slot] & (scores == 0), np.nan, scores)
            else:
                found[feature] = tile[:, slot]
    return [found[i] if i in found else constant(table, i) for i in features.tolist()]


def labelled(table: EncodedTable, feature: int, codes: IndexArray) -> Labels:
    """The labels of codes."""
    names = [*table.coding.labels[feature], *([OTHER] * (feature in table.coding.merged)), None]
    return [names[code] for code in codes.tolist()]  # -1 is the last: missing


def constant(table: EncodedTable, feature: int) -> FloatArray | Labels:
    """A constant column, for which nothing is stored."""
    missing = bool(table.coding.has_gaps(np.array([feature]))[0])
    if feature in table.coding.labels:
        return labelled(table, feature, np.full(table.n_samples, -1 if missing else 0))
    return np.full(table.n_samples, np.nan if missing else 0.0)
