"""Counts -> how much features say about each other and about the target.

A measure turns what a block can count into numbers; the feature table asks all blocks and puts the answers
together. The algorithms talk to the feature table and to nothing below it.
"""

from __future__ import annotations

from qpfs.information.measures import (
    MEASURES,
    AnyMeasure,
    ChiSquare,
    Correlation,
    CountMeasure,
    FunctionMeasure,
    Measure,
    MutualInformation,
    Rank,
    Words,
)
from qpfs.information.shuffling import Shuffles
from qpfs.information.significance import Significance, significance
from qpfs.information.table import FeatureTable, Mean

__all__ = [
    "MEASURES",
    "AnyMeasure",
    "ChiSquare",
    "Correlation",
    "CountMeasure",
    "FeatureTable",
    "FunctionMeasure",
    "Mean",
    "Measure",
    "MutualInformation",
    "Rank",
    "Shuffles",
    "Significance",
    "Words",
    "significance",
]
