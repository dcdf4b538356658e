"""Measures of redundancy between features and of relevance to the target, computed from packed features.

A measure turns the counts or products of a block into numbers; the feature table queries all blocks and
combines the results. The algorithms use the feature table and nothing below it.
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
