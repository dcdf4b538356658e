"""The layout of every figure: plain data in, a picture of marks out, for the page and for matplotlib."""

from __future__ import annotations

from qpfs.report.pictures.cluster_bars import cluster_bars
from qpfs.report.pictures.error_curves import error_curves
from qpfs.report.pictures.frequency_bars import frequency_bars
from qpfs.report.pictures.heat_map import heat_map
from qpfs.report.pictures.score_bars import score_bars
from qpfs.report.pictures.spread import large_spread, small_spread
from qpfs.report.pictures.theta_lines import theta_lines
from qpfs.report.pictures.weight_fall import weight_fall

__all__ = [
    "cluster_bars",
    "error_curves",
    "frequency_bars",
    "heat_map",
    "large_spread",
    "score_bars",
    "small_spread",
    "theta_lines",
    "weight_fall",
]
