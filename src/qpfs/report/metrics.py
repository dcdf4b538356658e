"""The numbers of a fitted selector by name, to compare many fits."""

from __future__ import annotations

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.selectors.reasons import constant, reflecting
from qpfs.selectors.reporting import ReportMixin
from qpfs.wording import finite

NUMBERS = (  # attributes that are numbers, without their underscore
    "theta",
    "theta_standard_error",
    "objective",
    "gap",
    "n_columns",
    "n_iter",
    "radius",
    "n_distances",
    "best_score",
)


def metrics_of(selector: ReportMixin) -> dict[str, int | float]:
    """The numbers of a selection by name; what does not apply, or is not finite, is left out."""
    known = {name: getattr(selector, f"{name}_") for name in NUMBERS if hasattr(selector, f"{name}_")}
    found = counts_of(selector) | known | relevance_of_chosen(selector)
    if hasattr(selector, "pvalues_") and hasattr(selector, "qvalues_"):
        found |= {"pvalue_min": least(selector.pvalues_), "qvalue_min": least(selector.qvalues_)}
    if hasattr(selector, "status_"):
        found["optimal"] = int(selector.status_ == "optimal")
    return {name: number for name, one in found.items() if (number := plain_number(one)) is not None}


def counts_of(selector: ReportMixin) -> dict[str, object]:
    """The numbers of samples, features and clusters, and of their fates."""
    counts = {
        "n_samples": len(selector.fitted_.target.codes),
        "n_features": selector.n_features_in_,
        "n_constant": constant(selector).sum(),
        "n_ranked": len(selector.order_),
        "n_weighted": (selector.scores_ > 0).sum(),
        "n_selected": selector.support_.sum(),
    }
    if not (hasattr(selector, "labels_") and hasattr(selector, "representatives_")):
        return counts
    n_discarded = (selector.labels_ < 0).sum() - counts["n_constant"] - reflecting(selector).sum()
    return counts | {"n_clusters": len(selector.representatives_), "n_discarded": n_discarded}


def relevance_of_chosen(selector: ReportMixin) -> dict[str, object]:
    """The largest relevance of all features, and the mean of the selected ones."""
    if not hasattr(selector, "relevance_"):
        return {}
    chosen = selector.relevance_[selector.support_]
    mean = chosen.mean() if len(chosen) else None
    return {"relevance_max": selector.relevance_.max(), "relevance_selected_mean": mean}


def least(values: FloatArray) -> float | None:
    """The smallest of some numbers, ignoring unknown ones."""
    known = values[~np.isnan(values)]
    return known.min() if len(known) else None


def plain_number(value: object) -> int | float | None:
    """A number as a plain Python number; None if it is not one."""
    if value is None or isinstance(value, (int, np.integer)):
        return None if value is None else int(value)
    return finite(value)
