"""How good a selection is: errors on samples it has not seen, how stable it is, what it costs.

Each name is imported on first use, so that records can be read without the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qpfs.evaluation.agreement import Stability, kuncheva, stability
    from qpfs.evaluation.baselines import AllFeatures, all_features, representatives
    from qpfs.evaluation.comparing import compare
    from qpfs.evaluation.curve import ErrorCurve, error_curve
    from qpfs.evaluation.measuring import Cost, MeasuringError, measured
    from qpfs.evaluation.records import Records, RecordsError
    from qpfs.evaluation.resampling import Resampled, resampled
    from qpfs.evaluation.significance import (
        Friedman,
        Pair,
        critical_difference,
        friedman,
        holm,
        holm_adjusted,
        nemenyi,
        wilcoxon,
    )
    from qpfs.evaluation.splits import Folds, GivenSplit, LeaveOneOut, RandomSplits, Splits

__all__ = [
    "AllFeatures",
    "Cost",
    "ErrorCurve",
    "Folds",
    "Friedman",
    "GivenSplit",
    "LeaveOneOut",
    "MeasuringError",
    "Pair",
    "RandomSplits",
    "Records",
    "RecordsError",
    "Resampled",
    "Splits",
    "Stability",
    "all_features",
    "compare",
    "critical_difference",
    "error_curve",
    "friedman",
    "holm",
    "holm_adjusted",
    "kuncheva",
    "measured",
    "nemenyi",
    "representatives",
    "resampled",
    "stability",
    "wilcoxon",
]

MODULES = {
    "agreement": ("Stability", "kuncheva", "stability"),
    "baselines": ("AllFeatures", "all_features", "representatives"),
    "comparing": ("compare",),
    "curve": ("ErrorCurve", "error_curve"),
    "measuring": ("Cost", "MeasuringError", "measured"),
    "records": ("Records", "RecordsError"),
    "resampling": ("Resampled", "resampled"),
    "significance": (
        "Friedman",
        "Pair",
        "critical_difference",
        "friedman",
        "holm",
        "holm_adjusted",
        "nemenyi",
        "wilcoxon",
    ),
    "splits": ("Folds", "GivenSplit", "LeaveOneOut", "RandomSplits", "Splits"),
}
PLACES = {name: module for module, names in MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module 'qpfs.evaluation' has no attribute {name!r}")
    return getattr(import_module(f"qpfs.evaluation.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
