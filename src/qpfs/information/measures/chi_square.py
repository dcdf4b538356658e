"""Chi-square: phi^2(f; g) = sum p(a,b)^2 / (p(a) p(b)) - 1, the statistic over the number of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from qpfs.arrays import FloatArray
from qpfs.information.measures.counted import CountMeasure
from qpfs.information.measures.measure import Words


class Shares(NamedTuple):
    """The tables of the measure: the unit of the fixed-point sums."""

    unit: float

    def cell(self, n_ab: Any, n_a: Any, n_b: Any) -> Any:
        """The term n_ab^2 / (n_a n_b); 0 without a sample, also where a level has none at all."""
        square = np.float64(n_ab) * np.float64(n_ab)
        return np.int64(np.rint(self.unit * square / max(np.float64(n_a) * np.float64(n_b), 1.0)))

    def finish(self, total: Any, own_a: Any, own_b: Any) -> Any:
        return max(total / self.unit - 1.0, 0.0)


@dataclass(frozen=True)
class ChiSquare(CountMeasure):
    """The chi-square measure phi^2; of a feature with itself it is its number of levels - 1.

    The matrix of any features is positive semi-definite, so the program is convex.
    """

    name = "chi2"
    convex = True
    words = Words(
        title="the chi-square statistic over the number of samples",
        test="the chi-square test",
        distance="the distance 1 − Q(f, g) / max(Q(f, f), Q(g, g)), with Q the chi-square statistic",
        shared="their chi-square statistic, relative to the larger of those of each with itself",
    )

    def statistic(self, relevance: FloatArray, n_samples: float) -> FloatArray:
        """Pearson's statistic, scaled to its mean under permutations: (N - 1) phi^2."""
        return (n_samples - 1.0) * relevance

    def tables(self, n_samples: int) -> Shares:
        # The sum of the shares is at most the number of levels of either feature, one of which has less than
        # 2^8. The total of a target of more levels with itself would overflow, but is not used.
        return Shares(2.0**54)
