"""Feature selection: few columns that are relevant to the target and not redundant with each other.

Selectors are scikit-learn estimators; discretisers are parts that are passed to them; displays draw fitted
selectors. Each is imported on first use, so that `import qpfs` and `qpfs --help` stay quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.clustering import MacQueenKMeans, TwoLevelKMeans
    from qpfs.codes import (
        AsCodes,
        EncodedTable,
        EqualFrequency,
        EqualWidth,
        StoreError,
        ThreeSegments,
        open_store,
        write_store,
    )
    from qpfs.evaluation import IKMAQPFSCV, IKMQPFSCV, QPFSCV, TLKMQPFSCV, SelectionCV
    from qpfs.report import (
        ClusterTreeDisplay,
        ErrorCurveDisplay,
        RedundancyDisplay,
        StabilityDisplay,
        ThetaPathDisplay,
        WeightsDisplay,
    )
    from qpfs.selectors import (
        CMIM,
        FGM,
        GDM,
        IKMAQPFS,
        IKMQPFS,
        JMI,
        MRMR,
        QPFS,
        TLKMQPFS,
        ChanceWarning,
        FeatureKMeans,
        InterleavedSelector,
        LeakWarning,
        MaxRel,
        NystromQPFS,
        TwoLevelFeatureKMeans,
        TwoLevelSelector,
    )

__version__ = "0.2.0"

__all__ = [
    "CMIM",
    "FGM",
    "GDM",
    "IKMAQPFS",
    "IKMAQPFSCV",
    "IKMQPFS",
    "IKMQPFSCV",
    "JMI",
    "MRMR",
    "QPFS",
    "QPFSCV",
    "TLKMQPFS",
    "TLKMQPFSCV",
    "AsCodes",
    "ChanceWarning",
    "ClusterTreeDisplay",
    "EncodedTable",
    "EqualFrequency",
    "EqualWidth",
    "ErrorCurveDisplay",
    "FeatureKMeans",
    "InterleavedSelector",
    "LeakWarning",
    "MacQueenKMeans",
    "MaxRel",
    "NystromQPFS",
    "RedundancyDisplay",
    "SelectionCV",
    "StabilityDisplay",
    "StoreError",
    "ThetaPathDisplay",
    "ThreeSegments",
    "TwoLevelFeatureKMeans",
    "TwoLevelKMeans",
    "TwoLevelSelector",
    "WeightsDisplay",
    "open_store",
    "write_store",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "clustering": ("MacQueenKMeans", "TwoLevelKMeans"),
        "codes": (
            "AsCodes",
            "EncodedTable",
            "EqualFrequency",
            "EqualWidth",
            "StoreError",
            "ThreeSegments",
            "open_store",
            "write_store",
        ),
        "evaluation": ("IKMAQPFSCV", "IKMQPFSCV", "QPFSCV", "TLKMQPFSCV", "SelectionCV"),
        "report": (
            "ClusterTreeDisplay",
            "ErrorCurveDisplay",
            "RedundancyDisplay",
            "StabilityDisplay",
            "ThetaPathDisplay",
            "WeightsDisplay",
        ),
        "selectors": (
            "CMIM",
            "FGM",
            "GDM",
            "IKMAQPFS",
            "IKMQPFS",
            "JMI",
            "MRMR",
            "QPFS",
            "TLKMQPFS",
            "ChanceWarning",
            "FeatureKMeans",
            "InterleavedSelector",
            "LeakWarning",
            "MaxRel",
            "NystromQPFS",
            "TwoLevelFeatureKMeans",
            "TwoLevelSelector",
        ),
    },
)
