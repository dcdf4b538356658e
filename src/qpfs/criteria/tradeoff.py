"""theta: how much relevance counts against redundancy.

The automatic value makes both count the same on average, and needs the mean of Q over all pairs. That mean is
exact while computing all pairs is cheap; otherwise it is estimated from a random sample of columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.criteria.sampling import PILOT, ColumnSample
from qpfs.information import FeatureTable, Mean
from qpfs.program import balanced_theta

# Pairs times samples up to which every pair is computed: a second or two on one core. Only the shape decides,
# so that the result does not depend on the computer.
AFFORDABLE = 25e9
AIM = 0.003  # relative standard error of theta that the sample is planned for
LEEWAY = 3.0  # factor by which it may be larger


@dataclass(frozen=True)
class Effort:
    """How much an automatic theta may cost: pairs times samples, and beyond that the error aimed at."""

    affordable: float
    aim: float
    pilot: int = PILOT  # columns from which the number needed is estimated


@dataclass(frozen=True)
class TradeOff:
    """The trade-off theta, with its standard error if it was estimated."""

    theta: float
    standard_error: float = 0.0


def trade_off(
    table: FeatureTable,
    relevance: FloatArray,
    random_state: np.random.RandomState,
    effort: Effort | None = None,
) -> TradeOff:
    """The theta that balances the means of Q and s over the features that vary."""
    # No effort given means exact QPFS, which reads all of Q of few features to prove that it is convex.
    keep = effort is None and not table.measure.measure.convex
    effort = effort or Effort(AFFORDABLE, AIM)
    mean_relevance = float(relevance[table.varying].mean())
    if table.mean_work <= effort.affordable:
        return balanced(table.mean(keep=keep), mean_relevance)
    sample = ColumnSample.pilot(table, relevance, random_state, effort.pilot)
    found = balanced(sample.mean(), mean_relevance)
    excess = found.standard_error / (effort.aim * found.theta)
    while not sample.more_than_half:
        sample = sample.grown(excess)
        found = balanced(sample.mean(), mean_relevance)
        if found.standard_error <= LEEWAY * effort.aim * found.theta:
            return found
        excess = 2.0
    return balanced(table.mean(), mean_relevance)


def balanced(redundancy: Mean, mean_relevance: float) -> TradeOff:
    """theta = q / (q + s); its error is that of q times d theta / d q = theta (1 - theta) / q."""
    theta = balanced_theta(redundancy.value, mean_relevance)
    error = theta * (1 - theta) * redundancy.standard_error / max(redundancy.value, 1e-300)
    return TradeOff(theta, error)
