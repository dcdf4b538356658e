"""The scikit-learn face: a named method is a preset of parts."""

from __future__ import annotations

from qpfs.selectors.alternatives import Alternative
from qpfs.selectors.clustered import IKMAQPFS, IKMQPFS, TLKMQPFS
from qpfs.selectors.greedy import MRMR
from qpfs.selectors.nystrom import NystromQPFS
from qpfs.selectors.quadratic import QPFS
from qpfs.selectors.relevant import MaxRel
from qpfs.selectors.selector import FeatureSelector

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
