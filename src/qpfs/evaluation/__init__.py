"""The quality of a selection: its error on new samples, its stability, its cost.

Each name is imported on first use, so that records can be read without the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.evaluation.agreement import Stability, kuncheva, stability
    from qpfs.evaluation.baselines import AllFeatures
    from qpfs.evaluation.cohorts import AcrossCohorts, across_cohorts
    from qpfs.evaluation.comparing import compare
    from qpfs.evaluation.comparison import Comparison
    from qpfs.evaluation.curve import ErrorCurve, error_curve
    from qpfs.evaluation.estimators import default_estimator
    from qpfs.evaluation.measuring import Cost, MeasuringError, measured
    from qpfs.evaluation.records import Records, RecordsError
    from qpfs.evaluation.resampling import Resampled, resampled
    from qpfs.evaluation.selection_cv import IKMAQPFSCV, IKMQPFSCV, QPFSCV, TLKMQPFSCV, SelectionCV

__all__ = [
    "IKMAQPFSCV",
    "IKMQPFSCV",
    "QPFSCV",
    "TLKMQPFSCV",
    "AcrossCohorts",
    "AllFeatures",
    "Comparison",
    "Cost",
    "ErrorCurve",
    "MeasuringError",
    "Records",
    "RecordsError",
    "Resampled",
    "SelectionCV",
    "Stability",
    "across_cohorts",
    "compare",
    "default_estimator",
    "error_curve",
    "kuncheva",
    "measured",
    "resampled",
    "stability",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "agreement": ("Stability", "kuncheva", "stability"),
        "baselines": ("AllFeatures",),
        "cohorts": ("AcrossCohorts", "across_cohorts"),
        "comparing": ("compare",),
        "comparison": ("Comparison",),
        "curve": ("ErrorCurve", "error_curve"),
        "estimators": ("default_estimator",),
        "measuring": ("Cost", "MeasuringError", "measured"),
        "records": ("Records", "RecordsError"),
        "resampling": ("Resampled", "resampled"),
        "selection_cv": ("SelectionCV", "QPFSCV", "TLKMQPFSCV", "IKMQPFSCV", "IKMAQPFSCV"),
    },
)
