"""Discretisers, which turn numbers into levels, each in a separate file."""

from __future__ import annotations

from qpfs.codes.discretizers.as_codes import AsCodes
from qpfs.codes.discretizers.discretizer import Discretizer
from qpfs.codes.discretizers.equal_frequency import EqualFrequency
from qpfs.codes.discretizers.equal_width import EqualWidth
from qpfs.codes.discretizers.three_segments import ThreeSegments
from qpfs.rules import DISCRETIZERS

USUAL_RULE: Discretizer = EqualFrequency(3)  # the default discretiser; decision 0013

__all__ = [
    "DISCRETIZERS",
    "USUAL_RULE",
    "AsCodes",
    "Discretizer",
    "EqualFrequency",
    "EqualWidth",
    "ThreeSegments",
]
