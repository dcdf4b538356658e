"""Rules for cutting numbers into levels, each in a file of its own."""

from __future__ import annotations

from qpfs.codes.discretizers.as_codes import AsCodes
from qpfs.codes.discretizers.discretizer import Discretizer
from qpfs.codes.discretizers.equal_frequency import EqualFrequency
from qpfs.codes.discretizers.equal_width import EqualWidth
from qpfs.codes.discretizers.three_segments import ThreeSegments
from qpfs.registry import Registry

DISCRETIZERS: Registry[type[Discretizer]] = Registry(
    "qpfs.discretizers", {rule.name: rule for rule in (ThreeSegments, EqualWidth, EqualFrequency, AsCodes)}
)

__all__ = ["DISCRETIZERS", "AsCodes", "Discretizer", "EqualFrequency", "EqualWidth", "ThreeSegments"]
