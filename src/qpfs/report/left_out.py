"""The features that were left out: the number for each reason, and the most relevant ones with theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qpfs.arrays import IndexArray
from qpfs.effects import Effects
from qpfs.report.members import FeatureRows
from qpfs.report.schema import EffectRecord, LeftOutRecord
from qpfs.wording import finite

NAMED_LEFT = 20  # features that a page lists


def most_relevant_left(rows: FeatureRows) -> IndexArray:
    """The most relevant of the features left out, or if relevance is unknown the next in rank."""
    left = rows.asked.units(np.flatnonzero(~rows.support))
    rank = np.where(rows.rank[left] > 0, rows.rank[left], len(rows))
    return left[np.lexsort((rank, -np.nan_to_num(rows.relevance[left])))][:NAMED_LEFT]


def left_out(
    rows: FeatureRows, effects: Effects, some: IndexArray, titles: Sequence[str]
) -> LeftOutRecord | None:
    """Why features were left out; None if all were selected. `some` are those that are listed."""
    left = rows.asked.units(np.flatnonzero(~rows.support))
    if len(left) == 0:
        return None
    said = rows.reasons.texts(some, rows.names), effect_records(effects, some, rows.n_samples)
    return {
        "reasons": [{"reason": label, "n": n} for label, n in rows.reasons.counts(left).items()],
        "features": [
            {
                "feature": titles[i],
                "index": i,
                "rank": int(rows.rank[i]) or None,
                "relevance": finite(rows.relevance[i]),
                "frequency": finite(rows.frequency[i]),
                "effect": effect if titles[i] == rows.names[i] else None,  # that of a single column
                "reason": reason,
            }
            for i, reason, effect in zip(some.tolist(), *said, strict=True)
        ],
    }


def effect_records(effects: Effects, features: IndexArray, n_samples: int) -> list[EffectRecord | None]:
    """The effects of some features as plain data, with the number of samples if not all are used."""
    found: list[EffectRecord | None] = []
    measures, directions = effects.measures(features), effects.directions(features)
    for i, measure, direction in zip(features.tolist(), measures, directions, strict=True):
        if measure is None:
            found.append(None)
            continue
        one: EffectRecord = {"measure": measure, "size": float(effects.size[i]), "direction": direction}
        if effects.n[i] < n_samples:
            one["n"] = int(effects.n[i])
        found.append(one)
    return found
