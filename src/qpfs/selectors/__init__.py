"""The scikit-learn estimators: each named method is a preset of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpfs.rooms import on_first_use

if TYPE_CHECKING:
    from qpfs.selectors.cautions import LeakWarning
    from qpfs.selectors.chance import ChanceWarning
    from qpfs.selectors.cmim import CMIM
    from qpfs.selectors.fgm import FGM
    from qpfs.selectors.gdm import GDM, Affiliate
    from qpfs.selectors.ikm import IKMAQPFS, IKMQPFS
    from qpfs.selectors.interleaved import InterleavedSelector
    from qpfs.selectors.jmi import JMI
    from qpfs.selectors.maxrel import MaxRel
    from qpfs.selectors.mrmr import MRMR
    from qpfs.selectors.nystrom import NystromQPFS
    from qpfs.selectors.parts import FeatureKMeans, TwoLevelFeatureKMeans
    from qpfs.selectors.qpfs import QPFS
    from qpfs.selectors.redundancy import Alternative
    from qpfs.selectors.selector import FeatureSelector
    from qpfs.selectors.theta_path import ThetaPath
    from qpfs.selectors.tlkm import TLKMQPFS
    from qpfs.selectors.two_level import TwoLevelSelector

__all__ = [
    "CMIM",
    "FGM",
    "GDM",
    "IKMAQPFS",
    "IKMQPFS",
    "JMI",
    "MRMR",
    "QPFS",
    "TLKMQPFS",
    "Affiliate",
    "Alternative",
    "ChanceWarning",
    "FeatureKMeans",
    "FeatureSelector",
    "InterleavedSelector",
    "LeakWarning",
    "MaxRel",
    "NystromQPFS",
    "ThetaPath",
    "TwoLevelFeatureKMeans",
    "TwoLevelSelector",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "cautions": ("LeakWarning",),
        "chance": ("ChanceWarning",),
        "cmim": ("CMIM",),
        "fgm": ("FGM",),
        "gdm": ("GDM", "Affiliate"),
        "ikm": ("IKMAQPFS", "IKMQPFS"),
        "interleaved": ("InterleavedSelector",),
        "jmi": ("JMI",),
        "maxrel": ("MaxRel",),
        "mrmr": ("MRMR",),
        "nystrom": ("NystromQPFS",),
        "parts": ("FeatureKMeans", "TwoLevelFeatureKMeans"),
        "qpfs": ("QPFS",),
        "redundancy": ("Alternative",),
        "selector": ("FeatureSelector",),
        "theta_path": ("ThetaPath",),
        "tlkm": ("TLKMQPFS",),
        "two_level": ("TwoLevelSelector",),
    },
)
