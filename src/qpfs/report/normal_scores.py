"""The distribution of the normal scores of a feature, which shows ties, two values and missing numbers."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray, IndexArray
from qpfs.codes.score_runs import UNIT
from qpfs.selectors.reporting import ReportMixin

EDGES = np.linspace(-3.5, 3.5, 29)  # larger scores are few, or rare categories; they are counted at the ends
TIE = 0.05  # share of the samples from which on equal numbers are shown as a tie


def normal_scores(
    selector: ReportMixin, features: IndexArray, missing: dict[int, int | None]
) -> dict[int, dict[str, object]]:
    """For each of some features the histogram of its scores; none if the measure has no scores."""
    fitted = selector.fitted_
    columns = fitted.columns
    if columns is None or columns.measure.measure.form.name != "scores":
        return {}
    labelled = {} if fitted.coding is None else fitted.coding.labels
    # Missing values, if their number is known, have no score; adjusted scores do not distinguish them.
    found = {}
    for block in columns.store.pick(features):
        for slot, feature in enumerate(block.features.tolist()):
            scores = block.columns(slice(slot, slot + 1))[0] / UNIT
            found[feature] = {
                **spread(scores, missing.get(feature) if fitted.covariates is None else None),
                "columns": block.n_levels,
                "labels": feature in labelled,
            }
    return found


def spread(scores: FloatArray, missing: int | None) -> dict[str, object]:
    """Counts in bins, those of large ties separately; the number of values, and the largest tie."""
    values, counts = np.unique(scores, return_counts=True)
    counts[values == 0] -= missing or 0  # a missing number has the score 0
    values, counts = values[counts > 0], counts[counts > 0]
    bins = np.clip(np.searchsorted(EDGES, values, side="right") - 1, 0, len(EDGES) - 2)
    large = counts >= TIE * len(scores)
    return {
        "edges": EDGES.tolist(),
        "counts": binned(bins, counts),
        "tied": binned(bins[large], counts[large]),
        "n_values": len(values),
        "largest": int(counts.max(initial=0)),
        "missing": missing,
    }


def binned(bins: IndexArray, counts: IndexArray) -> list[int]:
    """How many samples are in each bin."""
    return np.bincount(bins, counts, len(EDGES) - 1).astype(int).tolist()
