"""The scikit-learn face: a named method is a preset of parts."""

from __future__ import annotations

from qpfs.selectors.alternatives import Alternative
from qpfs.selectors.feature_generating import FGM
from qpfs.selectors.framework import InterleavedSelector, TwoLevelSelector
from qpfs.selectors.greedy import MRMR
from qpfs.selectors.group_discovery import GDM, Affiliate
from qpfs.selectors.interleaved import IKMAQPFS, IKMQPFS
from qpfs.selectors.nystrom import NystromQPFS
from qpfs.selectors.parts import FeatureKMeans, TwoLevelFeatureKMeans
from qpfs.selectors.quadratic import QPFS
from qpfs.selectors.relevant import MaxRel
from qpfs.selectors.searched import IKMAQPFSCV, IKMQPFSCV, QPFSCV, TLKMQPFSCV
from qpfs.selectors.selector import FeatureSelector
from qpfs.selectors.two_level import TLKMQPFS

__all__ = [
    "FGM",
    "GDM",
    "IKMAQPFS",
    "IKMAQPFSCV",
    "IKMQPFS",
    "IKMQPFSCV",
    "MRMR",
    "QPFS",
    "QPFSCV",
    "TLKMQPFS",
    "TLKMQPFSCV",
    "Affiliate",
    "Alternative",
    "FeatureKMeans",
    "FeatureSelector",
    "InterleavedSelector",
    "MaxRel",
    "NystromQPFS",
    "TwoLevelFeatureKMeans",
    "TwoLevelSelector",
]
