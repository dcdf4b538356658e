"""The automatic trade-off, which gives redundancy and relevance the same weight on average.

theta = qbar / (qbar + sbar) solves (1 - theta) qbar = theta sbar, where qbar is the mean of all M^2
entries of Q, its diagonal included, and sbar the mean of s (Rodriguez-Lujan et al., JMLR 11, 2010).
"""

from __future__ import annotations

import math


def balanced_theta(mean_redundancy: float, mean_relevance: float) -> float:
    """The trade-off from the two means; 0.0 without any relevance, since s = 0 is like theta = 0."""
    for name, mean in (("redundancy", mean_redundancy), ("relevance", mean_relevance)):
        if not (math.isfinite(mean) and mean >= 0.0):
            raise ValueError(f"mean {name} is {mean}; it must be finite and not negative.")
    if mean_relevance == 0.0:
        return 0.0
    return mean_redundancy / (mean_redundancy + mean_relevance)
