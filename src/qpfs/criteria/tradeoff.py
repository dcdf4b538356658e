"""theta: how much relevance counts against redundancy.

The automatic value makes both count the same on average, and needs the mean of Q over all pairs. That mean is
exact while looking at all pairs is cheap, and estimated from a random sample of features beyond.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.information import FeatureTable, Mean
from qpfs.program import balanced_theta

# Pairs times samples up to which every pair is looked at: a second or two on one core. The shape alone
# decides, so that the answer does not depend on the machine.
AFFORDABLE = 25e9
PILOT = 64
PRECISION = 0.003  # aimed at, as a share of theta; what was reached is reported


@dataclass(frozen=True)
class TradeOff:
    """theta, with the standard error of an estimated one."""

    theta: float
    standard_error: float = 0.0


def trade_off(
    table: FeatureTable[Any], relevance: FloatArray, random_state: np.random.RandomState
) -> TradeOff:
    """The theta that balances the means of Q and s over the features that vary."""
    m = len(table.varying)
    mean_relevance = float(relevance[table.varying].mean())
    if m * m / 2 * max(table.store.n_samples, 64) <= AFFORDABLE:
        return balanced(table.mean(), mean_relevance)
    order = random_state.permutation(table.varying)
    pilot = balanced(table.sampled_mean(order[:PILOT]), mean_relevance)
    n = int(np.ceil(PILOT * (pilot.standard_error / (PRECISION * pilot.theta)) ** 2))
    # The pilot sets the size of the sample and is not part of it: the estimate stays unbiased.
    return balanced(table.sampled_mean(order[PILOT:][: max(n, PILOT)]), mean_relevance)


def balanced(redundancy: Mean, mean_relevance: float) -> TradeOff:
    """Theta = q / (q + s); its error is that of q times d theta / d q = theta (1 - theta) / q."""
    theta = balanced_theta(redundancy.value, mean_relevance)
    error = theta * (1 - theta) * redundancy.standard_error / max(redundancy.value, 1e-300)
    return TradeOff(theta, error)
