"""Measures of how much two features, or a feature and the target, share."""

from __future__ import annotations

from qpfs.information.measures.chi_square import ChiSquare
from qpfs.information.measures.correlation import Correlation
from qpfs.information.measures.counted import CountMeasure
from qpfs.information.measures.function import AnyMeasure, FunctionMeasure
from qpfs.information.measures.measure import Listed, Measure, Part, Prepared, ReadyMeasure, Runs, Words
from qpfs.information.measures.mutual_information import MutualInformation
from qpfs.information.measures.rank import Rank
from qpfs.registry import Registry

MEASURES: Registry[Measure] = Registry(
    "qpfs.measures", {one.name: one for one in (MutualInformation(), Correlation(), ChiSquare(), Rank())}
)

__all__ = [
    "MEASURES",
    "AnyMeasure",
    "ChiSquare",
    "Correlation",
    "CountMeasure",
    "FunctionMeasure",
    "Listed",
    "Measure",
    "MutualInformation",
    "Part",
    "Prepared",
    "Rank",
    "ReadyMeasure",
    "Runs",
    "Words",
]
