"""What an encoded table holds of some columns, spread out: levels, scores, labels.

Numbers are not in it. A level is told by its place, from 0, the lowest; a score as it is. Of a column of
scores with missing values those in the very middle are taken for them, as where rows are taken.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.disk_table import EncodedTable
from qpfs.codes.forms import Scores
from qpfs.codes.score_runs import UNIT

OTHER = "(other)"  # a label that was put together with others when the table was encoded
Labels = list[Hashable]  # None where missing


def decoded(table: EncodedTable, features: IndexArray) -> list[FloatArray | Labels]:
    """Of each of some columns the level or score of each sample, NaN where missing; or its label."""
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
    """The labels that codes stand for."""
    names = [*table.coding.labels[feature], *([OTHER] * (feature in table.coding.merged)), None]
    return [names[code] for code in codes.tolist()]  # -1 is the last: missing


def constant(table: EncodedTable, feature: int) -> FloatArray | Labels:
    """A column that is the same throughout, of which nothing is stored."""
    missing = bool(table.coding.has_gaps(np.array([feature]))[0])
    if feature in table.coding.labels:
        return labelled(table, feature, np.full(table.n_samples, -1 if missing else 0))
    return np.full(table.n_samples, np.nan if missing else 0.0)
