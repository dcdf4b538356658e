"""The scikit-learn face: a named method is a preset of parts."""

from __future__ import annotations

from qpfs.selectors.alternatives import Alternative
from qpfs.selectors.greedy import MRMR
from qpfs.selectors.interleaved import IKMAQPFS, IKMQPFS
from qpfs.selectors.nystrom import NystromQPFS
from qpfs.selectors.quadratic import QPFS
from qpfs.selectors.relevant import MaxRel
from qpfs.selectors.selector import FeatureSelector
from qpfs.selectors.two_level import TLKMQPFS

__all__ = [
    "IKMAQPFS",
    "IKMQPFS",
    "MRMR",
    "QPFS",
    "TLKMQPFS",
    "Alternative",
    "FeatureSelector",
    "MaxRel",
    "NystromQPFS",
]
