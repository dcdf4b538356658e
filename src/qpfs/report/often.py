"""How often features are selected in random draws of samples, and which are selected instead of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.report.redundancy import near_radius, standing_in
from qpfs.report.schema import NearRecord, OftenRecord
from qpfs.selectors.reporting import ReportMixin

OFTEN = 0.5  # share of the resamples from which on a feature is often selected
LISTED = 30  # features with a bar
CHOSEN = 20  # at most so many of them are selected features that draws rarely select
INSTEAD = 3  # features that are named in place of one


def stability_facts(
    stability: Mapping[str, object] | None,
    frequency: AnyArray | None,
    chosen: IndexArray,
    names: Sequence[str],
) -> dict[str, object] | None:
    """The given facts about stability, and how often features were selected."""
    if stability is None or frequency is None:
        return None if stability is None else dict(stability)
    shares = np.nan_to_num(np.asarray(frequency, np.float64))
    counts = {"often": most_often(shares, chosen, names), "n_often": int((shares >= OFTEN).sum())}
    return {**stability, **counts}


def most_often(
    shares: FloatArray, chosen: IndexArray, names: Sequence[str], n: int = LISTED
) -> list[OftenRecord]:
    """The first of the selected features and, of the others, the most frequent ones; most frequent first."""
    first = chosen[: n * CHOSEN // LISTED]
    ranks = np.full(len(shares), len(shares))
    ranks[chosen] = np.arange(len(chosen))
    # Of equally frequent ones the selected come first, by rank, and then the lowest index.
    by_share = np.lexsort((ranks, -shares))
    others = by_share[(shares[by_share] > 0) & ~np.isin(by_share, first)]
    some = np.concatenate([first, others[: n - len(first)]])
    return [
        {
            "feature": names[i],
            "index": i,
            "share": float(shares[i]),
            "rank": int(ranks[i]) + 1 if ranks[i] < len(shares) else None,
        }
        for i in some[np.lexsort((ranks[some], -shares[some]))].tolist()
    ]


def taken_places(
    selector: ReportMixin, names: Sequence[str], features: IndexArray, frequency: AnyArray | None
) -> dict[int, list[NearRecord]]:
    """For each of some features that draws do not often select, those near it that they select more often."""
    if frequency is None:
        return {}
    shares = np.nan_to_num(np.asarray(frequency, np.float64))
    rare, radius = features[shares[features] < OFTEN], near_radius(selector)
    found: dict[int, list[NearRecord]] = {}
    for feature, others, distances in compared_with(selector, rare):
        more = shares[others] > shares[feature]
        others, distances = others[more], distances[more]
        # Near is within the radius of the measure; those not selected come first, the most frequent first.
        order = np.lexsort((distances, -shares[others], selector.support_[others], distances > radius))
        is_near = distances[order] <= radius
        if not is_near.any():  # the nearest is listed
            order = np.argsort(distances, kind="stable")[:1]
        found[feature] = [
            {
                "feature": names[others[i]],
                "index": int(others[i]),
                "distance": float(distances[i]),
                "near": bool(distances[i] <= radius),
                "selected": bool(selector.support_[others[i]]),
                "frequency": float(shares[others[i]]),
            }
            for i in order[: max(1, min(INSTEAD, int(is_near.sum())))].tolist()
        ]
    return found


def compared_with(
    selector: ReportMixin, features: IndexArray
) -> Iterator[tuple[int, IndexArray, FloatArray]]:
    """Each of some features with its possible substitutes, and their distances."""
    table = selector.fitted_.table
    if table is not None:
        others = standing_in(selector)
        for feature, distances in table.each(features, distances=True):
            some = others[others != feature]
            yield feature, some, distances[some]
        return
    lists = getattr(selector, "affiliated_features_", {})  # of GDM
    for feature in (one for one in features.tolist() if one in lists):
        near = lists[feature]
        some = np.array([one.feature for one in near], np.intp)
        yield feature, some, np.array([1.0 - one.correlation for one in near])
